package memorystore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
)

// The pitfalls are those of the retry research that CONTRIBUTING names; each is a way in which another client failed.

// The checker of schedules must itself be able to fail.
func TestOnSchedule(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for _, row := range []struct {
		about string
		waits []time.Duration
		want  bool
	}{
		{"none", nil, true},
		{"least", []time.Duration{1 * s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 32 * s}, true},
		{"most", []time.Duration{2 * s, 3 * s, 5 * s, 9 * s, 17 * s, 33 * s, 64 * s}, true},
		{"drawn maximum", []time.Duration{1500 * ms, 2 * s, 4 * s, 8 * s, 16 * s, 32345 * ms, 41001 * ms, 41001 * ms}, true},
		{"capped at n = 5", []time.Duration{1 * s, 2 * s, 4 * s, 8 * s, 16 * s, 32001 * ms, 32001 * ms}, true},
		{"below the base", []time.Duration{999 * ms}, false},
		{"above the jitter", []time.Duration{2001 * ms}, false},
		{"not a whole millisecond", []time.Duration{1500*ms + 1}, false},
		{"n begins at 1", []time.Duration{2500 * ms, 4 * s}, false},
		{"two maxima", []time.Duration{1 * s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 40 * s, 41 * s}, false},
		{"a wait above the later maximum", []time.Duration{1 * s, 2 * s, 4 * s, 8 * s, 16 * s, 33 * s, 32500 * ms}, false},
		{"maximum above 64 s", []time.Duration{1 * s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64001 * ms}, false},
		{"maximum below 32 s", []time.Duration{1 * s, 2 * s, 4 * s, 8 * s, 16 * s, 31 * s, 31 * s}, false},
	} {
		assert.Equal(t, row.want, onSchedule(row.waits, 32*s, 64*s), row.about)
	}
}

func TestExponentialBackoff(t *testing.T) {
	t.Run("pitfall 12 no draw exceeds the maximum", func(t *testing.T) {
		for _, maximum := range []time.Duration{1, time.Millisecond, 1500 * time.Millisecond, 32 * time.Second, 64 * time.Second, math.MaxInt64} {
			for n := range 50 {
				for range 50 {
					wait := ExponentialBackoff(n, maximum)
					require.LessOrEqual(t, wait, maximum, "n = %d", n)
					require.Positive(t, wait, "n = %d", n)
				}
			}
		}
	})
	t.Run("pitfall 13 2^n does not overflow", func(t *testing.T) {
		for n := range 10_001 {
			wait := ExponentialBackoff(n, 64*time.Second)
			if n >= 6 {
				require.Equal(t, 64*time.Second, wait, "n = %d", n)
			}
		}
		assert.Equal(t, 64*time.Second, ExponentialBackoff(math.MaxInt, 64*time.Second))
		for n := 30; n < 100; n++ {
			wait := ExponentialBackoff(n, math.MaxInt64)
			require.GreaterOrEqual(t, wait, time.Second<<30, "n = %d", n)
		}
	})
	t.Run("pitfall 16 n begins at 0", func(t *testing.T) {
		for n, base := range []time.Duration{1, 2, 4, 8, 16, 32} {
			lowest, highest := time.Hour, time.Duration(0)
			for range 20_000 {
				wait := ExponentialBackoff(n, 64*time.Second)
				require.Zero(t, wait%time.Millisecond, "the random number is one of whole milliseconds")
				lowest, highest = min(lowest, wait), max(highest, wait)
			}
			assertWithin(t, base*time.Second, base*time.Second+10*time.Millisecond, lowest, "the least draw")
			assertWithin(t, (base+1)*time.Second-10*time.Millisecond, (base+1)*time.Second, highest, "the greatest draw")
		}
	})
	t.Run("the random number takes all 1001 values", func(t *testing.T) {
		drawn := map[time.Duration]bool{}
		for range 30_000 {
			drawn[jitter()] = true
		}
		assert.Len(t, drawn, 1001)
		assert.True(t, drawn[0] && drawn[time.Second], "0 and 1000 ms are both drawn")
	})
	t.Run("pitfall 50 a draw allocates nothing", func(t *testing.T) {
		assert.Zero(t, testing.AllocsPerRun(1000, func() { ExponentialBackoff(3, 64*time.Second) }))
		jittered := FullJitter(time.Second)
		assert.Zero(t, testing.AllocsPerRun(1000, func() { jittered(3, 64*time.Second) }))
	})
}

func BenchmarkExponentialBackoff(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ExponentialBackoff(3, 64*time.Second)
	}
}

