package fakeserver_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One instance, asked for in every way that proto JSON allows.
func TestSpellings(t *testing.T) {
	for _, body := range []string{
		`{"tier":"STANDARD_HA","memorySizeGb":7,"readReplicasMode":"READ_REPLICAS_ENABLED","replicaCount":3}`,
		`{"tier":3,"memorySizeGb":"7","readReplicasMode":2,"replicaCount":3.0}`,
		`{"tier":"3","memory_size_gb":7e0,"read_replicas_mode":2,"replica_count":"3","labels":null,"displayName":null}`,
		" {\n\"tier\" : \"STANDARD\\u005fHA\", \"memorySizeGb\": 1, \"memorySizeGb\": 7, \"readReplicasMode\": 2, \"replicaCount\": 3 } ",
	} {
		s := fakeserver.New()
		op := finish(t, s, must(t, s, "POST", "/v1/"+parent+"/instances?instance_id=a", body))
		in := op["response"].(object)
		assert.Equal(t, "STANDARD_HA", in["tier"], body)
		assert.EqualValues(t, 7, in["memorySizeGb"], body)
		assert.EqualValues(t, 3, in["replicaCount"], body)
		assert.Len(t, in["nodes"], 4)
		for mask, patch := range map[string]string{"display_name,redis_configs": `{"displayName":"x","redis_configs":{"timeout":"0"}}`, "displayName,redisConfigs": `{"display_name":"","redisConfigs":{}}`} {
			finish(t, s, must(t, s, "PATCH", "/v1/"+parent+"/instances/a?update_mask="+mask, patch))
		}
	}
}

func TestEnumNumbers(t *testing.T) {
	s := fakeserver.New()
	create(t, s, "a", `{"tier":"BASIC","memorySizeGb":1,"persistenceConfig":{"persistenceMode":"RDB"},"maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":"SUNDAY"}]}}`)
	in := must(t, s, "GET", "/v1/"+parent+"/instances/a?$alt=json;enum-encoding=int", "")
	assert.EqualValues(t, 2, in["state"])
	assert.EqualValues(t, 6, in["persistenceConfig"].(object)["rdbSnapshotPeriod"])
	assert.EqualValues(t, 7, in["maintenancePolicy"].(object)["weeklyMaintenanceWindow"].([]any)[0].(object)["day"])
	list := must(t, s, "GET", "/v1/"+parent+"/instances?%24alt=json%3Benum-encoding%3Dint", "")
	assert.EqualValues(t, 1, list["instances"].([]any)[0].(object)["tier"])
	ops := must(t, s, "GET", "/v1/"+parent+"/operations?%24alt=json%3Benum-encoding%3Dint", "")
	assert.Equal(t, "BASIC", ops["operations"].([]any)[0].(object)["response"].(object)["tier"])
}

func TestPrettyPrint(t *testing.T) {
	s := fakeserver.New(fakeserver.WithLocations("us-east1"))
	assert.Equal(t, `{
  "name": "projects/p/locations/us-east1",
  "locationId": "us-east1",
  "displayName": "South Carolina",
  "labels": {
    "cloud.googleapis.com/region": "us-east1"
  },
  "metadata": {
    "@type": "type.googleapis.com/google.cloud.redis.v1.LocationMetadata",
    "availableZones": {
      "us-east1-b": {},
      "us-east1-c": {},
      "us-east1-d": {}
    }
  }
}
`, text(t, s, "GET", "/v1/projects/p/locations/us-east1", ""))
	for _, q := range []string{"prettyPrint=false", "prettyPrint=0", "$prettyPrint=false"} {
		assert.Equal(t, `{"name":"projects/p/locations/us-east1"}`, text(t, s, "GET", "/v1/projects/p/locations/us-east1?fields=name&"+q, ""))
		assert.Contains(t, text(t, s, "GET", "/v1/projects/p/locations/x?"+q, ""), `{"error":{"code":403,`)
	}
	assert.Contains(t, text(t, s, "GET", "/v1/projects/p/locations/x?prettyPrint=false&$.xgafv=1", ""),
		`"message":"Location x is not found or access is unauthorized.","errors":[{"message":"Location x is not found or access is unauthorized.","domain":"global","reason":"forbidden"}],"status":"PERMISSION_DENIED"`)
}

func TestGzip(t *testing.T) {
	both(t, func(t *testing.T, s *fakeserver.Server, c *http.Client) {
		for _, tt := range []struct{ accept, coding string }{{"gzip", "gzip"}, {"deflate, GZIP;q=0.5", "gzip"}, {"gzip;q=0", ""}, {"identity", ""}} {
			req, err := http.NewRequest("GET", s.URL()+"/v1/"+parent+"/instances/none", nil)
			require.NoError(t, err)
			req.Header.Set("Accept-Encoding", tt.accept)
			resp, err := c.Do(req)
			require.NoError(t, err)
			assert.Equal(t, tt.coding, resp.Header.Get("Content-Encoding"), tt.accept)
			body := io.Reader(resp.Body)
			if tt.coding != "" {
				body, err = gzip.NewReader(resp.Body)
				require.NoError(t, err)
			}
			b, err := io.ReadAll(body)
			require.NoError(t, err)
			resp.Body.Close()
			assert.Contains(t, string(b), "was not found")
		}
	})
}

func TestRequestBodies(t *testing.T) {
	const most = 10 << 20
	s := fakeserver.New()
	must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", strings.Repeat(" ", most-len(basic))+basic)
	both(t, func(t *testing.T, s *fakeserver.Server, c *http.Client) {
		resp, err := c.Post(s.URL()+"/v1/"+parent+"/instances?instanceId=b", "application/json", strings.NewReader(strings.Repeat(" ", most+1)))
		require.NoError(t, err)
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Contains(t, string(b), "Request payload size exceeds the limit: 10485760 bytes.")
		assert.Equal(t, 400, resp.StatusCode)
	})
}

