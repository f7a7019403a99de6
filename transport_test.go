package memorystore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	redis "google.golang.org/api/redis/v1"
)

// official returns Google's own client over a RetryTransport.
func official(t *testing.T, server *fakeserver.Server, p RetryPolicy, opts ...Option) *redis.Service {
	opts = append([]Option{WithLogger(slog.New(slog.DiscardHandler))}, opts...)
	service, err := redis.NewService(t.Context(), option.WithEndpoint(server.URL()),
		option.WithHTTPClient(&http.Client{Transport: RetryTransport(server.Client().Transport, p, opts...)}))
	require.NoError(t, err)
	return service
}

// TestRetryTransportUnderGooglesClient: the client of google.golang.org/api, which retries nothing, keeps the schedule.
func TestRetryTransportUnderGooglesClient(t *testing.T) {
	for _, test := range []struct {
		name     string
		method   string
		faults   []fakeserver.Fault
		inDoubt  InDoubt
		requests int
		status   int // of the error; 0: none
	}{
		{"GET 503 503", "instances.get", []fakeserver.Fault{{Status: 503, Times: 2}}, Settle, 3, 0},
		{"GET 429", "instances.get", []fakeserver.Fault{{Status: 429}}, Settle, 2, 0},
		{"GET 404", "instances.get", []fakeserver.Fault{{Status: 404}}, Settle, 1, 404},
		{"GET 503 until the end", "instances.get", []fakeserver.Fault{{Status: 503, Times: 9}}, Settle, 9, 503},
		{"POST 503", "instances.failover", []fakeserver.Fault{{Status: 503}}, Settle, 1, 503},
		{"POST 503, Resend", "instances.failover", []fakeserver.Fault{{Status: 503}}, Resend, 2, 0},
		{"POST 503, Stop", "instances.failover", []fakeserver.Fault{{Status: 503}}, Stop, 1, 503},
		{"POST 429", "instances.failover", []fakeserver.Fault{{Status: 429, Times: 2}}, Settle, 3, 0},
		{"PATCH 500", "instances.patch", []fakeserver.Fault{{Status: 500}}, Settle, 1, 500},
		{"PATCH 429", "instances.patch", []fakeserver.Fault{{Status: 429}}, Settle, 2, 0},
		{"DELETE 502", "instances.delete", []fakeserver.Fault{{Status: 502, HTML: true}}, Settle, 2, 0},
		{"DELETE 502, Stop", "instances.delete", []fakeserver.Fault{{Status: 502}}, Stop, 1, 502},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := fakeserver.New(fakeserver.WithInstances(lostSeed))
				server.Inject(test.method, test.faults...)
				var waits []time.Duration
				service := official(t, server, RetryPolicy{InDoubt: test.inDoubt, OnAttempt: func(_ context.Context, a Attempt) {
					if a.Wait > 0 {
						waits = append(waits, a.Wait)
					}
				}}).Projects.Locations.Instances
				start := time.Now()
				var err error
				switch test.method {
				case "instances.get":
					_, err = service.Get(lostName).Do()
				case "instances.failover":
					_, err = service.Failover(lostName, &redis.FailoverInstanceRequest{}).Do()
				case "instances.patch":
					_, err = service.Patch(lostName, &redis.Instance{DisplayName: "new"}).UpdateMask("displayName").Do()
				case "instances.delete":
					_, err = service.Delete(lostName).Do()
				}
				if test.status == 0 {
					require.NoError(t, err)
				} else {
					e, ok := errors.AsType[*googleapi.Error](err)
					require.True(t, ok, "%v", err)
					assert.Equal(t, test.status, e.Code)
					assert.NotEmpty(t, e.Message, "the last answer's body is whole")
				}
				assert.Len(t, server.Journal(), test.requests)
				assert.Len(t, waits, test.requests-1)
				var sum time.Duration
				for _, w := range waits {
					sum += w
				}
				assert.Equal(t, sum, time.Since(start))
				for _, e := range server.Journal() {
					assert.Equal(t, server.Journal()[0].Body, e.Body, "every attempt has the same body")
				}
			})
		})
	}
}

