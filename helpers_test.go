package memorystore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"
)

const (
	testProject   = "projects/p"
	testLocation  = testProject + "/locations/us-central1"
	testInstance  = testLocation + "/instances/cache"
	testOperation = testLocation + "/operations/op-1"
	testURI       = "gs://bucket/dump.rdb"
)

// A method is one of the API's methods as a test calls it.
type method struct {
	name   string // of the Client's method, and of its file in testdata/wire
	id     string // Google's, as fakeserver.Inject takes it
	change change
	call   func(context.Context, *Client) (any, error)
}

// methods are all 17.
var methods = []method{
	{"ListLocations", "locations.list", reads, func(ctx context.Context, c *Client) (any, error) {
		return collect(c.ListLocations(ctx, testProject))
	}},
	{"GetLocation", "locations.get", reads, func(ctx context.Context, c *Client) (any, error) {
		return c.GetLocation(ctx, testLocation)
	}},
	{"ListInstances", "instances.list", reads, func(ctx context.Context, c *Client) (any, error) {
		return collect(c.ListInstances(ctx, testLocation))
	}},
	{"GetInstance", "instances.get", reads, func(ctx context.Context, c *Client) (any, error) {
		return c.GetInstance(ctx, testInstance)
	}},
	{"GetInstanceAuthString", "instances.getAuthString", reads, func(ctx context.Context, c *Client) (any, error) {
		return c.GetInstanceAuthString(ctx, testInstance)
	}},
	{"CreateInstance", "instances.create", repeats, func(ctx context.Context, c *Client) (any, error) {
		return begun(c.CreateInstance(ctx, &Instance{Name: testLocation + "/instances/fresh", Tier: TierStandardHA, MemorySizeGB: 5,
			Labels: map[string]string{"team": "search"}}))
	}},
	{"UpdateInstance", "instances.patch", repeats, func(ctx context.Context, c *Client) (any, error) {
		return begun(c.UpdateInstance(ctx, &Instance{Name: testInstance, DisplayName: "the cache"}, FieldDisplayName, FieldLabels))
	}},
	{"DeleteInstance", "instances.delete", repeats, func(ctx context.Context, c *Client) (any, error) {
		return begun(c.DeleteInstance(ctx, testInstance))
	}},
	{"UpgradeInstance", "instances.upgrade", repeats, func(ctx context.Context, c *Client) (any, error) {
		return begun(c.UpgradeInstance(ctx, testInstance, "REDIS_7_2"))
	}},
	{"ImportInstance", "instances.import", acts, func(ctx context.Context, c *Client) (any, error) {
		return begun(c.ImportInstance(ctx, testInstance, testURI))
	}},
	{"ExportInstance", "instances.export", acts, func(ctx context.Context, c *Client) (any, error) {
		return begun(c.ExportInstance(ctx, testInstance, testURI))
	}},
	{"FailoverInstance", "instances.failover", acts, func(ctx context.Context, c *Client) (any, error) {
		return begun(c.FailoverInstance(ctx, testInstance, DataProtectionModeForceDataLoss))
	}},
	{"RescheduleMaintenance", "instances.rescheduleMaintenance", acts, func(ctx context.Context, c *Client) (any, error) {
		return begun(c.RescheduleMaintenance(ctx, testInstance, Reschedule{Type: RescheduleTypeImmediate}))
	}},
	{"GetOperation", "operations.get", reads, func(ctx context.Context, c *Client) (any, error) {
		return c.GetOperation(ctx, testOperation)
	}},
	{"ListOperations", "operations.list", reads, func(ctx context.Context, c *Client) (any, error) {
		return collect(c.ListOperations(ctx, testLocation))
	}},
	{"CancelOperation", "operations.cancel", repeats, func(ctx context.Context, c *Client) (any, error) {
		return nil, c.CancelOperation(ctx, testOperation)
	}},
	{"DeleteOperation", "operations.delete", repeats, func(ctx context.Context, c *Client) (any, error) {
		return nil, c.DeleteOperation(ctx, testOperation)
	}},
}

func methodNamed(t testing.TB, name string) method {
	t.Helper()
	for _, m := range methods {
		if m.name == name {
			return m
		}
	}
	require.FailNow(t, "no method "+name)
	return method{}
}

// collect reads a list to its end. What came before an error is kept.
func collect[T any](list func(func(*T, error) bool)) ([]*T, error) {
	var all []*T
	for item, err := range list {
		if err != nil {
			return all, err
		}
		all = append(all, item)
	}
	return all, nil
}

// begun hides a handle that is nil, which an any would not compare equal to nil.
func begun[T Result](o *Operation[T], err error) (any, error) {
	if o == nil {
		return nil, err
	}
	return o, err
}

// A reply is what a script does with one request.
type reply struct {
	status int
	header map[string]string
	body   string
	stream io.Reader     // the body, if it is no string
	err    error         // instead of an answer
	hangs  bool          // until the request's context ends
	after  time.Duration // the answer takes this long
	before func()        // called once the request is there
}

