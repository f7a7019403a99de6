package memorystore

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	running  = ok(operationBody(""))
	finished = ok(operationBody(`"response":` + instanceJSON))
	failed   = ok(operationBody(`"error":{"code":9,"message":"Cannot scale.\nmore","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NO_ROOM"}]}`))
	gone     = refuse(404, NotFound, "Operation not found")
	missing  = refuse(404, NotFound, "Resource not found")
)

// steady polls in ways that can be computed.
var steady = WithPolling(Polling{Min: 10 * time.Second, Max: 10 * time.Second})

func TestWait(t *testing.T) {
	upgrade := func(t *testing.T, s *script, opts ...Option) *Operation[Instance] {
		op, err := s.client().With(opts...).UpgradeInstance(t.Context(), testInstance, "REDIS_7_0")
		require.NoError(t, err)
		return op
	}
	t.Run("done on the first answer needs no poll", func(t *testing.T) {
		s := newScript(t, finished)
		op := upgrade(t, s)
		assert.True(t, op.Done())
		got, err := op.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, testInstance, got.Name)
		for range op.Watch(t.Context()) {
			assert.Fail(t, "there is nothing to watch")
		}
		assert.NoError(t, op.Poll(t.Context()))
	})
	t.Run("it polls at once, and then after a tenth of the time waited, within 1 s and 30 s", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, append(times(80, running), finished)...)
			_, err := upgrade(t, s).Wait(t.Context())
			require.NoError(t, err)
			start := s.sent[1].at
			assert.Equal(t, s.sent[0].at, start, "the first poll is at once")
			varied := map[time.Duration]bool{}
			for i := 2; i < len(s.sent); i++ {
				waited := s.sent[i-1].at - start
				want := min(max(waited/10, time.Second), 30*time.Second)
				gap := s.sent[i].at - s.sent[i-1].at
				assertWithin(t, want*9/10, want*11/10, gap, "the wait before a poll")
				varied[gap] = true
			}
			assert.Greater(t, len(varied), 40, "waits are jittered")
			assert.Greater(t, s.sent[80].at, 10*time.Minute, "the greatest waits were reached")
			assert.Empty(t, s.log.String())
		})
	})
	t.Run("Polling sets the waits", func(t *testing.T) {
		for _, p := range []Polling{{Min: 5 * time.Second, Max: 5 * time.Second}, {Min: time.Second, Max: time.Hour, Fraction: 1}, {Max: 2 * time.Second, Fraction: 1000}, {Min: time.Minute}} {
			synctest.Test(t, func(t *testing.T) {
				full := p.full()
				s := newScript(t, append(times(10, running), finished)...)
				_, err := upgrade(t, s, WithPolling(p)).Wait(t.Context())
				require.NoError(t, err)
				for i := 2; i < len(s.sent); i++ {
					want := min(max(float64(s.sent[i-1].at)*full.Fraction, float64(full.Min)), float64(full.Max))
					assertWithin(t, time.Duration(want*0.9)-1, time.Duration(want*1.1)+1, s.sent[i].at-s.sent[i-1].at, "the wait")
				}
			})
		}
	})
	t.Run("polls are retried by the engine", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, running, busy(), busy(), finished)
			_, err := upgrade(t, s).Wait(t.Context())
			require.NoError(t, err)
			assertSchedule(t, s.gaps()[1:3])
			assert.Empty(t, s.log.records(t, "ERROR"))
		})
	})
	for _, row := range []struct {
		about   string
		fails   []int // polls that fail in a row, each run followed by one that succeeds
		gives   bool
		records int // WARN, without those of retries
	}{
		{"three failed polls in a row are tolerated", []int{3}, false, 3},
		{"and again after one that succeeded", []int{3, 3}, false, 6},
		{"the fourth ends the wait", []int{4}, true, 3},
	} {
		t.Run(row.about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				replies := []reply{running}
				for i, n := range row.fails {
					replies = append(replies, times(n, busy())...)
					switch {
					case row.gives:
					case i == len(row.fails)-1:
						replies = append(replies, finished)
					default:
						replies = append(replies, running)
					}
				}
				s := newScript(t, replies...)
				op := upgrade(t, s, WithRetry(NoRetry()), steady)
				got, err := op.Wait(t.Context())
				assert.Len(t, s.log.records(t, "WARN"), row.records)
				if !row.gives {
					require.NoError(t, err)
					assert.Equal(t, testInstance, got.Name)
					assert.Empty(t, s.log.records(t, "ERROR"))
					return
				}
				e := failure(t, err)
				assert.ErrorIs(t, err, Unavailable)
				assert.Equal(t, testOperation, e.Operation)
				assert.Contains(t, err.Error(), "operation "+testOperation+" goes on")
				require.Len(t, s.log.records(t, "ERROR"), 1, "one ERROR record ends a wait")
				assert.Equal(t, "memorystore: giving up", s.log.records(t, "ERROR")[0].Message)
				assert.False(t, op.Done())
				_, err = op.Result()
				assert.ErrorIs(t, err, ErrNotDone)
			})
		})
	}
	t.Run("with retries it gives up after 4 x 9 attempts, with one ERROR record", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, append([]reply{running}, times(36, busy())...)...)
			_, err := upgrade(t, s).Wait(t.Context())
			attempted(t, failure(t, err), 9)
			assert.Len(t, s.log.records(t, "ERROR"), 1)
			assert.Len(t, s.log.records(t, "WARN"), 4*8+3)
		})
	})
	t.Run("connections that break are tolerated as well", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, running, reply{err: errors.New("broken")}, reply{hangs: true}, finished)
			_, err := upgrade(t, s).Wait(t.Context())
			require.NoError(t, err)
			assert.Len(t, s.log.records(t, "WARN"), 2)
		})
	})
	t.Run("a poll that is refused ends it at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, running, running, refuse(403, PermissionDenied, "no"))
			_, err := upgrade(t, s).Wait(t.Context())
			e := failure(t, err)
			assert.ErrorIs(t, err, PermissionDenied)
			assert.Equal(t, testOperation, e.Operation)
		})
	})
	t.Run("the context ends the waiting, not the change", func(t *testing.T) {
		cause := errors.New("the user went home")
		for _, row := range []struct {
			about   string
			replies []reply
			want    []error
		}{
			{"between polls", []reply{running, running}, []error{context.Canceled, cause}},
			{"in a poll", []reply{running, {hangs: true}}, []error{context.Canceled, cause}},
			{"in the wait of a retry", []reply{running, busy().with("Retry-After", "60")}, []error{context.Canceled, cause, Unavailable}},
		} {
			t.Run(row.about, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newScript(t, row.replies...)
					op := upgrade(t, s, steady)
					ctx, cancel := context.WithCancelCause(t.Context())
					time.AfterFunc(5*time.Second, func() { cancel(cause) })
					_, err := op.Wait(ctx)
					assert.Equal(t, 5*time.Second, time.Since(s.start))
					e := failure(t, err)
					for _, want := range row.want {
						assert.ErrorIs(t, err, want)
					}
					assert.Equal(t, testOperation, e.Operation)
					assert.EqualError(t, err, "memorystore: UpgradeInstance "+testInstance+": context canceled; operation "+testOperation+" goes on")
					assert.Empty(t, s.log.records(t, "ERROR"))

					s.more(finished)
					got, err := op.Wait(t.Context())
					require.NoError(t, err, "the same handle can be waited for again")
					assert.Equal(t, testInstance, got.Name)
				})
			})
		}
	})
	t.Run("a deadline ends it, with its error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := always(t, running)
			op := upgrade(t, s)
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			_, err := op.Wait(ctx)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, time.Hour, time.Since(s.start))
			assert.LessOrEqual(t, len(s.log.records(t, "ERROR")), 1)
		})
	})
	t.Run("a failed operation is an error with its code, message, reason and name", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, running, running, failed)
			op := upgrade(t, s)
			_, err := op.Wait(t.Context())
			e := failure(t, err)
			assert.EqualError(t, err, "memorystore: UpgradeInstance "+testInstance+": FAILED_PRECONDITION: Cannot scale. more")
			assert.Equal(t, Error{Call: "UpgradeInstance", Name: testInstance, Code: FailedPrecondition, Message: "Cannot scale. more", Reason: "NO_ROOM", Operation: testOperation}, *e)
			assert.ErrorIs(t, err, FailedPrecondition)
			assert.True(t, op.Done())
			_, again := op.Result()
			assert.Equal(t, err, again)
			assert.Empty(t, s.log.records(t, "ERROR"), "it is the caller's to log")
		})
	})
	t.Run("a code that is none is Unknown", func(t *testing.T) {
		for _, code := range []string{"0", "99", "-1"} {
			s := newScript(t, ok(operationBody(`"error":{"code":`+code+`}`)))
			_, err := upgrade(t, s).Wait(t.Context())
			assert.ErrorIs(t, err, Unknown)
			failure(t, err)
		}
	})
	t.Run("a success without a result that can be read says so", func(t *testing.T) {
		for _, response := range []string{`null`, `[]`, `"x"`, `7`} {
			s := newScript(t, ok(operationBody(`"response":`+response)))
			got, err := upgrade(t, s).Wait(t.Context())
			if response == "null" {
				continue // proto JSON has null for an empty message
			}
			assert.Nil(t, got)
			e := failure(t, err)
			assert.Equal(t, "the operation succeeded, but its result cannot be read", e.Message)
			assert.Equal(t, testOperation, e.Operation)
		}
	})
	t.Run("a delete ends with Empty, whatever the service puts there", func(t *testing.T) {
		for _, end := range []string{`"response":{}`, `"response":{"@type":"type.googleapis.com/google.protobuf.Empty"}`, `"response":null`, `"response":7`} {
			s := newScript(t, ok(operationBody(end)))
			op, err := s.client().DeleteInstance(t.Context(), testInstance)
			require.NoError(t, err)
			got, err := op.Wait(t.Context())
			require.NoError(t, err)
			assert.Equal(t, &Empty{}, got)
		}
	})
}

