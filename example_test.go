package memorystore_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"google.golang.org/api/option"
	"google.golang.org/api/redis/v1"

	"github.com/memorystore-go/memorystore"
	"github.com/memorystore-go/memorystore/fakeserver"
)

// The examples share these. A real program has a context of its own.
var (
	ctx      = context.Background()
	location = memorystore.LocationName("p", "us-central1")
	cache    = memorystore.InstanceName("p", "us-central1", "cache")
)

// newFake returns a fake of the service that has the instance cache, and a client of it. A real program calls
// memorystore.NewClient(ctx).
func newFake(opts ...fakeserver.Option) (*fakeserver.Server, *memorystore.Client) {
	fake := fakeserver.New(append([]fakeserver.Option{fakeserver.WithInstances(`{"name": "projects/p/locations/us-central1/instances/cache",
		"tier": "STANDARD_HA", "memorySizeGb": 5, "redisVersion": "REDIS_7_0", "locationId": "us-central1-a", "alternativeLocationId": "us-central1-b",
		"maintenanceSchedule": {"startTime": "2999-01-01T00:00:00Z", "endTime": "2999-01-01T01:00:00Z", "canReschedule": true,
			"scheduleDeadlineTime": "2999-01-08T00:00:00Z"}}`)}, opts...)...)
	client, err := memorystore.NewClient(ctx, option.WithHTTPClient(fake.Client()), option.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		panic(err)
	}
	return fake, client
}

// hurry is a Backoff of a millisecond, because examples run in real time.
func hurry(int, time.Duration) time.Duration { return time.Millisecond }

