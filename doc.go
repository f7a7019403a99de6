// Package memorystore is a client of the Memorystore for Redis API, redis.googleapis.com v1: its locations, instances
// and operations.
//
//   - The API: https://cloud.google.com/memorystore/docs/redis/reference/rest
//   - The rule for retries: https://cloud.google.com/memorystore/docs/redis/exponential-backoff
//   - A fake of the service, for tests: [github.com/memorystore-go/memorystore/fakeserver]
//
// There are five things to know: a [Client] makes calls, an [Instance] is what they are about, an [Operation] is a
// change that goes on at the service, an [Error] is how a call or an operation failed, and a [RetryPolicy] says when a
// call is sent again.
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//		"log"
//
//		"github.com/memorystore-go/memorystore"
//	)
//
//	func main() {
//		ctx := context.Background()
//		client, err := memorystore.NewClient(ctx) // Application Default Credentials
//		if err != nil {
//			log.Fatal(err)
//		}
//		op, err := client.CreateInstance(ctx, &memorystore.Instance{
//			Name:         memorystore.InstanceName("my-project", "us-central1", "cache"),
//			Tier:         memorystore.TierStandardHA,
//			MemorySizeGB: 5,
//		})
//		if err != nil {
//			log.Fatal(err)
//		}
//		instance, err := op.Wait(ctx) // minutes
//		if err != nil {
//			log.Fatal(err)
//		}
//		fmt.Printf("%s:%d\n", instance.Host, instance.Port)
//	}
//
// # Retries
//
// Every call, every page of a list and every poll of an operation is sent again when the service answers with HTTP 500
// to 599 or 429. Nothing else is a reason, but for changes whose answer was lost, below. The wait before retry n,
// counted from 0, is
//
//	min(2^n s + random ms, maximum backoff)
//
// with random drawn anew from 0 to 1000 each time. There are at most 8 retries. The maximum backoff is drawn once per
// call from 32 s to 64 s, unless [RetryPolicy.MaximumBackoff] is set. A call that is never answered otherwise gives up
// after waits of 127 to 197 s in all. A Retry-After header or a RetryInfo of the service lengthens a wait and never
// shortens one; one of more than 5 min ends the call. A wait that the context's deadline does not allow is not begun.
//
// Each retry is one WARN record in the log, and a call that gives up is one ERROR record. [WithRetry] sets another
// policy, [NoRetry] is the one without retries, [Client.With] applies one to some calls only, and [WithRetryBudget]
// bounds the retries of a process. [RetryTransport] gives the same to another HTTP client.
//
// # Lost answers
//
// A change may have been made although its call failed: after a 5xx, after a connection that broke, after a success
// that cannot be read. Unless [RetryPolicy.InDoubt] says otherwise, the SDK settles it. Create, delete, update and
// upgrade are sent again, and a refusal that comes then is held against the instance and its operations: a create that
// was made is not reported as AlreadyExists. Failover, import, export and reschedule would happen twice: the SDK looks
// for their operation before it sends them again. [Operation.Reconciled] tells that an operation was found in this
// way. Where the service does not tell what happened, the error has [Error.Ambiguous] set. An error without it means
// that the change was not made.
//
// # Waiting
//
// A change returns an [Operation]. [Operation.Wait] waits until it is done; [Operation.Watch] is a sequence of its
// progress; [Operation.Poll] asks once. The first two ask at once, and then again after a tenth of the time waited so
// far, but at least 1 s and at most 30 s, give or take a tenth; [WithPolling] sets other times. There is no limit on a
// wait but its context. The end of the context ends the waiting, not the change: the error names the operation, and
// [Resume] waits for it again, in another process too. The service forgets operations after some hours.
//
// # Errors
//
// The methods of Client and Operation return their errors as *[Error]. The exceptions are [UnreachableError], the last
// item of a list in which some regions are missing, and [ErrNotDone]. A [Code] is an error:
//
//	if errors.Is(err, memorystore.NotFound) { ... }
//	if e, ok := errors.AsType[*memorystore.Error](err); ok && e.Ambiguous { ... }
//
// An Error also wraps the context's error and the *googleapi.Error with the body of the last answer, where there are
// any. [Error.Report] returns what a support case asks for.
//
// # Testing
//
// Package fakeserver is a fake of the service. Its client needs no socket, so that a test in a testing/synctest bubble
// waits out an hour in no time:
//
//	fake := fakeserver.New()
//	fake.Inject("instances.create", fakeserver.Fault{Status: 503, Times: 2})
//	client, err := memorystore.NewClient(ctx, option.WithHTTPClient(fake.Client()))
//
// A program finds a fake by itself when the environment variable MEMORYSTORE_EMULATOR_HOST (host:port) is set. It then
// sends no credentials. option.WithEndpoint and option.WithHTTPClient go before that variable.
//
// # Credentials
//
// [NewClient] takes the options of google.golang.org/api/option. Without one it uses Application Default Credentials.
// It asks for the scope https://www.googleapis.com/auth/cloud-platform; option.WithScopes asks for others.
//
// option.WithHTTPClient stands for all that lies between the SDK and the network, so that client must add the
// credentials itself. google.golang.org/api ignores credentials, API keys and scopes that are given beside it, without
// an error. It refuses option.WithQuotaProject, option.WithRequestReason and option.WithClientCertSource beside it:
// NewClient returns that error. option.WithEndpoint, option.WithUniverseDomain and option.WithUserAgent work beside
// it.
//
// No log record and no text of an error holds a credential. AUTH strings are of type [Secret], which prints as
// REDACTED.
package memorystore
