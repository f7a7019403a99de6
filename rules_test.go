package memorystore

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// operationOn is a list with one operation that began a moment ago.
func operationOn(target, verb string) reply {
	return ok(`{"operations":[{"name":"` + testOperation + `","metadata":{"target":"` + target + `","verb":"` + verb +
		`","apiVersion":"v1","createTime":"` + time.Now().UTC().Format(time.RFC3339Nano) + `"}}]}`)
}

// TestConclusions scripts what a look sees, request by request, where the fake cannot be brought to show it.
func TestConclusions(t *testing.T) {
	instance := ok(instanceJSON)
	nothing := ok("{}")
	occupied := refuse(400, FailedPrecondition, "The instance is busy.")
	begins := ok(operationBody(""))
	deletes := func(ctx context.Context, c *Client) (bool, error) {
		op, err := c.DeleteInstance(ctx, testInstance)
		return err == nil && op.Reconciled(), err
	}
	failsOver := func(ctx context.Context, c *Client) (bool, error) {
		op, err := c.FailoverInstance(ctx, testInstance, "")
		return err == nil && op.Reconciled(), err
	}
	for _, row := range []struct {
		about     string
		act       func(context.Context, *Client) (bool, error)
		replies   func() []reply
		requests  string // their methods; a look is GET GET
		want      string // of the error's text; empty: it succeeds
		found     bool
		ambiguous bool
	}{
		{about: "an instance that stands and is not being deleted shows that a delete was not made", act: deletes,
			replies:  func() []reply { return []reply{busy(), occupied, instance, operationOn(testInstance, "update")} },
			requests: "DELETE DELETE GET GET", want: "400 FAILED_PRECONDITION: The instance is busy"},
		{about: "a front end's 404 does not show that an instance is gone", act: deletes,
			replies:  func() []reply { return []reply{busy(), occupied, htmlPage(404, "Error 404 (Not Found)!!1")} },
			requests: "DELETE DELETE GET", want: "what became of it could not be found out", ambiguous: true},
		{about: "Google's 404 does", act: deletes,
			replies:  func() []reply { return []reply{busy(), occupied, refuse(404, NotFound, "Not found."), nothing} },
			requests: "DELETE DELETE GET GET", found: true},
		{about: "an operation on another instance is another's", act: failsOver,
			replies:  func() []reply { return []reply{busy(), instance, operationOn(testInstance+"2", "failover"), begins} },
			requests: "POST GET GET POST"},
		{about: "an operation on the instance is ours", act: failsOver,
			replies:  func() []reply { return []reply{busy(), instance, operationOn(testInstance, "failover")} },
			requests: "POST GET GET", found: true},
		{about: "a location that does not answer shows nothing: the look is repeated", act: failsOver,
			replies: func() []reply {
				return []reply{busy(), instance, ok(`{"unreachable":["` + testLocation + `"]}`), instance, nothing, begins}
			},
			requests: "POST GET GET GET GET POST"},
	} {
		t.Run(row.about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t, row.replies()...)
				found, err := row.act(t.Context(), s.client())
				var methods []string
				for _, r := range s.sent {
					methods = append(methods, r.method)
				}
				assert.Equal(t, row.requests, strings.Join(methods, " "))
				assert.Equal(t, row.found, found, "found")
				if row.want == "" {
					require.NoError(t, err)
					return
				}
				assert.Contains(t, failure(t, err).Error(), row.want)
				assert.Equal(t, row.ambiguous, failure(t, err).Ambiguous, "ambiguous")
			})
		})
	}
}

// TestShortHint: a hint that is shorter than the wait of the schedule changes nothing.
func TestShortHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, busy(), busy(), busy(), refuse(http.StatusTooManyRequests, ResourceExhausted, "Quota exceeded.").with("Retry-After", "1"), ok(instanceJSON))
		_, err := s.client().GetInstance(t.Context(), testInstance)
		require.NoError(t, err)
		assertSchedule(t, s.gaps())
	})
}

