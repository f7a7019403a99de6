package memorystore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/googleapi"
)

const statusTail = "com.google.apps.framework.request.StatusException: <eye3 title='NOT_FOUND'/> generic::NOT_FOUND: "

// What an answer makes of an error. No row is retried: the policy is NoRetry.
func TestErrorOfAnAnswer(t *testing.T) {
	envelope := func(status int, code, message string) reply {
		return refuse(status, Code(code), message)
	}
	for _, row := range []struct {
		about   string
		reply   reply
		code    Code
		message string
	}{
		{"Google's envelope", envelope(404, "NOT_FOUND", "Resource 'x' was not found"), NotFound, "Resource 'x' was not found"},
		{"its code, not the status, counts", envelope(400, "FAILED_PRECONDITION", "no"), FailedPrecondition, "no"},
		{"a code that nobody knows", envelope(400, "SOMETHING_NEW", "no"), InvalidArgument, "no"},
		{"no message", envelope(400, "INVALID_ARGUMENT", ""), InvalidArgument, "the service gave no message"},
		{"the backend's second line is cut", envelope(404, "NOT_FOUND", "It is gone.\n"+statusTail+"It is gone."), NotFound, "It is gone."},
		{"the second line alone is reduced to its text", envelope(404, "NOT_FOUND", statusTail+"It is gone."), NotFound, "It is gone."},
		{"several lines become one", envelope(400, "INVALID_ARGUMENT", "one\r\n\ttwo\n\nthree"), InvalidArgument, "one two three"},
		{"control characters and separators", envelope(400, "INVALID_ARGUMENT", "a\x00b\x1b[31mc\u2028d\u2029e\u0085f\u202eg\ufeffh"), InvalidArgument, "a b [31mc d e f\ufffdg\ufffdh"},
		{"a list of one", reply{status: 403, body: `[{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}]`}, PermissionDenied, "no"},
		{"an envelope without a status", reply{status: 409, body: `{"error":{"code":409,"message":"busy"}}`}, Aborted, "busy"},
		{"an error that is null", reply{status: 403, body: `{"error":null}`}, PermissionDenied, "Forbidden"},
		{"an error that is a text", reply{status: 403, body: `{"error":"denied"}`}, PermissionDenied, "Forbidden"},
		{"details that are not objects", refuse(400, InvalidArgument, "no", `1`, `"x"`, `null`, `[]`), InvalidArgument, "no"},
		{"details of a kind unknown", refuse(400, InvalidArgument, "no", `{"@type":"type.googleapis.com/x.Y","reason":7}`), InvalidArgument, "no"},
		{"pitfall 33 a page is reduced to its title", htmlPage(502, "Error 502 (Server Error)!!1"), Unavailable, "Error 502 (Server Error)!!1"},
		{"pitfall 33 entities are read", htmlPage(403, "It&#39;s &lt;forbidden&gt; &amp; gone"), PermissionDenied, "It's <forbidden> & gone"},
		{"pitfall 33 a title of several lines", htmlPage(403, "one\n  two"), PermissionDenied, "one two"},
		{"pitfall 33 a title of control characters", htmlPage(403, "one&#10;&#27;two&#x2028;three"), PermissionDenied, "one two three"},
		{"pitfall 33 a page without a title", reply{status: 404, header: map[string]string{"Content-Type": "text/html"}, body: "<p>secret</p>"}, NotFound, "Not Found"},
		{"pitfall 33 a page that says it is text", reply{status: 404, body: " <html><title>gone</title>"}, NotFound, "gone"},
		{"an empty body", reply{status: 503}, Unavailable, "Service Unavailable"},
		{"an empty body and a status without a name", reply{status: 599}, Internal, "no text"},
		{"an envelope that broke off", reply{status: 400, body: `{"error":{"code":400,"mess`}, InvalidArgument, "Bad Request"},
		{"bytes that are no text", reply{status: 500, body: "\xff\xfe\x00\x01 x"}, Internal, "Internal Server Error"},
		{"a text", reply{status: 429, body: "slow\ndown\n"}, ResourceExhausted, "Too Many Requests"},
		{"a status that HTTP does not have", reply{status: 600, body: "?"}, Unknown, "no text"},
		{"401", reply{status: 401}, Unauthenticated, "Unauthorized"},
		{"408", reply{status: 408}, DeadlineExceeded, "Request Timeout"},
		{"412", reply{status: 412}, FailedPrecondition, "Precondition Failed"},
		{"416", reply{status: 416}, OutOfRange, "Requested Range Not Satisfiable"},
		{"499", reply{status: 499}, Cancelled, "no text"},
		{"501", reply{status: 501}, Unimplemented, "Not Implemented"},
		{"504", reply{status: 504}, DeadlineExceeded, "Gateway Timeout"},
	} {
		t.Run(row.about, func(t *testing.T) {
			s := newScript(t, row.reply)
			_, err := s.client(WithRetry(NoRetry())).GetInstance(t.Context(), testInstance)
			e := failure(t, err)
			assert.Equal(t, row.code, e.Code)
			assert.Equal(t, row.message, e.Message)
			assert.Equal(t, row.reply.status, e.HTTPStatus)
			assert.EqualError(t, err, fmt.Sprintf("memorystore: GetInstance %s: %d %s: %s", testInstance, row.reply.status, row.code, row.message))
			assert.ErrorIs(t, err, row.code)
			google, isGoogle := errors.AsType[*googleapi.Error](err)
			require.True(t, isGoogle)
			assert.Equal(t, row.reply.status, google.Code)
			assert.Equal(t, row.reply.body, google.Body, "the whole body is kept where who wants it finds it")
		})
	}
	t.Run("pitfall 31 pitfall 33 long texts are cut, on whole characters", func(t *testing.T) {
		long := strings.Repeat("ä", 100_000)
		for about, r := range map[string]reply{
			"message": envelope(400, "INVALID_ARGUMENT", long), "text": {status: 400, body: long}, "title": htmlPage(400, long),
			"garbage of 64 KiB": {status: 500, body: strings.Repeat("\x00\xff", 32<<10)},
		} {
			s := newScript(t, r)
			_, err := s.client(WithRetry(NoRetry())).GetInstance(t.Context(), testInstance)
			e := failure(t, err)
			assert.LessOrEqual(t, utf8.RuneCountInString(e.Message), 1000, about)
			assert.True(t, utf8.ValidString(e.Message), about)
		}
	})
	t.Run("pitfall 33 the status alone decides whether it is retried", func(t *testing.T) {
		bodies := map[string]reply{
			"JSON": refuse(0, "", "x"), "HTML": htmlPage(0, "x"), "empty": {}, "text": {body: "x"}, "garbage": {body: "\x00\xff"},
			"broken JSON": {body: `{"error":`}, "64 KiB": {body: strings.Repeat("x", 64<<10)}, "an envelope of another code": refuse(0, NotFound, "x"),
		}
		for about, body := range bodies {
			for _, status := range []int{429, 500, 503, 400, 404} {
				synctest.Test(t, func(t *testing.T) {
					body.status = status
					again := status == 429 || status >= 500
					replies := []reply{body}
					if again {
						replies = append(replies, ok(instanceJSON))
					}
					_, err := newScript(t, replies...).client().GetInstance(t.Context(), testInstance)
					assert.Equal(t, again, err == nil, "%s, %d: %v", about, status, err)
				})
			}
		}
	})
	t.Run("details", func(t *testing.T) {
		s := newScript(t, refuse(400, InvalidArgument, "bad field",
			`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_\nDISABLED","domain":"googleapis.com"}`,
			`{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"instance.reserved_ip_range","description":"overlaps"},{"field":"b"}]}`))
		_, err := s.client().GetInstance(t.Context(), testInstance)
		e := failure(t, err)
		assert.Equal(t, "API_ DISABLED", e.Reason)
		assert.Equal(t, []FieldViolation{{"instance.reserved_ip_range", "overlaps"}, {"b", ""}}, e.Violations)
		assert.Equal(t, e.Reason, e.Attempts[0].Reason)
	})
}