func TestWatch(t *testing.T) {
	t.Run("one item a poll, with what the service says", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			said := func(detail, end string) reply {
				return ok(`{"name":"` + testOperation + `","metadata":{"statusDetail":"` + detail + `","cancelRequested":true}` + end + `}`)
			}
			s := newScript(t, running, said("half", ""), said("nearly", ""), said("all", `,"done":true,"response":`+instanceJSON))
			op, err := s.client().UpgradeInstance(t.Context(), testInstance, "REDIS_7_0")
			require.NoError(t, err)
			assert.Equal(t, "update", op.Metadata().Verb)
			var details []string
			for m, err := range op.Watch(t.Context()) {
				require.NoError(t, err)
				assert.Equal(t, m, op.Metadata())
				assert.True(t, m.CancelRequested)
				details = append(details, m.StatusDetail)
			}
			assert.Equal(t, []string{"half", "nearly", "all"}, details)
			assert.True(t, op.Done())
		})
	})
	t.Run("a failed operation is no error of the watching", func(t *testing.T) {
		s := newScript(t, running, failed)
		op, err := s.client().UpgradeInstance(t.Context(), testInstance, "REDIS_7_0")
		require.NoError(t, err)
		for _, err := range op.Watch(t.Context()) {
			assert.NoError(t, err)
		}
		_, err = op.Result()
		assert.ErrorIs(t, err, FailedPrecondition)
	})
	t.Run("who stops early polls no more", func(t *testing.T) {
		s := newScript(t, running, running)
		op, err := s.client().UpgradeInstance(t.Context(), testInstance, "REDIS_7_0")
		require.NoError(t, err)
		for range op.Watch(t.Context()) {
			break
		}
		assert.Equal(t, 2, s.count())
	})
}