// TestPollsAreSpread: a fleet that began together does not poll in step.
func TestPollsAreSpread(t *testing.T) {
	lowest, highest := time.Hour, time.Duration(0)
	for range 1000 {
		wait := Polling{}.wait(100 * time.Second)
		lowest, highest = min(lowest, wait), max(highest, wait)
	}
	assertWithin(t, 9*time.Second, 9200*time.Millisecond, lowest, "the shortest wait")
	assertWithin(t, 10800*time.Millisecond, 11*time.Second, highest, "the longest wait")
}

// TestAdoptedCreateIsTheLast: of two creates since the first send, the instance that is there is the last one's.
func TestAdoptedCreateIsTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339Nano) }
		born := strings.TrimSuffix(instanceJSON, "}") + `,"createTime":"` + at(3*time.Second) + `"}`
		operation := func(id string, when time.Duration) string {
			return `{"name":"` + testOperation + id + `","metadata":{"target":"` + testInstance + `","verb":"create","apiVersion":"v1","createTime":"` + at(when) + `"}}`
		}
		s := newScript(t, busy(), refuse(409, AlreadyExists, "It exists."), ok(born),
			ok(`{"operations":[`+operation("-late", 3*time.Second)+`,`+operation("-early", time.Second)+`]}`))
		op, err := s.client().CreateInstance(t.Context(), &Instance{Name: testInstance, Tier: TierStandardHA, MemorySizeGB: 5})
		require.NoError(t, err)
		assert.Equal(t, testOperation+"-late", op.Name())
	})
}

// TestHintOfALook: a look waits as long as the last answer asks, not as long as one before it did.
func TestHintOfALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, busy().with("Retry-After", "100"), busy(), busy().with("Retry-After", "30"), ok(instanceJSON), operationOn(testInstance, "failover"))
		_, err := s.client().FailoverInstance(t.Context(), testInstance, "")
		require.NoError(t, err)
		gaps := s.gaps()
		assertWithin(t, 100*time.Second, 101*time.Second, gaps[0], "after the hint of the failover")
		assertWithin(t, 2*time.Second, 3*time.Second, gaps[1], "after a look without a hint")
		assertWithin(t, 30*time.Second, 31*time.Second, gaps[2], "after a look with one")
	})
}

// TestDeleteIsGoneWithoutAList: Google's 404 is enough, even if the operations may not be listed.
func TestDeleteIsGoneWithoutAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := refuse(404, NotFound, "Not found.")
		s := newScript(t, busy(), gone, gone, refuse(403, PermissionDenied, "Not yours."))
		op, err := s.client().DeleteInstance(t.Context(), testInstance)
		require.NoError(t, err)
		assert.True(t, op.Done() && op.Reconciled())
	})
}

// TestResendOfAnotherValueFails: an update that was another's is sent again once; how that ends is the Result, with its
// doubt, and with one ERROR record.
func TestResendOfAnotherValueFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		change := lostVerbs[1]
		r := newLostRig(t, change)
		r.server.Operations().Hold(lostName)
		r.server.Inject(change.id, fakeserver.Fault{Status: 503})
		r.after = func() { change.rival(r) }
		op, err := r.client.UpdateInstance(t.Context(), lostInstance(), FieldDisplayName)
		require.NoError(t, err)
		require.True(t, op.Reconciled())
		r.server.Operations().Release(lostName)
		r.complete()
		r.server.Inject(change.id, fakeserver.Fault{Status: 503, AfterWork: true, Times: 20})
		r.server.Inject("operations.list", fakeserver.Fault{Status: 403, Times: 20})
		sends := len(r.sends)
		_, err = op.Wait(t.Context())
		e := failure(t, err)
		assert.True(t, e.Ambiguous)
		assert.True(t, op.Done())
		assert.LessOrEqual(t, len(r.sends)-sends, 9, "it is one call")
		assert.Equal(t, 1, r.records("ERROR"))
		_, again := op.Wait(t.Context())
		assert.Equal(t, err, again, "a result stays")
	})
}

