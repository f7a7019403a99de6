package fakeserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// as sends a request with a token and returns the answer and its error, if any.
func as(t testing.TB, s *fakeserver.Server, token, method, path, body string) (*http.Response, object) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL()+path, strings.NewReader(body))
	require.NoError(t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := s.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	var o object
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&o))
	e, _ := o["error"].(object)
	return resp, e
}

func reasonOf(e object) string {
	for _, d := range e["details"].([]any) {
		if r, ok := d.(object)["reason"].(string); ok {
			return r
		}
	}
	return ""
}

func TestTokens(t *testing.T) {
	s := fakeserver.New(fakeserver.WithTokens(fakeserver.TokenPolicy{
		Tokens: map[string][]string{"admin": {"*"}, "viewer": {"redis.instances.get", "redis.instances.list", "redis.operations.*"}, "editor": {"redis.instances.update"}},
		Deny:   []string{"redis.instances.delete"},
	}))
	path := "/v1/" + parent + "/instances/a"
	for _, tt := range []struct {
		token, method, path, body string
		status                    int
		reason, permission        string
	}{
		{"", "GET", path, "", 401, "CREDENTIALS_MISSING", ""},
		{"stranger", "GET", path, "", 401, "ACCESS_TOKEN_TYPE_UNSUPPORTED", ""},
		{"admin", "POST", "/v1/" + parent + "/instances?instanceId=a", `{"tier":"BASIC","memorySizeGb":1,"authEnabled":true}`, 200, "", ""},
		{"viewer", "GET", "/v1/" + parent + "/operations", "", 200, "", ""},
		{"viewer", "GET", path, "", 200, "", ""},
		{"viewer", "GET", path + "/authString", "", 403, "IAM_PERMISSION_DENIED", "redis.instances.getAuthString"},
		{"viewer", "POST", "/v1/" + parent + "/instances?instanceId=b", basic, 403, "IAM_PERMISSION_DENIED", "redis.instances.create"},
		{"admin", "DELETE", path, "", 403, "IAM_PERMISSION_DENIED", "redis.instances.delete"},
		{"editor", "PATCH", path + "?updateMask=authEnabled", "{}", 403, "IAM_PERMISSION_DENIED", "redis.instances.updateAuth"},
		{"editor", "PATCH", path + "?updateMask=labels,nope", "{}", 400, "", ""},
	} {
		resp, e := as(t, s, tt.token, tt.method, tt.path, tt.body)
		require.Equal(t, tt.status, resp.StatusCode, "%+v: %v", tt, e)
		if tt.reason != "" {
			assert.Equal(t, tt.reason, reasonOf(e))
		}
		switch tt.status {
		case 401:
			assert.True(t, strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), `Bearer realm="https://accounts.google.com/"`))
		case 403:
			resource := parent + "/instances/a"
			if tt.method == "POST" {
				resource = parent + "/instances/b"
			}
			assert.Equal(t, "Permission '"+tt.permission+"' denied on '"+resource+"'", e["message"])
		}
	}
	resp, _ := as(t, fakeserver.New(fakeserver.WithTokens(fakeserver.TokenPolicy{DenyAll: true})), "any", "GET", path, "")
	assert.Equal(t, 401, resp.StatusCode)
	resp, _ = as(t, fakeserver.New(fakeserver.WithTokens(fakeserver.TokenPolicy{Deny: []string{"redis.*"}})), "", "GET", path, "")
	assert.Equal(t, 403, resp.StatusCode)
}

// Each method asks for its own permission, which is Google's.
func TestPermissions(t *testing.T) {
	s := fakeserver.New(fakeserver.WithTokens(fakeserver.TokenPolicy{Deny: []string{"*"}}))
	for _, tt := range everyMethod {
		e := refused(t, s, tt.verb, "/v1/"+tt.path, "", 403)
		assert.Contains(t, e["message"], "Permission 'redis."+tt.permission+"' denied")
	}
}