func TestPoll(t *testing.T) {
	t.Run("one GET; a failure leaves the state as it was", func(t *testing.T) {
		s := newScript(t, refuse(403, PermissionDenied, "no"), running, finished)
		op := Resume[Instance](s.client(), testOperation)
		assert.Equal(t, testOperation, op.Name())
		assert.False(t, op.Done())
		assert.Zero(t, s.count(), "Resume sends nothing")
		err := op.Poll(t.Context())
		assert.ErrorIs(t, err, PermissionDenied)
		assert.Equal(t, testOperation, failure(t, err).Operation)
		assert.Zero(t, op.Metadata())

		require.NoError(t, op.Poll(t.Context()))
		assert.False(t, op.Done())
		assert.Equal(t, "update", op.Metadata().Verb)
		_, err = op.Result()
		assert.Equal(t, ErrNotDone, err)

		require.NoError(t, op.Poll(t.Context()))
		assert.True(t, op.Done())
		got, err := op.Result()
		require.NoError(t, err)
		assert.Equal(t, testInstance, got.Name)
		require.NoError(t, op.Poll(t.Context()), "done: nothing is sent")
		assert.False(t, op.Reconciled())
	})
	t.Run("a poll that gives up is logged once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, times(9, busy())...)
			require.Error(t, Resume[Empty](s.client(), testOperation).Poll(t.Context()))
			assert.Len(t, s.log.records(t, "ERROR"), 1)
		})
	})
	t.Run("an answer with another name does not lead us astray", func(t *testing.T) {
		s := newScript(t, ok(`{"name":"projects/x/locations/y/operations/z"}`), running)
		op := Resume[Empty](s.client(), testOperation)
		require.NoError(t, op.Poll(t.Context()))
		assert.Equal(t, testOperation, op.Name())
		require.NoError(t, op.Poll(t.Context()))
		assert.Equal(t, "/v1/"+testOperation, s.sent[1].path)
	})
	t.Run("a name that is none is refused", func(t *testing.T) {
		op := Resume[Empty](newScript(t).client(), "operations/1")
		assert.ErrorIs(t, op.Poll(t.Context()), InvalidArgument)
	})
}