// closeCounter counts how often a request body is closed.
type closeCounter struct {
	io.Reader
	closed int
}

func (c *closeCounter) Close() error { c.closed++; return nil }

// TestRetryTransportBodies: a body that cannot be had again is kept, and closed once; the caller's request is not touched.
func TestRetryTransportBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bodies []string
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			b, err := io.ReadAll(req.Body)
			require.NoError(t, err)
			bodies = append(bodies, string(b))
			return &http.Response{StatusCode: 503, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("down"))}, nil
		})
		body := &closeCounter{Reader: strings.NewReader("payload")}
		req, err := http.NewRequest(http.MethodPut, "http://example.invalid/x", body)
		require.NoError(t, err)
		resp, err := RetryTransport(base, RetryPolicy{MaxRetries: 2}, WithLogger(slog.New(slog.DiscardHandler))).RoundTrip(req)
		require.NoError(t, err)
		rest, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "down", string(rest))
		assert.Equal(t, 503, resp.StatusCode)
		assert.Equal(t, []string{"payload", "payload", "payload"}, bodies)
		assert.Equal(t, 1, body.closed)
		assert.Same(t, body, req.Body)
	})
}

// brokenReader is a connection that breaks.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

type idleCounter struct {
	http.RoundTripper
	closed int
}

func (c *idleCounter) CloseIdleConnections() { c.closed++ }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// TestRetryTransportEnds: what a caller sees of a context, a lost connection, a bad setting and an empty budget.
func TestRetryTransportEnds(t *testing.T) {
	get := func(ctx context.Context) *http.Request {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://example.invalid/x?key=secret", nil)
		require.NoError(t, err)
		return req
	}
	down := roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 503, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("down"))}, nil
	})
	discard := WithLogger(slog.New(slog.DiscardHandler))

	t.Run("a deadline that leaves no room for the wait: the last response", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			resp, err := RetryTransport(down, RetryPolicy{}, discard).RoundTrip(get(ctx))
			require.NoError(t, err)
			assert.Equal(t, 503, resp.StatusCode)
			assert.NoError(t, ctx.Err())
		})
	})
	t.Run("cancelled while it waits: both errors", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(500*time.Millisecond, cancel)
			_, err := RetryTransport(down, RetryPolicy{}, discard).RoundTrip(get(ctx))
			assert.ErrorIs(t, err, context.Canceled)
			assert.ErrorIs(t, err, Unavailable)
		})
	})
	t.Run("a lost connection is final by default, and its error keeps the query to itself", func(t *testing.T) {
		sent := 0
		lost := roundTripper(func(*http.Request) (*http.Response, error) { sent++; return nil, io.ErrUnexpectedEOF })
		_, err := RetryTransport(lost, RetryPolicy{}, discard).RoundTrip(get(t.Context()))
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Equal(t, 1, sent)
		assert.NotContains(t, err.Error(), "secret")
	})
	t.Run("RetryStatusOrTransport sends it again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			sent := 0
			lost := roundTripper(func(*http.Request) (*http.Response, error) { sent++; return nil, io.ErrUnexpectedEOF })
			_, err := RetryTransport(lost, RetryPolicy{Retryable: RetryStatusOrTransport}, discard).RoundTrip(get(t.Context()))
			assert.Error(t, err)
			assert.Equal(t, 9, sent)
		})
	})
	t.Run("an answer that breaks off leaves doubt: a PUT is not sent again when doubt stops", func(t *testing.T) {
		sent := 0
		cut := roundTripper(func(*http.Request) (*http.Response, error) {
			sent++
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(io.MultiReader(strings.NewReader("ha"), brokenReader{}))}, nil
		})
		req, err := http.NewRequest(http.MethodPut, "http://example.invalid/x", nil)
		require.NoError(t, err)
		_, err = RetryTransport(cut, RetryPolicy{InDoubt: Stop, Retryable: RetryStatusOrTransport}, discard).RoundTrip(req)
		e, ok := errors.AsType[*Error](err)
		require.True(t, ok)
		assert.True(t, e.Ambiguous)
		assert.Equal(t, 1, sent)
	})
	t.Run("the response is of the caller's request", func(t *testing.T) {
		req := get(t.Context())
		resp, err := RetryTransport(down, NoRetry(), discard).RoundTrip(req)
		require.NoError(t, err)
		assert.Same(t, req, resp.Request)
	})
	t.Run("idle connections are closed below", func(t *testing.T) {
		below := &idleCounter{}
		(&http.Client{Transport: RetryTransport(below, RetryPolicy{})}).CloseIdleConnections()
		assert.Equal(t, 1, below.closed)
	})
	t.Run("a bad setting is the error of every request", func(t *testing.T) {
		_, err := RetryTransport(down, RetryPolicy{MaximumBackoff: -1}).RoundTrip(get(t.Context()))
		assert.ErrorContains(t, err, "RetryPolicy.MaximumBackoff is -1ns")
		_, err = RetryTransport(down, RetryPolicy{}, WithRetryBudget(NewRetryBudget(1, 0.1))).RoundTrip(get(t.Context()))
		assert.ErrorContains(t, err, "smaller than the 8 retries")
	})
	t.Run("the budget and the logger are obeyed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			budget := NewRetryBudget(8, 0)
			transport := RetryTransport(down, RetryPolicy{}, WithRetryBudget(budget), WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			_, err := transport.RoundTrip(get(t.Context()))
			require.NoError(t, err)
			_, err = transport.RoundTrip(get(t.Context()))
			require.NoError(t, err)
			assert.Equal(t, 2, strings.Count(log.String(), "level=ERROR"))
			assert.Contains(t, log.String(), "client-side retry budget")
			assert.NotContains(t, log.String(), "secret")
		})
	})
	t.Run("one layer: a Client with NoRetry over it sends what it sends", func(t *testing.T) { // pitfall 57
		synctest.Test(t, func(t *testing.T) {
			server := fakeserver.New(fakeserver.WithInstances(lostSeed))
			server.Inject("instances.get", fakeserver.Fault{Status: 503, Times: 20})
			c, err := NewClient(t.Context(), discard, WithRetry(NoRetry()),
				option.WithHTTPClient(&http.Client{Transport: RetryTransport(server.Client().Transport, RetryPolicy{MaxRetries: 3}, discard)}))
			require.NoError(t, err)
			_, err = c.With(WithRetry(RetryPolicy{MaxRetries: -1, AttemptTimeout: NoTimeout})).GetInstance(t.Context(), lostName)
			assert.ErrorIs(t, err, Unavailable)
			assert.Len(t, server.Journal(), 4)
		})
	})
}

