package memorystore

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// scope names this SDK to OpenTelemetry.
const scope = "github.com/memorystore-go/memorystore"

// Stats are numbers since a client was made. Clients that With made from it count with it.
type Stats struct {
	Calls     int64         // that were sent, whatever came of them; a poll and each page of a list is one
	Attempts  int64         // requests sent
	Retries   int64         // attempts beyond the first of a call
	Exhausted int64         // calls given up: the last failure was one to retry, or the change may have been made
	Settled   int64         // changes whose answer was lost, and which were found to have been made
	Waits     int64         // waits begun before a retry or a look
	Waited    time.Duration // their sum, as planned
}

// An observer counts what an engine does, and tells OpenTelemetry: a span a call with an event an attempt, and the
// counters of Stats. Without an OpenTelemetry SDK in the program, the latter does nothing.
type observer struct {
	calls, attempts, retries, exhausted, settled, waits, waited atomic.Int64

	tracer trace.Tracer
	meters struct {
		calls, attempts, retries, exhausted, settled metric.Int64Counter
		waits                                        metric.Float64Histogram
	}
}

func newObserver() *observer {
	o := &observer{tracer: otel.Tracer(scope, trace.WithInstrumentationVersion(Version))}
	meter := otel.Meter(scope, metric.WithInstrumentationVersion(Version))
	counter := func(name, what string) metric.Int64Counter {
		c, err := meter.Int64Counter("memorystore.client."+name, metric.WithDescription(what))
		if err != nil {
			otel.Handle(err) // the instrument that comes with it does nothing
		}
		return c
	}
	o.meters.calls = counter("calls", "Calls sent, whatever came of them.")
	o.meters.attempts = counter("attempts", "Requests sent.")
	o.meters.retries = counter("retries", "Attempts beyond the first of a call.")
	o.meters.exhausted = counter("exhausted", "Calls given up: the last failure was one to retry, or the change may have been made.")
	o.meters.settled = counter("settled", "Changes whose answer was lost, found to have been made.")
	var err error
	if o.meters.waits, err = meter.Float64Histogram("memorystore.client.waits", metric.WithUnit("s"),
		metric.WithDescription("Waits before a retry or a look."), metric.WithExplicitBucketBoundaries(1, 2, 3, 5, 9, 17, 33, 65, 300)); err != nil {
		otel.Handle(err)
	}
	return o
}

// A sighting is one call under observation.
type sighting struct {
	*observer
	span trace.Span
	name metric.MeasurementOption
}

func (o *observer) begin(ctx context.Context, c *call) (context.Context, sighting) {
	o.calls.Add(1)
	ctx, span := o.tracer.Start(ctx, "memorystore."+c.name, trace.WithSpanKind(trace.SpanKindClient))
	if span.IsRecording() {
		span.SetAttributes(attribute.String("memorystore.call", c.name), attribute.String("gcp.resource.name", c.resource), attribute.String("http.request.method", c.method))
	}
	s := sighting{o, span, metric.WithAttributeSet(attribute.NewSet(attribute.String("memorystore.call", c.name)))}
	o.meters.calls.Add(ctx, 1, s.name)
	return ctx, s
}

func (s sighting) attempt(ctx context.Context, a *Attempt) {
	s.attempts.Add(1)
	s.meters.attempts.Add(ctx, 1, s.name)
	if a.Number > 1 {
		s.retries.Add(1)
		s.meters.retries.Add(ctx, 1, s.name)
	}
	if !s.span.IsRecording() {
		return
	}
	attrs := []attribute.KeyValue{attribute.Int64("memorystore.latency_ms", a.Latency.Milliseconds())}
	if a.Number > 1 {
		attrs = append(attrs, attribute.Int("http.request.resend_count", a.Number-1))
	}
	if a.Status != 0 {
		attrs = append(attrs, attribute.Int("http.response.status_code", a.Status))
	}
	if a.Err != nil {
		attrs = append(attrs, attribute.String("error.message", a.Err.Error()))
	}
	s.span.AddEvent("attempt", trace.WithAttributes(attrs...))
}

func (s sighting) wait(ctx context.Context, d time.Duration) {
	s.waits.Add(1)
	s.waited.Add(int64(d))
	s.meters.waits.Record(ctx, d.Seconds(), s.name)
}

// end closes the span. exhausted: the call was given up.
func (s sighting) end(ctx context.Context, settled, exhausted bool, err error) {
	switch {
	case settled:
		s.settled.Add(1)
		s.meters.settled.Add(ctx, 1, s.name)
	case exhausted:
		s.exhausted.Add(1)
		s.meters.exhausted.Add(ctx, 1, s.name)
	}
	if err != nil {
		s.span.SetStatus(otelcodes.Error, err.Error())
	}
	s.span.SetAttributes(attribute.Bool("memorystore.settled", settled))
	s.span.End()
}

func (o *observer) stats() Stats {
	return Stats{Calls: o.calls.Load(), Attempts: o.attempts.Load(), Retries: o.retries.Load(), Exhausted: o.exhausted.Load(),
		Settled: o.settled.Load(), Waits: o.waits.Load(), Waited: time.Duration(o.waited.Load())}
}
