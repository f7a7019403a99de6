package memorystore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
)

// A socket is a real server on 127.0.0.1 that counts its connections.
type socket struct {
	*httptest.Server
	conns atomic.Int32
}

func listen(t testing.TB, handler http.HandlerFunc) *socket {
	s := &socket{}
	s.Server = httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// client returns a client with the SDK's own transport. Time is not the matter here: it waits for nothing.
func (s *socket) client(t testing.TB, p RetryPolicy, opts ...option.ClientOption) *Client {
	if p.Backoff == nil {
		p.Backoff = atOnce
	}
	c, err := NewClient(t.Context(), append([]option.ClientOption{option.WithEndpoint(s.URL), option.WithoutAuthentication(), WithLogger(discard), WithRetry(p)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

// reset ends a connection as a crash does.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	if tcp, isTCP := conn.(*net.TCPConn); isTCP {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

func answerOperation(w http.ResponseWriter) { fmt.Fprint(w, operationBody("")) }

func TestConnectionsAreUsedAgain(t *testing.T) {
	for _, row := range []struct {
		about string
		size  int
	}{
		{"pitfall 29 ten answers of 2 KiB use one connection", 2 << 10},
		{"pitfall 30 ten answers of 64 KiB use one connection", 64 << 10},
		{"pitfall 30 ten answers of 1 MiB use one connection", 1 << 20},
		{"pitfall 29 ten empty answers use one connection", 0},
	} {
		t.Run(row.about, func(t *testing.T) {
			body := bytes.Repeat([]byte("x"), row.size)
			var requests atomic.Int32
			s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.WriteHeader(503)
				_, _ = w.Write(body)
			})
			_, err := s.client(t, RetryPolicy{MaxRetries: 9}).GetInstance(t.Context(), testInstance)
			attempted(t, failure(t, err), 10)
			assert.EqualValues(t, 10, requests.Load())
			assert.EqualValues(t, 1, s.conns.Load(), "connections")
		})
	}
	t.Run("pitfall 30 an answer of 1 GiB is not read whole", func(t *testing.T) {
		var written atomic.Int64
		ended := make(chan struct{})
		s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			defer close(ended)
			w.Header().Set("Content-Length", fmt.Sprint(1<<30))
			w.WriteHeader(503)
			for chunk := bytes.Repeat([]byte("x"), 1<<16); written.Load() < 1<<30; {
				n, err := w.Write(chunk)
				written.Add(int64(n))
				if err != nil {
					return
				}
			}
		})
		_, err := s.client(t, NoRetry()).GetInstance(t.Context(), testInstance)
		e := failure(t, err)
		assert.Equal(t, 503, e.HTTPStatus)
		assert.Less(t, len(e.Message), 1000)
		<-ended
		assert.Less(t, written.Load(), int64(64<<20), "bytes that the server could send; some are in the buffers of sockets")
	})
	t.Run("pitfall 29 pitfall 31 every answer is closed once, and the last one is kept", func(t *testing.T) {
		var closes atomic.Int32
		c, err := NewClient(t.Context(), WithLogger(discard), WithRetry(RetryPolicy{MaxRetries: 4, Backoff: atOnce}), option.WithHTTPClient(&http.Client{
			Transport: transportFunc(func(req *http.Request) (*http.Response, error) {
				body := &countingCloser{Reader: strings.NewReader(busy().body), closes: &closes}
				return &http.Response{StatusCode: 503, Header: http.Header{}, Body: body, Request: req}, nil
			})}))
		require.NoError(t, err)
		_, err = c.GetInstance(t.Context(), testInstance)
		attempted(t, failure(t, err), 5)
		assert.EqualValues(t, 5, closes.Load())
		google, isGoogle := errors.AsType[*googleapi.Error](err)
		require.True(t, isGoogle)
		assert.Equal(t, busy().body, google.Body)
	})
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

type countingCloser struct {
	io.Reader
	closes *atomic.Int32
	closed bool
}

func (c *countingCloser) Close() error {
	if !c.closed {
		c.closes.Add(1)
	}
	c.closed = true
	return nil
}

func TestRequestBodies(t *testing.T) {
	large := &Instance{Name: testInstance, DisplayName: strings.Repeat("a name of some length ", 50_000)}
	t.Run("pitfall 34 an answer before the body was read does not race with it", func(t *testing.T) {
		s := listen(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Goog-Request-Params") != "" {
				http.Error(w, "later", 503)
			}
		})
		c := s.client(t, RetryPolicy{MaxRetries: 9})
		var wg sync.WaitGroup
		for range 20 { // ten attempts each
			wg.Go(func() {
				_, err := c.UpdateInstance(t.Context(), large, FieldDisplayName)
				assert.Error(t, err)
			})
		}
		wg.Wait()
	})
	t.Run("pitfall 35 every attempt sends the same body", func(t *testing.T) {
		var sums []string
		s := listen(t, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			sums = append(sums, fmt.Sprintf("%x %d %d", sha256.Sum256(body), len(body), r.ContentLength))
			if len(sums) < 4 {
				w.WriteHeader(503)
				return
			}
			answerOperation(w)
		})
		_, err := s.client(t, RetryPolicy{}).UpdateInstance(t.Context(), large, FieldDisplayName)
		require.NoError(t, err)
		require.Len(t, sums, 4)
		for _, sum := range sums {
			assert.Equal(t, sums[0], sum)
		}
		assert.NotContains(t, sums[0], fmt.Sprintf("%x", sha256.Sum256(nil)))
	})
	t.Run("pitfall 36 every request with a body can be made anew by net/http", func(t *testing.T) {
		for _, m := range methods {
			var seen *http.Request
			c, err := NewClient(t.Context(), WithLogger(discard), option.WithHTTPClient(&http.Client{Transport: transportFunc(func(req *http.Request) (*http.Response, error) {
				seen = req
				return nil, errors.New("no")
			})}), WithRetry(RetryPolicy{MaxRetries: -1, InDoubt: Stop}))
			require.NoError(t, err)
			_, err = m.call(t.Context(), c)
			require.Error(t, err)
			require.NotNil(t, seen, m.name)
			if seen.Body != nil && seen.Body != http.NoBody {
				assert.NotNil(t, seen.GetBody, m.name)
			}
			for key := range seen.Header { // pitfall 37: net/http sends a POST that has one twice by itself
				assert.NotContains(t, strings.ToLower(key), "idempotency", m.name)
			}
		}
	})
}