// TestCallersInstanceMayChange: what an update sends again is what it was asked to, whatever became of the caller's maps.
func TestCallersInstanceMayChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		change := lostVerbs[1]
		r := newLostRig(t, change)
		r.server.Operations().Hold(lostName)
		r.server.Inject(change.id, fakeserver.Fault{Status: 503})
		r.after = func() { change.rival(r) }
		in := lostInstance()
		fields := []Field{FieldLabels}
		op, err := r.client.UpdateInstance(t.Context(), in, fields...)
		require.NoError(t, err)
		in.Labels["by"], fields[0] = "somebody", FieldDisplayName
		r.server.Operations().Release(lostName)
		r.complete()
		got, err := op.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"by": "us"}, got.Labels)
	})
}

// TestLookTransientIsJoined: what kept looks from finding out is in the error that ends the call.
func TestLookTransientIsJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, busy(), refuse(429, ResourceExhausted, "Slow down."))
		_, err := s.client(WithRetry(RetryPolicy{MaxRetries: 1})).FailoverInstance(t.Context(), testInstance, "")
		assert.ErrorIs(t, err, Unavailable)
		assert.ErrorIs(t, err, ResourceExhausted)
		assert.True(t, failure(t, err).Ambiguous)
	})
}

// TestListsOfAHostileService: tokens that go round, and items that are none.
func TestListsOfAHostileService(t *testing.T) {
	t.Run("page tokens in a circle", func(t *testing.T) {
		s := newScript(t, ok(`{"nextPageToken":"a"}`), ok(`{"nextPageToken":"b"}`), ok(`{"nextPageToken":"a"}`))
		items, err := collect(s.client().ListInstances(t.Context(), testLocation))
		assert.Empty(t, items)
		assert.ErrorContains(t, err, "same page token")
		assert.Equal(t, 3, s.count())
	})
	t.Run("items without a name", func(t *testing.T) {
		for _, body := range []string{`{"instances":[null]}`, `{"instances":[{"name":"` + testInstance + `"},{}]}`} {
			s := newScript(t, ok(body))
			_, err := collect(s.client().ListInstances(t.Context(), testLocation))
			assert.ErrorContains(t, err, "it names no instance", body)
		}
	})
	t.Run("an option that is wrong, in two loops at once", func(t *testing.T) {
		list := newScript(t).client().ListInstances(t.Context(), testLocation, PageSize(0))
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				_, err := collect(list)
				assert.ErrorIs(t, err, InvalidArgument)
			})
		}
		group.Wait()
	})
}

// TestEmptyUpdate: an update that names no field is refused before a request.
func TestEmptyUpdate(t *testing.T) {
	s := always(t, ok(operationBody("")))
	_, err := s.client().UpdateInstance(t.Context(), &Instance{Name: testInstance})
	assert.ErrorIs(t, err, InvalidArgument)
	assert.Zero(t, s.count())
}

// TestOperationOfAnotherCall: an operation that a call was answered with is not taken for that of the next call, even if
// that comes within the second that Date does not resolve.
func TestOperationOfAnotherCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newLostRig(t, lostVerbs[4])
		first, err := r.client.FailoverInstance(t.Context(), lostName, "")
		require.NoError(t, err)
		require.NoError(t, finish(t.Context(), first))
		r.server.Inject("instances.failover", fakeserver.Fault{Status: 503})
		second, err := r.client.With().FailoverInstance(t.Context(), lostName, "")
		require.NoError(t, err)
		assert.NotEqual(t, first.Name(), second.Name())
		assert.False(t, second.Reconciled())
		assert.Equal(t, 2, r.acted(lostVerbs[4]))
	})
}
