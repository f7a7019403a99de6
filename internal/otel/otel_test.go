package otel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore"
	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/oauth2"
	"google.golang.org/api/option"
)

// A span a call and an event an attempt; http.request.resend_count from the second attempt on. What Stats counts, the
// counters count.
func TestCalls(t *testing.T) {
	get := func(ctx context.Context, c *memorystore.Client) error {
		_, err := c.GetInstance(ctx, cache)
		return err
	}
	failover := func(ctx context.Context, c *memorystore.Client) error {
		op, err := c.FailoverInstance(ctx, cache, memorystore.DataProtectionModeLimitedDataLoss)
		if err == nil && !op.Reconciled() {
			return errors.New("the answer was not lost")
		}
		return err
	}
	for _, test := range []struct {
		about  string
		method string
		faults []fakeserver.Fault
		call   func(context.Context, *memorystore.Client) error
		fails  bool
		spans  []string
		stats  memorystore.Stats
	}{
		{"answered at once", "", nil, get, false,
			[]string{"GetInstance", "  - attempt status_code=200"},
			memorystore.Stats{Calls: 1, Attempts: 1}},
		{"answered in the end", "instances.get", []fakeserver.Fault{{Status: 503}, {Status: 429}}, get, false,
			[]string{"GetInstance", "  - attempt status_code=503", "  - attempt status_code=429 resend_count=1", "  - attempt status_code=200 resend_count=2"},
			memorystore.Stats{Calls: 1, Attempts: 3, Retries: 2, Waits: 2, Waited: 3 * time.Second}},
		{"given up", "instances.get", []fakeserver.Fault{{Status: 500, Times: 4}}, get, true,
			[]string{"GetInstance: Error", "  - attempt status_code=500", "  - attempt status_code=500 resend_count=1",
				"  - attempt status_code=500 resend_count=2", "  - attempt status_code=500 resend_count=3"},
			memorystore.Stats{Calls: 1, Attempts: 4, Retries: 3, Exhausted: 1, Waits: 3, Waited: 7 * time.Second}},
		{"refused", "instances.get", []fakeserver.Fault{{Status: 404}}, get, true,
			[]string{"GetInstance: Error", "  - attempt status_code=404"},
			memorystore.Stats{Calls: 1, Attempts: 1}},
		{"no answer", "instances.get", []fakeserver.Fault{{Reset: true}}, get, true,
			[]string{"GetInstance: Error", "  - attempt"},
			memorystore.Stats{Calls: 1, Attempts: 1}},
		// The wait comes before the look, and the looks are calls of their own, for the sake of the one above.
		{"settled", "instances.failover", []fakeserver.Fault{{Status: 503, AfterWork: true}}, failover, false,
			[]string{"FailoverInstance, settled", "  - attempt status_code=503",
				"    GetInstance", "      - attempt status_code=200", "    ListOperations", "      - attempt status_code=200"},
			memorystore.Stats{Calls: 3, Attempts: 3, Settled: 1, Waits: 1, Waited: time.Second}},
		{"a page is a call", "operations.list", []fakeserver.Fault{{Status: 502}}, func(ctx context.Context, c *memorystore.Client) error {
			for _, err := range c.ListInstances(ctx, region, memorystore.PageSize(1)) {
				if err != nil {
					return err
				}
			}
			for _, err := range c.ListOperations(ctx, region) {
				if err != nil {
					return err
				}
			}
			return nil
		}, false,
			[]string{"ListInstances", "  - attempt status_code=200", "ListInstances", "  - attempt status_code=200",
				"ListOperations", "  - attempt status_code=502", "  - attempt status_code=200 resend_count=1"},
			memorystore.Stats{Calls: 3, Attempts: 4, Retries: 1, Waits: 1, Waited: time.Second}},
		{"a poll is a call", "", nil, func(ctx context.Context, c *memorystore.Client) error {
			op, err := c.DeleteInstance(ctx, cache)
			if err == nil {
				_, err = op.Wait(ctx)
			}
			return err
		}, false,
			[]string{"DeleteInstance", "  - attempt status_code=200", "GetOperation", "  - attempt status_code=200"},
			memorystore.Stats{Calls: 2, Attempts: 2}},
		// What is refused before it is sent is no call.
		{"not sent", "", nil, func(ctx context.Context, c *memorystore.Client) error {
			_, err := c.GetInstance(ctx, "cache")
			return err
		}, true, nil, memorystore.Stats{}},
	} {
		t.Run(test.about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sky := install(t)
				fake := fakeserver.New(fakeserver.WithInstances(ready, strings.ReplaceAll(ready, "/cache", "/cache-2")))
				if test.faults != nil {
					fake.Inject(test.method, test.faults...)
				}
				c := newClient(t, fake, 3)
				err := test.call(t.Context(), c)
				assert.Equal(t, test.fails, err != nil, "%v", err)
				assert.Equal(t, test.spans, sky.spans(t))
				assert.Equal(t, test.stats, c.Stats())
				assert.Equal(t, test.stats, sky.numbers(t))
			})
		})
	}
}

