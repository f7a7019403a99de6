package fakeserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// both runs a test over the direct client and over a socket.
func both(t *testing.T, test func(t *testing.T, s *fakeserver.Server, c *http.Client)) {
	t.Run("direct", func(t *testing.T) {
		s := fakeserver.New()
		test(t, s, s.Client())
	})
	t.Run("socket", func(t *testing.T) {
		s := fakeserver.Start(t)
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		test(t, s, c)
	})
}

func post(s *fakeserver.Server, c *http.Client, id string) (*http.Response, error) {
	return c.Post(s.URL()+"/v1/"+parent+"/instances?instanceId="+id, "application/json", strings.NewReader(basic))
}

func TestFaultStatus(t *testing.T) {
	both(t, func(t *testing.T, s *fakeserver.Server, c *http.Client) {
		rule := s.Inject("instances.create",
			fakeserver.Fault{Status: 503, RetryAfter: "7", RetryInfo: 1500 * time.Millisecond, Times: 2},
			fakeserver.Fault{Status: 429, AfterWork: true})
		for range 2 {
			resp, err := post(s, c, "a")
			require.NoError(t, err)
			b, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			require.Equal(t, 503, resp.StatusCode)
			assert.Equal(t, "7", resp.Header.Get("Retry-After"))
			assert.JSONEq(t, `{"error":{"code":503,"message":"The service is currently unavailable.","status":"UNAVAILABLE",
				"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}]}}`, string(b))
		}
		refused(t, s, "GET", "/v1/"+parent+"/instances/a", "", 404)
		resp, err := post(s, c, "a")
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, 429, resp.StatusCode)
		must(t, s, "GET", "/v1/"+parent+"/instances/a", "")
		assert.Equal(t, 3, rule.Hits())
		assert.Empty(t, s.Unspent())
	})
}

func TestFaultReset(t *testing.T) {
	both(t, func(t *testing.T, s *fakeserver.Server, c *http.Client) {
		s.Inject("instances.create", fakeserver.Fault{Reset: true, AfterWork: true})
		_, err := post(s, c, "a")
		var op *net.OpError
		require.ErrorAs(t, err, &op)
		assert.ErrorIs(t, err, syscall.ECONNRESET)
		must(t, s, "GET", "/v1/"+parent+"/instances/a", "")
		x := s.Journal()[0]
		assert.True(t, x.Acted)
		assert.Zero(t, x.Status)
		assert.True(t, x.Fault.Reset)
	})
}

func TestFaultTruncate(t *testing.T) {
	both(t, func(t *testing.T, s *fakeserver.Server, c *http.Client) {
		s.Inject("instances.create", fakeserver.Fault{Truncate: true}, fakeserver.Fault{Truncate: true, Status: 500})
		for _, status := range []int{200, 500} {
			resp, err := post(s, c, "a")
			require.NoError(t, err)
			b, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
			assert.Equal(t, status, resp.StatusCode)
			assert.EqualValues(t, resp.ContentLength/2, len(b))
		}
		refused(t, s, "GET", "/v1/"+parent+"/instances/a", "", 404)
	})
}

func TestFaultBodies(t *testing.T) {
	both(t, func(t *testing.T, s *fakeserver.Server, c *http.Client) {
		s.Inject("instances.create", fakeserver.Fault{Garbage: true}, fakeserver.Fault{Status: 502, HTML: true},
			fakeserver.Fault{Status: 307, Header: http.Header{"Location": {"http://elsewhere.invalid/"}}}, fakeserver.Fault{Status: 204},
			fakeserver.Fault{Status: 999}, fakeserver.Fault{Status: 418, Body: "tea"})
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for _, want := range []struct {
			status int
			typ    string
			body   string
		}{
			{200, "application/json", "not JSON"}, {502, "text/html", "<title>Error 502 (Server Error)!!1</title>"}, {307, "application/json", ""},
			{204, "", ""}, {999, "application/json", `"code": 999`}, {418, "application/json", "tea"},
		} {
			resp, err := post(s, c, "a")
			require.NoError(t, err)
			b, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			resp.Body.Close()
			assert.Equal(t, want.status, resp.StatusCode)
			assert.Contains(t, resp.Header.Get("Content-Type"), want.typ)
			assert.Contains(t, string(b), want.body)
		}
		refused(t, s, "GET", "/v1/"+parent+"/instances/a", "", 404)
	})
}

func TestFaultStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fakeserver.New()
		s.Inject("instances.create", fakeserver.Fault{Stall: time.Minute}, fakeserver.Fault{Stall: time.Minute, AfterWork: true})
		send := func(id string, patience time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, "POST", s.URL()+"/v1/"+parent+"/instances?instanceId="+id, strings.NewReader(basic))
			require.NoError(t, err)
			resp, err := s.Client().Do(req)
			if err == nil {
				resp.Body.Close()
			}
			return err
		}
		start := time.Now()
		require.ErrorIs(t, send("a", time.Second), context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(start))
		refused(t, s, "GET", "/v1/"+parent+"/instances/a", "", 404)
		require.ErrorIs(t, send("b", time.Second), context.DeadlineExceeded)
		must(t, s, "GET", "/v1/"+parent+"/instances/b", "")
		s.Inject("instances.create", fakeserver.Fault{Stall: time.Minute})
		start = time.Now()
		require.NoError(t, send("c", time.Hour))
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

func TestFaultOrderAndTarget(t *testing.T) {
	s := fakeserver.New()
	s.Inject("instances.get", fakeserver.Fault{Status: 500, Target: parent + "/instances/b"})
	s.Inject("projects.locations.instances.get", fakeserver.Fault{Status: 503}, fakeserver.Fault{Status: 502})
	s.Inject("instances.create", fakeserver.Fault{Status: 429, Target: parent + "/instances/b"})
	for _, step := range []struct {
		id     string
		status int
	}{{"a", 503}, {"b", 500}, {"b", 502}, {"b", 404}} {
		status, _ := ask(t, s, "GET", "/v1/"+parent+"/instances/"+step.id, "")
		assert.Equal(t, step.status, status)
	}
	create(t, s, "a", basic)
	assert.Len(t, s.Unspent(), 1)
	refused(t, s, "POST", "/v1/"+parent+"/instances?instanceId=b", basic, 429)
}

func TestInjectRefuses(t *testing.T) {
	s := fakeserver.New()
	assert.PanicsWithValue(t, `fakeserver: Inject: no method "instances.grow"; there are locations.list, locations.get, instances.list, instances.get, `+
		`instances.getAuthString, instances.create, instances.patch, instances.delete, instances.export, instances.import, instances.failover, `+
		`instances.upgrade, instances.rescheduleMaintenance, operations.list, operations.get, operations.delete, operations.cancel`,
		func() { s.Inject("instances.grow", fakeserver.Fault{Status: 500}) })
	assert.Panics(t, func() { s.Inject("instances.get") })
	for _, f := range []fakeserver.Fault{
		{}, {AfterWork: true}, {Status: 99}, {Status: 1000}, {Status: 500, Times: -1}, {Stall: -1}, {Reset: true, Status: 500}, {Reset: true, Truncate: true},
		{Truncate: true, Garbage: true}, {Garbage: true, Message: "x"}, {Message: "x"}, {HTML: true}, {RetryAfter: "1"}, {Status: 200, Message: "x"},
		{Status: 500, HTML: true, Body: "x"}, {Status: 500, HTML: true, Message: "x"}, {Status: 204, Truncate: true}, {Status: 500, Details: []any{1}},
		{Status: 500, Details: []any{make(chan int)}},
	} {
		assert.Panics(t, func() { s.Inject("instances.get", f) }, "%+v", f)
	}
}