func TestGoAway(t *testing.T) {
	// front takes the first connections of a server away and treats them with kill; the others are the server's.
	serve := func(t *testing.T, doomed int, kill func(net.Conn), handler http.HandlerFunc) (*Client, *atomic.Int32) {
		var handled atomic.Int32
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handled.Add(1)
			assert.Equal(t, 2, r.ProtoMajor)
			handler(w, r)
		}))
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		srv.EnableHTTP2 = true
		f := &front{Listener: srv.Listener, doomed: doomed, kill: kill, config: make(chan *tls.Config, 1)}
		srv.Listener = f
		srv.StartTLS()
		t.Cleanup(srv.Close)
		f.config <- &tls.Config{Certificates: srv.TLS.Certificates, NextProtos: []string{"h2"}}
		c, err := NewClient(t.Context(), option.WithHTTPClient(srv.Client()), option.WithEndpoint(srv.URL), WithLogger(discard), WithRetry(RetryPolicy{Backoff: atOnce}))
		require.NoError(t, err)
		return c, &handled
	}
	goAway := func(code uint32) func(net.Conn) {
		return func(conn net.Conn) {
			defer conn.Close()
			if _, err := io.ReadFull(conn, make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
				return
			}
			_, _ = conn.Write(frame(4, nil)) // SETTINGS
			for {
				head := make([]byte, 9)
				if _, err := io.ReadFull(conn, head); err != nil {
					return
				}
				_, _ = io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(append([]byte{0}, head[:3]...))))
				if head[3] == 1 { // HEADERS: a request has begun
					break
				}
			}
			_, _ = conn.Write(frame(7, binary.BigEndian.AppendUint32(make([]byte, 4), code))) // no stream was processed
			_, _ = io.Copy(io.Discard, conn)
		}
	}
	t.Run("pitfall 36 a POST that a GOAWAY says was not processed is sent on another connection", func(t *testing.T) {
		var body string
		c, handled := serve(t, 1, goAway(0), func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			body = string(b)
			answerOperation(w)
		})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		op, err := c.UpgradeInstance(ctx, testInstance, "REDIS_7_2")
		require.NoError(t, err)
		assert.Equal(t, testOperation, op.Name())
		assert.False(t, op.Reconciled())
		assert.JSONEq(t, `{"redisVersion":"REDIS_7_2"}`, body)
		assert.EqualValues(t, 1, handled.Load())
	})
	t.Run("pitfall 36 an answer with a GOAWAY behind it is an answer", func(t *testing.T) {
		c, handled := serve(t, 0, nil, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close") // how net/http is asked for a GOAWAY
			answerOperation(w)
		})
		for range 3 {
			_, err := c.UpgradeInstance(t.Context(), testInstance, "REDIS_7_2")
			require.NoError(t, err)
		}
		assert.EqualValues(t, 3, handled.Load())
	})
}

