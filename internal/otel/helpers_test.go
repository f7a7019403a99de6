package otel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memorystore-go/memorystore"
	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/api/option"
)

const (
	region = "projects/p/locations/us-central1"
	cache  = region + "/instances/cache"
	scope  = "github.com/memorystore-go/memorystore"
)

const ready = `{"name":"` + cache + `","tier":"STANDARD_HA","memorySizeGb":5,"authEnabled":true}`

// A telescope is an OpenTelemetry SDK in memory, installed as the program's until the test ends. Tests that have one
// are not parallel.
type telescope struct {
	exporter *tracetest.InMemoryExporter
	reader   *sdkmetric.ManualReader
	tracers  *sdktrace.TracerProvider
}

func install(t *testing.T) *telescope {
	s := &telescope{exporter: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader()}
	s.tracers = sdktrace.NewTracerProvider(sdktrace.WithSyncer(s.exporter))
	otel.SetTracerProvider(s.tracers)
	otel.SetMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(s.reader)))
	t.Cleanup(func() {
		otel.SetTracerProvider(tracenoop.NewTracerProvider())
		otel.SetMeterProvider(metricnoop.NewMeterProvider())
	})
	return s
}

// newClient waits 1, 2, 4 s and so on, without the random part.
func newClient(t *testing.T, fake *fakeserver.Server, retries int) *memorystore.Client {
	c, err := memorystore.NewClient(t.Context(), option.WithHTTPClient(fake.Client()), memorystore.WithRetry(memorystore.RetryPolicy{
		MaxRetries: retries, Backoff: exact}))
	require.NoError(t, err)
	return c
}

func exact(n int, maximum time.Duration) time.Duration { return min(time.Second<<n, maximum) }

// spans shows the spans that ended, by their start: each with its events, those of a child indented below its parent.
func (s *telescope) spans(t *testing.T) []string {
	all := s.exporter.GetSpans()
	slices.SortStableFunc(all, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	var lines []string
	var show func(parent [8]byte, indent string)
	show = func(parent [8]byte, indent string) {
		for _, span := range all {
			if span.Parent.SpanID() != parent {
				continue
			}
			line := indent + strings.TrimPrefix(span.Name, "memorystore.")
			if span.Status.Description != "" {
				line += ": " + span.Status.Code.String()
			}
			if get(span.Attributes, "memorystore.settled") == true {
				line += ", settled"
			}
			lines = append(lines, line)
			for _, e := range span.Events {
				line := indent + "  - " + e.Name
				for _, key := range []attribute.Key{"http.response.status_code", "http.request.resend_count"} {
					if v := get(e.Attributes, key); v != nil {
						line += fmt.Sprintf(" %s=%v", key[strings.LastIndexByte(string(key), '.')+1:], v)
					}
				}
				lines = append(lines, line)
			}
			show(span.SpanContext.SpanID(), indent+"    ")
		}
	}
	show([8]byte{}, "")
	return lines
}

// get returns the value of an attribute; nil: there is none.
func get(attributes []attribute.KeyValue, key attribute.Key) any {
	for _, a := range attributes {
		if a.Key == key {
			return a.Value.AsInterface()
		}
	}
	return nil
}

// numbers are the sums of the counters over all calls, and the waits, as Stats has them.
func (s *telescope) numbers(t *testing.T) memorystore.Stats {
	var stats memorystore.Stats
	counters := map[string]*int64{"calls": &stats.Calls, "attempts": &stats.Attempts, "retries": &stats.Retries,
		"exhausted": &stats.Exhausted, "settled": &stats.Settled}
	for _, m := range s.metrics(t) {
		name := strings.TrimPrefix(m.Name, "memorystore.client.")
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			require.Contains(t, counters, name)
			assert.True(t, data.IsMonotonic, name)
			for _, p := range data.DataPoints {
				*counters[name] += p.Value
			}
		case metricdata.Histogram[float64]:
			assert.Equal(t, []string{"waits", "s"}, []string{name, m.Unit})
			for _, p := range data.DataPoints {
				stats.Waits += int64(p.Count)
				stats.Waited += time.Duration(p.Sum * float64(time.Second))
			}
		default:
			assert.Failf(t, "an instrument of another kind", "%s: %T", m.Name, data)
		}
	}
	return stats
}

func (s *telescope) metrics(t *testing.T) []metricdata.Metrics {
	var all metricdata.ResourceMetrics
	require.NoError(t, s.reader.Collect(context.Background(), &all))
	var metrics []metricdata.Metrics
	for _, m := range all.ScopeMetrics {
		assert.Equal(t, []string{scope, memorystore.Version}, []string{m.Scope.Name, m.Scope.Version})
		metrics = append(metrics, m.Metrics...)
	}
	return metrics
}

// of is the value of a counter for one call.
func (s *telescope) of(t *testing.T, counter, call string) int64 {
	var n int64
	for _, m := range s.metrics(t) {
		if sum, ok := m.Data.(metricdata.Sum[int64]); ok && m.Name == "memorystore.client."+counter {
			for _, p := range sum.DataPoints {
				if v, _ := p.Attributes.Value("memorystore.call"); v.AsString() == call {
					n += p.Value
				}
			}
		}
	}
	return n
}