// Two faults that differ are told apart when one of them is reported as unspent.
func TestFaultString(t *testing.T) {
	seen := map[string]string{}
	add := func(what string, f fakeserver.Fault) {
		s := f.String()
		assert.Empty(t, seen[s], "%s reads as %s: %s", what, seen[s], s)
		seen[s] = what
	}
	add("nothing", fakeserver.Fault{})
	typ := reflect.TypeFor[fakeserver.Fault]()
	for i := range typ.NumField() {
		field := typ.Field(i)
		if field.Name == "Times" { // printed beside it, with how many are left
			continue
		}
		for variant := 1; variant <= 2; variant++ {
			var f fakeserver.Fault
			v := reflect.ValueOf(&f).Elem().Field(i)
			switch x := v.Addr().Interface().(type) {
			case *bool:
				if variant == 2 {
					continue
				}
				*x = true
			case *int:
				*x = 500 + variant
			case *string:
				*x = strings.Repeat("long ", variant*20)
			case *time.Duration:
				*x = time.Duration(variant) * time.Second
			case *http.Header:
				*x = http.Header{"Location": {strings.Repeat("x", variant)}}
			case *[]any:
				*x = []any{object{"a": variant}}
			default:
				t.Fatalf("a type this test does not know: %s", field.Name)
			}
			add(fmt.Sprint(field.Name, variant), f)
		}
	}
	assert.Equal(t, `status 503 message "busy" detail "{\"a\":1}" RetryInfo 1.5s Retry-After "7" header X ["y"] after the work for projects/p`,
		fakeserver.Fault{Status: 503, Message: "busy", Details: []any{object{"a": 1}}, RetryInfo: 1500 * time.Millisecond, RetryAfter: "7",
			Header: http.Header{"X": {"y"}}, AfterWork: true, Target: "projects/p"}.String())
}

type spyTB struct {
	skipped  bool
	errors   []string
	cleanups []func()
}

func (s *spyTB) Helper()                      {}
func (s *spyTB) Errorf(f string, args ...any) { s.errors = append(s.errors, fmt.Sprintf(f, args...)) }
func (s *spyTB) Skipped() bool                { return s.skipped }
func (s *spyTB) FailNow()                     { runtime.Goexit() }
func (s *spyTB) Cleanup(f func())             { s.cleanups = append(s.cleanups, f) }

func TestStartReportsUnspent(t *testing.T) {
	tb := &spyTB{}
	s := fakeserver.Start(tb)
	s.Inject("instances.get", fakeserver.Fault{Status: 503, Times: 2})
	resp, err := http.Get(s.URL() + "/v1/" + parent + "/instances/a")
	require.NoError(t, err)
	resp.Body.Close()
	for _, f := range tb.cleanups {
		f()
	}
	require.Len(t, tb.errors, 1)
	assert.Contains(t, tb.errors[0], "instances.get: status 503, 1 of 2 times")
	_, err = http.Get(s.URL())
	assert.True(t, errors.Is(err, syscall.ECONNREFUSED), "%v", err)
	assert.NoError(t, s.Close())
}

// A test that was skipped did not come to its faults.
func TestStartSkipped(t *testing.T) {
	tb := &spyTB{skipped: true}
	s := fakeserver.Start(tb)
	s.Inject("instances.get", fakeserver.Fault{Status: 503})
	for _, f := range tb.cleanups {
		f()
	}
	assert.Empty(t, tb.errors)
	_, err := http.Get(s.URL())
	assert.ErrorIs(t, err, syscall.ECONNREFUSED)
}

// What would hang until the test times out ends at once.
func TestStartInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(365 * 24 * time.Hour)
		tb, ended := &spyTB{}, make(chan struct{})
		go func() {
			defer close(ended)
			fakeserver.Start(tb)
			assert.Fail(t, "it went on")
		}()
		<-ended
		require.Len(t, tb.errors, 1)
		assert.Contains(t, tb.errors[0], "fakeserver: Start: a testing/synctest bubble has no network")
		assert.Empty(t, tb.cleanups)
		assert.Error(t, fakeserver.New().Listen("127.0.0.1:0"))
	})
}

func TestStartNil(t *testing.T) {
	assert.Contains(t, panicking(t, func() { fakeserver.Start(nil) }), "fakeserver: Start(nil): it needs the test")
}

// A server on all addresses is reached at one of them.
func TestListenEverywhere(t *testing.T) {
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		s := fakeserver.New()
		require.NoError(t, s.Listen(addr))
		assert.Regexp(t, `^http://127\.0\.0\.1:\d+$`, s.URL())
		resp, err := http.Get(s.URL() + "/v1/" + parent + "/instances")
		require.NoError(t, err)
		resp.Body.Close()
		assert.NoError(t, s.Close())
	}
}