func TestFullJitter(t *testing.T) {
	t.Run("pitfall 14 no base and no maximum panics or exceeds the maximum", func(t *testing.T) {
		extremes := []time.Duration{math.MinInt64, -1, 0, 1, time.Second, 100 * time.Second, math.MaxInt64 - 1, math.MaxInt64}
		for _, base := range extremes {
			for _, maximum := range extremes[2:] {
				for _, n := range []int{-1, 0, 1, 36, 40, 61, 62, 63, 64, 10_000, math.MaxInt} {
					for range 20 {
						wait := FullJitter(base)(n, maximum)
						require.True(t, wait >= 0 && wait <= maximum, "base %d, n %d, maximum %d: %d", base, n, maximum, wait)
					}
				}
			}
		}
	})
	t.Run("pitfall 15 a base of 0 waits for nothing", func(t *testing.T) {
		for _, n := range []int{0, 5, 100} {
			assert.Zero(t, FullJitter(0)(n, time.Minute), "n = %d", n)
		}
	})
	t.Run("draws spread over the whole of base * 2^n", func(t *testing.T) {
		for n := range 4 {
			top, sum, highest := time.Second<<n, time.Duration(0), time.Duration(0)
			for range 10_000 {
				wait := FullJitter(time.Second)(n, time.Minute)
				require.LessOrEqual(t, wait, top)
				sum, highest = sum+wait, max(highest, wait)
			}
			assert.InDelta(t, 0.5, float64(sum/10_000)/float64(top), 0.03, "n = %d: the mean", n)
			assert.Greater(t, highest, top*99/100)
		}
	})
}

func TestRetryStatus(t *testing.T) {
	t.Run("pitfall 55 429 and 500 to 599 are retried, and nothing else", func(t *testing.T) {
		for status := range 1000 {
			want := status == 429 || status >= 500 && status <= 599
			assert.Equal(t, want, RetryStatus(Attempt{Status: status}), status)
		}
	})
}

