package memorystore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"

	"github.com/memorystore-go/memorystore/fakeserver"
)

// A scenario is a row of testdata/retry: what is asked, what goes wrong, and all that must come of it. The server is the
// fake, the time virtual; it begins at 2000-01-01T00:00:00Z.
type scenario struct {
	Row      string
	Methods  []string // names of methods, or reads, repeats, acts, changes, all
	Statuses []int    // the row is played with each of them as the status of its faults; empty: once, as it stands
	Faults   []faultRow
	Policy   policyRow
	Deadline span // of the context
	Cancel   span // the context is cancelled after this time
	Clock    span // the server's clock is ahead by this
	Want     wantRow
}

type faultRow struct {
	Status     int
	Times      int
	HTML       bool
	Body       *string
	BodySize   int // a body of so many letters
	Garbage    bool
	Truncate   bool
	Reset      bool
	AfterWork  bool
	Stall      span
	RetryAfter string
	RetryInfo  string // as it stands in the detail
}

type policyRow struct {
	MaxRetries     int
	MaximumBackoff span
	AttemptTimeout span
	MaxRetryAfter  span
	InDoubt        string // Settle, Resend, Stop
	Transport      bool   // RetryStatusOrTransport
}

type wantRow struct {
	Outcome    string   // ok, a code, canceled, deadline, timeout, lost, or unreadable
	Attempts   int      // that the server saw
	Waits      []string // between them, "20s to 21s"; none: those of the schedule
	Warn       int      // records at WARN; -1: one less than the attempts
	Error      int      // records at ERROR
	Ambiguous  bool
	Looks      int
	RetryAfter span
	Elapsed    string // "3s", or "20s to 21s"; empty: it does not matter
}

// A span is a duration in Go's spelling.
type span time.Duration

func (s *span) UnmarshalJSON(b []byte) error {
	text, err := strconv.Unquote(string(b))
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	*s = span(d)
	return err
}

// bounds reads "20s to 21s", or "20s" for both.
func bounds(t testing.TB, text string) (low, high time.Duration) {
	t.Helper()
	from, to, isRange := strings.Cut(text, " to ")
	if !isRange {
		to = from
	}
	var err error
	low, err = time.ParseDuration(from)
	require.NoError(t, err)
	high, err = time.ParseDuration(to)
	require.NoError(t, err)
	return low, high
}

func (f faultRow) fault(status int) fakeserver.Fault {
	out := fakeserver.Fault{Status: f.Status, Times: f.Times, HTML: f.HTML, Garbage: f.Garbage, Truncate: f.Truncate, Reset: f.Reset, AfterWork: f.AfterWork,
		Stall: time.Duration(f.Stall), RetryAfter: f.RetryAfter}
	if status != 0 {
		out.Status = status
	}
	switch {
	case f.BodySize > 0:
		out.Body = strings.Repeat("x", f.BodySize)
	case f.Body != nil && *f.Body == "":
		out.Body = " " // as empty as a Fault can say
	case f.Body != nil:
		out.Body = *f.Body
	}
	if f.RetryInfo != "" {
		out.Details = []any{map[string]string{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f.RetryInfo}}
	}
	return out
}

func (p policyRow) policy(t testing.TB) RetryPolicy {
	out := RetryPolicy{MaxRetries: p.MaxRetries, MaximumBackoff: time.Duration(p.MaximumBackoff), AttemptTimeout: time.Duration(p.AttemptTimeout), MaxRetryAfter: time.Duration(p.MaxRetryAfter)}
	switch p.InDoubt {
	case "", "Settle":
	case "Resend":
		out.InDoubt = Resend
	case "Stop":
		out.InDoubt = Stop
	default:
		require.Fail(t, "InDoubt "+p.InDoubt)
	}
	if p.Transport {
		out.Retryable = RetryStatusOrTransport
	}
	return out
}

// of returns the methods that a row is about.
func of(t testing.TB, names []string) []method {
	var out []method
	for _, name := range names {
		classes := map[string][]change{"reads": {reads}, "repeats": {repeats}, "acts": {acts}, "changes": {repeats, acts}, "all": {reads, repeats, acts}}
		if classes[name] == nil {
			out = append(out, methodNamed(t, name))
			continue
		}
		for _, m := range methods {
			for _, c := range classes[name] {
				if m.change == c {
					out = append(out, m)
				}
			}
		}
	}
	require.NotEmpty(t, out)
	return out
}

// conformanceSeed is the instance that all methods are called on; it has a maintenance to move.
const conformanceSeed = `{"name":"` + testInstance + `","tier":"STANDARD_HA","memorySizeGb":5,"redisVersion":"REDIS_7_0","createTime":"1999-12-01T00:00:00Z",` +
	`"maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":"TUESDAY","startTime":{"hours":3}}]},` +
	`"maintenanceSchedule":{"startTime":"2000-01-04T03:00:00Z","endTime":"2000-01-04T04:00:00Z","canReschedule":true,"scheduleDeadlineTime":"2000-01-13T03:00:00Z"}}`

// conformanceOperation runs on another instance, and can be cancelled.
const conformanceOperation = `{"name":"` + testOperation + `","metadata":{"target":"` + testLocation + `/instances/other","verb":"import","apiVersion":"v1","createTime":"1999-12-31T23:00:00Z"},"done":false}`

