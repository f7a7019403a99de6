package memorystore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"
)

var histories = flag.Int("histories", 200, "random histories of TestLostAnswersModel per verb, with a rival and without one")

// A tally counts what must not happen.
type tally struct{ histories, double, denied, foreign, ambiguous int }

// TestLostAnswersModel plays random histories through the engine and the fake: answers lost before and after the work,
// in every way there is, slow operations, looks that fail, and, in every second history, somebody else. Without a
// rival nothing may be made twice that acts, and nothing may be reported failed, without a word of doubt, that was
// made. With one, how often that happens is printed; docs/retries.md has the figures of 100,000 histories:
//
//	go test -run TestLostAnswersModel -v -histories 100000 .
func TestLostAnswersModel(t *testing.T) {
	n := *histories
	if testing.Short() {
		n = min(n, 100)
	}
	for _, verb := range lostVerbs {
		t.Run(verb.name, func(t *testing.T) {
			t.Parallel()
			var alone, contested tally
			for i := range n {
				synctest.Test(t, func(t *testing.T) {
					playHistory(t, verb, rand.New(rand.NewPCG(uint64(i), 1)), false, &alone)
				})
				synctest.Test(t, func(t *testing.T) {
					playHistory(t, verb, rand.New(rand.NewPCG(uint64(i), 2)), true, &contested)
				})
			}
			assert.Zero(t, alone.double, "made twice")
			assert.Zero(t, alone.denied, "made, and reported failed without a word of doubt")
			assert.Zero(t, alone.foreign, "reported made, and was not")
			t.Logf("%d histories without a rival: %d ambiguous. With one: %d ambiguous, %d made twice, %d made and reported failed, %d of the rival's taken for ours",
				n, alone.ambiguous, contested.ambiguous, contested.double, contested.denied, contested.foreign)
		})
	}
}

// playHistory plays one history and counts what went wrong.
func playHistory(t *testing.T, verb lostVerb, rng *rand.Rand, contested bool, count *tally) {
	opts := []fakeserver.Option{fakeserver.WithOperationTimes(fakeserver.After(time.Duration(rng.IntN(100)) * time.Second))}
	if verb.name != "CreateInstance" {
		opts = append(opts, fakeserver.WithInstances(lostSeedFor(verb)))
	}
	r := &lostRig{t: t, server: fakeserver.New(opts...)}
	policy := RetryPolicy{MaxRetries: 1 + rng.IntN(8), OnAttempt: func(_ context.Context, a Attempt) {
		if contested && a.Call == verb.name && rng.IntN(3) == 0 {
			meddle(r, verb, rng)
		}
	}}
	var err error
	r.client, err = NewClient(t.Context(), option.WithHTTPClient(r.server.Client()), WithLogger(slog.New(slog.DiscardHandler)), WithRetry(policy))
	require.NoError(t, err)
	time.Sleep(time.Hour)

	var faults []fakeserver.Fault
	for range rng.IntN(5) {
		faults = append(faults, randomFault(rng))
	}
	if len(faults) > 0 {
		r.server.Inject(verb.id, faults...)
	}
	for _, method := range []string{"instances.get", "operations.list"} {
		if rng.IntN(4) == 0 {
			r.server.Inject(method, randomFault(rng))
		}
	}
	op, err := verb.act(t.Context(), r.client)
	acted := r.acted(verb)
	if err == nil {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		err = finish(ctx, op)
		cancel()
		acted = r.acted(verb)
	}
	count.histories++
	e, _ := errors.AsType[*Error](err)
	switch {
	case verb.change == acts && acted > 1:
		count.double++
		describeHistory(t, contested, "made twice", verb, faults, err)
	case err != nil && !e.Ambiguous && e.Operation == "" && acted > 0:
		count.denied++
		describeHistory(t, contested, "denied", verb, faults, err)
	case err == nil && acted == 0:
		count.foreign++
		describeHistory(t, contested, "foreign", verb, faults, err)
	case err != nil && e.Ambiguous:
		count.ambiguous++
	}
}

// describeHistory shows a history that broke a rule which nothing excuses.
func describeHistory(t *testing.T, contested bool, what string, verb lostVerb, faults []fakeserver.Fault, err error) {
	if !contested {
		t.Logf("%s: %s: %+v: %v", what, verb.name, faults, err)
	}
}

// randomFault is any way to lose an answer, or to be put off.
func randomFault(rng *rand.Rand) fakeserver.Fault {
	switch rng.IntN(6) {
	case 0:
		return fakeserver.Fault{Status: http.StatusTooManyRequests}
	case 1:
		return fakeserver.Fault{Reset: true, AfterWork: rng.IntN(2) == 0}
	case 2:
		return fakeserver.Fault{Truncate: true, AfterWork: true}
	case 3:
		return fakeserver.Fault{Stall: 2 * time.Minute, AfterWork: rng.IntN(2) == 0}
	}
	return fakeserver.Fault{Status: []int{500, 502, 503, 504}[rng.IntN(4)], AfterWork: rng.IntN(2) == 0, HTML: rng.IntN(4) == 0}
}

// meddle is what somebody else does to the same instance, in no time.
func meddle(r *lostRig, verb lostVerb, rng *rand.Rand) {
	switch rng.IntN(4) {
	case 0:
		verb.rival(r)
	case 1:
		r.rivalSends("PATCH", lostName+"?updateMask=displayName", fmt.Sprintf(`{"displayName":"%d"}`, rng.IntN(10)))
	case 2:
		r.rivalSends("DELETE", lostName, "")
	case 3:
		r.rivalCreates("anew")
	}
}