// Operations vanish after some hours.
func TestVanishedOperations(t *testing.T) {
	instance := func(members string) reply {
		return ok(`{"name":"` + testInstance + `","tier":"BASIC","memorySizeGb":1,` + members + `}`)
	}
	create := func(ctx context.Context, c *Client) (lostOutcome, error) {
		return outcome(c.CreateInstance(ctx, &Instance{Name: testInstance, Tier: TierBasic, MemorySizeGB: 1}))
	}
	update := func(ctx context.Context, c *Client) (lostOutcome, error) {
		return outcome(c.UpdateInstance(ctx, &Instance{Name: testInstance, DisplayName: "new"}, FieldDisplayName))
	}
	remove := func(ctx context.Context, c *Client) (lostOutcome, error) {
		return outcome(c.DeleteInstance(ctx, testInstance))
	}
	failover := func(ctx context.Context, c *Client) (lostOutcome, error) {
		return outcome(c.FailoverInstance(ctx, testInstance, ""))
	}
	for _, row := range []struct {
		about   string
		begin   func(context.Context, *Client) (lostOutcome, error)
		replies []reply // to the polls, and to what settles them
		want    string  // the error; empty: success
	}{
		{"a create whose instance is there", create, []reply{running, gone, instance(`"state":"READY"`)}, ""},
		{"a create that still goes on", create, []reply{gone, instance(`"state":"CREATING"`), gone, instance(`"state":"CREATING"`), gone, instance(`"state":"READY"`)}, ""},
		{"a create that left nothing", create, []reply{gone, missing}, "the service does not know the operation any more, and the instance does not exist"},
		{"a create that another's stands in for", create, []reply{gone, ok(`{"name":"` + testInstance + `","tier":"STANDARD_HA","memorySizeGb":1,"state":"READY"}`)},
			"the service does not know the operation any more, and the instance does not show the change"},
		{"an update that is there", update, []reply{gone, instance(`"state":"READY","displayName":"new"`)}, ""},
		{"an update that is not", update, []reply{gone, instance(`"state":"READY","displayName":"old"`)}, "the instance does not show the change"},
		{"a delete whose instance is gone", remove, []reply{gone, missing}, ""},
		{"a delete that still goes on", remove, []reply{gone, instance(`"state":"DELETING"`), gone, missing}, ""},
		{"a delete that did nothing", remove, []reply{gone, instance(`"state":"READY","createTime":"1999-01-01T00:00:00Z"`)}, "the instance still exists"},
		{"a delete before a new instance", remove, []reply{gone, instance(`"state":"READY","createTime":"2000-01-02T00:00:00Z"`)}, ""},
		{"a failover, of which an instance shows nothing", failover, []reply{gone}, "the service does not know this operation"},
		{"an instance that may not be seen", create, []reply{gone, refuse(403, PermissionDenied, "not you")}, "not you"},
		{"a page of a front end says nothing of an operation", create, []reply{htmlPage(404, "Error 404")}, "Error 404"},
	} {
		t.Run(row.about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t, append([]reply{running}, row.replies...)...)
				op, err := row.begin(t.Context(), s.client(steady))
				require.NoError(t, err)
				err = finish(t.Context(), op)
				if row.want == "" {
					require.NoError(t, err)
					return
				}
				e := failure(t, err)
				assert.Contains(t, e.Message, row.want)
				if e.Call != "GetInstance" {
					assert.Equal(t, testOperation, e.Operation)
				}
			})
		})
	}
	t.Run("of a resumed one only the name is known", func(t *testing.T) {
		s := newScript(t, gone)
		_, err := Resume[Instance](s.client(), testOperation).Wait(t.Context())
		e := failure(t, err)
		assert.ErrorIs(t, err, NotFound)
		assert.Equal(t, testOperation, e.Operation)
		assert.Contains(t, err.Error(), "it forgets operations after some hours")
		assert.Contains(t, err.Error(), "what became of the change is not known")
	})
}