var everyMethod = []struct{ method, verb, path, permission string }{
	{"locations.list", "GET", "projects/p/locations", "locations.list"},
	{"locations.get", "GET", parent, "locations.get"},
	{"instances.list", "GET", parent + "/instances", "instances.list"},
	{"instances.get", "GET", parent + "/instances/a", "instances.get"},
	{"instances.getAuthString", "GET", parent + "/instances/a/authString", "instances.getAuthString"},
	{"instances.create", "POST", parent + "/instances?instanceId=a", "instances.create"},
	{"instances.patch", "PATCH", parent + "/instances/a", "instances.update"},
	{"instances.delete", "DELETE", parent + "/instances/a", "instances.delete"},
	{"instances.export", "POST", parent + "/instances/a:export", "instances.export"},
	{"instances.import", "POST", parent + "/instances/a:import", "instances.import"},
	{"instances.failover", "POST", parent + "/instances/a:failover", "instances.failover"},
	{"instances.upgrade", "POST", parent + "/instances/a:upgrade", "instances.upgrade"},
	{"instances.rescheduleMaintenance", "POST", parent + "/instances/a:rescheduleMaintenance", "instances.rescheduleMaintenance"},
	{"operations.list", "GET", parent + "/operations", "operations.list"},
	{"operations.get", "GET", parent + "/operations/o", "operations.get"},
	{"operations.delete", "DELETE", parent + "/operations/o", "operations.delete"},
	{"operations.cancel", "POST", parent + "/operations/o:cancel", "operations.cancel"},
}

// Every method can be spoilt, and the fault's target is what its path names.
func TestEveryMethodCanFail(t *testing.T) {
	s := fakeserver.New()
	for _, tt := range everyMethod {
		target := strings.TrimSuffix(strings.TrimSuffix(tt.path, "/authString"), "/locations")
		target, _, _ = strings.Cut(target, ":")
		target = strings.TrimSuffix(strings.Replace(target, "?instanceId=", "/", 1), "")
		if strings.HasSuffix(tt.method, ".list") && tt.method != "locations.list" {
			target = parent
		}
		rule := s.Inject(tt.method, fakeserver.Fault{Status: 503, Target: target + "x"}, fakeserver.Fault{Status: 500})
		exact := s.Inject(tt.method, fakeserver.Fault{Status: 503, Target: target})
		refused(t, s, tt.verb, "/v1/"+tt.path, "", 503)
		assert.Zero(t, rule.Hits(), tt.method)
		assert.Equal(t, 1, exact.Hits(), tt.method)
		rule.Remove()
		x := s.Journal()
		assert.Equal(t, tt.method, x[len(x)-1].Method)
		assert.Equal(t, target, x[len(x)-1].Target)
	}
	assert.Empty(t, s.Unspent())
}

func TestQuotas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fakeserver.New(fakeserver.WithQuota(fakeserver.Quota{RequestsPerMinute: 10, CreatesPerMinute: 2, CapacityGB: 10, RetryAfter: "30", RetryInfo: 1500 * time.Millisecond}))
		post := func(id string, gb int) (*http.Response, object) {
			return as(t, s, "", "POST", "/v1/"+parent+"/instances?instanceId="+id, fmt.Sprintf(`{"tier":"BASIC","memorySizeGb":%d}`, gb))
		}
		for _, id := range []string{"a", "b"} {
			resp, _ := post(id, 4)
			require.Equal(t, 200, resp.StatusCode)
		}
		resp, e := post("c", 4)
		require.Equal(t, 429, resp.StatusCode)
		assert.Equal(t, "RATE_LIMIT_EXCEEDED", reasonOf(e))
		assert.Equal(t, "30", resp.Header.Get("Retry-After"))
		assert.Contains(t, e["details"], object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.500s"})
		refused(t, s, "GET", "/v1/"+parent+"/instances/c", "", 404)
		for range 6 {
			must(t, s, "GET", "/v1/"+parent+"/instances", "")
		}
		assert.Equal(t, "RESOURCE_EXHAUSTED", refused(t, s, "GET", "/v1/"+parent+"/instances", "", 429)["status"])
		must(t, s, "GET", "/v1/projects/other/locations/us-central1/instances", "")
		time.Sleep(time.Minute)

		op := must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=c", `{"tier":"BASIC","memorySizeGb":4}`)
		op = must(t, s, "GET", "/v1/"+op["name"].(string), "")
		assert.EqualValues(t, 8, op["error"].(object)["code"])
		refused(t, s, "GET", "/v1/"+parent+"/instances/c", "", 404)
		for _, o := range must(t, s, "GET", "/v1/"+parent+"/operations", "")["operations"].([]any) {
			must(t, s, "GET", "/v1/"+o.(object)["name"].(string), "")
		}
		op = must(t, s, "PATCH", "/v1/"+parent+"/instances/a?updateMask=memorySizeGb", `{"memorySizeGb":7}`)
		op = must(t, s, "GET", "/v1/"+op["name"].(string), "")
		assert.EqualValues(t, 8, op["error"].(object)["code"])
		assert.Contains(t, op["error"].(object)["message"], "Unable to update instance.")
		assert.EqualValues(t, 4, must(t, s, "GET", "/v1/"+parent+"/instances/a", "")["memorySizeGb"])
	})
}

