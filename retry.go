package memorystore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A RetryPolicy says when a call is sent again, and when. Its zero value is the rule that Google documents for this
// API: every answer 5xx or 429 is tried again after min(2^n s + random ms, maximum backoff), up to a number of retries.
//
// https://cloud.google.com/memorystore/docs/redis/exponential-backoff
type RetryPolicy struct {
	// MaxRetries is the number of retries after the first attempt; 0 means 8, negative means none, as NoRetry says.
	MaxRetries int
	// MaximumBackoff caps a wait. Set, it is exactly this; 0: drawn once per call from [32 s, 64 s], so that clients
	// that began together do not go on in step once they are capped.
	MaximumBackoff time.Duration
	// Backoff computes the waits; nil: ExponentialBackoff.
	Backoff Backoff
	// AttemptTimeout bounds one attempt, until its answer is read; 0 means 60 s, NoTimeout means none.
	AttemptTimeout time.Duration
	// MaxRetryAfter ends a call whose server asks for a longer wait; 0 means 5 min.
	MaxRetryAfter time.Duration
	// InDoubt says what to do with a change whose answer was lost.
	InDoubt InDoubt
	// Retryable reports whether a failed attempt is tried again; nil: RetryStatus. With Settle it is not asked about a
	// change whose connection was lost or whose answer cannot be read: what follows then does no harm.
	Retryable func(Attempt) bool
	// OnAttempt is called after every attempt, with the wait that follows filled in; slots that pass unused for want of
	// budget come on top. The requests by which a lost answer is looked into are attempts at GetInstance and
	// ListOperations. It must not block.
	OnAttempt func(context.Context, Attempt)
}

// NoTimeout as RetryPolicy.AttemptTimeout leaves only the context to end an attempt.
const NoTimeout time.Duration = -1

// InDoubt says what becomes of a change whose answer was lost: it ended in a 5xx, in a connection that broke once
// the request was on its way, or in a success that cannot be read. It may or may not have been made.
type InDoubt int

const (
	// Settle, the default, finds out from what the service says, and sends again only what cannot happen twice.
	Settle InDoubt = iota
	// Resend sends every change again, as the documented rule has it, even if that makes it twice.
	Resend
	// Stop ends the call at the first doubt, with Error.Ambiguous.
	Stop
)

// A Backoff computes the wait before a retry: n is 0 for the first retry. The engine holds what it returns
// within 0 and maximum.
type Backoff func(n int, maximum time.Duration) time.Duration

// ExponentialBackoff returns min(2^n s + r ms, maximum), r drawn anew from 0 to 1000 each time.
func ExponentialBackoff(n int, maximum time.Duration) time.Duration {
	if n >= 34 { // 2^34 s is beyond what a time.Duration holds
		return maximum
	}
	return min(time.Second<<max(n, 0)+jitter(), maximum)
}

// FullJitter returns a Backoff that draws evenly from 0 to min(maximum, base * 2^n). It leaves the documented
// schedule: it hurries, on average, twice as much.
func FullJitter(base time.Duration) Backoff {
	return func(n int, maximum time.Duration) time.Duration {
		if base <= 0 || maximum <= 0 {
			return 0
		}
		top, n := maximum, max(n, 0)
		if n < 62 && base < maximum>>n {
			top = base << n
		}
		return time.Duration(rand.Uint64N(uint64(top) + 1)) // unsigned: top may be the greatest Duration
	}
}

// jitter is the documented random number of milliseconds.
func jitter() time.Duration { return time.Duration(rand.IntN(1001)) * time.Millisecond }

// NoRetry returns the policy that sends each call once, for use below a caller that retries itself.
func NoRetry() RetryPolicy { return RetryPolicy{MaxRetries: -1} }

// RetryStatus reports whether an attempt was answered with what the documented rule retries: HTTP 500 to 599 and 429.
func RetryStatus(a Attempt) bool {
	return a.Status >= 500 && a.Status <= 599 || a.Status == http.StatusTooManyRequests
}

// RetryStatusOrTransport adds to RetryStatus attempts whose connection was lost, refused or reset, or that timed out.
// Certificates that fail, hosts that do not exist and URLs that are wrong stay final: another try changes nothing.
func RetryStatusOrTransport(a Attempt) bool {
	f, ok := errors.AsType[*Error](a.Err)
	return RetryStatus(a) || ok && f.lost
}