func TestErrorText(t *testing.T) {
	t.Run("pitfall 32 after exhaustion it names what was called, how often, how long, and what was said last", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, append(times(8, htmlPage(502, "Bad Gateway")), refuse(503, Unavailable, "Try later.",
				`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BACKEND_DOWN"}`).with("X-Request-Id", "r-1"))...)
			p := RetryPolicy{Backoff: func(int, time.Duration) time.Duration { return 20 * time.Second }}
			_, err := s.client(WithRetry(p)).GetInstance(t.Context(), testInstance)
			assert.EqualError(t, err, "memorystore: GetInstance "+testInstance+": 503 UNAVAILABLE: Try later (9 attempts in 2m40s)")
			e := failure(t, err)
			assert.Equal(t, "BACKEND_DOWN", e.Reason)
			google, _ := errors.AsType[*googleapi.Error](err)
			assert.Equal(t, "r-1", google.Header.Get("X-Request-Id"))
			assert.Equal(t, "502 502 502 502 502 502 502 502 503", statuses(e.Attempts))
		})
	})
	t.Run("of an answer that cannot be read", func(t *testing.T) {
		for body, want := range map[string]string{
			`{"name":"pro`:         "the answer cannot be read: it is not JSON, from byte 12 of 12 on",
			`<html>`:               "the answer cannot be read: it is not JSON, from byte 0 of 6 on",
			`[]`:                   "the answer cannot be read: \"\" is not of the type expected",
			`{"memorySizeGb":"x"}`: "the answer cannot be read: \"/memorySizeGb\" is not of the type expected",
			``:                     "the answer cannot be read: it names no instance",
			`{}`:                   "the answer cannot be read: it names no instance",
			`null`:                 "the answer cannot be read: it names no instance",
		} {
			s := newScript(t, ok(body))
			_, err := s.client().GetInstance(t.Context(), testInstance)
			e := failure(t, err)
			assert.Equal(t, want, e.Message)
			assert.Equal(t, 200, e.HTTPStatus)
			attempted(t, e, 1)
			assert.Empty(t, s.log.String())
		}
	})
	t.Run("an answer that cannot be read shows nothing of itself", func(t *testing.T) {
		s := newScript(t, ok(`{"authString":["`+secretBody+`"]}`))
		_, err := s.client().GetInstanceAuthString(t.Context(), testInstance)
		assertNone(t, secrets, map[string]string{"the error": everything(err), "the log": s.log.String()})
		s = newScript(t, ok(`{"authString":"`+secretBody))
		_, err = s.client(WithRetry(RetryPolicy{MaxRetries: 1, Backoff: atOnce, Retryable: func(Attempt) bool { return false }})).GetInstanceAuthString(t.Context(), testInstance)
		require.Error(t, err)
		assertNone(t, secrets, map[string]string{"the error": everything(err), "the log": s.log.String()})
	})
	t.Run("of a change in doubt", func(t *testing.T) {
		s := newScript(t, busy())
		_, err := s.client(WithRetry(RetryPolicy{InDoubt: Stop})).UpgradeInstance(t.Context(), testInstance, "REDIS_7_2")
		assert.EqualError(t, err, "memorystore: UpgradeInstance "+testInstance+": 503 UNAVAILABLE: The service is currently unavailable; the change may have been made")
		assert.True(t, failure(t, err).Ambiguous)
	})
	t.Run("of a name that is wild", func(t *testing.T) {
		for _, name := range []string{"a\nb", "projects/\x00/locations/l/instances/i", "<script>", strings.Repeat("x", 5000), "\u2028", ""} {
			_, err := newScript(t).client().GetInstance(t.Context(), name)
			e := failure(t, err)
			assert.ErrorIs(t, err, InvalidArgument)
			assert.Less(t, len(err.Error()), 2000)
			assert.Empty(t, e.Attempts)
		}
	})
}