func TestMethodOverride(t *testing.T) {
	s := fakeserver.New()
	create(t, s, "a", basic)
	assert.Contains(t, text(t, s, "POST", "/v1/"+parent+"/instances/a", "", "X-HTTP-Method-Override", "GET"), `"state": "READY"`)
	resp, _ := fetch(t, s, "POST", "/v1/"+parent+"/instances/a", "")
	assert.Equal(t, 404, resp.StatusCode)
}

// spyBody counts what the client's side of a request must see.
type spyBody struct {
	io.Reader
	closed int
}

func (b *spyBody) Close() error { b.closed++; return nil }

// The direct client keeps the promises of http.RoundTripper.
func TestDirectClient(t *testing.T) {
	s := fakeserver.New()
	body := &spyBody{Reader: strings.NewReader(basic)}
	req, err := http.NewRequest("POST", "http://anything.example/v1/"+parent+"/instances?instanceId=a", body)
	require.NoError(t, err)
	before := req.Clone(t.Context())
	resp, err := s.Client().Transport.RoundTrip(req)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 1, body.closed)
	assert.Same(t, req, resp.Request)
	assert.Equal(t, before.Header, req.Header)
	assert.Equal(t, before.URL, req.URL)
	assert.Equal(t, "200 OK", resp.Status)
	assert.Equal(t, []string{"chunked"}, resp.TransferEncoding)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	body = &spyBody{Reader: strings.NewReader(basic)}
	req, err = http.NewRequestWithContext(ctx, "POST", s.URL()+"/v1/"+parent+"/instances?instanceId=b", body)
	require.NoError(t, err)
	_, err = s.Client().Do(req)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, body.closed)

	broken := errors.New("broken")
	req, err = http.NewRequest("POST", s.URL()+"/v1/"+parent+"/instances?instanceId=b", io.MultiReader(strings.NewReader("{"), failing{broken}))
	require.NoError(t, err)
	_, err = s.Client().Do(req)
	require.ErrorIs(t, err, broken)
	refused(t, s, "GET", "/v1/"+parent+"/instances/b", "", 404)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestSeeds(t *testing.T) {
	name := parent + "/instances/a"
	read := text(t, seeded(`{"name":"`+name+`","tier":"STANDARD_HA","memorySizeGb":5,"connectMode":"PRIVATE_SERVICE_ACCESS","authorizedNetwork":"projects/p/global/networks/n","authEnabled":true}`), "GET", "/v1/"+name, "")
	again := text(t, seeded(read), "GET", "/v1/"+name, "")
	assert.Equal(t, read, again, "what was read can be seeded")
	s := seeded(`{"name":"` + name + `","tier":"BASIC","memorySizeGb":1,"authEnabled":true,"createTime":"2020-01-02T03:04:05.000000006Z","state":"MAINTENANCE","host":"10.1.2.3","maintenanceVersion":"20200101_00_00"}`)
	in := must(t, s, "GET", "/v1/"+name, "")
	assert.Equal(t, "2020-01-02T03:04:05.000000006Z", in["createTime"])
	assert.Equal(t, "10.1.2.3", in["host"])
	assert.Equal(t, "20200101_00_00", in["maintenanceVersion"])
	assert.Len(t, must(t, s, "GET", "/v1/"+name+"/authString", "")["authString"], 36)
	refused(t, s, "PATCH", "/v1/"+name+"?updateMask=labels", "", 400)
	for _, bad := range []string{"", "{", `{"tier":"BASIC","memorySizeGb":1}`, `{"name":"a","tier":"BASIC","memorySizeGb":1}`, `{"name":"` + name + `"}`,
		`{"name":"projects/p/locations/nowhere/instances/a","tier":"BASIC","memorySizeGb":1}`, `{"name":"` + parent + `/instances/A","tier":"BASIC","memorySizeGb":1}`} {
		assert.Panics(t, func() { seeded(bad) }, bad)
	}
	assert.Panics(t, func() { seeded(read, read) })
	for _, bad := range []string{"{", "{}", `{"name":"` + name + `"}`, `{"name":"` + parent + `/operations/o","metadata":{"createTime":"yesterday"}}`} {
		assert.Panics(t, func() { fakeserver.New(fakeserver.WithOperations(bad)) }, bad)
	}
	s = fakeserver.New(fakeserver.WithInstances(read), fakeserver.WithOperations(
		`{"name":"`+parent+`/operations/o1","done":true,"metadata":{"verb":"update","target":"`+name+`"}}`,
		`{"name":"`+parent+`/operations/o2","done":true,"error":{"code":8,"message":"full"},"metadata":{"verb":"create","target":"`+parent+`/instances/b"}}`,
		`{"name":"`+parent+`/operations/o3","metadata":{"verb":"repair","target":"`+name+`","apiVersion":"v1internal1"}}`))
	assert.Equal(t, name, must(t, s, "GET", "/v1/"+parent+"/operations/o1", "")["response"].(object)["name"])
	assert.Equal(t, object{"code": 8.0, "message": "full"}, must(t, s, "GET", "/v1/"+parent+"/operations/o2", "")["error"])
	assert.Equal(t, false, must(t, s, "GET", "/v1/"+parent+"/operations/o3", "")["done"])
	s.Operations().Complete(parent + "/operations/o3")
	assert.Equal(t, true, must(t, s, "GET", "/v1/"+parent+"/operations/o3", "")["done"])
}

func seeded(json ...string) *fakeserver.Server {
	return fakeserver.New(fakeserver.WithInstances(json...))
}