// front is a listener that keeps connections from the server behind it.
type front struct {
	net.Listener
	doomed int
	kill   func(net.Conn)
	config chan *tls.Config
}

func (f *front) Accept() (net.Conn, error) {
	for {
		conn, err := f.Listener.Accept()
		if err != nil || f.doomed == 0 {
			return conn, err
		}
		f.doomed--
		go func() {
			config := <-f.config
			f.config <- config
			f.kill(tls.Server(conn, config))
		}()
	}
}

// frame is an HTTP/2 frame of stream 0.
func frame(kind byte, payload []byte) []byte {
	head := []byte{0, 0, byte(len(payload)), kind, 0, 0, 0, 0, 0}
	return append(head, payload...)
}

func TestLostConnections(t *testing.T) {
	// what happens to the first request; the second one is answered
	faults := []struct {
		about string
		fault func(http.ResponseWriter)
		text  string
	}{
		{"reset before the answer", reset, "no answer: "},
		{"closed before the answer", func(w http.ResponseWriter) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			conn.Close()
		}, "no answer: "},
		{"pitfall 28 body cut", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"name":"pr`))
		}, "the answer broke off: unexpected EOF"},
		{"reset in the body", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"name":"pr`))
			_ = http.NewResponseController(w).Flush()
			reset(w)
		}, "the answer broke off: "},
	}
	for _, f := range faults {
		for _, row := range []struct {
			about     string
			call      string
			policy    RetryPolicy
			requests  int32
			ambiguous bool
		}{
			{"a read is not sent again", "GetInstance", RetryPolicy{}, 1, false},
			{"a read is sent again when asked to", "GetInstance", RetryPolicy{Retryable: RetryStatusOrTransport}, 2, false},
			{"pitfall 41 a change that repeats is sent again", "UpdateInstance", RetryPolicy{}, 2, false},
			{"pitfall 41 Stop ends it at the first doubt", "UpdateInstance", RetryPolicy{InDoubt: Stop, Retryable: RetryStatusOrTransport}, 1, true},
			{"pitfall 41 a change that acts ends when it may not be sent again", "FailoverInstance", RetryPolicy{InDoubt: Stop}, 1, true},
			{"Resend keeps to statuses", "FailoverInstance", RetryPolicy{InDoubt: Resend}, 1, true},
			{"Resend sends again when asked to", "FailoverInstance", RetryPolicy{InDoubt: Resend, Retryable: RetryStatusOrTransport}, 2, false},
		} {
			t.Run(f.about+"/"+row.about, func(t *testing.T) {
				var requests atomic.Int32
				s := listen(t, func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					switch {
					case requests.Add(1) == 1:
						f.fault(w)
					case r.Method == "GET":
						fmt.Fprint(w, instanceJSON)
					default:
						answerOperation(w)
					}
				})
				_, err := methodNamed(t, row.call).call(t.Context(), s.client(t, row.policy))
				assert.Equal(t, row.requests, requests.Load())
				if row.requests == 2 {
					require.NoError(t, err)
					return
				}
				e := failure(t, err)
				attempted(t, e, 1)
				assert.Contains(t, e.Message, f.text)
				assert.NotContains(t, e.Message, "JSON", "a lost answer is not a wrong one")
				assert.Equal(t, row.ambiguous, e.Ambiguous)
				assert.NotContains(t, e.Message, s.URL)
			})
		}
	}
	t.Run("the error of the connection is found", func(t *testing.T) {
		s := listen(t, func(w http.ResponseWriter, _ *http.Request) { reset(w) })
		_, err := s.client(t, RetryPolicy{}).GetInstance(t.Context(), testInstance)
		if !errors.Is(err, syscall.ECONNRESET) {
			assert.ErrorIs(t, err, io.EOF)
		}
	})
	t.Run("nobody listens: nothing was sent, so there is no doubt", func(t *testing.T) {
		s := listen(t, func(http.ResponseWriter, *http.Request) {})
		s.Close()
		for _, m := range methods {
			_, err := m.call(t.Context(), s.client(t, RetryPolicy{}))
			e := failure(t, err)
			attempted(t, e, 1)
			assert.ErrorIs(t, err, syscall.ECONNREFUSED, m.name)
			assert.False(t, e.Ambiguous, m.name)

			_, err = m.call(t.Context(), s.client(t, RetryPolicy{MaxRetries: 2, Retryable: RetryStatusOrTransport}))
			e = failure(t, err)
			attempted(t, e, 3)
			assert.False(t, e.Ambiguous, m.name)
		}
	})
	t.Run("pitfall 37 attempts on the wire are those reported", func(t *testing.T) {
		var requests, written atomic.Int32
		s := listen(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if requests.Add(1) == 1 {
				answerOperation(w) // the connection stays, and the next request is one that net/http might send again by itself
				return
			}
			reset(w)
		})
		c := s.client(t, RetryPolicy{InDoubt: Stop})
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { written.Add(1) }})
		_, err := c.UpgradeInstance(ctx, testInstance, "REDIS_7_2")
		require.NoError(t, err)
		_, err = c.UpgradeInstance(ctx, testInstance, "REDIS_7_2")
		e := failure(t, err)
		assert.True(t, e.Ambiguous)
		attempted(t, e, 1)
		assert.EqualValues(t, 2, requests.Load())
		assert.EqualValues(t, 2, written.Load())
	})
}