func TestOperationsAsTheyAreListed(t *testing.T) {
	t.Run("a failed one carries its error", func(t *testing.T) {
		for _, about := range []string{"GetOperation", "ListOperations"} {
			body := failed.body
			if about == "ListOperations" {
				body = `{"operations":[` + body + `]}`
			}
			s := newScript(t, ok(body))
			got, err := methodNamed(t, about).call(t.Context(), s.client())
			require.NoError(t, err)
			if all, isList := got.([]*OperationInfo); isList {
				got = all[0]
			}
			info := got.(*OperationInfo)
			assert.True(t, info.Done)
			e := failure(t, info.Err)
			assert.Equal(t, testInstance, e.Name)
			assert.Equal(t, testOperation, e.Operation)
			assert.ErrorIs(t, e, FailedPrecondition)
		}
	})
	t.Run("deleting what an attempt before has deleted succeeds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, busy(), gone)
			assert.NoError(t, s.client().DeleteOperation(t.Context(), testOperation))
			s = newScript(t, gone)
			assert.ErrorIs(t, s.client().DeleteOperation(t.Context(), testOperation), NotFound)
			s = newScript(t, busy(), htmlPage(404, "lost"))
			assert.ErrorIs(t, s.client().DeleteOperation(t.Context(), testOperation), NotFound)
		})
	})
	t.Run("cancelling is sent again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, busy(), ok(`{}`))
			assert.NoError(t, s.client().CancelOperation(t.Context(), testOperation))
			assert.Equal(t, "POST", s.sent[1].method)
		})
	})
}