// TestReport holds what a support case asks for, and nothing secret.
func TestReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fakeserver.New(fakeserver.WithInstances(lostSeed))
		server.Inject("instances.get", fakeserver.Fault{Status: 503, Details: []any{map[string]any{
			"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "BACKEND_DOWN", "domain": "googleapis.com"}}, Times: 2})
		c, err := NewClient(t.Context(), WithLogger(slog.New(slog.DiscardHandler)), WithRetry(RetryPolicy{MaxRetries: 1}),
			option.WithHTTPClient(&http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				resp, err := server.Client().Transport.RoundTrip(req)
				if err == nil {
					resp.Header.Set("Server-Timing", "gfet4t7; dur=46")
					resp.Header.Set("Set-Cookie", "secret=1")
				}
				return resp, err
			})}))
		require.NoError(t, err)
		_, err = c.GetInstance(t.Context(), lostName)
		e, ok := errors.AsType[*Error](err)
		require.True(t, ok)
		report := e.Report()
		for _, want := range []string{"GetInstance (GET)", lostName, "2000-01-01T00:00:00Z", "Attempt 1:", "status 503", "reason BACKEND_DOWN",
			"then waited ", "Attempt 2:", "Server-Timing: gfet4t7; dur=46", "Date: ", supportPage, "memorystore-go " + Version} {
			assert.Contains(t, report, want)
		}
		assert.NotContains(t, report, "secret")
		assert.NotContains(t, report, "Attempt 3")
	})
}
