// Package fakeserver is a fake of the Memorystore for Redis API (redis.googleapis.com, v1), for tests.
//
//	fake := fakeserver.New()
//	client, err := memorystore.NewClient(ctx, option.WithHTTPClient(fake.Client()))
//
// It answers the 17 methods of locations, instances and operations as the service does: the same JSON, the same
// refusals, operations that take time, one change at a time per instance. What is known of each answer is told by
// Fidelity: recorded from the service, documented by Google, or a guess.
//
// # Time
//
// The fake has no timer and no goroutine. What it shows is worked out from time.Now when it is asked, so in a
// testing/synctest bubble twenty minutes pass in a millisecond. WithOperationTimes says when operations end; by
// default the first operations.get finds them done. Operations holds, ends and fails single ones.
//
// # Faults
//
// Inject spoils answers: an error status, Google's HTML page, a reset connection, half a body, a stall; before the
// work, or after it.
//
//	fake.Inject("instances.create", fakeserver.Fault{Status: 503, AfterWork: true})
//
// Journal then tells what was asked and what was answered.
//
// # What it does not do
//
// There is no Redis behind an instance: its host answers nobody. Nothing is read from or written to Cloud Storage, so
// imports and exports always succeed unless Operations fails them. Maintenance is never scheduled by itself; an
// instance of WithInstances may have a schedule. Redis Cluster's methods, and answers in anything but JSON, are not
// there.
package fakeserver