// What a span and its events hold, to the last attribute.
func TestAttributes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sky := install(t)
		fake := fakeserver.New(fakeserver.WithInstances(ready))
		fake.Inject("instances.get", fakeserver.Fault{Status: 503, Stall: 250 * time.Millisecond}, fakeserver.Fault{Status: 403, Message: "no"})
		c := newClient(t, fake, 3)
		ctx, mine := sky.tracers.Tracer("mine").Start(t.Context(), "my request")
		_, err := c.GetInstance(ctx, cache)
		require.Error(t, err)
		mine.End()

		all := sky.exporter.GetSpans()
		require.Len(t, all, 2)
		span := all[0]
		assert.Equal(t, "memorystore.GetInstance", span.Name)
		assert.Equal(t, mine.SpanContext().SpanID(), span.Parent.SpanID(), "it is a child of the caller's")
		assert.Equal(t, trace.SpanKindClient, span.SpanKind)
		assert.Equal(t, []string{scope, memorystore.Version}, []string{span.InstrumentationScope.Name, span.InstrumentationScope.Version})
		assert.Equal(t, codes.Error, span.Status.Code)
		assert.Equal(t, err.Error(), span.Status.Description)
		assert.Equal(t, 1250*time.Millisecond, span.EndTime.Sub(span.StartTime))
		assert.ElementsMatch(t, []attribute.KeyValue{
			attribute.String("memorystore.call", "GetInstance"),
			attribute.String("gcp.resource.name", cache),
			attribute.String("http.request.method", "GET"),
			attribute.Bool("memorystore.settled", false),
		}, span.Attributes)
		require.Len(t, span.Events, 2)
		failed, ok := errors.AsType[*memorystore.Error](err)
		require.True(t, ok)
		assert.ElementsMatch(t, []attribute.KeyValue{
			attribute.Int64("memorystore.latency_ms", 250),
			attribute.Int("http.response.status_code", 503),
			attribute.String("error.message", failed.Attempts[0].Err.Error()),
		}, span.Events[0].Attributes)
		assert.ElementsMatch(t, []attribute.KeyValue{
			attribute.Int64("memorystore.latency_ms", 0),
			attribute.Int("http.request.resend_count", 1),
			attribute.Int("http.response.status_code", 403),
			attribute.String("error.message", failed.Attempts[1].Err.Error()),
		}, span.Events[1].Attributes)
		assert.Equal(t, time.Second, span.Events[1].Time.Sub(span.Events[0].Time))

		// A counter by resource would have as many series as there are resources.
		for _, m := range sky.metrics(t) {
			for _, set := range attributesOf(t, m) {
				assert.Equal(t, []attribute.KeyValue{attribute.String("memorystore.call", "GetInstance")}, set.ToSlice(), m.Name)
			}
		}
	})
}

func attributesOf(t *testing.T, m metricdata.Metrics) []attribute.Set {
	var sets []attribute.Set
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			sets = append(sets, p.Attributes)
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			sets = append(sets, p.Attributes)
		}
	}
	require.NotEmpty(t, sets, m.Name)
	return sets
}

// The histogram tells the waits of the documented schedule apart: 1 to 2 s, 2 to 3 s, 4 to 5 s, and so on.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sky := install(t)
		fake := fakeserver.New(fakeserver.WithInstances(ready))
		fake.Inject("instances.get", fakeserver.Fault{Status: 503, Times: 7})
		c, err := memorystore.NewClient(t.Context(), option.WithHTTPClient(fake.Client()), memorystore.WithRetry(memorystore.RetryPolicy{
			MaximumBackoff: time.Minute,
			Backoff:        func(n int, _ time.Duration) time.Duration { return time.Second<<n + 500*time.Millisecond },
		}))
		require.NoError(t, err)
		start := time.Now()
		_, err = c.GetInstance(t.Context(), cache)
		require.NoError(t, err)
		assert.Equal(t, time.Since(start), c.Stats().Waited)
		var seen int
		for _, m := range sky.metrics(t) {
			if data, ok := m.Data.(metricdata.Histogram[float64]); ok {
				seen++
				require.Len(t, data.DataPoints, 1)
				assert.Equal(t, []float64{1, 2, 3, 5, 9, 17, 33, 65, 300}, data.DataPoints[0].Bounds)
				assert.Equal(t, []uint64{0, 1, 1, 1, 1, 1, 1, 1, 0, 0}, data.DataPoints[0].BucketCounts)
				assert.Equal(t, time.Since(start).Seconds(), data.DataPoints[0].Sum)
			}
		}
		assert.Equal(t, 1, seen)
	})
}

