package memorystore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/oauth2"
	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"
	htransport "google.golang.org/api/transport/http"
)

// emulatorEnv names the environment variable that points a client to a fake.
const emulatorEnv = "MEMORYSTORE_EMULATOR_HOST"

const (
	maxBody      = 32 << 20 // of an answer that succeeds
	maxErrorBody = 1 << 20  // of one that does not
)

// A Client calls the Memorystore for Redis API, v1. It is safe for any number of goroutines, and nothing about it
// changes once it is made.
type Client struct {
	settings
	engine  engine  // made of the settings
	given   *ledger // shared with every copy
	http    *http.Client
	base    string // with a slash at the end
	agent   string
	sdk     string // x-goog-api-client
	builtin bool   // the transport is net/http's, so that httptrace tells the truth
	bad     error  // a setting that With refused
}

// NewClient returns a client. Without options it calls redis.googleapis.com with Application Default Credentials.
// It takes the options of google.golang.org/api/option and those of this package. An error says which option is
// wrong, or that there are no credentials.
//
// The environment variable MEMORYSTORE_EMULATOR_HOST (host:port or http://host:port) points the client to a fake
// instead, without credentials, unless option.WithEndpoint or option.WithHTTPClient says otherwise.
func NewClient(ctx context.Context, opts ...option.ClientOption) (*Client, error) {
	c := &Client{given: &ledger{}}
	dial := settingsOf(option.WithEndpoint("").Apply)
	var google []option.ClientOption
	for _, o := range opts {
		switch o := o.(type) {
		case nil:
			return nil, errors.New("memorystore: NewClient: an option is nil")
		case Option:
			o.set(&c.settings)
		default:
			o.Apply(dial)
			google = append(google, o)
		}
	}
	if c.log == nil {
		c.log = dial.Logger
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("memorystore: NewClient: %w", err)
	}
	c.engine = c.settings.engine(newObserver(), true)
	c.sdk = "gl-go/" + strings.TrimPrefix(runtime.Version(), "go") + " memorystore-go/" + Version
	c.agent = strings.TrimSpace("memorystore-go/" + Version + " " + dial.UserAgent)

	if host := os.Getenv(emulatorEnv); host != "" && dial.Endpoint == "" && dial.HTTPClient == nil {
		endpoint, err := emulatorEndpoint(host)
		if err != nil {
			return nil, err
		}
		c.engine.log.LogAttrs(ctx, slog.LevelInfo, "memorystore: using the emulator of "+emulatorEnv, slog.String("endpoint", endpoint))
		google = []option.ClientOption{option.WithEndpoint(endpoint), option.WithoutAuthentication()}
	}
	transport, endpoint, err := htransport.NewClient(ctx, append([]option.ClientOption{
		internaloption.WithDefaultEndpointTemplate("https://redis.UNIVERSE_DOMAIN/"),
		internaloption.WithDefaultMTLSEndpoint("https://redis.mtls.googleapis.com/"),
		internaloption.WithDefaultUniverseDomain("googleapis.com"),
		internaloption.WithDefaultScopes("https://www.googleapis.com/auth/cloud-platform"),
		internaloption.EnableJwtWithScope(),
		internaloption.EnableNewAuthLibrary(),
	}, append(google,
		option.WithUserAgent(c.agent),
		option.WithTelemetryDisabled(),
		// Given a logger, or an environment variable, the transport logs headers and token answers.
		option.WithLogger(slog.New(slog.DiscardHandler)),
	)...)...)
	if err != nil {
		return nil, fmt.Errorf("memorystore: NewClient: %s%s", safeText(err), credentialsHint())
	}
	if c.base, err = baseURL(endpoint); err != nil {
		return nil, err
	}
	own := *transport // the caller's client is never written to
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &own
	c.builtin = dial.HTTPClient == nil || isBuiltin(transport.Transport)
	return c, nil
}

// isBuiltin reports whether a transport is net/http's, with nothing above it that hides a request from httptrace.
func isBuiltin(t http.RoundTripper) bool {
	if credentials, ok := t.(*oauth2.Transport); ok {
		t = credentials.Base
	}
	_, ok := t.(*http.Transport)
	return ok || t == nil
}

// credentialsHint names the file that Application Default Credentials were read from, if it is the caller's choice.
func credentialsHint() string {
	if file := os.Getenv("GOOGLE_APPLICATION_CREDENTIALS"); file != "" {
		return fmt.Sprintf(" (GOOGLE_APPLICATION_CREDENTIALS is %q)", file)
	}
	return ""
}

// settingsOf returns what apply fills in. It names a type of google.golang.org/api that only inference can name, to
// learn which options the caller gave.
func settingsOf[S any](apply func(*S)) *S { return new(S) }

