package fakeserver_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A list over all locations loses nothing between its pages, also where one location's name begins another's.
func TestPagesOverLocations(t *testing.T) {
	s := fakeserver.New(fakeserver.WithLocations("us", "us-a"))
	want := map[string]bool{}
	for _, location := range []string{"us", "us-a"} {
		for _, id := range []string{"a", "b"} {
			op := must(t, s, "POST", "/v1/projects/p/locations/"+location+"/instances?instanceId="+id, basic)
			want[op["name"].(string)] = true
		}
	}
	got := map[string]bool{}
	for path := "/v1/projects/p/locations/-/operations?pageSize=1"; path != ""; {
		list := must(t, s, "GET", path, "")
		require.Len(t, list["operations"], 1)
		got[list["operations"].([]any)[0].(object)["name"].(string)] = true
		path = ""
		if token, ok := list["nextPageToken"].(string); ok {
			path = "/v1/projects/p/locations/-/operations?pageSize=1&pageToken=" + token
		}
	}
	assert.Equal(t, want, got)
}

// What comes over a socket and what comes from Client are the same failure.
func TestFaultInformational(t *testing.T) {
	both(t, func(t *testing.T, s *fakeserver.Server, c *http.Client) {
		s.Inject("instances.create", fakeserver.Fault{Status: 103, AfterWork: true},
			fakeserver.Fault{Status: 503, Header: http.Header{"x-lower": {"a"}, "X-Lower": {"b"}, "retry-after": {"3"}}})
		_, err := post(s, c, "a")
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		must(t, s, "GET", "/v1/"+parent+"/instances/a", "")
		resp, err := post(s, c, "b")
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, "3", resp.Header.Get("Retry-After"))
		assert.ElementsMatch(t, []string{"a", "b"}, resp.Header.Values("X-Lower"))
	})
}

// A failure that was announced and met no operation is reported, as a fault is.
func TestFailUnspent(t *testing.T) {
	tb := &spyTB{}
	s := fakeserver.Start(tb)
	for _, id := range []string{"a", "b"} {
		s.Operations().Fail(parent+"/instances/"+id, 13, "broken")
	}
	must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", basic)
	assert.Equal(t, []string{`Fail("` + parent + `/instances/b"): code 13 "broken"`}, s.Unspent())
	for _, f := range tb.cleanups {
		f()
	}
	require.Len(t, tb.errors, 1)
	assert.Contains(t, tb.errors[0], "instances/b")
}

// A token in the query is a credential, as Google's front end takes it; the header's comes first.
func TestTokenInQuery(t *testing.T) {
	s := fakeserver.New(fakeserver.WithTokens(fakeserver.TokenPolicy{Tokens: map[string][]string{"good": {"*"}, "poor": {"redis.instances.list"}}}))
	path := "/v1/" + parent + "/instances"
	for query, status := range map[string]int{"": 401, "?access_token=good": 200, "?oauth_token=good": 200, "?access_token=bad": 401} {
		got, _ := ask(t, s, "GET", path+query, "")
		assert.Equal(t, status, got, query)
	}
	finish := must(t, s, "POST", path+"?instanceId=a&access_token=good", basic)
	must(t, s, "GET", "/v1/"+finish["name"].(string)+"?access_token=good", "")
	must(t, s, "PATCH", path+"/a?updateMask=authEnabled&access_token=good", `{"authEnabled":true}`)
	refused(t, s, "GET", path+"/a?access_token=poor", "", 403)
	req, err := http.NewRequest("GET", s.URL()+path+"?access_token=bad", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer good")
	resp, err := s.Client().Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 200, resp.StatusCode)
}

// Which number a project's id has is not known, so a network's project is held against it only as an id.
func TestNetworkOfNumberedProject(t *testing.T) {
	for _, tt := range []struct {
		project, network string
		status           int
	}{{"p", "p", 200}, {"p", "other", 400}, {"p", "123456", 200}, {"123456", "p", 200}} {
		status, _ := ask(t, fakeserver.New(), "POST", "/v1/projects/"+tt.project+"/locations/us-central1/instances?instanceId=a",
			`{"tier":"BASIC","memorySizeGb":1,"authorizedNetwork":"projects/`+tt.network+`/global/networks/n"}`)
		assert.Equal(t, tt.status, status, tt)
	}
}

// The read endpoint of replicas that are enabled later lies in the original block where it is large enough.
func TestReadEndpointLater(t *testing.T) {
	for reserved, want := range map[string]string{"10.1.1.16/28": "10.1.1.21", "10.1.1.16/29": "10.20.30.4"} {
		s := fakeserver.New()
		in := create(t, s, "ha", `{"tier":"STANDARD_HA","memorySizeGb":5,"reservedIpRange":"`+reserved+`"}`)
		assert.Equal(t, "10.1.1.20", in["host"])
		in = finish(t, s, must(t, s, "PATCH", "/v1/"+parent+"/instances/ha?updateMask=readReplicasMode,secondaryIpRange",
			`{"readReplicasMode":2,"secondaryIpRange":"10.20.30.0/28"}`))["response"].(object)
		assert.Equal(t, want, in["readEndpoint"])
		assert.Equal(t, "10.1.1.20", in["host"])
	}
}

