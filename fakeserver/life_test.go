package fakeserver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLife(t *testing.T) {
	s := fakeserver.New()
	op := must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=cache", basic)
	assert.Equal(t, false, op["done"])
	assert.Regexp(t, `^`+parent+`/operations/operation-\d{13}-[0-9a-f]{13}-[0-9a-f]{8}-[0-9a-f]{8}$`, op["name"])
	in := must(t, s, "GET", "/v1/"+parent+"/instances/cache", "")
	assert.Equal(t, "CREATING", in["state"])
	assert.NotContains(t, in, "host")

	op = must(t, s, "GET", "/v1/"+op["name"].(string), "")
	assert.Equal(t, true, op["done"])
	in = must(t, s, "GET", "/v1/"+parent+"/instances/cache", "")
	assert.Equal(t, "READY", in["state"])
	assert.Equal(t, "10.0.0.0/29", in["reservedIpRange"])
	assert.Equal(t, "10.0.0.3", in["host"])

	for _, step := range []struct{ method, path, body, state string }{
		{"PATCH", "?updateMask=labels,memorySizeGb", `{"labels":{"a":"b"},"memorySizeGb":2}`, "UPDATING"},
		{"POST", ":upgrade", `{"redisVersion":"REDIS_7_2"}`, "UPDATING"},
		{"POST", ":export", `{"outputConfig":{"gcsDestination":{"uri":"gs://bucket/a.rdb"}}}`, "UPDATING"},
		{"POST", ":import", `{"inputConfig":{"gcsSource":{"uri":"gs://bucket/a.rdb"}}}`, "IMPORTING"},
	} {
		op := must(t, s, step.method, "/v1/"+parent+"/instances/cache"+step.path, step.body)
		assert.Equal(t, step.state, must(t, s, "GET", "/v1/"+parent+"/instances/cache", "")["state"], step.path)
		e := refused(t, s, "DELETE", "/v1/"+parent+"/instances/cache", "", 400)
		assert.Equal(t, "FAILED_PRECONDITION", e["status"])
		in = finish(t, s, op)["response"].(object)
		assert.Equal(t, "READY", in["state"])
	}
	assert.EqualValues(t, 2, in["memorySizeGb"])
	assert.Equal(t, "REDIS_7_2", in["redisVersion"])
	assert.Len(t, must(t, s, "GET", "/v1/"+parent+"/operations", "")["operations"], 5)

	finish(t, s, must(t, s, "DELETE", "/v1/"+parent+"/instances/cache", ""))
	refused(t, s, "GET", "/v1/"+parent+"/instances/cache", "", 404)
}

func TestFailover(t *testing.T) {
	s := fakeserver.New()
	in := create(t, s, "ha", `{"tier":"STANDARD_HA","memorySizeGb":5}`)
	assert.Equal(t, in["locationId"], in["currentLocationId"])
	op := must(t, s, "POST", "/v1/"+parent+"/instances/ha:failover", "")
	assert.Equal(t, "FAILING_OVER", must(t, s, "GET", "/v1/"+parent+"/instances/ha", "")["state"])
	after := finish(t, s, op)["response"].(object)
	assert.Equal(t, in["alternativeLocationId"], after["currentLocationId"])
	assert.Equal(t, in["locationId"], after["locationId"])
}

func TestTimes(t *testing.T) {
	for _, tt := range []struct {
		times fakeserver.OperationTimes
		wait  time.Duration
		polls int
	}{
		{fakeserver.Immediate(), 0, 0},
		{fakeserver.After(3 * time.Second), 3 * time.Second, 0},
		{fakeserver.Realistic(), 4*time.Minute + 57*time.Second, 0},
		{fakeserver.Polls(3), 0, 3},
		{fakeserver.Polls(0), 0, 0},
	} {
		t.Run(tt.times.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := fakeserver.New(fakeserver.WithOperationTimes(tt.times))
				op := must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", basic)
				name := "/v1/" + op["name"].(string)
				if tt.wait > 0 {
					time.Sleep(tt.wait - 1)
					require.Equal(t, false, must(t, s, "GET", name, "")["done"])
					time.Sleep(time.Nanosecond)
					op = must(t, s, "GET", name, "")
				}
				for i := range tt.polls {
					require.Equal(t, false, op["done"], "poll %d", i)
					must(t, s, "GET", "/v1/"+parent+"/instances/a", "")
					op = must(t, s, "GET", name, "")
				}
				require.Equal(t, true, op["done"])
			})
		})
	}
}

func TestControl(t *testing.T) {
	s := fakeserver.New(fakeserver.WithOperationTimes(fakeserver.Immediate()))
	target := parent + "/instances/a"
	s.Operations().Hold(target)
	op := must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", basic)
	name := op["name"].(string)
	require.Equal(t, []string{name}, s.Operations().Running())
	for range 3 {
		require.Equal(t, false, must(t, s, "GET", "/v1/"+name, "")["done"])
	}
	s.Operations().Release(name)
	require.Equal(t, true, must(t, s, "GET", "/v1/"+name, "")["done"])

	op = must(t, s, "PATCH", "/v1/"+target+"?updateMask=memory_size_gb", `{"memorySizeGb":9}`)
	s.Operations().Fail(target, 13, "an internal error has occurred")
	op = must(t, s, "GET", "/v1/"+op["name"].(string), "")
	assert.Equal(t, object{"code": 13.0, "message": "an internal error has occurred"}, op["error"])
	assert.EqualValues(t, 1, must(t, s, "GET", "/v1/"+target, "")["memorySizeGb"])

	op = must(t, s, "PATCH", "/v1/"+target+"?updateMask=memorySizeGb", `{"memorySizeGb":9}`)
	s.Operations().Complete(target)
	assert.Equal(t, true, must(t, s, "GET", "/v1/"+op["name"].(string), "")["done"])
	assert.EqualValues(t, 9, must(t, s, "GET", "/v1/"+target, "")["memorySizeGb"])

	s.Operations().Release(target)
	s.Operations().Fail(parent+"/instances/b", 9, "Unable to delegate the access of CMEK. Please try again later.")
	op = must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=b", basic)
	require.NotNil(t, op["error"])
	refused(t, s, "GET", "/v1/"+parent+"/instances/b", "", 404)

	assert.Panics(t, func() { s.Operations().Hold("b") })
	assert.Panics(t, func() { s.Operations().Complete(parent + "/operations/none") })
	assert.Panics(t, func() { s.Operations().Fail(target, 17, "") })
}