func emulatorEndpoint(host string) (string, error) {
	bare := strings.TrimSuffix(strings.TrimPrefix(host, "http://"), "/")
	u, err := url.Parse("http://" + bare)
	if err != nil || u.Host != bare || u.Hostname() == "" || u.Port() == "" {
		return "", fmt.Errorf("memorystore: NewClient: %s is %q: it must be host:port or http://host:port", emulatorEnv, withoutSecrets(host))
	}
	return u.String(), nil
}

// baseURL returns the endpoint as requests use it. A version at its end, which some tools want there, is no harm.
func baseURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("memorystore: NewClient: endpoint %q: it must be a URL such as https://redis.googleapis.com/", withoutSecrets(endpoint))
	}
	return strings.TrimSuffix(strings.TrimSuffix(u.String(), "/"), "/v1") + "/v1/", nil
}

// withoutSecrets cuts from a URL that is wrong where a password or a key may be in it.
func withoutSecrets(endpoint string) string {
	if i := strings.IndexAny(endpoint, "?#"); i >= 0 {
		endpoint = endpoint[:i+1] + "…"
	}
	if i := strings.LastIndexByte(endpoint, '@'); i >= 0 {
		endpoint = "…" + endpoint[i:]
	}
	return endpoint
}

// With returns a copy of the client with other settings and the same connections. A setting that is wrong is the
// error of every call on the copy.
func (c *Client) With(opts ...Option) *Client {
	own := *c
	for _, o := range opts {
		if o == nil {
			own.settings.invalid = errors.New("With: an option is nil")
			continue
		}
		o.set(&own.settings)
	}
	own.bad = own.check()
	own.engine = own.settings.engine(c.engine.seen, true)
	return &own
}

// A ledger keeps the names of operations that calls were answered with, so that none is taken for that of another call
// whose answer was lost.
type ledger struct {
	mu    sync.Mutex
	names map[string]time.Time // when they were given
}

// give notes that an operation belongs to a call.
func (l *ledger) give(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if len(l.names) >= 1000 { // a look goes no further back than its own call
		maps.DeleteFunc(l.names, func(_ string, given time.Time) bool { return now.Sub(given) > time.Hour })
	}
	if l.names == nil {
		l.names = map[string]time.Time{}
	}
	l.names[name] = now
}

// has reports whether an operation belongs to a call already.
func (l *ledger) has(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.names[name]
	return ok
}

// Stats returns what the client, and every client that With made from it or it from, has done so far.
func (c *Client) Stats() Stats { return c.engine.seen.stats() }

// do carries out a call and decodes its answer into out. It returns nil and nil when the call was settled: its answer
// was lost, and k.settle has what it did.
func (c *Client) do(ctx context.Context, k *call, out any) (*answer, error) {
	if err := errors.Join(c.bad, k.invalid); err != nil {
		return nil, newError(k, InvalidArgument, oneLine(err.Error(), 1000))
	}
	r := request{client: c, call: k, out: out, url: c.base + k.path}
	if r.query = k.query; r.query == nil {
		r.query = url.Values{}
	}
	r.query.Set("prettyPrint", "false")
	r.url += "?" + r.query.Encode()
	if k.body != nil {
		var err error
		if r.body, err = json.Marshal(k.body, json.Deterministic(true)); err != nil {
			return nil, newError(k, InvalidArgument, "the request cannot be encoded: "+oneLine(err.Error(), 300))
		}
	}
	ans, err := c.engine.run(ctx, k, r.send)
	if ans != nil && k.heard != nil {
		k.heard(ans)
	}
	return ans, err
}

// reading is the call that gets a resource by its full name.
func reading(name, resource string, invalid error) *call {
	return &call{name: name, method: "GET", path: resource, resource: resource, params: "name", invalid: invalid}
}

// get carries out a call that answers with one thing.
func get[T any](ctx context.Context, c *Client, k *call) (*T, error) {
	out := new(T)
	if _, err := c.do(ctx, k, out); err != nil {
		return nil, err
	}
	return out, nil
}

// A request is a call made ready for the wire, to be sent any number of times.
type request struct {
	client *Client
	call   *call
	url    string
	query  url.Values
	body   []byte
	out    any
}