// check says what is wrong with a policy.
func (p RetryPolicy) check() error {
	bad := func(field string, v any, want string) error {
		return fmt.Errorf("RetryPolicy.%s is %v: %s", field, v, want)
	}
	switch {
	case p.MaximumBackoff < 0:
		return bad("MaximumBackoff", p.MaximumBackoff, "it must not be negative; 0 means drawn from 32 s to 64 s")
	case p.AttemptTimeout < 0 && p.AttemptTimeout != NoTimeout:
		return bad("AttemptTimeout", p.AttemptTimeout, "it must not be negative, but for NoTimeout")
	case p.MaxRetryAfter < 0:
		return bad("MaxRetryAfter", p.MaxRetryAfter, "it must not be negative; 0 means 5 min")
	case p.InDoubt < Settle || p.InDoubt > Stop:
		return bad("InDoubt", int(p.InDoubt), "it must be Settle, Resend or Stop")
	}
	return nil
}

// retries returns the number of retries that the policy allows.
func (p RetryPolicy) retries() int {
	if p.MaxRetries == 0 {
		return 8
	}
	return max(p.MaxRetries, 0)
}

func (p RetryPolicy) attemptTimeout() time.Duration {
	if p.AttemptTimeout == 0 {
		return 60 * time.Second
	}
	return p.AttemptTimeout
}

func (p RetryPolicy) maxRetryAfter() time.Duration {
	if p.MaxRetryAfter == 0 {
		return 5 * time.Minute
	}
	return p.MaxRetryAfter
}

// drawMaximum returns the maximum backoff of one call.
func (p RetryPolicy) drawMaximum() time.Duration {
	if p.MaximumBackoff > 0 {
		return p.MaximumBackoff
	}
	return 32*time.Second + time.Duration(rand.IntN(32_001))*time.Millisecond
}

// An engine carries out calls by a policy. It serves Client and RetryTransport alike.
type engine struct {
	policy RetryPolicy
	budget *RetryBudget
	log    *slog.Logger
	seen   *observer

	settles bool // its calls know what sending them twice does, so that InDoubt can be Settle
}

// run sends c until it succeeds, fails for good, or may not be tried any more. send makes one attempt: it returns an
// answer of any status, or a miss, or both when a 2xx cannot be read. run returns nil and nil when the call was
// settled: its answer was lost, and c.settle has found that it was carried out.
func (e *engine) run(ctx context.Context, c *call, send func(context.Context) (*answer, *miss)) (*answer, error) {
	if ctx.Err() != nil {
		return nil, newError(c, "", oneLine(ctx.Err().Error(), 200), contextErrors(ctx)...)
	}
	r := run{engine: e, call: c, send: send, start: time.Now(), maximum: e.policy.drawMaximum()}
	ctx, r.sight = e.seen.begin(ctx, c)
	ans, err := r.loop(ctx)
	r.sight.end(ctx, ans == nil && err == nil, r.gaveUp, err)
	return ans, err
}

func (r *run) loop(ctx context.Context) (*answer, error) {
	for {
		ans, failure := r.attempt(ctx)
		if failure == nil {
			r.answered()
			return ans, nil
		}
		step := r.judge(ctx, failure)
		if step == stop {
			return nil, r.end(ctx, failure, "")
		}
		if step == again || step == lookLater {
			if err := r.pause(ctx, failure, failure.RetryAfter, step); err != nil {
				return nil, err
			}
		}
		if step == lookLater || step == lookNow {
			if absent, err := r.settle(ctx, failure); !absent {
				return nil, err
			}
		}
	}
}

// A run is one call on its way through the engine.
type run struct {
	*engine
	call    *call
	send    func(context.Context) (*answer, *miss)
	start   time.Time
	maximum time.Duration
	sight   sighting

	attempts []Attempt // those that failed
	observed int       // how many of them OnAttempt has seen
	used     int       // slots of the schedule that have passed, whether a retry, a look or nothing came of them
	doubt    bool      // the change may have been made; once so, so for the rest of the call
	adrift   bool      // an attempt that no 5xx answered may have been received, or still be
	gaveUp   bool      // the call ended although its last failure was one to retry
}

