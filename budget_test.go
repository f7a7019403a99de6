package memorystore

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/googleapi"
)

// tokens returns what is left in a budget.
func tokens(b *RetryBudget) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return float64(b.left) / token
}

func TestRetryBudget(t *testing.T) {
	// budgeted is a client with a budget, and 2 retries a call
	budgeted := func(s *script, b *RetryBudget) *Client {
		return s.client(WithRetry(RetryPolicy{MaxRetries: 2}), WithRetryBudget(b))
	}
	t.Run("pitfall 43 a budget that was drained fills again as calls are answered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := NewRetryBudget(100, 0.1)
			s := always(t, busy())
			c := budgeted(s, b)
			for range 60 {
				_, err := c.GetInstance(t.Context(), testInstance)
				require.Error(t, err)
			}
			assert.Zero(t, tokens(b))
			answer := ok(instanceJSON)
			s.forever = &answer
			for range 999 {
				_, err := c.GetInstance(t.Context(), testInstance)
				require.NoError(t, err)
			}
			assert.InDelta(t, 99.9, tokens(b), 1e-6, "ten tenths make a whole one")
			for range 10 {
				_, err := c.GetInstance(t.Context(), testInstance)
				require.NoError(t, err)
			}
			assert.EqualValues(t, 100, tokens(b), "and no more than it holds")
		})
	})
	t.Run("pitfall 44 a refusal shows that the service is alive", func(t *testing.T) {
		for _, row := range []struct {
			about   string
			replies []reply
			want    float64
		}{
			{"404 after a retry", []reply{busy(), refuse(404, NotFound, "no")}, 9.5},
			{"404 at once", []reply{refuse(404, NotFound, "no")}, 10},
			{"success after a retry", []reply{busy(), ok(instanceJSON)}, 9.5},
			{"503 to the end", times(3, busy()), 8},
			{"429 to the end", times(3, refuse(429, ResourceExhausted, "slow down")), 8},
			{"an answer that broke off", []reply{ok(`{"name":`)}, 10},
		} {
			synctest.Test(t, func(t *testing.T) {
				b := NewRetryBudget(10, 0.5)
				_, _ = budgeted(newScript(t, row.replies...), b).GetInstance(t.Context(), testInstance)
				assert.InDelta(t, row.want, tokens(b), 1e-6, row.about)
			})
		}
	})
	t.Run("pitfall 44 no answer shows nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := NewRetryBudget(10, 0.5)
			ctx, cancel := context.WithCancel(t.Context())
			s := newScript(t, refuse(429, ResourceExhausted, "slow down"), reply{hangs: true, before: cancel})
			_, err := budgeted(s, b).GetInstance(ctx, testInstance)
			require.ErrorIs(t, err, context.Canceled)
			assert.InDelta(t, 9, tokens(b), 1e-6)
		})
	})
	t.Run("pitfall 45 pitfall 46 a call that gets no token keeps the server's error, and says who refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := NewRetryBudget(2, 0)
			s := newScript(t, times(3, busy())...)
			c := budgeted(s, b)
			_, err := c.GetInstance(t.Context(), testInstance)
			require.Error(t, err)
			require.NotErrorIs(t, err, ErrRetryBudget, "it had its retries")
			require.Zero(t, tokens(b))

			s.more(busy())
			start := time.Now()
			_, err = c.GetInstance(t.Context(), testInstance)
			e := failure(t, err)
			attempted(t, e, 1)
			assert.ErrorIs(t, err, ErrRetryBudget)
			assert.ErrorIs(t, err, Unavailable)
			assert.ErrorAs(t, err, new(*googleapi.Error))
			assert.Contains(t, err.Error(), "503 UNAVAILABLE: The service is currently unavailable")
			assert.Contains(t, err.Error(), "client-side retry budget")
			assert.Contains(t, ErrRetryBudget.Error(), "client-side retry budget")
			// Of two slots the first passed unused; after the last nothing is waited for.
			assertWithin(t, time.Second, 2*time.Second, time.Since(start), "the time of the call")
			require.Len(t, s.log.records(t, "ERROR"), 2)
			assert.Contains(t, s.log.records(t, "WARN")[2].Message, "client-side retry budget")
		})
	})
	t.Run("pitfall 46 a budget that was filled during a skipped slot serves the next one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := NewRetryBudget(2, 1)
			b.left = 0
			s := newScript(t, busy(), ok(instanceJSON))
			time.AfterFunc(500*time.Millisecond, b.answered)
			_, err := budgeted(s, b).GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			// the slots of n = 0 and n = 1
			assertWithin(t, 3*time.Second, 5*time.Second, s.sent[1].at, "the retry")
			assert.EqualValues(t, 1, tokens(b))
		})
	})
	t.Run("pitfall 47 a storm adds no more than the budget", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := NewRetryBudget(50, 0.1)
			s := always(t, busy())
			c := budgeted(s, b).With(WithLogger(discard))
			var wg sync.WaitGroup
			for range 1000 {
				wg.Go(func() {
					_, err := c.GetInstance(t.Context(), testInstance)
					assert.Error(t, err)
				})
			}
			wg.Wait()
			assert.Equal(t, 1050, s.count(), "1000 calls, and a retry for each token")
		})
	})
	t.Run("pitfall 48 retries in flight have paid", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := NewRetryBudget(20, 0.1)
			release := make(chan struct{})
			var flying atomic.Int32
			s := newScript(t, times(200, busy())...)
			s.forever = &reply{status: 200, body: instanceJSON, before: func() {
				flying.Add(1)
				<-release
			}}
			c := budgeted(s, b).With(WithLogger(discard))
			var wg sync.WaitGroup
			for range 200 {
				wg.Go(func() { _, _ = c.GetInstance(t.Context(), testInstance) })
			}
			time.Sleep(30 * time.Second) // all slots have passed
			assert.EqualValues(t, 20, flying.Load(), "retries on their way")
			assert.Zero(t, tokens(b))
			close(release)
			wg.Wait()
		})
	})
	t.Run("clients share a budget", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := NewRetryBudget(2, 0)
			_, err := budgeted(newScript(t, times(3, busy())...), b).GetInstance(t.Context(), testInstance)
			require.Error(t, err)
			_, err = budgeted(newScript(t, busy()), b).GetInstance(t.Context(), testInstance)
			assert.ErrorIs(t, err, ErrRetryBudget)
		})
	})
	t.Run("what a budget must be", func(t *testing.T) {
		for _, row := range []struct {
			tokens  int
			perCall float64
			retries int
			good    bool
		}{
			{8, 0.1, 8, true}, {7, 0.1, 8, false}, {1, 0, 1, true}, {1, 1, 1, true}, {0, 0.1, 0, false}, {-1, 0.1, 0, false},
			{8, -0.01, 8, false}, {8, 1.01, 8, false}, {8, math.NaN(), 8, false}, {8, math.Inf(1), 8, false}, {math.MaxInt32, 0.5, 8, true}, {math.MaxInt, 0.5, 8, false},
		} {
			err := NewRetryBudget(row.tokens, row.perCall).check(row.retries)
			assert.Equal(t, row.good, err == nil, "%+v: %v", row, err)
		}
		var none *RetryBudget
		assert.NoError(t, none.check(100))
	})
}