// Copies that With makes count with the client they were made from.
func TestWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sky := install(t)
		fake := fakeserver.New(fakeserver.WithInstances(ready))
		fake.Inject("instances.get", fakeserver.Fault{Status: 503})
		c := newClient(t, fake, 3)
		_, err := c.With(memorystore.WithRetry(memorystore.NoRetry())).GetInstance(t.Context(), cache)
		require.Error(t, err)
		_, err = c.GetInstance(t.Context(), cache)
		require.NoError(t, err)
		want := memorystore.Stats{Calls: 2, Attempts: 2, Exhausted: 1}
		assert.Equal(t, want, c.Stats())
		assert.Equal(t, want, sky.numbers(t))
		assert.EqualValues(t, 2, sky.of(t, "calls", "GetInstance"))
	})
}

// RetryTransport is seen too: a call is what the client above thinks is one request.
func TestRetryTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sky := install(t)
		fake := fakeserver.New(fakeserver.WithInstances(ready))
		fake.Inject("instances.get", fakeserver.Fault{Status: 503, Times: 2})
		fake.Inject("instances.failover", fakeserver.Fault{Status: 503})
		client := &http.Client{Transport: memorystore.RetryTransport(fake.Client().Transport, memorystore.RetryPolicy{Backoff: exact})}
		resp, err := client.Get("http://fake/v1/" + cache + "?key=a-secret-key")
		require.NoError(t, err)
		assert.Equal(t, 200, resp.StatusCode)
		req, err := http.NewRequest("GET", "http://fake/v1/"+region, nil)
		require.NoError(t, err)
		req.Method = "" // net/http takes it for GET
		_, err = client.Do(req)
		require.NoError(t, err)
		resp, err = client.Post("http://fake/v1/"+cache+":failover", "application/json", strings.NewReader("{}"))
		require.NoError(t, err)
		assert.Equal(t, 503, resp.StatusCode, "a POST that may have been carried out is not sent again")
		assert.Equal(t, []string{
			"GET", "  - attempt status_code=503", "  - attempt status_code=503 resend_count=1", "  - attempt status_code=200 resend_count=2",
			"GET", "  - attempt status_code=200",
			"POST: Error", "  - attempt status_code=503",
		}, sky.spans(t))
		assert.Equal(t, memorystore.Stats{Calls: 3, Attempts: 5, Retries: 2, Exhausted: 1, Waits: 2, Waited: 3 * time.Second}, sky.numbers(t))
		assert.Equal(t, "fake/v1/"+cache, get(sky.exporter.GetSpans()[0].Attributes, "gcp.resource.name"))
		assert.NotContains(t, sky.all(t), "a-secret-key")
	})
}

// all is everything that was told to OpenTelemetry, as text.
func (s *telescope) all(t *testing.T) string {
	var b bytes.Buffer
	for _, span := range s.exporter.GetSpans() {
		fmt.Fprintf(&b, "%s %v %v\n", span.Name, span.Status, span.Attributes)
		for _, e := range span.Events {
			fmt.Fprintf(&b, "  %s %v\n", e.Name, e.Attributes)
		}
	}
	for _, m := range s.metrics(t) {
		fmt.Fprintf(&b, "%+v\n", m)
	}
	return b.String()
}

// echo is a service that is broken in the worst way: its answers hold what it was sent, and the AUTH string.
type echo struct {
	answer func(*http.Request) (int, string)
}

func (e echo) RoundTrip(req *http.Request) (*http.Response, error) {
	status, body := e.answer(req)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

// No attribute holds a token, an AUTH string or what an answer that cannot be read holds.
func TestSecrets(t *testing.T) {
	const token, auth = "ya29.a-secret-token", "a-secret-auth-string"
	for _, test := range []struct {
		about  string
		answer func(*http.Request) (int, string)
	}{
		{"an AUTH string", func(*http.Request) (int, string) { return 200, `{"authString":"` + auth + `"}` }},
		{"an AUTH string, cut", func(*http.Request) (int, string) { return 200, `{"authString":"` + auth }},
		{"an AUTH string of another type", func(*http.Request) (int, string) { return 200, `{"authString":["` + auth + `"]}` }},
		{"a page with a token", func(r *http.Request) (int, string) { return 503, "<title>down</title>" + r.Header.Get("Authorization") }},
	} {
		t.Run(test.about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sky := install(t)
				tokens := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})
				var sent int
				base := echo{func(r *http.Request) (int, string) {
					sent++
					assert.Equal(t, "Bearer "+token, r.Header.Get("Authorization"))
					return test.answer(r)
				}}
				c, err := memorystore.NewClient(t.Context(), option.WithHTTPClient(&http.Client{Transport: &oauth2.Transport{Source: tokens, Base: base}}))
				require.NoError(t, err)
				s, err := c.GetInstanceAuthString(t.Context(), cache)
				assert.True(t, err != nil || s.Reveal() == auth)
				assert.NotZero(t, sent)
				assert.Contains(t, sky.all(t), "GetInstanceAuthString")
				assert.NotContains(t, sky.all(t), token)
				assert.NotContains(t, sky.all(t), auth)
			})
		})
	}
}