// A call through a client that nothing was said to: whatever a test switch may turn off is on here.
func TestScheduleOfAClient(t *testing.T) {
	t.Run("pitfall 51 a client as it is made waits for real", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, busy(), busy(), ok(instanceJSON))
			_, err := s.client().GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			assertSchedule(t, s.gaps())
			assert.Len(t, s.gaps(), 2)
		})
	})
	t.Run("pitfall 16 the first wait is within 1 s and 2 s, the second within 2 s and 3 s", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			for range 200 {
				s := newScript(t, busy(), busy(), ok(instanceJSON))
				_, err := s.client().GetInstance(t.Context(), testInstance)
				require.NoError(t, err)
				assertWithin(t, 1*time.Second, 2*time.Second, s.gaps()[0], "the first wait")
				assertWithin(t, 2*time.Second, 3*time.Second, s.gaps()[1], "the second wait")
			}
		})
	})
	t.Run("eight retries, then one error and one ERROR record", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, times(9, busy())...)
			_, err := s.client().GetInstance(t.Context(), testInstance)
			e := failure(t, err)
			attempted(t, e, 9)
			assertSchedule(t, s.gaps())
			var total time.Duration
			for i, gap := range s.gaps() {
				assert.Equal(t, gap, e.Attempts[i].Wait, "what the error says of wait %d", i)
				total += gap
			}
			assert.Equal(t, total, e.Elapsed)

			errs, warns := s.log.records(t, "ERROR"), s.log.records(t, "WARN")
			require.Len(t, errs, 1)
			assert.Equal(t, "memorystore: giving up", errs[0].Message)
			assert.Equal(t, "https://cloud.google.com/memorystore/docs/redis/getting-support", errs[0].Support)
			assert.EqualValues(t, 9, errs[0].Error["attempts"])
			assert.Equal(t, "503 503 503 503 503 503 503 503 503", errs[0].Error["statuses"])
			require.Len(t, warns, 8)
			for i, w := range warns {
				assert.Equal(t, "memorystore: retrying", w.Message)
				assert.Equal(t, s.gaps()[i], w.Wait)
				assert.Equal(t, i+1, w.Attempt)
			}
			assert.Len(t, s.log.records(t, ""), 9, "nothing else is logged")
		})
	})
	t.Run("a success after retries logs no error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, busy(), ok(instanceJSON))
			_, err := s.client().GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			assert.Len(t, s.log.records(t, ""), 1)
			assert.Len(t, s.log.records(t, "WARN"), 1)
		})
	})
	t.Run("MaximumBackoff is exact once it is set", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			for _, maximum := range []time.Duration{500 * time.Millisecond, 5 * time.Second, 32 * time.Second, 90 * time.Second} {
				s := newScript(t, times(9, busy())...)
				_, err := s.client(WithRetry(RetryPolicy{MaximumBackoff: maximum})).GetInstance(t.Context(), testInstance)
				require.Error(t, err)
				assert.Truef(t, onSchedule(s.gaps(), maximum, maximum), "maximum %v: %v", maximum, s.gaps())
				assert.Equal(t, maximum, s.gaps()[7])
			}
		})
	})
	t.Run("pitfall 11 capped waits of a fleet are spread, each within its maximum", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var wg sync.WaitGroup
			var mu sync.Mutex
			var capped []float64
			late := func(n int, maximum time.Duration) time.Duration { return ExponentialBackoff(n+6, maximum) } // of a call that is capped by now
			c := always(t, busy()).client(WithLogger(discard), WithRetry(RetryPolicy{MaxRetries: 2, Backoff: late}))
			for range 1000 {
				wg.Go(func() {
					_, err := c.GetInstance(t.Context(), testInstance)
					waits := waitsOf(failure(t, err))
					mu.Lock()
					defer mu.Unlock()
					assert.Equal(t, waits[0], waits[1], "a call has one maximum")
					capped = append(capped, waits[0].Seconds())
				})
			}
			wg.Wait()
			assert.Greater(t, deviation(capped), 8.0, "seconds; an even draw from 32 s to 64 s has 9.2")
			assert.GreaterOrEqual(t, slices.Min(capped), 32.0)
			assert.LessOrEqual(t, slices.Max(capped), 64.0)
		})
	})
	t.Run("pitfall 12 a Backoff that goes astray is held within 0 and the maximum", func(t *testing.T) {
		for _, row := range []struct{ backoff, want time.Duration }{{-time.Hour, 0}, {time.Hour, 10 * time.Second}, {7 * time.Second, 7 * time.Second}} {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t, busy(), ok(instanceJSON))
				p := RetryPolicy{MaximumBackoff: 10 * time.Second, Backoff: func(int, time.Duration) time.Duration { return row.backoff }}
				_, err := s.client(WithRetry(p)).GetInstance(t.Context(), testInstance)
				require.NoError(t, err)
				assert.Equal(t, []time.Duration{row.want}, s.gaps())
			})
		}
	})
	t.Run("pitfall 15 without jitter the waits are exactly 2^n", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, times(5, busy())...)
			p := RetryPolicy{MaxRetries: 4, Backoff: func(n int, _ time.Duration) time.Duration { return time.Second << n }}
			_, err := s.client(WithRetry(p)).GetInstance(t.Context(), testInstance)
			require.Error(t, err)
			assert.Equal(t, []time.Duration{1 * time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}, s.gaps())
		})
	})
	t.Run("pitfall 14 a maximum without an end does not panic", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			// without an attempt timeout, which has no room left before the end of all time
			for _, backoff := range []Backoff{nil, FullJitter(math.MaxInt64)} {
				s := newScript(t, busy(), ok(instanceJSON))
				_, err := s.client(WithRetry(RetryPolicy{MaximumBackoff: math.MaxInt64, Backoff: backoff, AttemptTimeout: NoTimeout})).GetInstance(t.Context(), testInstance)
				require.NoError(t, err)
			}
		})
	})
	t.Run("pitfall 56 MaxRetries is not clamped", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			for retries, attempts := range map[int]int{-5: 1, -1: 1, 0: 9, 1: 2, 5: 6, 20: 21, 500: 501} {
				s := newScript(t, times(attempts, busy())...)
				_, err := s.client(WithRetry(RetryPolicy{MaxRetries: retries})).GetInstance(t.Context(), testInstance)
				attempted(t, failure(t, err), attempts)
			}
		})
	})
	t.Run("pitfall 53 a policy serves one call after the other alike", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := always(t, busy()).client(WithRetry(RetryPolicy{MaxRetries: 7}))
			for range 3 {
				_, err := c.GetInstance(t.Context(), testInstance)
				e := failure(t, err)
				attempted(t, e, 8)
				assertSchedule(t, waitsOf(e))
			}
		})
	})
	t.Run("pitfall 52 no hidden limit of time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, append(times(50, busy().with("Retry-After", "299")), ok(instanceJSON))...)
			_, err := s.client(WithRetry(RetryPolicy{MaxRetries: 50})).GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			assert.Equal(t, 51, s.count())
			assert.Greater(t, s.sent[50].at, 4*time.Hour)
		})
	})
	t.Run("pitfall 38 a GET without a body is retried", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, busy(), ok(instanceJSON))
			got, err := s.client().GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			assert.Equal(t, testInstance, got.Name)
			assert.Equal(t, 2, s.count())
			assert.Empty(t, s.sent[0].body)
		})
	})
	t.Run("pitfall 55 what each status does to a read", func(t *testing.T) {
		for _, row := range []struct {
			again    bool
			statuses []int
		}{
			{true, []int{429, 500, 501, 502, 503, 504, 505, 511, 599}},
			{false, []int{300, 304, 307, 400, 401, 403, 404, 408, 409, 412, 425, 451, 499, 600, 999}},
		} {
			for _, status := range row.statuses {
				t.Run(fmt.Sprint(status), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						replies := []reply{refuse(status, "", "no")}
						if row.again {
							replies = append(replies, ok(instanceJSON))
						}
						s := newScript(t, replies...)
						_, err := s.client().GetInstance(t.Context(), testInstance)
						if row.again {
							require.NoError(t, err)
							return
						}
						e := failure(t, err)
						attempted(t, e, 1)
						assert.Equal(t, status, e.HTTPStatus)
						assert.Empty(t, s.log.String(), "a refusal is the caller's to log")
					})
				})
			}
		}
	})
	t.Run("pitfall 18 a refusal says nothing of retries", func(t *testing.T) {
		for about, p := range map[string]RetryPolicy{"default": {}, "NoRetry": NoRetry()} {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t, refuse(404, NotFound, "Resource '"+testInstance+"' was not found"))
				_, err := s.client(WithRetry(p)).GetInstance(t.Context(), testInstance)
				assert.EqualError(t, err, "memorystore: GetInstance "+testInstance+": 404 NOT_FOUND: Resource '"+testInstance+"' was not found", about)
			})
		}
	})
	t.Run("Retryable replaces the rule", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, refuse(404, NotFound, "not yet"), ok(instanceJSON))
			p := RetryPolicy{Retryable: func(a Attempt) bool { return a.Status == 404 }}
			_, err := s.client(WithRetry(p)).GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
		})
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, busy())
			p := RetryPolicy{Retryable: func(Attempt) bool { return false }}
			_, err := s.client(WithRetry(p)).GetInstance(t.Context(), testInstance)
			attempted(t, failure(t, err), 1)
			assert.Empty(t, s.log.String(), "nothing was given up")
		})
	})
	t.Run("OnAttempt sees every attempt once, with the wait that follows", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, refuse(429, ResourceExhausted, "slow down", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED"}`), busy(), ok(instanceJSON))
			var seen []Attempt
			began := time.Now()
			p := RetryPolicy{OnAttempt: func(_ context.Context, a Attempt) { seen = append(seen, a) }}
			_, err := s.client(WithRetry(p)).GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			require.Len(t, seen, 3)
			for i, a := range seen {
				assert.Equal(t, i+1, a.Number)
				assert.Equal(t, []string{"GetInstance", "GET", testInstance}, []string{a.Call, a.Method, a.Name})
				assert.Equal(t, s.sent[i].at, a.Start.Sub(began))
				assert.False(t, a.Changes)
			}
			assert.Equal(t, []int{429, 503, 200}, []int{seen[0].Status, seen[1].Status, seen[2].Status})
			assert.Equal(t, "RATE_LIMIT_EXCEEDED", seen[0].Reason)
			assert.Equal(t, append(s.gaps(), 0), []time.Duration{seen[0].Wait, seen[1].Wait, seen[2].Wait})
			assert.ErrorIs(t, seen[0].Err, ResourceExhausted)
			assert.NoError(t, seen[2].Err)
		})
	})
	t.Run("pitfall 58 OnAttempt is told of an attempt, never of one that a wait did not come to", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, busy())
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			seen := 0
			_, err := s.client(WithRetry(RetryPolicy{OnAttempt: func(context.Context, Attempt) { seen++ }})).GetInstance(ctx, testInstance)
			require.Error(t, err)
			assert.Equal(t, 1, seen)
		})
	})
}