// Unwrap promises what errors.Is and errors.As find.
func TestErrorUnwrap(t *testing.T) {
	broken := errors.New("connection broken")
	cause := errors.New("the user went home")
	canceled := func(t *testing.T) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Millisecond, func() { cancel(cause) })
		return ctx, func() { cancel(nil) }
	}
	short := func(t *testing.T) (context.Context, context.CancelFunc) {
		return context.WithTimeout(t.Context(), time.Millisecond)
	}
	plain := func(t *testing.T) (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) }
	sentinels := map[string]error{"Unavailable": Unavailable, "NotFound": NotFound, "Canceled": context.Canceled, "DeadlineExceeded": context.DeadlineExceeded,
		"ErrAttemptTimeout": ErrAttemptTimeout, "ErrRetryBudget": ErrRetryBudget, "broken": broken, "cause": cause, "InvalidArgument": InvalidArgument, "ErrNotDone": ErrNotDone}
	for _, row := range []struct {
		about   string
		ctx     func(*testing.T) (context.Context, context.CancelFunc)
		replies []reply
		opts    []Option
		want    string // the sentinels that are found
		google  bool
	}{
		{"exhausted", plain, times(9, busy()), nil, "Unavailable", true},
		{"refused", plain, []reply{refuse(404, NotFound, "no")}, nil, "NotFound", true},
		{"cancelled in a wait", canceled, []reply{busy()}, nil, "Unavailable Canceled cause", true},
		{"cancelled in flight", canceled, []reply{{hangs: true}}, nil, "Canceled cause", false},
		{"cancelled in flight later", canceled, []reply{busy(), {hangs: true}}, []Option{WithRetry(RetryPolicy{Backoff: atOnce})}, "Unavailable Canceled cause", true},
		{"deadline before a wait", short, []reply{busy()}, nil, "Unavailable DeadlineExceeded", true},
		{"deadline in flight", short, []reply{{hangs: true}}, nil, "DeadlineExceeded", false},
		{"attempt timed out", plain, []reply{{hangs: true}}, nil, "ErrAttemptTimeout", false},
		{"connection broken", plain, []reply{{err: broken}}, nil, "broken", false},
		{"no budget", plain, []reply{busy()}, []Option{WithRetry(RetryPolicy{MaxRetries: 1}), WithRetryBudget(drained())}, "Unavailable ErrRetryBudget", true},
	} {
		t.Run(row.about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := row.ctx(t)
				defer cancel()
				s := newScript(t, row.replies...)
				_, err := s.client().With(row.opts...).GetInstance(ctx, testInstance)
				failure(t, err)
				for name, sentinel := range sentinels {
					assert.Equal(t, strings.Contains(" "+row.want+" ", " "+name+" "), errors.Is(err, sentinel), "errors.Is(err, %s)", name)
				}
				assert.Equal(t, row.google, errors.As(err, new(*googleapi.Error)))
				if row.google {
					code, isCode := errors.AsType[Code](err)
					assert.True(t, isCode)
					assert.NotEmpty(t, code)
				}
			})
		})
	}
}