// A read whose answer is cut off is no poll, and a change whose answer is cut off before the work seems what it would be.
func TestTruncatedAnswersCountForNothing(t *testing.T) {
	s := fakeserver.New(fakeserver.WithInstances(`{"name":"` + parent + `/instances/a","tier":"BASIC","memorySizeGb":1}`))
	op := must(t, s, "PATCH", "/v1/"+parent+"/instances/a?updateMask=displayName", `{"displayName":"x"}`)["name"].(string)
	s.Inject("operations.get", fakeserver.Fault{Truncate: true})
	_, err := s.Client().Get(s.URL() + "/v1/" + op)
	assert.NoError(t, err)
	assert.Equal(t, "UPDATING", must(t, s, "GET", "/v1/"+parent+"/instances/a", "")["state"])

	s.Inject("instances.delete", fakeserver.Fault{Truncate: true})
	req, err := http.NewRequest("DELETE", s.URL()+"/v1/"+parent+"/instances/a", nil)
	assert.NoError(t, err)
	resp, err := s.Client().Do(req)
	assert.NoError(t, err)
	half, _ := io.ReadAll(resp.Body)
	assert.NotContains(t, string(half), `"create"`)

	// The answer that is cut off is the one that the request would have had.
	quota := fakeserver.New(fakeserver.WithQuota(fakeserver.Quota{CreatesPerMinute: 1}))
	quota.Inject("instances.create", fakeserver.Fault{Truncate: true})
	quota.Inject("instances.delete", fakeserver.Fault{Truncate: true})
	quota.Inject("operations.delete", fakeserver.Fault{Truncate: true})
	cut := func(method, path, body string) (int, string) {
		req, err := http.NewRequest(method, quota.URL()+"/v1/"+parent+path, strings.NewReader(body))
		require.NoError(t, err)
		resp, err := quota.Client().Do(req)
		require.NoError(t, err)
		half, err := io.ReadAll(resp.Body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		return resp.StatusCode, string(half)
	}
	status, half2 := cut("DELETE", "/instances/none", "")
	assert.Equal(t, 404, status)
	assert.Contains(t, half2, "was not found")
	status, _ = cut("DELETE", "/operations/none", "")
	assert.Equal(t, 404, status)
	status, half2 = cut("POST", "/instances?instanceId=b", basic)
	assert.Equal(t, 200, status)
	assert.Contains(t, half2, "/operations/operation-")
	refused(t, quota, "GET", "/v1/"+parent+"/instances/b", "", 404)
	assert.Empty(t, must(t, quota, "GET", "/v1/"+parent+"/operations", ""))
	for _, x := range quota.Journal() {
		assert.False(t, x.Acted)
	}
	host := create(t, quota, "b", basic)["host"] // the quota is not used up, nor an address
	assert.Equal(t, create(t, fakeserver.New(), "b", basic)["host"], host)
	assert.Panics(t, func() { s.Inject("instances.get", fakeserver.Fault{Status: 204, Garbage: true}) })
}

// An instance can be born at a newer maintenance version that is available, and not at an older one.
func TestBornAtAVersion(t *testing.T) {
	s := fakeserver.New()
	for id, want := range map[string][2]string{"a": {"20260220_00_01", "20260220_00_01"}, "b": {"20200101_00_00", "20251007_00_00"}, "c": {"", "20251007_00_00"}} {
		in := create(t, s, id, `{"tier":"BASIC","memorySizeGb":1,"maintenanceVersion":"`+want[0]+`"}`)
		assert.Equal(t, want[1], in["maintenanceVersion"], id)
		assert.Equal(t, want[1] == "20251007_00_00", in["availableMaintenanceVersions"] != nil, id)
	}
}

// A certificate ends as it was recorded, without a line feed.
func TestCertificateEnds(t *testing.T) {
	in := create(t, fakeserver.New(), "a", `{"tier":"BASIC","memorySizeGb":1,"transitEncryptionMode":"SERVER_AUTHENTICATION"}`)
	assert.Regexp(t, "-----END CERTIFICATE-----$", in["serverCaCerts"].([]any)[0].(object)["cert"])
}
