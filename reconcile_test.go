package memorystore

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"
)

var update = flag.Bool("update", false, "write testdata/lost_answers.txt anew")

const (
	lostName     = "projects/p/locations/us-central1/instances/cache"
	lostParent   = "projects/p/locations/us-central1"
	lostSeed     = `{"name":"` + lostName + `","tier":"STANDARD_HA","memorySizeGb":5,"redisVersion":"REDIS_6_X","displayName":"before"}`
	rivalAgent   = "rival"
	lostFailure  = "an internal error has occurred"
	lostSnapshot = "gs://bucket/dump.rdb"
)

// A lostVerb is one of the eight changing methods: ours, and the same or another change made by a rival.
type lostVerb struct {
	name   string // of the method
	id     string // Google's, for faults
	change change
	act    func(context.Context, *Client) (lostOutcome, error)
	rival  func(rig *lostRig) // the same verb with other values, where it has values
}

// A lostOutcome is an operation of either type.
type lostOutcome interface {
	Name() string
	Reconciled() bool
}

func lostInstance() *Instance {
	return &Instance{Name: lostName, Tier: TierStandardHA, MemorySizeGB: 5, DisplayName: "ours", Labels: map[string]string{"by": "us"}}
}

var lostVerbs = []lostVerb{
	{"CreateInstance", "instances.create", repeats,
		func(ctx context.Context, c *Client) (lostOutcome, error) {
			return outcome(c.CreateInstance(ctx, lostInstance()))
		},
		func(r *lostRig) { r.rivalCreates("theirs") }},
	{"UpdateInstance", "instances.patch", repeats,
		func(ctx context.Context, c *Client) (lostOutcome, error) {
			return outcome(c.UpdateInstance(ctx, lostInstance(), FieldDisplayName, FieldLabels))
		},
		func(r *lostRig) {
			r.rivalSends("PATCH", lostName+"?updateMask=displayName", `{"displayName":"theirs"}`)
		}},
	{"DeleteInstance", "instances.delete", repeats,
		func(ctx context.Context, c *Client) (lostOutcome, error) {
			return outcome(c.DeleteInstance(ctx, lostName))
		},
		func(r *lostRig) { r.rivalSends("DELETE", lostName, "") }},
	{"UpgradeInstance", "instances.upgrade", repeats,
		func(ctx context.Context, c *Client) (lostOutcome, error) {
			return outcome(c.UpgradeInstance(ctx, lostName, "REDIS_7_2"))
		},
		func(r *lostRig) { r.rivalSends("POST", lostName+":upgrade", `{"redisVersion":"REDIS_7_0"}`) }},
	{"FailoverInstance", "instances.failover", acts,
		func(ctx context.Context, c *Client) (lostOutcome, error) {
			return outcome(c.FailoverInstance(ctx, lostName, ""))
		},
		func(r *lostRig) { r.rivalSends("POST", lostName+":failover", `{}`) }},
	{"ImportInstance", "instances.import", acts,
		func(ctx context.Context, c *Client) (lostOutcome, error) {
			return outcome(c.ImportInstance(ctx, lostName, lostSnapshot))
		},
		func(r *lostRig) {
			r.rivalSends("POST", lostName+":import", `{"inputConfig":{"gcsSource":{"uri":"gs://theirs/dump.rdb"}}}`)
		}},
	{"ExportInstance", "instances.export", acts,
		func(ctx context.Context, c *Client) (lostOutcome, error) {
			return outcome(c.ExportInstance(ctx, lostName, lostSnapshot))
		},
		func(r *lostRig) {
			r.rivalSends("POST", lostName+":export", `{"outputConfig":{"gcsDestination":{"uri":"gs://theirs/dump.rdb"}}}`)
		}},
	{"RescheduleMaintenance", "instances.rescheduleMaintenance", acts,
		func(ctx context.Context, c *Client) (lostOutcome, error) {
			return outcome(c.RescheduleMaintenance(ctx, lostName, Reschedule{Type: RescheduleTypeNextAvailableWindow}))
		},
		func(r *lostRig) {
			r.rivalSends("POST", lostName+":rescheduleMaintenance", `{"rescheduleType":"NEXT_AVAILABLE_WINDOW"}`)
		}},
}

// outcome keeps a nil operation from becoming an interface that is not nil.
func outcome[T Result](o *Operation[T], err error) (lostOutcome, error) {
	if err != nil {
		return nil, err
	}
	return o, nil
}

// finish waits for either type of operation.
func finish(ctx context.Context, o lostOutcome) error {
	switch o := o.(type) {
	case *Operation[Instance]:
		_, err := o.Wait(ctx)
		return err
	case *Operation[Empty]:
		_, err := o.Wait(ctx)
		return err
	}
	panic("unknown operation")
}