func drained() *RetryBudget {
	b := NewRetryBudget(1, 0)
	b.left = 0
	return b
}

func TestErrorLogValue(t *testing.T) {
	e := &Error{Call: "UpgradeInstance", Name: testInstance, HTTPStatus: 503, Code: Unavailable, Message: "later", Reason: "DOWN", RetryAfter: 7 * time.Second,
		Attempts: []Attempt{{Status: 500}, {Status: 503}}, Elapsed: 3 * time.Second, Ambiguous: true, Operation: testOperation, stop: "no more"}
	for _, row := range []struct {
		about string
		err   *Error
		want  string
	}{
		{"all of it", e, `{"call":"UpgradeInstance","name":"` + testInstance + `","status":503,"code":"UNAVAILABLE","reason":"DOWN","message":"later","stop":"no more",
			"attempts":2,"statuses":"500 503","elapsed":3000000000,"retry_after":7000000000,"ambiguous":true,"operation":"` + testOperation + `"}`},
		{"what is not set is left out", &Error{Call: "GetInstance", Name: testInstance, Message: "no"}, `{"call":"GetInstance","name":"` + testInstance + `","message":"no"}`},
	} {
		var b strings.Builder
		slog.New(slog.NewJSONHandler(&b, nil)).Info("", "error", row.err)
		var line map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(b.String()), &line))
		assert.JSONEq(t, row.want, string(line["error"]), row.about)
	}
}

func TestCodes(t *testing.T) {
	assert.Len(t, codes, 17, "0 is OK, which is no error")
	for n, code := range codes[1:] {
		assert.Equal(t, code, codeOfNumber(n+1))
		assert.True(t, knownCode(string(code)))
		assert.Equal(t, string(code), code.Error())
	}
	for _, n := range []int{0, -1, 17, 1 << 30} {
		assert.Equal(t, Unknown, codeOfNumber(n), n)
	}
	assert.False(t, knownCode(""))
	for status := range 700 {
		assert.True(t, knownCode(string(codeOfStatus(status))), status)
	}
	assert.Equal(t, NotFound, codeOfStatus(http.StatusNotFound))
}

func TestShort(t *testing.T) {
	for in, want := range map[time.Duration]string{
		0: "0s", 400 * time.Microsecond: "0s", 12345 * time.Microsecond: "12ms", 1234 * time.Millisecond: "1.2s", 12345 * time.Millisecond: "12s", 160*time.Second + 7: "2m40s",
	} {
		assert.Equal(t, want, short(in))
	}
}

func TestUnreachableErrorText(t *testing.T) {
	assert.EqualError(t, &UnreachableError{Locations: []string{"europe-west1", "us-east1"}}, "memorystore: the list is not whole: unreachable locations: europe-west1, us-east1")
}