// attempt sends the call once.
func (r *run) attempt(ctx context.Context) (*answer, *Error) {
	a := Attempt{Call: r.call.name, Method: r.call.method, Name: r.call.resource, Number: len(r.attempts) + 1,
		Changes: r.call.change != reads, Start: time.Now()}
	ans, miss := r.timed(ctx)
	a.Latency = time.Since(a.Start)
	if ans != nil {
		a.Status = ans.status
	}
	var failure *Error
	switch {
	case miss != nil:
		failure = missed(r.call, a.Status, miss)
	case ans.status < 200 || ans.status > 299:
		failure = refusal(r.call, ans)
		failure.RetryAfter = max(failure.RetryAfter, retryAfter(ans.header))
	default:
		r.sight.attempt(ctx, &a)
		if r.policy.OnAttempt != nil {
			r.policy.OnAttempt(ctx, a)
		}
		return ans, nil
	}
	own := *failure // the failure itself will hold the attempts: they must not hold it
	a.Reason, a.Err = failure.Reason, &own
	r.sight.attempt(ctx, &a)
	r.attempts = append(r.attempts, a)
	if a.Changes {
		r.doubt = r.doubt || failure.doubt
		r.adrift = r.adrift || failure.doubt && failure.HTTPStatus < 500
	}
	return nil, failure
}

// timed holds one attempt to its timeout, which covers reading the answer.
func (r *run) timed(ctx context.Context) (*answer, *miss) {
	if d := r.policy.attemptTimeout(); d != NoTimeout {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, ErrAttemptTimeout)
		defer cancel()
		ans, m := r.send(ctx)
		if m != nil && errors.Is(m.err, ErrAttemptTimeout) {
			m.text += " of " + d.String()
		}
		return ans, m
	}
	return r.send(ctx)
}

// A step is what follows a failed attempt.
type step int

const (
	stop      step = iota // the end of the call
	again                 // a wait, and another attempt
	lookLater             // a wait, and a look at what became of the change
	lookNow               // a look at once: the answer may be the echo of a lost attempt
)

// judge decides what follows a failed attempt. It is the one place where the rules of lost answers are obeyed.
func (r *run) judge(ctx context.Context, failure *Error) step {
	if ctx.Err() != nil { // the caller is gone; nothing may be sent on its behalf
		return stop
	}
	retryable := r.retryable(r.attempts[len(r.attempts)-1])
	settling := r.policy.InDoubt == Settle && r.settles
	switch {
	case !r.doubt:
	case r.policy.InDoubt == Stop:
		return stop
	case settling && !failure.doubt && r.call.settle != nil && r.call.settle.explains(failure.HTTPStatus, failure.envelope):
		return lookNow
	case settling && failure.doubt && !RetryStatus(r.attempts[len(r.attempts)-1]):
		retryable = true // whatever lost the answer: what follows does no harm
	}
	switch {
	case !retryable:
		return stop
	case !r.doubt || r.call.change == repeats || r.policy.InDoubt == Resend:
		return again
	case r.call.settle != nil:
		return lookLater
	}
	return stop
}

func (r *run) retryable(a Attempt) bool {
	if r.policy.Retryable != nil {
		return r.policy.Retryable(a)
	}
	return RetryStatus(a)
}

// settle looks until there is a finding. It reports true when the change is absent and may be sent, and otherwise how
// the call ends; without an error, the settler has what the call made.
func (r *run) settle(ctx context.Context, failure *Error) (bool, error) {
	r.observe(ctx)
	for {
		found, err := r.call.settle.look(ctx, r.start)
		switch {
		case err == nil && found == ours:
			r.answered()
			r.log.LogAttrs(ctx, slog.LevelDebug, "memorystore: lost answer settled",
				slog.String("call", r.call.name), slog.String("name", r.call.resource), slog.Int("attempts", len(r.attempts)))
			return false, nil
		case err == nil && found == absent && !r.adrift && RetryStatus(r.attempts[len(r.attempts)-1]):
			return true, nil
		case err == nil:
			r.doubt = found == confused || found == absent && r.adrift
			return false, r.end(ctx, failure, "")
		case !transient(err):
			return false, r.end(ctx, failure, "what became of it could not be found out: "+err.Error(), err)
		}
		failure.causes = append(failure.causes, err)
		look, _ := errors.AsType[*Error](err)
		if err := r.pause(ctx, failure, look.RetryAfter, lookLater); err != nil {
			return false, err
		}
	}
}