func TestFailedCreateKept(t *testing.T) {
	s := fakeserver.New(fakeserver.WithFailedCreatesKept())
	s.Operations().Fail(parent+"/instances/a", 13, "An internal error has occurred")
	finish(t, s, must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", basic))
	in := must(t, s, "GET", "/v1/"+parent+"/instances/a", "")
	assert.Equal(t, "REPAIRING", in["state"])
	assert.Equal(t, "An internal error has occurred", in["statusMessage"])
	refused(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", basic, 409)
	refused(t, s, "PATCH", "/v1/"+parent+"/instances/a?updateMask=labels", "", 400)
	finish(t, s, must(t, s, "DELETE", "/v1/"+parent+"/instances/a", ""))
	create(t, s, "a", basic)
}

// No credential and no AUTH string is in the journal, the log, or a panic.
func TestSecrets(t *testing.T) {
	var log strings.Builder
	s := fakeserver.New(fakeserver.WithLog(func(f string, args ...any) { fmt.Fprintf(&log, f+"\n", args...) }))
	create(t, s, "a", `{"tier":"BASIC","memorySizeGb":1,"authEnabled":true}`)
	var secrets []string
	for _, q := range []string{"", "?prettyPrint=false", "?fields=authString&access_token=hidden-1&key=hidden-2&oauth%5Ftoken=hidden-3"} {
		req, err := http.NewRequest("GET", s.URL()+"/v1/"+parent+"/instances/a/authString"+q, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer hidden-4")
		req.Header["x-goog-api-key"] = []string{"hidden-5"}
		resp, err := s.Client().Do(req)
		require.NoError(t, err)
		var o object
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&o))
		resp.Body.Close()
		secrets = append(secrets, o["authString"].(string))
		assert.Equal(t, "Bearer hidden-4", req.Header.Get("Authorization"), "the request is not written to")
	}
	s.Inject("instances.getAuthString", fakeserver.Fault{Truncate: true})
	fetchBroken(t, s, "/v1/"+parent+"/instances/a/authString")
	for _, kept := range []string{fmt.Sprintf("%+v", s.Journal()), log.String()} {
		assert.NotContains(t, kept, "hidden-")
		for _, secret := range secrets {
			assert.NotContains(t, kept, secret[:8])
		}
	}
	assert.Contains(t, s.Journal()[2].Response, `"authString": "REDACTED"`)
	assert.Equal(t, []string{"REDACTED"}, s.Journal()[2].Header["Authorization"])
}

func fetchBroken(t testing.TB, s *fakeserver.Server, path string) {
	resp, err := s.Client().Get(s.URL() + path)
	require.NoError(t, err)
	resp.Body.Close()
}

func TestJournal(t *testing.T) {
	s := fakeserver.New(fakeserver.WithJournal(3), fakeserver.WithClockOffset(time.Hour))
	for i := range 10 {
		ask(t, s, "GET", fmt.Sprintf("/v1/%s/instances/i%d?alt=json", parent, i), "")
	}
	all := s.Journal()
	require.Len(t, all, 3)
	x := all[2]
	assert.Equal(t, 10, x.Number)
	assert.Equal(t, "instances.get", x.Method)
	assert.Equal(t, parent+"/instances/i9", x.Target)
	assert.Equal(t, "/v1/"+parent+"/instances/i9", x.Path)
	assert.Equal(t, "alt=json", x.Query)
	assert.Equal(t, 404, x.Status)
	assert.Contains(t, x.Response, "was not found")
	assert.WithinDuration(t, time.Now().Add(time.Hour), x.Time, time.Minute)
	assert.False(t, x.Acted)

	s = fakeserver.New(fakeserver.WithJournal(0), fakeserver.WithoutDate())
	resp, _ := fetch(t, s, "GET", "/v1/"+parent+"/instances", "")
	assert.NotContains(t, resp.Header, "Date")
	assert.Empty(t, s.Journal())
}