func TestHopelessConnections(t *testing.T) {
	policy := RetryPolicy{Retryable: RetryStatusOrTransport, Backoff: atOnce}
	t.Run("pitfall 54 a certificate that nobody signed is final", func(t *testing.T) {
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		srv.StartTLS()
		defer srv.Close()
		c, err := NewClient(t.Context(), option.WithEndpoint(srv.URL), option.WithoutAuthentication(), WithRetry(policy), WithLogger(discard))
		require.NoError(t, err)
		_, err = c.GetInstance(t.Context(), testInstance)
		e := failure(t, err)
		attempted(t, e, 1)
		assert.Contains(t, e.Message, "certificate")
	})
	for about, broken := range map[string]error{
		"pitfall 54 a host that does not exist is final": &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "redis.invalid", IsNotFound: true}},
		"a resolver that is ill is not":                  &net.OpError{Op: "dial", Err: &net.DNSError{Err: "server misbehaving", Name: "redis.example", IsTemporary: true}},
	} {
		t.Run(about, func(t *testing.T) {
			dials := 0
			transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				dials++
				return nil, broken
			}}
			c, err := NewClient(t.Context(), option.WithHTTPClient(&http.Client{Transport: transport}), WithRetry(policy), WithLogger(discard))
			require.NoError(t, err)
			_, err = c.CreateInstance(t.Context(), &Instance{Name: testInstance, Tier: TierBasic, MemorySizeGB: 1})
			e := failure(t, err)
			want := 9
			if strings.HasPrefix(about, "pitfall") {
				want = 1
			}
			assert.Equal(t, want, dials)
			attempted(t, e, want)
			assert.False(t, e.Ambiguous)
		})
	}
	t.Run("pitfall 54 a server without TLS where TLS is expected is final", func(t *testing.T) {
		s := listen(t, func(http.ResponseWriter, *http.Request) {})
		c, err := NewClient(t.Context(), option.WithEndpoint("https"+strings.TrimPrefix(s.URL, "http")), option.WithoutAuthentication(), WithRetry(policy), WithLogger(discard))
		require.NoError(t, err)
		_, err = c.GetInstance(t.Context(), testInstance)
		attempted(t, failure(t, err), 1)
	})
	t.Run("pitfall 54 a redirect is final, and not followed", func(t *testing.T) {
		for _, status := range []int{301, 302, 303, 307, 308} {
			for _, m := range methods {
				var requests atomic.Int32
				var s *socket
				s = listen(t, func(w http.ResponseWriter, r *http.Request) {
					requests.Add(1)
					http.Redirect(w, r, s.URL+"/v1/elsewhere", status)
				})
				_, err := m.call(t.Context(), s.client(t, policy))
				e := failure(t, err)
				attempted(t, e, 1)
				assert.Equal(t, status, e.HTTPStatus)
				assert.Contains(t, e.Message, "redirect")
				assert.EqualValues(t, 1, requests.Load(), m.name)
			}
		}
	})
}