// ok is an answer that succeeds.
func ok(body string) reply { return reply{status: 200, body: body} }

// htmlPage is the answer of a front end.
func htmlPage(status int, title string) reply {
	return reply{status: status, header: map[string]string{"Content-Type": "text/html; charset=UTF-8"},
		body: "<!DOCTYPE html>\n<html lang=en>\n<title>" + title + "</title>\n<p>That&rsquo;s all we know."}
}

// refuse is an answer in Google's envelope. details are JSON.
func refuse(status int, code Code, message string, details ...string) reply {
	text, _ := json.Marshal(message)
	return reply{status: status, header: map[string]string{"Content-Type": "application/json; charset=UTF-8"},
		body: fmt.Sprintf(`{"error":{"code":%d,"message":%s,"status":%q,"details":[%s]}}`, status, text, string(code), strings.Join(details, ","))}
}

// busy is the 503 of a service that will be back.
func busy() reply { return refuse(503, Unavailable, "The service is currently unavailable.") }

// with returns the reply with one more header; an empty value takes the header away.
func (r reply) with(key, value string) reply {
	headers := map[string]string{key: value}
	for k, v := range r.header {
		if k != key {
			headers[k] = v
		}
	}
	r.header = headers
	return r
}

// times returns n replies that are the same.
func times(n int, r reply) []reply {
	all := make([]reply, n)
	for i := range all {
		all[i] = r
	}
	return all
}

// A sent is a request as the server saw it.
type sent struct {
	method, path, body string
	query              url.Values
	header             http.Header
	at                 time.Duration // since the script was made
}

// A script is a server that answers requests in order, as an http.RoundTripper: no socket, fit for testing/synctest. A
// request without a reply, and a reply without a request, fail the test.
type script struct {
	t       testing.TB
	log     *logbook
	forever *reply // answers whatever replies do not

	mu      sync.Mutex
	start   time.Time
	replies []reply
	sent    []sent
}

func newScript(t testing.TB, replies ...reply) *script {
	s := &script{t: t, log: &logbook{}, start: time.Now(), replies: replies}
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		assert.Emptyf(t, s.replies, "replies that no request asked for")
	})
	return s
}

// always is a script that gives one answer for ever.
func always(t testing.TB, r reply) *script {
	s := newScript(t)
	s.forever = &r
	return s
}

// client returns a client of the script that logs into it.
func (s *script) client(opts ...option.ClientOption) *Client {
	s.t.Helper()
	c, err := NewClient(s.t.Context(), append([]option.ClientOption{
		option.WithHTTPClient(&http.Client{Transport: s}), option.WithLogger(s.log.logger())}, opts...)...)
	require.NoError(s.t, err)
	return c
}

// RoundTrip answers the next request.
func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	saw := sent{method: req.Method, path: req.URL.Path, query: req.URL.Query(), header: req.Header.Clone()}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		saw.body = string(body)
		req.Body.Close()
	}
	s.mu.Lock()
	saw.at = time.Since(s.start)
	s.sent = append(s.sent, saw)
	var r reply
	switch {
	case len(s.replies) > 0:
		r, s.replies = s.replies[0], s.replies[1:]
	case s.forever != nil:
		r = *s.forever
	default:
		s.mu.Unlock()
		s.t.Errorf("request %d has no reply in the script: %s %s", len(s.sent), req.Method, req.URL)
		return nil, errors.New("the script is at its end")
	}
	s.mu.Unlock()

	if r.before != nil {
		r.before()
	}
	var later <-chan time.Time
	if !r.hangs {
		timer := time.NewTimer(r.after)
		defer timer.Stop()
		later = timer.C
	}
	select {
	case <-later:
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	if r.err != nil {
		return nil, r.err
	}
	header := http.Header{"Date": {time.Now().UTC().Format(http.TimeFormat)}}
	for k, v := range r.header {
		header.Del(k)
		if v != "" {
			header.Set(k, v)
		}
	}
	body := r.stream
	if body == nil {
		body = strings.NewReader(r.body)
	}
	return &http.Response{StatusCode: r.status, Status: fmt.Sprint(r.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(body), ContentLength: -1, Request: req}, nil
}

// more adds replies.
func (s *script) more(replies ...reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// count returns the number of requests so far.
func (s *script) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sent)
}

// gaps returns the time between each request and the next: the waits, where an answer takes no time.
func (s *script) gaps() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gaps []time.Duration
	for i := 1; i < len(s.sent); i++ {
		gaps = append(gaps, s.sent[i].at-s.sent[i-1].at)
	}
	return gaps
}

// A logbook keeps all that is logged, at every level, as JSON. A logger made from it is the same as a user's own.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug - 100}))
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A record is a line of a logbook.
type record struct {
	Level     string         `json:"level"`
	Message   string         `json:"msg"`
	Wait      time.Duration  `json:"wait"`
	Attempt   int            `json:"attempt"`
	Operation string         `json:"operation"`
	Endpoint  string         `json:"endpoint"`
	Support   string         `json:"support"`
	Error     map[string]any `json:"error"`
}

