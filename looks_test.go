package memorystore

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"
)

// rewrite lets a test change what the server answers in ways that no fault can.
type rewrite struct {
	base http.RoundTripper
	path string // suffix of the requests concerned
	body func([]byte) []byte
}

func (w rewrite) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.base.RoundTrip(req)
	if err != nil || !strings.HasSuffix(req.URL.Path, w.path) {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	body = w.body(body)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.Header.Del("Content-Length")
	return resp, nil
}

// serviceOperation is one that the service itself began on the instance, a moment ago.
func serviceOperation(verb, version string, at time.Time) string {
	return `{"name":"` + lostParent + `/operations/operation-1","done":false,"metadata":{"@type":"type.googleapis.com/google.cloud.redis.v1.OperationMetadata",` +
		`"createTime":"` + at.UTC().Format(time.RFC3339Nano) + `","target":"` + lostName + `","verb":"` + verb + `","cancelRequested":false,"apiVersion":"` + version + `"}}`
}

// TestLooks plays a failover whose 503 came after or before the work, and looks at it through every kind of trouble.
func TestLooks(t *testing.T) {
	failover := lostVerbs[4]
	require.Equal(t, "FailoverInstance", failover.name)
	after := fakeserver.Fault{Status: 503, AfterWork: true}
	before := fakeserver.Fault{Status: 503}

	for name, test := range map[string]struct {
		fault    fakeserver.Fault
		options  []fakeserver.Option
		prepare  func(*lostRig)
		want     string // as describe says
		acted    int
		sends    int
		slots    int
		contains string // of the error
	}{
		"refused": {fault: after, want: "503 UNAVAILABLE, ambiguous", acted: 1, sends: 1, slots: 1, contains: "403",
			prepare: func(r *lostRig) { r.server.Inject("operations.list", fakeserver.Fault{Status: 403}) }},
		"the instance refused": {fault: after, want: "503 UNAVAILABLE, ambiguous", acted: 1, sends: 1, slots: 1, contains: "403",
			prepare: func(r *lostRig) { r.server.Inject("instances.get", fakeserver.Fault{Status: 403}) }},
		"failing twice": {fault: after, want: "made, found", acted: 1, sends: 1, slots: 3,
			prepare: func(r *lostRig) {
				r.server.Inject("operations.list", fakeserver.Fault{Status: 503}, fakeserver.Fault{Reset: true})
			}},
		"failing until the retries are used up": {fault: after, want: "503 UNAVAILABLE, ambiguous", acted: 1, sends: 1, slots: 8, contains: "",
			prepare: func(r *lostRig) { r.server.Inject("instances.get", fakeserver.Fault{Status: 500, Times: 8}) }},
		"found on the second page": {fault: after, want: "made, found", acted: 1, sends: 1, slots: 1,
			options: []fakeserver.Option{fakeserver.WithPageSize(1), fakeserver.WithOperations(serviceOperation("update", "v1", time.Unix(946684800, 0)))}},
		"a maintenance failover of the service is not ours": {fault: before, want: "made", acted: 1, sends: 2, slots: 1,
			options: []fakeserver.Option{fakeserver.WithOperations(serviceOperation("failover", "v1internal1", time.Unix(946684800, 0).Add(time.Hour+time.Second)))}},
		"another verb is not ours": {fault: before, want: "made", acted: 1, sends: 2, slots: 1,
			options: []fakeserver.Option{fakeserver.WithOperations(serviceOperation("export", "v1", time.Unix(946684800, 0).Add(time.Hour+time.Second)))}},
		"the verb in another spelling is ours": {fault: before, want: "made, found", acted: 0, sends: 1, slots: 1,
			options: []fakeserver.Option{fakeserver.WithOperations(strings.Replace(serviceOperation("Fail_Over", "v1", time.Unix(946684800, 0).Add(time.Hour+time.Second)),
				`"done":false`, `"done":true,"response":{"name":"`+lostName+`"}`, 1))}},
		"no Date": {fault: after, want: "503 UNAVAILABLE, ambiguous", acted: 1, sends: 1, slots: 1, contains: "Date",
			options: []fakeserver.Option{fakeserver.WithoutDate()}},
		"the server's clock is an hour ahead": {fault: after, want: "made, found", acted: 1, sends: 1, slots: 1,
			options: []fakeserver.Option{fakeserver.WithClockOffset(time.Hour)}},
		"the server's clock is an hour behind": {fault: after, want: "made, found", acted: 1, sends: 1, slots: 1,
			options: []fakeserver.Option{fakeserver.WithClockOffset(-time.Hour)}},
		"an hour behind, and nothing to find": {fault: before, want: "made", acted: 1, sends: 2, slots: 1,
			options: []fakeserver.Option{fakeserver.WithClockOffset(-time.Hour)}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newLostRig(t, failover, test.options...)
				if test.prepare != nil {
					test.prepare(r)
				}
				op, err := r.play(failover, []fakeserver.Fault{test.fault}, "runs", "nobody")
				assert.Equal(t, test.want, describe(op, err))
				assert.Equal(t, test.acted, r.acted(failover), "acted")
				assert.Len(t, r.sends, test.sends, "sends")
				assert.Equal(t, test.slots, r.records("WARN"), "slots")
				exhausted := int64(0) // a look that fails is not a call given up
				if err != nil {
					exhausted = 1
				}
				assert.Equal(t, exhausted, r.client.Stats().Exhausted)
				if err != nil {
					assert.ErrorContains(t, err, test.contains)
					assert.ErrorIs(t, err, Unavailable)
					assert.Equal(t, 1, r.records("ERROR"))
				}
			})
		})
	}
}

