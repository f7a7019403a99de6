package late

import (
	"testing"

	"github.com/memorystore-go/memorystore"
	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/api/option"
)

// Without an OpenTelemetry SDK a client works, and Stats counts. One that is installed later sees what comes after.
// This is the only test of its package, for the program's SDK can be installed for the first time once.
func TestLate(t *testing.T) {
	const cache = "projects/p/locations/us-central1/instances/cache"
	fake := fakeserver.New(fakeserver.WithInstances(`{"name":"` + cache + `","tier":"BASIC","memorySizeGb":1}`))
	c, err := memorystore.NewClient(t.Context(), option.WithHTTPClient(fake.Client()), memorystore.WithRetry(memorystore.NoRetry()))
	require.NoError(t, err)
	get := func() {
		_, err := c.GetInstance(t.Context(), cache)
		require.NoError(t, err)
	}
	get()
	fake.Inject("instances.get", fakeserver.Fault{Status: 503})
	_, err = c.GetInstance(t.Context(), cache)
	require.Error(t, err)
	assert.Equal(t, memorystore.Stats{Calls: 2, Attempts: 2, Exhausted: 1}, c.Stats())

	spans, reader := tracetest.NewInMemoryExporter(), sdkmetric.NewManualReader()
	otel.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)))
	otel.SetMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)))
	get()
	assert.Len(t, spans.GetSpans(), 1)
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	require.Len(t, all.ScopeMetrics, 1)
	assert.Len(t, all.ScopeMetrics[0].Metrics, 2, "calls and attempts")
	assert.EqualValues(t, 3, c.Stats().Calls)
}