// send makes one attempt. It returns when the context ends even if what is below does not: a token source knows no
// context.
func (r *request) send(ctx context.Context) (*answer, *miss) {
	trace := progress{mark: paramsHeader}
	req, err := r.build(trace.in(ctx))
	if err != nil {
		return nil, &miss{text: "the request cannot be made: " + err.Error()}
	}
	type outcome struct {
		answer *answer
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		answer, err := exchange(r.client.http, req)
		done <- outcome{answer, err}
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		o.err = ctx.Err()
		if r.client.builtin && trace.began.Load() {
			o = <-done // net/http obeys the context at once, and only then is it sure how far the request came
		}
	}
	switch {
	case o.err != nil && ctx.Err() != nil:
		return o.answer, overdue(ctx, trace.doubt(r.client.builtin))
	case o.err != nil && o.answer == nil && trace.unsent(r.client.builtin, o.err):
		return nil, &miss{text: credentialText(o.err)}
	case o.err != nil && o.answer == nil:
		return nil, disconnected(o.err, trace.doubt(r.client.builtin), r.client.builtin || trace.began.Load())
	case o.err != nil && o.answer.status < 300:
		return o.answer, &miss{text: "the answer broke off: " + o.err.Error(), err: o.err, doubt: true, lost: !errors.Is(o.err, errTooLarge)}
	case o.answer.status < 200 || o.answer.status > 299:
		return o.answer, nil // even if its body broke off: the status is what counts
	}
	if err := decode(o.answer.body, r.out); err != nil {
		return o.answer, &miss{text: "the answer cannot be read: " + err.Error(), doubt: true}
	}
	return o.answer, nil
}

// paramsHeader names the resource of a request, by which the service routes it.
const paramsHeader = "X-Goog-Request-Params"

// build makes the HTTP request anew, so that no two attempts share a body.
func (r *request) build(ctx context.Context) (*http.Request, error) {
	var body io.Reader = http.NoBody
	if r.body != nil {
		body = bytes.NewReader(r.body) // http.NewRequest sets GetBody for it
	}
	req, err := http.NewRequestWithContext(ctx, r.call.method, r.url, body)
	if err != nil {
		return nil, err
	}
	h := req.Header
	h.Set("User-Agent", r.client.agent)
	h.Set("X-Goog-Api-Client", r.client.sdk)
	named := r.call.resource
	if r.call.params == "parent" { // a create is about an instance, but is routed by where it shall be
		named = parentOf(named)
	}
	h.Set(paramsHeader, r.call.params+"="+url.QueryEscape(named))
	if r.body != nil {
		h.Set("Content-Type", "application/json")
	}
	return req, nil
}

var errTooLarge = fmt.Errorf("it is larger than %d MiB", maxBody>>20)

// exchange sends a request and reads the whole answer, so that the connection can serve the next one. With an error
// beside an answer, the answer broke off.
func exchange(client *http.Client, req *http.Request) (*answer, error) {
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSwitchingProtocols { // its body is the connection, and has no end
		return &answer{status: resp.StatusCode, header: resp.Header}, nil
	}
	limit := int64(maxErrorBody)
	if resp.StatusCode < 300 {
		limit = maxBody
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		body, err = body[:limit], errTooLarge
	}
	return &answer{status: resp.StatusCode, header: resp.Header, body: body}, err
}

// decode reads an answer. What it says of an error holds nothing of the answer, which may be secret.
func decode(body []byte, out any) error {
	if out == nil {
		return nil
	}
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}") // an empty answer is what an empty message may look like
	}
	err := json.Unmarshal(body, out, wireOptions)
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("it is not JSON, from byte %d of %d on", syntax.ByteOffset, len(body))
	}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		return fmt.Errorf("%.200q is not of the type expected", semantic.JSONPointer)
	}
	if err != nil {
		return errors.New("it is not the JSON expected")
	}
	if named, ok := out.(interface{ unnamed() string }); ok {
		if what := named.unnamed(); what != "" {
			return errors.New("it names no " + what)
		}
	}
	return nil
}

// A progress follows how far a request came. The fetching of a token on the way is traced as well; mark is the header
// that tells our request from one for a token, empty where none is fetched.
type progress struct {
	mark                    string
	began, written, fetched atomic.Bool
}

func (t *progress) in(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { t.began.Store(true) },
		WroteHeaderField: func(key string, _ []string) {
			if t.mark == "" || strings.EqualFold(key, t.mark) {
				t.written.Store(true)
			}
		},
		WroteRequest: func(httptrace.WroteRequestInfo) {
			if !t.written.Load() { // it was not ours, which has yet to begin
				t.began.Store(false)
				t.fetched.Store(true)
			}
		},
	})
}

// doubt reports whether the request may have reached the service. A transport that is not net/http's says nothing.
func (t *progress) doubt(builtin bool) bool {
	return t.written.Load() || !builtin && !t.began.Load() && !t.fetched.Load()
}

// unsent reports whether the failure is that of a credential: the only thing between a Client and net/http.
func (t *progress) unsent(builtin bool, err error) bool {
	return !t.written.Load() && isTokenError(err) || !t.began.Load() && (builtin || t.fetched.Load())
}