// lostFaults are what happens to our requests, in order.
var lostFaults = []struct {
	name   string
	faults []fakeserver.Fault
}{
	{"503 before the work", []fakeserver.Fault{{Status: 503}}},
	{"503 after it", []fakeserver.Fault{{Status: 503, AfterWork: true}}},
	{"reset after it", []fakeserver.Fault{{Reset: true, AfterWork: true}}},
	{"cut 200", []fakeserver.Fault{{Truncate: true, AfterWork: true}}},
	{"504 then 503", []fakeserver.Fault{{Status: 504, AfterWork: true}, {Status: 503}}},
	{"429", []fakeserver.Fault{{Status: 429}}},
}

var (
	lostFates  = []string{"runs", "finished", "failed", "vanished"}
	lostRivals = []string{"nobody", "earlier same verb", "other values in the window", "instance of that name", "deleted and created anew"}
)

// A lostRig is one row: a server, our client, and somebody else.
type lostRig struct {
	t      testing.TB
	server *fakeserver.Server
	client *Client
	log    bytes.Buffer
	sends  []Attempt // of the verb, not of looks
	after  func()    // once, after our first attempt
}

func newLostRig(t testing.TB, verb lostVerb, opts ...fakeserver.Option) *lostRig {
	r := &lostRig{t: t}
	opts = append([]fakeserver.Option{fakeserver.WithOperationTimes(fakeserver.Immediate())}, opts...)
	if verb.name != "CreateInstance" {
		opts = append(opts, fakeserver.WithInstances(lostSeedFor(verb)))
	}
	r.server = fakeserver.New(opts...)
	var err error
	r.client, err = NewClient(t.Context(), option.WithHTTPClient(r.server.Client()), WithLogger(slog.New(slog.NewTextHandler(&r.log, nil))),
		WithRetry(RetryPolicy{MaximumBackoff: 32 * time.Second, OnAttempt: func(_ context.Context, a Attempt) {
			if a.Call != verb.name {
				return
			}
			r.sends = append(r.sends, a)
			if then := r.after; then != nil {
				r.after = nil
				then()
			}
		}}))
	require.NoError(t, err)
	time.Sleep(time.Hour) // what was there before is old
	return r
}

func lostSeedFor(verb lostVerb) string {
	if verb.name != "RescheduleMaintenance" {
		return lostSeed
	}
	start := time.Now().Add(3 * 24 * time.Hour).UTC()
	return strings.TrimSuffix(lostSeed, "}") + fmt.Sprintf(`,"maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":%q,"startTime":{"hours":%d}}]}`+
		`,"maintenanceSchedule":{"startTime":%q,"endTime":%q,"scheduleDeadlineTime":%q}}`, strings.ToUpper(start.Weekday().String()), start.Hour(),
		start.Format(time.RFC3339), start.Add(time.Hour).Format(time.RFC3339), start.Add(9*24*time.Hour).Format(time.RFC3339))
}

// rivalSends sends a request that is not ours, and reports whether the service took it.
func (r *lostRig) rivalSends(method, path, body string) bool {
	req, err := http.NewRequest(method, r.server.URL()+"/v1/"+path, strings.NewReader(body))
	require.NoError(r.t, err)
	req.Header.Set("User-Agent", rivalAgent)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := r.server.Client().Do(req)
	if err != nil {
		return false // it met a fault that was meant for us
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode == 200
}

func (r *lostRig) rivalCreates(displayName string) {
	r.rivalSends("POST", lostParent+"/instances?instanceId=cache", `{"tier":"STANDARD_HA","memorySizeGb":5,"redisVersion":"REDIS_6_X","displayName":"`+displayName+`"}`)
}

// complete ends what runs on the instance.
func (r *lostRig) complete() {
	for _, name := range r.server.Operations().Running() {
		r.server.Operations().Complete(name)
	}
}

// acted counts the requests of ours that changed something.
func (r *lostRig) acted(verb lostVerb) int {
	n := 0
	for _, e := range r.server.Journal() {
		if e.Method == verb.id && e.Acted && e.Header.Get("User-Agent") != rivalAgent {
			n++
		}
	}
	return n
}

// looks counts the times that the operations were listed.
func (r *lostRig) looks() int {
	n := 0
	for _, e := range r.server.Journal() {
		if e.Method == "operations.list" {
			n++
		}
	}
	return n
}

func (r *lostRig) records(level string) int { return strings.Count(r.log.String(), "level="+level) }

// play runs a row to its end.
func (r *lostRig) play(verb lostVerb, faults []fakeserver.Fault, fate, rival string) (lostOutcome, error) {
	switch rival {
	case "earlier same verb":
		verb.rival(r)
		switch verb.name {
		case "CreateInstance":
			r.rivalSends("DELETE", lostName, "")
		case "DeleteInstance":
			r.rivalCreates("before")
		case "UpgradeInstance": // there is one version left to go
		}
		time.Sleep(10 * time.Minute)
	case "instance of that name":
		if verb.name == "CreateInstance" {
			r.rivalCreates("theirs")
			time.Sleep(10 * time.Minute)
		}
	}
	r.server.Operations().Hold(lostName)
	r.server.Inject(verb.id, faults...)
	r.after = func() {
		switch fate {
		case "finished":
			r.complete()
		case "failed":
			for _, name := range r.server.Operations().Running() {
				r.server.Operations().Fail(name, 13, lostFailure)
			}
		case "vanished":
			running := r.server.Operations().Running()
			r.complete()
			for _, name := range running {
				r.rivalSends("DELETE", name, "")
			}
		}
		switch rival {
		case "other values in the window":
			verb.rival(r)
			if fate != "runs" {
				r.complete()
			}
		case "deleted and created anew":
			r.complete()
			r.rivalSends("DELETE", lostName, "")
			r.complete()
			r.rivalCreates("anew")
			r.complete()
		}
	}
	op, err := verb.act(r.t.Context(), r.client)
	if err != nil {
		return nil, err
	}
	r.server.Operations().Release(lostName)
	r.complete()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Hour)
	defer cancel()
	return op, finish(ctx, op)
}