// pause waits for the next slot of the schedule in which something may be sent, at least as long as the hint of the last
// answer asks. Its error ends the call.
func (r *run) pause(ctx context.Context, failure *Error, hint time.Duration, next step) error {
	a := &r.attempts[len(r.attempts)-1]
	for ; ; hint = 0 {
		if hint > r.policy.maxRetryAfter() {
			return r.end(ctx, failure, fmt.Sprintf("the server asked to wait %s, longer than MaxRetryAfter %s", short(hint), short(r.policy.maxRetryAfter())))
		}
		if r.used >= r.policy.retries() {
			return r.end(ctx, failure, "")
		}
		wait := r.wait(hint)
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			return r.end(ctx, failure, "the context ends before the next attempt, due in "+short(wait), context.DeadlineExceeded)
		}
		r.used++
		paid := r.budget == nil || r.budget.take()
		if !paid && r.used == r.policy.retries() {
			return r.end(ctx, failure, "the client-side retry budget is empty", ErrRetryBudget)
		}
		a.Wait += wait
		r.observe(ctx)
		r.sight.wait(ctx, wait)
		r.warn(ctx, failure, wait, next, paid)
		if err := sleep(ctx, wait); err != nil {
			a.Wait = 0 // there is no next attempt
			return r.end(ctx, failure, "the wait before the next attempt was cut short: "+oneLine(err.Error(), 200), contextErrors(ctx)...)
		}
		if paid {
			return nil
		}
	}
}

// wait computes the next wait. A hint of the server lengthens it, and never shortens it.
func (r *run) wait(hint time.Duration) time.Duration {
	backoff := r.policy.Backoff
	if backoff == nil {
		backoff = ExponentialBackoff
	}
	wait := min(max(backoff(r.used, r.maximum), 0), r.maximum)
	if hint > 0 {
		wait = max(wait, hint+jitter())
	}
	return wait
}

// end completes the error that a call ends with, and logs it when the engine gives up on what it would have retried.
func (r *run) end(ctx context.Context, failure *Error, stopped string, causes ...error) error {
	last := r.attempts[len(r.attempts)-1]
	if ctx.Err() != nil && len(causes) == 0 { // the context ended an attempt: the answer before it says more
		causes = contextErrors(ctx)
		if before := len(r.attempts) - 2; failure.HTTPStatus == 0 && before >= 0 {
			stopped = failure.Message
			failure, _ = errors.AsType[*Error](r.attempts[before].Err)
			own := *failure
			failure = &own
		}
	}
	failure = failure.because(stopped, causes...)
	failure.Attempts, failure.Elapsed, failure.Ambiguous = r.attempts, time.Since(r.start), r.doubt
	r.observe(ctx)
	if !failure.doubt && last.Status != 0 && !RetryStatus(last) {
		r.answered()
	}
	r.gaveUp = !r.call.aside && (r.retryable(last) || failure.Ambiguous)
	if r.gaveUp && !r.call.quiet && !errors.Is(ctx.Err(), context.Canceled) {
		giveUp(ctx, r.log, failure)
	}
	return failure
}

// observe hands the last attempt to the hook, once.
func (r *run) observe(ctx context.Context) {
	if r.policy.OnAttempt != nil && r.observed < len(r.attempts) {
		r.policy.OnAttempt(ctx, r.attempts[len(r.attempts)-1])
	}
	r.observed = len(r.attempts)
}

// answered credits the budget with a call that the service answered.
func (r *run) answered() {
	if r.budget != nil {
		r.budget.answered()
	}
}

// giveUp writes the one ERROR record of a call.
func giveUp(ctx context.Context, log *slog.Logger, e *Error) {
	log.LogAttrs(ctx, slog.LevelError, "memorystore: giving up", slog.Any("error", e), slog.String("support", supportPage))
}

// warn writes the WARN record of a slot.
func (r *run) warn(ctx context.Context, failure *Error, wait time.Duration, next step, paid bool) {
	message := "memorystore: retrying"
	switch {
	case !paid:
		message = "memorystore: retry skipped, the client-side retry budget is empty"
	case next == lookLater:
		message = "memorystore: looking for the change before it is sent again"
	}
	r.log.LogAttrs(ctx, slog.LevelWarn, message, slog.Duration("wait", wait), slog.Int("attempt", len(r.attempts)), slog.Any("error", failure))
}

// sleep waits, unless the context ends first or at the same moment.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err()
}

// contextErrors returns what errors.Is must find once the context has ended: its error, and its cause if that differs.
func contextErrors(ctx context.Context) []error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return []error{ctx.Err(), cause}
	}
	return []error{ctx.Err()}
}

// transient reports whether a failed look may fare better later.
func transient(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.lost || e.HTTPStatus == http.StatusTooManyRequests || e.HTTPStatus >= 500)
}

// retryAfter reads the Retry-After header: seconds, or a date in any of HTTP's three forms, which is held against the
// answer's own Date because the two clocks need not agree. Nonsense and the past are no hint.
//
// https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
func retryAfter(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(hintLimit/time.Second) {
			return hintLimit
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(date.Sub(now), 0), hintLimit)
}