func Example() {
	fake := fakeserver.New() // in place of Google
	ctx := context.Background()
	client, err := memorystore.NewClient(ctx, option.WithHTTPClient(fake.Client()))
	if err != nil {
		fmt.Println(err)
		return
	}
	op, err := client.CreateInstance(ctx, &memorystore.Instance{
		Name:         memorystore.InstanceName("my-project", "us-central1", "cache"),
		Tier:         memorystore.TierStandardHA,
		MemorySizeGB: 5,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, err := op.Wait(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(instance.State, instance.MemorySizeGB, "GB")
	// Output: READY 5 GB
}

// The environment variable MEMORYSTORE_EMULATOR_HOST does the same without a change to the program.
func ExampleNewClient_fake() {
	fake := fakeserver.New()
	client, err := memorystore.NewClient(ctx, option.WithHTTPClient(fake.Client()))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.GetInstance(ctx, cache)
	fmt.Println(err)
	// Output: memorystore: GetInstance projects/p/locations/us-central1/instances/cache: 404 NOT_FOUND: Resource 'projects/p/locations/us-central1/instances/cache' was not found
}

func ExampleClient_ListInstances() {
	_, client := newFake()
	for instance, err := range client.ListInstances(ctx, location) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(instance.Name, instance.Tier)
	}
	// Output: projects/p/locations/us-central1/instances/cache STANDARD_HA
}

// A list of all regions ends with an UnreachableError when some of them did not answer. What came before it is good.
func ExampleUnreachableError() {
	_, client := newFake(fakeserver.WithUnreachable("europe-west1", "asia-east1"))
	for instance, err := range client.ListInstances(ctx, memorystore.LocationName("p", memorystore.AllLocations)) {
		if missing, ok := errors.AsType[*memorystore.UnreachableError](err); ok {
			fmt.Println("no answer from", missing.Locations)
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(instance.Name)
	}
	// Output:
	// projects/p/locations/us-central1/instances/cache
	// no answer from [asia-east1 europe-west1]
}

func ExampleClient_GetInstance() {
	_, client := newFake()
	instance, err := client.GetInstance(ctx, cache)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(instance.State, instance.Tier, instance.MemorySizeGB, "GB")
	// Output: READY STANDARD_HA 5 GB
}

func ExampleClient_GetInstanceAuthString() {
	_, client := newFake()
	op, err := client.UpdateInstance(ctx, &memorystore.Instance{Name: cache, AuthEnabled: true}, memorystore.FieldAuthEnabled)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := op.Wait(ctx); err != nil {
		fmt.Println(err)
		return
	}
	secret, err := client.GetInstanceAuthString(ctx, cache)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(secret, len(secret.Reveal()) > 0)
	// Output: REDACTED true
}

func ExampleClient_CreateInstance() {
	_, client := newFake()
	op, err := client.CreateInstance(ctx, &memorystore.Instance{
		Name:         memorystore.InstanceName("p", "us-central1", "sessions"),
		Tier:         memorystore.TierBasic,
		MemorySizeGB: 1,
		RedisConfigs: map[string]string{"maxmemory-policy": "allkeys-lru"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, err := op.Wait(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(instance.State, instance.RedisConfigs)
	// Output: READY map[maxmemory-policy:allkeys-lru]
}

// The fields named are sent, zero or not. No other field is.
func ExampleClient_UpdateInstance() {
	_, client := newFake()
	op, err := client.UpdateInstance(ctx, &memorystore.Instance{
		Name:         cache,
		DisplayName:  "Cache of the shop",
		MemorySizeGB: 8,
		Labels:       nil, // named below: all labels are removed
	}, memorystore.FieldDisplayName, memorystore.FieldMemorySizeGB, memorystore.FieldLabels)
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, err := op.Wait(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(instance.DisplayName, instance.MemorySizeGB, "GB")
	// Output: Cache of the shop 8 GB
}

func ExampleClient_DeleteInstance() {
	_, client := newFake()
	op, err := client.DeleteInstance(ctx, cache)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := op.Wait(ctx); err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.GetInstance(ctx, cache)
	fmt.Println(errors.Is(err, memorystore.NotFound))
	// Output: true
}

func ExampleClient_UpgradeInstance() {
	_, client := newFake()
	op, err := client.UpgradeInstance(ctx, cache, "REDIS_7_2")
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, err := op.Wait(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(instance.RedisVersion)
	// Output: REDIS_7_2
}

func ExampleClient_ImportInstance() {
	_, client := newFake()
	op, err := client.ImportInstance(ctx, cache, "gs://my-bucket/backup.rdb")
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, err := op.Wait(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(op.Metadata().Verb, instance.State)
	// Output: import READY
}

func ExampleClient_ExportInstance() {
	_, client := newFake()
	op, err := client.ExportInstance(ctx, cache, "gs://my-bucket/backup.rdb")
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, err := op.Wait(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(op.Metadata().Verb, instance.State)
	// Output: export READY
}

func ExampleClient_FailoverInstance() {
	_, client := newFake()
	op, err := client.FailoverInstance(ctx, cache, memorystore.DataProtectionModeLimitedDataLoss)
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, err := op.Wait(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("primary in", instance.CurrentLocationID)
	// Output: primary in us-central1-b
}

func ExampleClient_RescheduleMaintenance() {
	_, client := newFake()
	op, err := client.RescheduleMaintenance(ctx, cache, memorystore.Reschedule{
		Type: memorystore.RescheduleTypeSpecificTime,
		Time: time.Date(2999, 1, 3, 4, 0, 0, 0, time.UTC),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, err := op.Wait(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(instance.MaintenanceSchedule.StartTime)
	// Output: 2999-01-03 04:00:00 +0000 UTC
}

func ExampleClient_ListLocations() {
	_, client := newFake(fakeserver.WithLocations("europe-west1", "us-central1"))
	for location, err := range client.ListLocations(ctx, "projects/p") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(location.LocationID)
	}
	// Output:
	// europe-west1
	// us-central1
}

func ExampleClient_GetLocation() {
	_, client := newFake()
	location, err := client.GetLocation(ctx, location)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, ok := location.Metadata.AvailableZones["us-central1-a"]
	fmt.Println(location.LocationID, ok)
	// Output: us-central1 true
}

// ListOperations finds a change whose operation's name was lost.
func ExampleClient_ListOperations() {
	_, client := newFake()
	if _, err := client.ExportInstance(ctx, cache, "gs://my-bucket/backup.rdb"); err != nil {
		fmt.Println(err)
		return
	}
	for op, err := range client.ListOperations(ctx, location, memorystore.Filter("done=false"), memorystore.PageSize(100)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(op.Metadata.Verb, op.Metadata.Target, "done:", op.Done)
	}
	// Output: export projects/p/locations/us-central1/instances/cache done: false
}

func ExampleClient_GetOperation() {
	_, client := newFake()
	op, err := client.ExportInstance(ctx, cache, "gs://my-bucket/backup.rdb")
	if err != nil {
		fmt.Println(err)
		return
	}
	info, err := client.GetOperation(ctx, op.Name())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Metadata.Verb, "done:", info.Done)
	// Output: export done: true
}

func ExampleClient_CancelOperation() {
	_, client := newFake()
	op, err := client.ExportInstance(ctx, cache, "gs://my-bucket/backup.rdb")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := client.CancelOperation(ctx, op.Name()); err != nil {
		fmt.Println(err)
		return
	}
	_, err = op.Wait(ctx)
	fmt.Println(errors.Is(err, memorystore.Cancelled))
	// Output: true
}

func ExampleClient_DeleteOperation() {
	_, client := newFake()
	op, err := client.ExportInstance(ctx, cache, "gs://my-bucket/backup.rdb")
	if err != nil {
		fmt.Println(err)
		return
	}
	name := op.Name()
	if _, err := op.Wait(ctx); err != nil {
		fmt.Println(err)
		return
	}
	if err := client.DeleteOperation(ctx, name); err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.GetOperation(ctx, name)
	fmt.Println(errors.Is(err, memorystore.NotFound))
	// Output: true
}

func ExampleOperation_Wait() {
	_, client := newFake()
	op, err := client.UpdateInstance(ctx, &memorystore.Instance{Name: cache, MemorySizeGB: 8}, memorystore.FieldMemorySizeGB)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Minute) // bounds the waiting, not the change
	defer cancel()
	instance, err := op.Wait(ctx)
	if err != nil {
		fmt.Println(err) // it names the operation, for Resume
		return
	}
	fmt.Println(instance.State)
	// Output: READY
}

// Watch shows the progress of an operation. It ends when the operation does; Result says how.
func ExampleOperation_Watch() {
	_, client := newFake(fakeserver.WithOperationTimes(fakeserver.Polls(3)))
	client = client.With(memorystore.WithPolling(memorystore.Polling{Min: time.Millisecond})) // the default begins at 1 s
	op, err := client.UpdateInstance(ctx, &memorystore.Instance{Name: cache, MemorySizeGB: 8}, memorystore.FieldMemorySizeGB)
	if err != nil {
		fmt.Println(err)
		return
	}
	for progress, err := range op.Watch(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(progress.Verb, "done:", op.Done())
	}
	instance, err := op.Result()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(instance.MemorySizeGB, "GB")
	// Output:
	// update done: false
	// update done: false
	// update done: true
	// 8 GB
}

func ExampleOperation_Result() {
	fake, client := newFake()
	op, err := client.UpdateInstance(ctx, &memorystore.Instance{Name: cache, MemorySizeGB: 8}, memorystore.FieldMemorySizeGB)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = op.Result()
	fmt.Println(errors.Is(err, memorystore.ErrNotDone))

	const resourceExhausted = 8
	fake.Operations().Fail(op.Name(), resourceExhausted, "Out of capacity.")
	if err := op.Poll(ctx); err != nil { // the poll itself succeeds
		fmt.Println(err)
		return
	}
	_, err = op.Result()
	fmt.Println(err)
	// Output:
	// true
	// memorystore: UpdateInstance projects/p/locations/us-central1/instances/cache: RESOURCE_EXHAUSTED: Out of capacity.
}

// All that one process must keep for another is the name of the operation.
func ExampleResume() {
	_, client := newFake()
	op, err := client.DeleteInstance(ctx, cache)
	if err != nil {
		fmt.Println(err)
		return
	}
	name := op.Name()

	resumed := memorystore.Resume[memorystore.Empty](client, name) // Empty: it is a delete
	if _, err := resumed.Wait(ctx); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resumed.Metadata().Verb, "done:", resumed.Done())
	// Output: delete done: true
}

// Codes are errors, so that errors.Is takes them.
func ExampleCode() {
	_, client := newFake()
	_, err := client.GetInstance(ctx, memorystore.InstanceName("p", "us-central1", "absent"))
	switch {
	case errors.Is(err, memorystore.NotFound):
		fmt.Println("no such instance")
	case errors.Is(err, memorystore.PermissionDenied):
		fmt.Println("redis.instances.get is missing")
	case err != nil:
		fmt.Println(err)
	}
	// Output: no such instance
}

func ExampleError() {
	fake, client := newFake()
	fake.Inject("instances.failover", fakeserver.Fault{Reset: true}) // the connection breaks, no answer comes
	client = client.With(memorystore.WithRetry(memorystore.RetryPolicy{Backoff: hurry}))
	_, err := client.FailoverInstance(ctx, cache, "")
	if e, ok := errors.AsType[*memorystore.Error](err); ok {
		fmt.Println("call:", e.Call)
		fmt.Println("status:", e.HTTPStatus)
		fmt.Println("attempts:", len(e.Attempts))
		fmt.Println("may have been made:", e.Ambiguous)
	}
	// Output:
	// call: FailoverInstance
	// status: 0
	// attempts: 1
	// may have been made: true
}

// A caller that retries itself wants single attempts.
func ExampleClient_With() {
	fake, client := newFake()
	fake.Inject("instances.get", fakeserver.Fault{Status: 503})
	_, err := client.With(memorystore.WithRetry(memorystore.NoRetry())).GetInstance(ctx, cache)
	e, _ := errors.AsType[*memorystore.Error](err)
	fmt.Println(e.HTTPStatus, e.Code, len(e.Attempts))
	// Output: 503 UNAVAILABLE 1
}

func ExampleWithRetry() {
	fake, client := newFake()
	fake.Inject("instances.get", fakeserver.Fault{Status: 503}, fakeserver.Fault{Status: 429})
	client = client.With(memorystore.WithRetry(memorystore.RetryPolicy{
		MaxRetries:     3,
		MaximumBackoff: 32 * time.Second,
		Backoff:        hurry, // leave it out: the default is the documented schedule
		Retryable:      memorystore.RetryStatusOrTransport,
		OnAttempt: func(_ context.Context, a memorystore.Attempt) {
			fmt.Println(a.Call, "attempt", a.Number, "status", a.Status)
		},
	}))
	instance, err := client.GetInstance(ctx, cache)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(instance.State)
	// Output:
	// GetInstance attempt 1 status 503
	// GetInstance attempt 2 status 429
	// GetInstance attempt 3 status 200
	// READY
}

// The service makes a change, and its answer is lost. The SDK finds the operation, so that nothing happens twice.
func ExampleOperation_Reconciled() {
	fake, client := newFake()
	fake.Inject("instances.failover", fakeserver.Fault{Status: 503, AfterWork: true})
	client = client.With(memorystore.WithRetry(memorystore.RetryPolicy{Backoff: hurry}))
	op, err := client.FailoverInstance(ctx, cache, memorystore.DataProtectionModeLimitedDataLoss)
	if err != nil {
		fmt.Println(err)
		return
	}
	sent := 0
	for _, exchange := range fake.Journal() {
		if exchange.Method == "instances.failover" {
			sent++
		}
	}
	fmt.Println("found again:", op.Reconciled(), "sent:", sent)
	// Output: found again: true sent: 1
}

// One budget for all clients of a process: 50 retries at once, and one more for every 10 calls that are answered.
func ExampleNewRetryBudget() {
	_, client := newFake()
	budget := memorystore.NewRetryBudget(50, 0.1)
	client = client.With(memorystore.WithRetryBudget(budget))
	instance, err := client.GetInstance(ctx, cache)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(instance.State)
	// Output: READY
}

// Google's own client of this API retries nothing. Here it does.
func ExampleRetryTransport() {
	fake, _ := newFake()
	fake.Inject("instances.get", fakeserver.Fault{Status: 503, Times: 2})
	policy := memorystore.RetryPolicy{Backoff: hurry} // leave Backoff out: the default is the documented schedule
	transport := memorystore.RetryTransport(fake.Client().Transport, policy, memorystore.WithLogger(slog.New(slog.DiscardHandler)))
	service, err := redis.NewService(ctx, option.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, err := service.Projects.Locations.Instances.Get(cache).Context(ctx).Do()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(instance.State)
	// Output: READY
}

func ExampleClient_Stats() {
	fake, client := newFake()
	fake.Inject("instances.get", fakeserver.Fault{Status: 503, Times: 2})
	client = client.With(memorystore.WithRetry(memorystore.RetryPolicy{Backoff: hurry}))
	if _, err := client.GetInstance(ctx, cache); err != nil {
		fmt.Println(err)
		return
	}
	stats := client.Stats()
	fmt.Println("calls:", stats.Calls, "attempts:", stats.Attempts, "retries:", stats.Retries)
	// Output: calls: 1 attempts: 3 retries: 2
}

func ExampleSecret() {
	secret := memorystore.NewSecret("hunter2")
	fmt.Printf("%v %+v %#v %q\n", secret, secret, secret, secret)
	fmt.Println(secret.Reveal())
	// Output:
	// REDACTED REDACTED REDACTED REDACTED
	// hunter2
}
