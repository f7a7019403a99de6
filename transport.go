package memorystore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
)

// RetryTransport puts the engine of this SDK under any HTTP client, such as Google's own for this API, which retry
// nothing. A nil base means http.DefaultTransport. Of the Options, WithRetryBudget and WithLogger apply; a setting
// that is wrong is the error of every request.
//
// A 429 is sent again whatever the method, a 5xx only for GET, HEAD, PUT and DELETE, which change nothing more when
// they come twice; with InDoubt set to Resend, for every method. When it gives up it returns the last response with
// its body, so that the client above makes its usual error of it; a request that got no response ends in an *Error.
//
// It reads every answer whole before it returns it, and a request's body, if that has no GetBody: it is meant for APIs,
// not for uploads and downloads.
func RetryTransport(base http.RoundTripper, p RetryPolicy, opts ...Option) http.RoundTripper {
	t := &retryTransport{base: base}
	if base == nil {
		t.base = http.DefaultTransport
	}
	t.builtin = isBuiltin(t.base)
	var s settings
	for _, o := range opts {
		if o == nil {
			t.bad = fmt.Errorf("memorystore: RetryTransport: an option is nil")
			return t
		}
		o.set(&s)
	}
	s.retry = p
	if err := s.check(); err != nil {
		t.bad = fmt.Errorf("memorystore: RetryTransport: %w", err)
		return t
	}
	t.engine = s.engine(newObserver(), false)
	return t
}

type retryTransport struct {
	engine
	base    http.RoundTripper
	builtin bool
	bad     error
}

// RoundTrip sends a request until it is answered for good.
func (t *retryTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.bad != nil {
		closeBody(req)
		return nil, t.bad
	}
	body, err := replayable(req)
	if err != nil {
		return nil, err
	}
	verb := cmp.Or(req.Method, http.MethodGet) // as net/http reads it
	k := &call{name: verb, method: verb, resource: req.URL.Host + req.URL.Path, change: changeOf(verb)}
	var last *http.Response
	_, err = t.run(req.Context(), k, func(ctx context.Context) (*answer, *miss) {
		var a *answer
		var m *miss
		last, a, m = t.send(ctx, req, body)
		return a, m
	})
	if err != nil && (last == nil || req.Context().Err() != nil) {
		return nil, err
	}
	return last, nil
}

// CloseIdleConnections does so in what is below, for http.Client.CloseIdleConnections.
func (t *retryTransport) CloseIdleConnections() {
	if below, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		below.CloseIdleConnections()
	}
}

// changeOf says what sending a request with this method twice does.
//
// https://www.rfc-editor.org/rfc/rfc9110#name-idempotent-methods
func changeOf(method string) change {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return reads
	case http.MethodPut, http.MethodDelete:
		return repeats
	}
	return acts
}

// send makes one attempt, and reads the answer whole.
func (t *retryTransport) send(ctx context.Context, req *http.Request, body func() (io.ReadCloser, error)) (*http.Response, *answer, *miss) {
	var trace progress
	again := req.Clone(trace.in(ctx))
	if body != nil {
		var err error
		if again.Body, err = body(); err != nil {
			return nil, nil, &miss{text: "the request body cannot be had again: " + err.Error(), err: err}
		}
	}
	resp, err := t.base.RoundTrip(again)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nil, overdue(ctx, trace.doubt(t.builtin))
	case err != nil && trace.unsent(false, err):
		return nil, nil, &miss{text: credentialText(err)}
	case err != nil:
		return nil, nil, disconnected(err, trace.doubt(t.builtin), t.builtin || trace.began.Load())
	case resp.StatusCode == http.StatusSwitchingProtocols:
		return resp, &answer{status: http.StatusOK, header: resp.Header}, nil // its body is a connection
	}
	content, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil && ctx.Err() != nil {
		return nil, nil, overdue(ctx, true)
	}
	if err != nil {
		return nil, nil, &miss{text: "the answer broke off: " + err.Error(), err: err, doubt: true, lost: true}
	}
	resp.Request = req // not the attempt's copy, whose context ends with the attempt
	resp.Body = io.NopCloser(bytes.NewReader(content))
	return resp, &answer{status: resp.StatusCode, header: resp.Header, body: content}, nil
}

// replayable returns what makes the body of a request anew for each attempt; nil: it has none.
func replayable(req *http.Request) (func() (io.ReadCloser, error), error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	defer closeBody(req) // each attempt has its own
	if req.GetBody != nil {
		return req.GetBody, nil
	}
	content, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, fmt.Errorf("memorystore: RetryTransport: reading the request body: %w", err)
	}
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }, nil
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}