func TestHintsOfTheServer(t *testing.T) {
	const century = 100 * 365 * 24 * time.Hour
	const schedule = -1 // a wait of the schedule, 1 s to 2 s
	const ends = -2     // no wait: the call ends
	httpDate := func(layout string, in time.Duration) string { return time.Now().Add(in).UTC().Format(layout) }
	retryInfo := func(delay string) reply {
		return refuse(429, ResourceExhausted, "Quota exceeded.", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"`+delay+`"}`)
	}
	limited := func(value string) func() reply {
		return func() reply { return refuse(429, ResourceExhausted, "Quota exceeded.").with("Retry-After", value) }
	}
	// want is the hint that must be obeyed, give or take the jitter that may be added, or one of the constants above.
	for _, row := range []struct {
		about string
		reply func() reply
		limit time.Duration // MaxRetryAfter
		want  time.Duration
		hint  time.Duration // Error.RetryAfter, when the call ends
	}{
		{"pitfall 1 seconds that overflow when made nanoseconds end the call", limited("9223372037"), 0, ends, century},
		{"pitfall 1 and saturate where any wait is allowed", limited("9223372037"), math.MaxInt64, century, 0},
		{"pitfall 2 seconds that wrap to 290 ms end the call", limited("18446744074"), 0, ends, century},
		{"pitfall 2 and saturate where any wait is allowed", limited("18446744074"), math.MaxInt64, century, 0},
		{"pitfall 3 seconds beyond an int64 end the call", limited("99999999999999999999"), 0, ends, century},
		{"pitfall 3 garbage at their end makes them nonsense", limited("99999999999999999999x"), 0, schedule, 0},
		{"pitfall 4 -5 is nonsense", limited("-5"), 0, schedule, 0},
		{"pitfall 4 -1 is nonsense", limited("-1"), 0, schedule, 0},
		{"pitfall 4 an empty value is nonsense", limited(" "), 0, schedule, 0},
		{"pitfall 4 abc is nonsense", limited("abc"), 0, schedule, 0},
		{"pitfall 4 1.5 is nonsense", limited("1.5"), 0, schedule, 0},
		{"pitfall 4 0x10 is nonsense", limited("0x10"), 0, schedule, 0},
		{"pitfall 4 +7 is nonsense", limited("+7"), 0, schedule, 0},
		{"pitfall 4 a digit that is not ASCII is nonsense", limited("٧"), 0, schedule, 0},
		{"0 is no hint", limited("0"), 0, schedule, 0},
		{"1 s is shorter than the schedule", limited("1"), 0, schedule, 0},
		{"spaces around seconds are no harm", limited(" 20 "), 0, 20 * time.Second, 0},
		{"leading zeros are no harm", limited("0020"), 0, 20 * time.Second, 0},
		{"seconds on a 503", func() reply { return busy().with("Retry-After", "20") }, 0, 20 * time.Second, 0},
		{"pitfall 5 an RFC 1123 date", func() reply { return limited(httpDate(http.TimeFormat, 30*time.Second))() }, 0, 30 * time.Second, 0},
		{"pitfall 5 an RFC 850 date", func() reply { return limited(httpDate("Monday, 02-Jan-06 15:04:05 GMT", 30*time.Second))() }, 0, 30 * time.Second, 0},
		{"pitfall 5 an asctime date", func() reply { return limited(httpDate(time.ANSIC, 30*time.Second))() }, 0, 30 * time.Second, 0},
		{"pitfall 6 a date in the past is no hint", func() reply { return limited(httpDate(http.TimeFormat, -time.Hour))() }, 0, schedule, 0},
		{"pitfall 6 a date at the beginning of time is no hint", limited("Mon, 01 Jan 0001 00:00:00 GMT"), 0, schedule, 0},
		{"pitfall 7 a date against a server's clock an hour ahead", func() reply {
			return limited(httpDate(http.TimeFormat, time.Hour+20*time.Second))().with("Date", httpDate(http.TimeFormat, time.Hour))
		}, 0, 20 * time.Second, 0},
		{"pitfall 7 a date against a server's clock an hour behind", func() reply {
			return limited(httpDate(http.TimeFormat, -time.Hour+20*time.Second))().with("Date", httpDate(http.TimeFormat, -time.Hour))
		}, 0, 20 * time.Second, 0},
		{"pitfall 7 a date without a Date is held against the client's clock", func() reply {
			return limited(httpDate(http.TimeFormat, 20*time.Second))().with("Date", "")
		}, 0, 20 * time.Second, 0},
		{"pitfall 7 and so it is with a Date that is none", func() reply {
			return limited(httpDate(http.TimeFormat, 20*time.Second))().with("Date", "yesterday")
		}, 0, 20 * time.Second, 0},
		{"pitfall 8 a day ends the call", limited("86400"), 0, ends, 24 * time.Hour},
		{"pitfall 8 a date in a day ends the call", func() reply { return limited(httpDate(http.TimeFormat, 24*time.Hour))() }, 0, ends, 24 * time.Hour},
		{"pitfall 8 exactly MaxRetryAfter is waited for", limited("300"), 0, 300 * time.Second, 0},
		{"pitfall 8 a second more is not", limited("301"), 0, ends, 301 * time.Second},
		{"pitfall 8 MaxRetryAfter can be lowered", limited("6"), 5 * time.Second, ends, 6 * time.Second},
		{"pitfall 8 and raised", limited("86400"), 48 * time.Hour, 24 * time.Hour, 0},
		{"pitfall 9 the jitter is added to the hint", limited("60"), 0, 60 * time.Second, 0},
		{"pitfall 10 RetryInfo with a fraction", func() reply { return retryInfo("45.837906927s") }, 0, 45837906927, 0},
		{"pitfall 10 RetryInfo in whole seconds", func() reply { return retryInfo("45s") }, 0, 45 * time.Second, 0},
		{"pitfall 10 RetryInfo below the schedule", func() reply { return retryInfo("0.5s") }, 0, schedule, 0},
		{"pitfall 10 RetryInfo below 0", func() reply { return retryInfo("-1s") }, 0, schedule, 0},
		{"pitfall 10 RetryInfo that is no duration", func() reply { return retryInfo("x") }, 0, schedule, 0},
		{"pitfall 10 RetryInfo without its s", func() reply { return retryInfo("45") }, 0, schedule, 0},
		{"pitfall 10 RetryInfo in Go's spelling", func() reply { return retryInfo("1m0s") }, 0, schedule, 0},
		{"pitfall 10 RetryInfo that is empty", func() reply { return retryInfo("s") }, 0, schedule, 0},
		{"pitfall 10 RetryInfo with an exponent", func() reply { return retryInfo("1e3s") }, 0, schedule, 0},
		{"pitfall 10 RetryInfo that overflows ends the call", func() reply { return retryInfo("99999999999999999999s") }, 0, ends, century},
		{"pitfall 10 RetryInfo of a day ends the call", func() reply { return retryInfo("86400s") }, 0, ends, 24 * time.Hour},
		{"the longer of the header and RetryInfo counts", func() reply { return retryInfo("45s").with("Retry-After", "10") }, 0, 45 * time.Second, 0},
		{"whichever it is", func() reply { return retryInfo("10s").with("Retry-After", "45") }, 0, 45 * time.Second, 0},
	} {
		t.Run(row.about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				replies := []reply{row.reply()}
				if row.want != ends {
					replies = append(replies, ok(instanceJSON))
				}
				s := newScript(t, replies...)
				_, err := s.client(WithRetry(RetryPolicy{MaxRetryAfter: row.limit})).GetInstance(t.Context(), testInstance)
				switch row.want {
				case ends:
					e := failure(t, err)
					assert.Equal(t, row.hint, e.RetryAfter)
					assert.Zero(t, e.Elapsed, "nothing was waited for")
					assert.Contains(t, e.Error(), "longer than MaxRetryAfter")
					assert.ErrorAs(t, err, new(*googleapi.Error))
					attempted(t, e, 1)
					assert.Len(t, s.log.records(t, "ERROR"), 1)
				case schedule:
					require.NoError(t, err)
					assertSchedule(t, s.gaps())
				default:
					require.NoError(t, err)
					assertWithin(t, row.want, row.want+time.Second, s.gaps()[0], "the wait")
				}
			})
		})
	}
	t.Run("pitfall 9 a thousand clients told the same come back apart", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t)
			s.replies = append(times(1000, limited("60")()), times(1000, ok(instanceJSON))...)
			c := s.client(WithLogger(discard))
			var wg sync.WaitGroup
			for range 1000 {
				wg.Go(func() {
					_, err := c.GetInstance(t.Context(), testInstance)
					assert.NoError(t, err)
				})
			}
			wg.Wait()
			first, last := s.sent[1000].at, s.sent[1999].at
			assertWithin(t, 60*time.Second, 61*time.Second, first, "the first return")
			assertWithin(t, 60*time.Second, 61*time.Second, last, "the last return")
			assert.Greater(t, last-first, 900*time.Millisecond)
		})
	})
	t.Run("a hint lengthens the wait it is about, not the ones after it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, limited("60")(), busy(), ok(instanceJSON))
			_, err := s.client().GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			assertWithin(t, 60*time.Second, 61*time.Second, s.gaps()[0], "the wait with a hint")
			assertWithin(t, 2*time.Second, 3*time.Second, s.gaps()[1], "the wait after it")
		})
	})
	t.Run("a hint may exceed the maximum backoff", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, limited("60")(), ok(instanceJSON))
			_, err := s.client(WithRetry(RetryPolicy{MaximumBackoff: 3 * time.Second})).GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			assertWithin(t, 60*time.Second, 61*time.Second, s.gaps()[0], "the wait")
		})
	})
}

func TestContextAndRetries(t *testing.T) {
	t.Run("pitfall 19 a wait that the deadline does not allow is not begun", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, busy().with("Retry-After", "8"))
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			_, err := s.client().GetInstance(ctx, testInstance)
			e := failure(t, err)
			assert.Zero(t, time.Since(s.start))
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorIs(t, err, Unavailable)
			assert.ErrorAs(t, err, new(*googleapi.Error))
			assert.Regexp(t, `: 503 UNAVAILABLE: The service is currently unavailable; the context ends before the next attempt, due in [89](\.\d)?s$`, err.Error())
			attempted(t, e, 1)
			assert.Len(t, s.log.records(t, "ERROR"), 1)
			assert.Empty(t, s.log.records(t, "WARN"))
		})
	})
	t.Run("pitfall 19 nor when the deadline and the wait end together", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, busy())
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
			defer cancel()
			p := RetryPolicy{Backoff: func(int, time.Duration) time.Duration { return 4 * time.Second }}
			_, err := s.client(WithRetry(p)).GetInstance(ctx, testInstance)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Zero(t, time.Since(s.start))
		})
	})
	t.Run("waits that the deadline allows are begun", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := always(t, busy())
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, err := s.client().GetInstance(ctx, testInstance)
			e := failure(t, err)
			attempted(t, e, 5) // after 15 s to 19 s; the wait of 16 s or more is not begun
			assertSchedule(t, s.gaps())
			assert.Equal(t, s.sent[4].at, e.Elapsed)
		})
	})
	// what a call that is cancelled during a wait must hold
	cut := func(t *testing.T, err error, s *script) {
		t.Helper()
		e := failure(t, err)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, Unavailable)
		assert.ErrorAs(t, err, new(*googleapi.Error))
		attempted(t, e, s.count())
		assert.Empty(t, s.log.records(t, "ERROR"), "who cancels knows it")
	}
	t.Run("pitfall 20 pitfall 21 a cancelled wait ends at once, with both errors", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, busy())
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			_, err := s.client().GetInstance(ctx, testInstance)
			assert.Equal(t, 50*time.Millisecond, time.Since(s.start))
			cut(t, err, s)
			time.Sleep(time.Hour) // nothing is sent later: the script would fail
		})
	})
	t.Run("pitfall 20 a cause given by the caller is found too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			reason := errors.New("the user closed the window")
			s := newScript(t, busy())
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(50*time.Millisecond, func() { cancel(reason) })
			_, err := s.client().GetInstance(ctx, testInstance)
			cut(t, err, s)
			assert.ErrorIs(t, err, reason)
		})
	})
	t.Run("pitfall 22 a cancel in the hook ends the call, a thousand times", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			for range 1000 {
				s := newScript(t, busy())
				ctx, cancel := context.WithCancel(t.Context())
				p := RetryPolicy{Backoff: atOnce, OnAttempt: func(context.Context, Attempt) { cancel() }}
				_, err := s.client(WithRetry(p)).GetInstance(ctx, testInstance)
				cut(t, err, s)
			}
		})
	})
	t.Run("pitfall 22 a wait that ends as the context does is a cancelled one, a thousand times", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 1000 { // both channels are ready: a bare select would take either
			require.ErrorIs(t, sleep(ctx, 0), context.Canceled)
		}
	})
	t.Run("pitfall 23 a context that is done sends nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			for _, m := range methods {
				s := newScript(t)
				_, err := m.call(ctx, s.client())
				e := failure(t, err)
				assert.ErrorIs(t, err, context.Canceled, m.name)
				assert.Empty(t, e.Attempts, m.name)
				assert.False(t, e.Ambiguous, m.name)
				assert.Empty(t, s.log.String(), m.name)
			}
		})
	})
	t.Run("pitfall 23 a deadline that passes in flight ends the call", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, reply{hangs: true})
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			_, err := s.client(WithRetry(RetryPolicy{Retryable: RetryStatusOrTransport})).GetInstance(ctx, testInstance)
			e := failure(t, err)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.NotErrorIs(t, err, ErrAttemptTimeout)
			assert.Equal(t, 3*time.Second, e.Elapsed)
			attempted(t, e, 1)
		})
	})
	t.Run("a cancel in flight keeps what the answer before it said", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			s := newScript(t, busy(), reply{hangs: true, before: cancel})
			_, err := s.client().GetInstance(ctx, testInstance)
			cut(t, err, s)
			assert.Equal(t, 503, failure(t, err).HTTPStatus)
		})
	})
	t.Run("pitfall 24 an attempt that takes too long is not the caller's deadline", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, reply{hangs: true})
			_, err := s.client(WithRetry(RetryPolicy{AttemptTimeout: time.Second})).GetInstance(t.Context(), testInstance)
			e := failure(t, err)
			assert.ErrorIs(t, err, ErrAttemptTimeout)
			assert.NotErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, time.Second, e.Elapsed)
			attempted(t, e, 1)
			assert.Empty(t, s.log.String(), "the documented rule names only statuses: it is final, and nothing was given up")
		})
	})
	t.Run("pitfall 25 each attempt has its own timeout", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, times(3, reply{hangs: true})...)
			p := RetryPolicy{MaxRetries: 2, AttemptTimeout: 10 * time.Second, Retryable: RetryStatusOrTransport}
			_, err := s.client(WithRetry(p)).GetInstance(t.Context(), testInstance)
			e := failure(t, err)
			attempted(t, e, 3)
			assert.ErrorIs(t, err, ErrAttemptTimeout)
			waits := waitsOf(e)
			assertSchedule(t, waits)
			assert.Equal(t, 30*time.Second+waits[0]+waits[1], e.Elapsed)
			for _, a := range e.Attempts {
				assert.Equal(t, 10*time.Second, a.Latency)
			}
			assert.Len(t, s.log.records(t, "ERROR"), 1)
		})
	})
	t.Run("an attempt has 60 s unless the policy says otherwise", func(t *testing.T) {
		for _, row := range []struct{ set, answer, want time.Duration }{
			{0, 59 * time.Second, 0},
			{0, time.Hour, 60 * time.Second},
			{NoTimeout, 24 * time.Hour, 0},
		} {
			synctest.Test(t, func(t *testing.T) {
				r := ok(instanceJSON)
				r.after = row.answer
				_, err := newScript(t, r).client(WithRetry(RetryPolicy{AttemptTimeout: row.set})).GetInstance(t.Context(), testInstance)
				if row.want == 0 {
					require.NoError(t, err)
					return
				}
				assert.ErrorIs(t, err, ErrAttemptTimeout)
				assert.Equal(t, row.want, failure(t, err).Elapsed)
			})
		}
	})
	t.Run("pitfall 26 the timeout of an attempt does not end while its answer is read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := ok("")
			r.stream = &trickle{chunk: strings.Repeat(" ", 1<<16), chunks: 16, pause: time.Second, end: instanceJSON}
			s := newScript(t, r)
			got, err := s.client(WithRetry(RetryPolicy{AttemptTimeout: 20 * time.Second})).GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			assert.Equal(t, testInstance, got.Name)
			assert.Equal(t, 16*time.Second, time.Since(s.start))
		})
	})
	t.Run("pitfall 59 twenty thousand cancelled waits leave nothing behind", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := always(t, busy()).client(WithLogger(discard))
			c.http.Transport = stateless{}
			call := func(ctx context.Context) error {
				_, err := c.GetInstance(ctx, testInstance)
				return err
			}
			wait := func(ctx context.Context) error { return sleep(ctx, 64*time.Second) }
			round := func(n int, run func(context.Context) error) {
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				for range n {
					wg.Go(func() { assert.ErrorIs(t, run(ctx), context.Canceled) })
				}
				synctest.Wait() // all of them wait
				cancel()
				wg.Wait()
			}
			round(1000, call)
			round(1000, wait)
			goroutines := runtime.NumGoroutine()
			// What tests before left behind is still on its way out, and the runtime keeps some of what it used. A leak
			// shows every time, so the least growth counts.
			least := int64(math.MaxInt64)
			for range 4 {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				for range 5 {
					round(1000, wait)
				}
				round(1000, call)
				runtime.GC()
				runtime.ReadMemStats(&after)
				least = min(least, int64(after.HeapAlloc)-int64(before.HeapAlloc))
			}
			assert.Less(t, least, int64(512<<10), "bytes kept of 5000 waits and 1000 calls")
			assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
		})
	})
}

// Every way out of a call: what the error says was sent is what was sent.
func TestAttemptsAreCounted(t *testing.T) {
	inFlight := func(cancel func()) reply { return reply{hangs: true, before: cancel} }
	for _, row := range []struct {
		about   string
		replies func(cancel func()) []reply
		opts    []option.ClientOption
		timeout time.Duration
		want    int
	}{
		{"pitfall 17 at the cap", func(func()) []reply { return times(9, busy()) }, nil, 0, 9},
		{"pitfall 17 refused later", func(func()) []reply { return []reply{busy(), refuse(403, PermissionDenied, "no")} }, nil, 0, 2},
		{"pitfall 17 cancelled in a wait", func(cancel func()) []reply {
			return []reply{busy(), {status: 503, before: func() { time.AfterFunc(time.Second, cancel) }}}
		}, nil, 0, 2},
		{"pitfall 17 cancelled in flight", func(cancel func()) []reply { return []reply{busy(), busy(), inFlight(cancel)} }, nil, 0, 3},
		{"pitfall 17 before a deadline", func(func()) []reply { return times(2, busy()) }, nil, 3 * time.Second, 2},
		{"pitfall 17 out of budget", func(func()) []reply { return times(3, busy()) },
			[]option.ClientOption{WithRetry(RetryPolicy{MaxRetries: 2}), WithRetryBudget(NewRetryBudget(2, 0))}, 0, 3},
		{"pitfall 17 told to come back too late", func(func()) []reply { return []reply{busy(), busy().with("Retry-After", "9999")} }, nil, 0, 2},
	} {
		t.Run(row.about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if row.timeout > 0 {
					ctx, cancel = context.WithTimeout(t.Context(), row.timeout)
					defer cancel()
				}
				s := newScript(t, row.replies(cancel)...)
				seen := 0
				c := s.client(row.opts...)
				p := c.retry
				p.OnAttempt = func(context.Context, Attempt) { seen++ }
				_, err := c.With(WithRetry(p)).GetInstance(ctx, testInstance)
				attempted(t, failure(t, err), row.want)
				assert.Equal(t, row.want, s.count())
				assert.Equal(t, row.want, seen, "OnAttempt")
			})
		})
	}
	t.Run("pitfall 17 a success", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, busy(), busy(), ok(instanceJSON))
			var last Attempt
			p := RetryPolicy{OnAttempt: func(_ context.Context, a Attempt) { last = a }}
			_, err := s.client(WithRetry(p)).GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			assert.Equal(t, 3, last.Number)
		})
	})
}

// The race detector runs over this.
func TestManyGoroutines(t *testing.T) {
	t.Run("pitfall 49 64 goroutines share a client, a budget and the random numbers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t)
			s.replies = append(times(192, busy()), times(64, ok(instanceJSON))...)
			hook := func(context.Context, Attempt) {}
			c := s.client(WithRetry(RetryPolicy{MaxRetries: 200, OnAttempt: hook}), WithRetryBudget(NewRetryBudget(1000, 0.1)))
			var wg sync.WaitGroup
			for range 64 {
				wg.Go(func() {
					_, err := c.GetInstance(t.Context(), testInstance)
					assert.NoError(t, err)
				})
			}
			wg.Wait()
			assert.Equal(t, 256, s.count())
		})
	})
}

// deviation returns the standard deviation.
func deviation(values []float64) float64 {
	var sum, squares float64
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(len(values))
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(values)))
}