func TestRetryConformance(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "retry", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	covered := map[string]map[int]bool{}
	for _, file := range files {
		var rows []scenario
		dec := json.NewDecoder(strings.NewReader(string(testFile(t, "retry", filepath.Base(file)))))
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&rows), file)
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			for _, row := range rows {
				for _, m := range of(t, row.Methods) {
					statuses := row.Statuses
					if len(statuses) == 0 {
						statuses = []int{0}
					}
					for _, status := range statuses {
						name := row.Row + "/" + m.name
						if status != 0 {
							name += "/" + strconv.Itoa(status)
						}
						if covered[m.name] == nil {
							covered[m.name] = map[int]bool{}
						}
						covered[m.name][status] = true
						t.Run(name, func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) { row.play(t, m, status) })
						})
					}
				}
			}
		})
	}
	for _, m := range methods {
		for _, status := range []int{429, 500, 501, 502, 503, 504, 505, 511, 599, 400, 401, 403, 404, 408, 409, 412, 499} {
			assert.True(t, covered[m.name][status], "%s has no row with %d", m.name, status)
		}
	}
}

func (row scenario) play(t *testing.T, m method, status int) {
	operation := conformanceOperation
	if m.name == "DeleteOperation" { // only what has ended can be forgotten
		operation = strings.Replace(operation, `"done":false`, `"done":true,"response":{}`, 1)
	}
	opts := []fakeserver.Option{fakeserver.WithInstances(conformanceSeed), fakeserver.WithOperations(operation)}
	if row.Clock != 0 {
		opts = append(opts, fakeserver.WithClockOffset(time.Duration(row.Clock)))
	}
	server := fakeserver.New(opts...)
	var faults []fakeserver.Fault
	for _, f := range row.Faults {
		faults = append(faults, f.fault(status))
	}
	server.Inject(m.id, faults...)
	book := &logbook{}
	reported := 0
	policy := row.Policy.policy(t)
	policy.OnAttempt = func(_ context.Context, a Attempt) {
		if a.Call == m.name {
			reported++
		}
	}
	c, err := NewClient(t.Context(), option.WithHTTPClient(server.Client()), WithLogger(book.logger()), WithRetry(policy))
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if row.Deadline != 0 {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(row.Deadline))
		defer cancel()
	}
	if row.Cancel != 0 {
		time.AfterFunc(time.Duration(row.Cancel), cancel)
	}
	start := time.Now()
	_, err = m.call(ctx, c)
	elapsed := time.Since(start)
	want := row.Want

	assert.Equal(t, want.Outcome, outcomeOf(err), "%v", err)
	assert.Empty(t, server.Unspent(), "faults that no request met")

	// What the server saw is the truth; what the SDK says of it must agree.
	var seen []time.Time
	looks := 0
	for _, x := range server.Journal() {
		switch {
		case x.Method == m.id:
			seen = append(seen, x.Time)
		case x.Method == "operations.list":
			looks++
		}
	}
	assert.Len(t, seen, want.Attempts, "attempts")
	assert.Equal(t, want.Attempts, reported, "attempts that OnAttempt was told of")
	assert.Equal(t, want.Looks, looks, "looks")
	var waits []time.Duration
	for i := 1; i < len(seen); i++ {
		waits = append(waits, seen[i].Sub(seen[i-1]))
	}
	switch {
	case want.Waits == nil && row.Policy.MaximumBackoff != 0:
		m := time.Duration(row.Policy.MaximumBackoff)
		assert.Truef(t, onSchedule(waits, m, m), "%v", waits)
	case want.Waits == nil:
		assertSchedule(t, waits)
	case assert.Len(t, waits, len(want.Waits)):
		for i, text := range want.Waits {
			low, high := bounds(t, text)
			assertWithin(t, low, high, waits[i], "wait "+strconv.Itoa(i+1))
		}
	}
	if want.Elapsed != "" {
		low, high := bounds(t, want.Elapsed)
		assertWithin(t, low, high, elapsed, "the whole call")
	}
	warn := want.Warn
	if warn < 0 {
		warn = want.Attempts - 1
	}
	assert.Len(t, book.records(t, "WARN"), warn, "WARN records: %s", book)
	assert.Len(t, book.records(t, "ERROR"), want.Error, "ERROR records: %s", book)
	assert.Empty(t, book.records(t, "INFO"))
	if err != nil {
		e := failure(t, err)
		attempted(t, e, want.Attempts)
		assert.Equal(t, want.Ambiguous, e.Ambiguous, "Ambiguous")
		assert.Equal(t, time.Duration(want.RetryAfter), e.RetryAfter, "RetryAfter")
		assert.Equal(t, elapsed, e.Elapsed)
	}
}

// outcomeOf names an error as the rows do.
func outcomeOf(err error) string {
	e, isError := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return "ok"
	case !isError:
		return fmt.Sprintf("%T", err)
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline"
	case errors.Is(err, ErrAttemptTimeout):
		return "timeout"
	case e.HTTPStatus == http.StatusOK:
		return "unreadable"
	case e.HTTPStatus == 0:
		return "lost"
	}
	return string(e.Code)
}
