package memorystore

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