// records returns the records of a level, or all of them for "".
func (l *logbook) records(t testing.TB, level string) []record {
	t.Helper()
	var all []record
	for line := range strings.Lines(l.String()) {
		var r record
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		if level == "" || r.Level == level {
			all = append(all, r)
		}
	}
	return all
}

// failure returns err as the *Error it must be, after holding its text to what is promised of every text.
func failure(t testing.TB, err error) *Error {
	t.Helper()
	e, isError := errors.AsType[*Error](err)
	require.Truef(t, isError, "not an *Error: %v", err)
	assertOneLine(t, e.Error())
	return e
}

// assertOneLine fails on whatever would break a line of a log, or a terminal.
func assertOneLine(t testing.TB, text string) {
	t.Helper()
	for _, r := range text {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' || r == '\u0085' {
			assert.Failf(t, "text is more than one clean line", "%q", text)
			return
		}
	}
}

// attempted holds an error's account of its attempts against what the server saw.
func attempted(t testing.TB, e *Error, seen int) {
	t.Helper()
	require.Lenf(t, e.Attempts, seen, "attempts reported, against those that the server saw")
	for i, a := range e.Attempts {
		assert.Equal(t, i+1, a.Number)
		assert.Error(t, a.Err)
	}
}

// onSchedule reports whether waits, that of n = 0 first, can be those of one call: there is a maximum M within
// [lowest, highest] such that each is min(2^n s + r ms, M) with a whole r from 0 to 1000.
func onSchedule(waits []time.Duration, lowest, highest time.Duration) bool {
	fits := func(n int, wait, m time.Duration) bool {
		base := time.Duration(1<<62 - 1)
		if n < 32 {
			base = time.Second << n
		}
		if wait == m {
			return base+time.Second >= m
		}
		return wait < m && wait >= base && wait <= base+time.Second && wait%time.Millisecond == 0
	}
	candidates := append([]time.Duration{highest}, waits...)
candidates:
	for _, m := range candidates {
		if m < lowest || m > highest {
			continue
		}
		for n, wait := range waits {
			if !fits(n, wait, m) {
				continue candidates
			}
		}
		return true
	}
	return false
}

// assertSchedule holds waits to the documented schedule as a client without settings keeps it.
func assertSchedule(t testing.TB, waits []time.Duration) {
	t.Helper()
	assert.Truef(t, onSchedule(waits, 32*time.Second, 64*time.Second), "waits are off the documented schedule: %v", waits)
}

// assertWithin holds a duration within two others.
func assertWithin(t testing.TB, low, high, got time.Duration, what string) {
	t.Helper()
	assert.Truef(t, got >= low && got <= high, "%s is %v, not within %v and %v", what, got, low, high)
}

// assertNone fails where any of the secrets can be read in any of the texts.
func assertNone(t testing.TB, secrets []string, texts map[string]string) {
	t.Helper()
	for where, text := range texts {
		for _, secret := range secrets {
			assert.NotContainsf(t, text, secret, "a secret in %s", where)
		}
	}
}

// atOnce is a Backoff for tests in which time is not the matter.
func atOnce(int, time.Duration) time.Duration { return 0 }

// testFile reads a file of testdata.
func testFile(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	require.NoError(t, err)
	return b
}

// instanceJSON is an instance at rest, as the service answers it.
const instanceJSON = `{"name":"` + testInstance + `","state":"READY","tier":"STANDARD_HA","memorySizeGb":5,` +
	`"redisVersion":"REDIS_7_0","createTime":"1999-01-01T00:00:00Z","host":"10.0.0.3","port":6379}`

// operationBody is an operation as the service answers it. end is empty while it runs, else more members: "response"
// or "error".
func operationBody(end string) string {
	done := ""
	if end != "" {
		done = `,"done":true,` + end
	}
	return `{"name":"` + testOperation + `","metadata":{"target":"` + testInstance + `","verb":"update","apiVersion":"v1","createTime":"2000-01-01T00:00:00Z"}` + done + `}`
}

// discard is the logger of tests that log too much to keep.
var discard = slog.New(slog.DiscardHandler)

// waitsOf returns the waits that an error tells of.
func waitsOf(e *Error) []time.Duration {
	var waits []time.Duration
	for _, a := range e.Attempts[:len(e.Attempts)-1] {
		waits = append(waits, a.Wait)
	}
	return waits
}

// A trickle is a body that comes slowly: chunks, each after a pause, and what is at the end. For synctest only.
type trickle struct {
	chunk  string
	chunks int
	pause  time.Duration
	end    string
	ready  string
}

func (r *trickle) Read(p []byte) (int, error) {
	if r.ready == "" {
		if r.chunks == 0 {
			return 0, io.EOF
		}
		time.Sleep(r.pause)
		r.chunks--
		r.ready = r.chunk
		if r.chunks == 0 {
			r.ready += r.end
		}
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// stateless answers 503 and remembers nothing.
type stateless struct{}

func (stateless) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 503, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
}