// TestLookIsJoined: what kept a look from finding out is found in the error by errors.Is and errors.As.
func TestLookIsJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failover := lostVerbs[4]
		r := newLostRig(t, failover)
		r.server.Inject("operations.list", fakeserver.Fault{Status: 403})
		_, err := r.play(failover, []fakeserver.Fault{{Status: 503, AfterWork: true}}, "runs", "nobody")
		assert.ErrorIs(t, err, Unavailable)
		assert.ErrorIs(t, err, PermissionDenied)
	})
}

// TestLookUnreachable: a list that says it is not whole is no answer, and is asked for again.
func TestLookUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failover := lostVerbs[4]
		r := newLostRig(t, failover)
		lists := 0
		var err error
		r.client, err = NewClient(t.Context(), WithLogger(slog.New(slog.NewTextHandler(&r.log, nil))), WithRetry(r.client.retry),
			option.WithHTTPClient(&http.Client{Transport: rewrite{base: r.server.Client().Transport, path: "/operations", body: func(b []byte) []byte {
				if lists++; lists > 1 {
					return b
				}
				return []byte(`{"unreachable":["` + lostParent + `"]}`)
			}}}))
		require.NoError(t, err)
		op, err := r.play(failover, []fakeserver.Fault{{Status: 503, AfterWork: true}}, "runs", "nobody")
		assert.Equal(t, "made, found", describe(op, err))
		assert.Equal(t, 1, r.acted(failover))
		assert.Equal(t, 2, lists)
	})
}

// TestLookCancelled: a context that ends between the send and the look leaves doubt, and sends nothing more.
func TestLookCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failover := lostVerbs[4]
		r := newLostRig(t, failover)
		r.server.Inject("instances.failover", fakeserver.Fault{Status: 503, AfterWork: true})
		r.server.Inject("instances.get", fakeserver.Fault{Stall: time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := r.client.FailoverInstance(ctx, lostName, "")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorIs(t, err, Unavailable)
		assert.Equal(t, "503 UNAVAILABLE, ambiguous", describe(nil, err))
		assert.Len(t, r.sends, 1)
	})
}

// TestForeign404: a front end's page with the status 404 does not prove that an instance was deleted.
func TestForeign404(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deletion := lostVerbs[2]
		r := newLostRig(t, deletion)
		_, err := r.play(deletion, []fakeserver.Fault{{Status: 503}, {Status: 404, HTML: true}}, "runs", "nobody")
		assert.Equal(t, "404 NOT_FOUND, ambiguous", describe(nil, err))
	})
}

// TestInDoubt holds the three settings side by side: a failover whose 503 came after the work, and an update.
func TestInDoubt(t *testing.T) {
	failover, change := lostVerbs[4], lostVerbs[1]
	for _, test := range []struct {
		name  string
		in    InDoubt
		verb  lostVerb
		want  string
		acted int
		sends int
	}{
		{"Settle finds the failover", Settle, failover, "made, found", 1, 1},
		{"Resend sends it blindly, and is told that it is busy with itself", Resend, failover, "400 FAILED_PRECONDITION, ambiguous", 1, 2},
		{"Stop ends it", Stop, failover, "503 UNAVAILABLE, ambiguous", 1, 1},
		{"Settle finds the update", Settle, change, "made, found", 1, 2},
		{"Resend repeats the update", Resend, change, "400 FAILED_PRECONDITION, ambiguous", 1, 2},
		{"Stop ends the update", Stop, change, "503 UNAVAILABLE, ambiguous", 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newLostRig(t, test.verb)
				policy := r.client.retry
				policy.InDoubt = test.in
				r.client = r.client.With(WithRetry(policy))
				op, err := r.play(test.verb, []fakeserver.Fault{{Status: 503, AfterWork: true}}, "runs", "nobody")
				assert.Equal(t, test.want, describe(op, err))
				assert.Equal(t, test.acted, r.acted(test.verb))
				assert.Len(t, r.sends, test.sends)
			})
		})
	}
}

// TestAdoptedUpdateOfAnother: an update that was found turns out to have made something else, so ours is sent again.
func TestAdoptedUpdateOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		change := lostVerbs[1]
		r := newLostRig(t, change)
		_, err := r.play(change, []fakeserver.Fault{{Status: 503}}, "runs", "other values in the window")
		require.NoError(t, err)
		got, err := r.client.GetInstance(t.Context(), lostName)
		require.NoError(t, err)
		assert.Equal(t, "ours", got.DisplayName)
	})
}