// The edges of rules, each on its two sides.
func TestEdges(t *testing.T) {
	const window = `"maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":1,"startTime":{`
	for _, tt := range []struct {
		field  string
		status int
	}{
		{`"redisConfigs":{"maxmemory-gb":"1.9"}`, 400}, {`"redisConfigs":{"maxmemory-gb":"2"}`, 200}, {`"redisConfigs":{"maxmemory-gb":"10"}`, 200},
		{`"redisConfigs":{"maxmemory-gb":"10.1"}`, 400},
		{window + `"minutes":59}}]}`, 200}, {window + `"minutes":60}}]}`, 400}, {window + `"minutes":-1}}]}`, 400},
		{window + `"seconds":59}}]}`, 200}, {window + `"seconds":60}}]}`, 400},
	} {
		status, _ := ask(t, fakeserver.New(), "POST", "/v1/"+parent+"/instances?instanceId=a", `{"tier":"BASIC","memorySizeGb":10,`+tt.field+`}`)
		assert.Equal(t, tt.status, status, tt.field)
	}
}

// A parameter that is fixed at creation is neither changed, added nor taken out.
func TestDatabasesAreFixed(t *testing.T) {
	s := fakeserver.New()
	create(t, s, "a", `{"tier":"BASIC","memorySizeGb":1,"redisConfigs":{"databases":"30","timeout":"0"}}`)
	path := "/v1/" + parent + "/instances/a?updateMask=redisConfigs"
	for _, configs := range []string{`{}`, `{"timeout":"0"}`, `{"databases":"31"}`} {
		assert.Contains(t, refused(t, s, "PATCH", path, `{"redisConfigs":`+configs+`}`, 400)["message"], "databases can only be set", configs)
	}
	finish(t, s, must(t, s, "PATCH", path, `{"redisConfigs":{"databases":"30"}}`))
}

// What time does to an instance and to its operations.
func TestEdgesInTime(t *testing.T) {
	const day = 24 * time.Hour
	instance := "/v1/" + parent + "/instances/a"
	for name, test := range map[string]func(t *testing.T){
		"a snapshot's start is kept": func(t *testing.T) {
			s := fakeserver.New()
			in := create(t, s, "a", `{"tier":"BASIC","memorySizeGb":1,"persistenceConfig":{"persistenceMode":"RDB"}}`)
			start := in["persistenceConfig"].(object)["rdbSnapshotStartTime"]
			time.Sleep(day)
			in = finish(t, s, must(t, s, "PATCH", instance+"?updateMask=persistenceConfig",
				`{"persistenceConfig":{"persistenceMode":"RDB","rdbSnapshotPeriod":"ONE_HOUR"}}`))["response"].(object)
			assert.Equal(t, start, in["persistenceConfig"].(object)["rdbSnapshotStartTime"])
		},
		"a cancelled operation that is let go ends": func(t *testing.T) {
			s := fakeserver.New()
			create(t, s, "a", basic)
			s.Operations().Hold(parent + "/instances/a")
			op := must(t, s, "POST", instance+":export", `{"outputConfig":{"gcsDestination":{"uri":"gs://bucket/a.rdb"}}}`)
			must(t, s, "POST", "/v1/"+op["name"].(string)+":cancel", "")
			assert.Len(t, s.Operations().Running(), 1)
			s.Operations().Release(parent + "/instances/a")
			assert.Empty(t, s.Operations().Running(), "no poll was needed")
		},
		"an operation ends no earlier than it was let go": func(t *testing.T) {
			s := fakeserver.New(fakeserver.WithOperationTimes(fakeserver.After(time.Minute)))
			s.Operations().Hold(parent + "/instances/a")
			op := must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", basic)
			time.Sleep(time.Hour)
			s.Operations().Release(parent + "/instances/a")
			released := time.Now().UTC()
			time.Sleep(time.Hour)
			ended, err := time.Parse(time.RFC3339, must(t, s, "GET", "/v1/"+op["name"].(string), "")["metadata"].(object)["endTime"].(string))
			require.NoError(t, err)
			assert.Equal(t, released, ended)
		},
		"read replicas that failed give their block back": func(t *testing.T) {
			s := fakeserver.New()
			create(t, s, "a", `{"tier":"STANDARD_HA","memorySizeGb":5}`)
			s.Operations().Fail(parent+"/instances/a", 13, "broken")
			enable := func() object {
				op := must(t, s, "PATCH", instance+"?updateMask=readReplicasMode,secondaryIpRange", `{"readReplicasMode":2,"secondaryIpRange":"10.20.30.0/28"}`)
				return finish(t, s, op)
			}
			assert.NotNil(t, enable()["error"])
			assert.Nil(t, enable()["error"])
		},
		"maintenance is put off by a week at most, from where it was first": func(t *testing.T) {
			first := time.Now().Add(8 * day).UTC()
			s := fakeserver.New(fakeserver.WithInstances(`{"name":"` + parent + `/instances/a","tier":"BASIC","memorySizeGb":1,
				"maintenanceSchedule":{"startTime":"` + first.Format(time.RFC3339) + `"}}`))
			to := func(d time.Duration) (string, string, string) {
				return "POST", instance + ":rescheduleMaintenance", `{"rescheduleType":"SPECIFIC_TIME","scheduleTime":"` + first.Add(d).Format(time.RFC3339) + `"}`
			}
			late := func() {
				method, path, body := to(7*day + time.Second)
				refused(t, s, method, path, body, 400)
			}
			late()
			method, path, body := to(day)
			finish(t, s, must(t, s, method, path, body))
			late()
			method, path, body = to(7 * day)
			finish(t, s, must(t, s, method, path, body))
		},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
	}
}