// TestLostAnswers, with pitfalls 27 (a cut 200), 39 (create), 40 (delete), 41 (a reset) and 42 (failover), plays every row and holds it against testdata/lost_answers.txt, which was read line by line. What no
// row may break is asserted beside it.
func TestLostAnswers(t *testing.T) {
	const file = "testdata/lost_answers.txt"
	var got strings.Builder
	got.WriteString("# verb | fault | our operation | somebody else -> outcome; times the service acted for us, sends, looks, slots; ERROR records\n")
	for _, verb := range lostVerbs {
		for _, f := range lostFaults {
			for _, fate := range lostFates {
				for _, rival := range lostRivals {
					if rival == "instance of that name" && verb.name != "CreateInstance" {
						continue // the others are about an instance that is there
					}
					row := fmt.Sprintf("%s | %s | %s | %s", verb.name, f.name, fate, rival)
					synctest.Test(t, func(t *testing.T) {
						r := newLostRig(t, verb)
						op, err := r.play(verb, f.faults, fate, rival)
						r.mustHold(row, verb, f.name, fate, rival, op, err)
						fmt.Fprintf(&got, "%s -> %s; %d acted, %d sent, %d looks, %d slots; %d ERROR\n", row, describe(op, err),
							r.acted(verb), len(r.sends), r.looks(), r.records("WARN"), r.records("ERROR"))
					})
				}
			}
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	wantRows, gotRows := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
	require.Len(t, gotRows, len(wantRows))
	for i := range wantRows {
		assert.Equal(t, wantRows[i], gotRows[i])
	}
}

// mustHold asserts what holds in every row.
func (r *lostRig) mustHold(row string, verb lostVerb, fault, fate, rival string, op lostOutcome, err error) {
	r.t.Helper()
	e, _ := errors.AsType[*Error](err)
	// Somebody who deletes the record of an operation within seconds of its start leaves nothing to find: no client
	// can tell that from a request that was never carried out.
	unseen := fate == "vanished" && verb.change == acts
	if verb.change == acts && !unseen {
		assert.LessOrEqual(r.t, r.acted(verb), 1, "%s: done twice", row)
	}
	if err != nil && e.Operation == "" && !e.Ambiguous && !unseen {
		assert.Zero(r.t, r.acted(verb), "%s: reported failed without a word of doubt, but it was made: %v", row, err)
	}
	if err == nil && rival == "nobody" {
		assert.Equal(r.t, 1, min(1, r.acted(verb)), "%s: reported made, and was not", row)
	}
	if fault == "429" && op != nil {
		assert.False(r.t, op.Reconciled(), "%s: a 429 is no doubt", row)
	}
	assert.LessOrEqual(r.t, r.records("ERROR"), 1, row)
	for _, a := range r.sends {
		if a.Wait > 0 {
			assert.LessOrEqual(r.t, a.Wait, 127*time.Second, row)
			assert.Zero(r.t, a.Wait%time.Millisecond, row)
		}
	}
}

// describe says how a row ended in words that stay the same.
func describe(op lostOutcome, err error) string {
	e, failed := errors.AsType[*Error](err)
	switch {
	case failed && e.Operation != "":
		return fmt.Sprintf("its operation failed: %s%s", e.Code, found(op))
	case failed && e.Ambiguous:
		return fmt.Sprintf("%d %s, ambiguous", e.HTTPStatus, e.Code)
	case failed:
		return fmt.Sprintf("%d %s", e.HTTPStatus, e.Code)
	case err != nil:
		return err.Error()
	}
	return "made" + found(op)
}

func found(op lostOutcome) string {
	switch {
	case op == nil || !op.Reconciled():
		return ""
	case op.Name() == "":
		return ", found in the instance"
	}
	return ", found"
}
