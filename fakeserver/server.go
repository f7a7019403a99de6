package fakeserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Server is a fake of the service. It is an http.Handler, safe for any number of goroutines.
type Server struct {
	engine *engine
	client *http.Client

	close    sync.Once
	listener net.Listener
	http     *http.Server
	served   chan struct{}
}

// TB is what Start needs of a test; a testing.TB is one. Start stops a test that has the method FailNow when it cannot
// serve, and asks one that has the method Skipped.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Cleanup(func())
}

// New makes a server that no port leads to: use it as an http.Handler, or through Client.
func New(opts ...Option) *Server {
	c := newConfig(opts)
	e := &engine{world: newWorld(c)}
	e.journal.limit, e.journal.noDate = c.journal, c.noDate
	e.seed()
	return &Server{engine: e, client: &http.Client{Transport: direct{e}}}
}

// Start makes a server on a free port of 127.0.0.1. When the test ends it is closed, and faults that were injected
// and never happened fail the test, unless it was skipped. It cannot be used in a testing/synctest bubble; New and
// Client can.
func Start(tb TB, opts ...Option) *Server {
	if tb == nil {
		panic("fakeserver: Start(nil): it needs the test, to close the server at its end; without one use New and Listen")
	}
	tb.Helper()
	s := New(opts...)
	if err := s.Listen("127.0.0.1:0"); err != nil {
		tb.Errorf("fakeserver: Start: %v", err)
		if t, ok := tb.(interface{ FailNow() }); ok {
			t.FailNow()
		}
		return s
	}
	tb.Cleanup(func() {
		tb.Helper()
		if err := s.Close(); err != nil {
			tb.Errorf("fakeserver: %v", err)
		}
		if t, ok := tb.(interface{ Skipped() bool }); ok && t.Skipped() {
			return
		}
		for _, u := range s.Unspent() {
			tb.Errorf("fakeserver: a fault was injected and never happened: %s", u)
		}
	})
	return s
}

// loaded is when the program was.
var loaded = time.Now()

// inBubble tells a testing/synctest bubble by its clock, which starts in the year 2000, before the program was loaded.
// Round takes the monotonic reading away. An hour is more than a clock is put right by.
func inBubble() bool { return time.Now().Round(0).Before(loaded.Round(0).Add(-time.Hour)) }

// Listen serves on an address such as 127.0.0.1:8085, until Close. A server listens on one address at most, and on
// none in a testing/synctest bubble: who waits for a connection is not durably blocked, so its clock would stand still.
func (s *Server) Listen(addr string) error {
	if inBubble() {
		return errors.New("a testing/synctest bubble has no network: its clock stands still while anything waits for a connection; use New and Client")
	}
	if s.listener != nil {
		return fmt.Errorf("fakeserver: already listening on %s", s.Host())
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	s.listener, s.served = l, make(chan struct{})
	s.http = &http.Server{Handler: s.engine, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.served)
		s.http.Serve(l)
	}()
	return nil
}

// ServeHTTP answers a request, so the server can be mounted in another.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.engine.ServeHTTP(w, r) }

// Client returns a client whose requests go straight into the server, whatever host they name. No goroutine and no
// socket is involved, so a test in a testing/synctest bubble can use it.
func (s *Server) Client() *http.Client { return s.client }

// URL is where the server listens, such as http://127.0.0.1:41123; http://fakeserver.invalid when it does not listen.
func (s *Server) URL() string { return "http://" + s.Host() }

// Host is what the variable MEMORYSTORE_EMULATOR_HOST takes. That of a server on all of the machine's addresses is
// 127.0.0.1's: 0.0.0.0 and :: are no addresses to send anything to.
func (s *Server) Host() string {
	if s.listener == nil {
		return "fakeserver.invalid"
	}
	a, ok := s.listener.Addr().(*net.TCPAddr)
	if ok && a.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(a.Port))
	}
	return s.listener.Addr().String()
}

// Close stops listening and ends open connections. It may be called more than once.
func (s *Server) Close() error {
	var err error
	s.close.Do(func() {
		if s.http == nil {
			return
		}
		err = s.http.Close()
		<-s.served
	})
	return err
}

// Shutdown stops listening and waits for requests under way, as long as the context allows.
func (s *Server) Shutdown(ctx context.Context) error {
	if s.http == nil {
		return nil
	}
	err := s.http.Shutdown(ctx)
	return errors.Join(err, s.Close())
}

// Inject arms faults for a method, named by Google's id without redis.projects.: "instances.create",
// "instances.patch", "operations.get". They are spent in order, each Times times; rules for one method are spent in
// the order they were armed. An unknown method, a fault whose fields contradict each other, and a Target that no
// request of the method has, panic.
func (s *Server) Inject(method string, faults ...Fault) *Rule {
	return s.engine.faults.arm(strings.TrimPrefix(method, "projects.locations."), faults)
}

// Unspent describes the faults that were injected and did not happen yet, and the failures that Operations().Fail
// announced for an instance on which no operation began.
func (s *Server) Unspent() []string {
	return append(s.engine.faults.unspent(), s.Operations().unspent()...)
}

// Journal returns every request so far and its answer, in the order of arrival, without credentials and AUTH strings.
func (s *Server) Journal() []Exchange { return s.engine.journal.copy() }

// Operations returns the control of the server's operations.
func (s *Server) Operations() *OperationControl { return &OperationControl{s.engine.world} }

// Certificate makes a server certificate for hosts, signed by the authority that an instance with in-transit
// encryption shows in serverCaCerts. A test that runs a Redis behind the instance serves with it.
func (s *Server) Certificate(instance string, hosts ...string) (tls.Certificate, error) {
	w := s.engine.world
	w.mu.Lock()
	defer w.mu.Unlock()
	in := w.instances[instance]
	if in == nil || in.ca == nil || len(hosts) == 0 {
		return tls.Certificate{}, fmt.Errorf("fakeserver: no instance %s with in-transit encryption, or no host", instance)
	}
	return in.ca.issue(w.now(), hosts)
}