// net/http itself in virtual time: its client and its server, joined by net.Pipe.
func pipe(t *testing.T, handler http.HandlerFunc) *http.Client {
	l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = srv.Serve(l) }()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		client, server := net.Pipe()
		select {
		case l.conns <- server:
			return client, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		srv.Close()
	})
	return &http.Client{Transport: transport}
}

type pipeListener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func TestSlowAnswers(t *testing.T) {
	// 1 MB in 16 parts, a second between them
	slow := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			for range 16 {
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
					return
				}
				if _, err := w.Write(bytes.Repeat([]byte(" "), 1<<16)); err != nil {
					return
				}
				_ = http.NewResponseController(w).Flush()
			}
			_, _ = io.WriteString(w, instanceJSON)
		}
	}
	for _, row := range []struct {
		about   string
		timeout time.Duration
		status  int
		elapsed time.Duration
		err     error
	}{
		{"pitfall 26 a slow answer of 1 MB is read to its end", 17 * time.Second, 200, 16 * time.Second, nil},
		{"pitfall 26 and the timeout covers its body", 10 * time.Second, 200, 10 * time.Second, ErrAttemptTimeout},
		{"a slow 403 is a 403", 17 * time.Second, 403, 16 * time.Second, PermissionDenied},
	} {
		t.Run(row.about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, err := NewClient(t.Context(), option.WithHTTPClient(pipe(t, slow(row.status))), option.WithEndpoint("http://pipe.invalid"), WithLogger(discard), WithRetry(RetryPolicy{AttemptTimeout: row.timeout}))
				require.NoError(t, err)
				start := time.Now()
				got, err := c.GetInstance(t.Context(), testInstance)
				assert.Equal(t, row.elapsed, time.Since(start))
				if row.err != nil {
					require.ErrorIs(t, err, row.err)
					attempted(t, failure(t, err), 1)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, testInstance, got.Name)
			})
		})
	}
	t.Run("an answer that is too large is refused, whatever there is of it", func(t *testing.T) {
		s := newScript(t, reply{status: 200, stream: io.MultiReader(strings.NewReader(`{"name":"`), &endless{})})
		_, err := s.client(WithRetry(RetryPolicy{Retryable: RetryStatusOrTransport})).GetInstance(t.Context(), testInstance)
		e := failure(t, err)
		assert.Contains(t, e.Message, "larger than 32 MiB")
		attempted(t, e, 1)
	})
}

// endless is a body without an end.
type endless struct{}

var filler = bytes.Repeat([]byte("x"), 1<<16)

func (endless) Read(p []byte) (int, error) { return copy(p, filler), nil }
