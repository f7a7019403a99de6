package fakeserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const example = "projects/example-project/locations/us-central1"

// goldens says for each recorded answer which requests lead to it.
var goldens = map[string]struct {
	opts     []fakeserver.Option
	run      func(t *testing.T, s *fakeserver.Server) string // the answer
	without  []string                                        // members of the recording that the feature's age or an edit explains
	extra    []string                                        // members that only the fake's answer has, for the same reason
	anyOrder bool                                            // the recording is gcloud's output, which sorts
}{
	"instance-basic": {run: func(t *testing.T, s *fakeserver.Server) string {
		made(t, s, example, "cache-default", `{"tier":"BASIC","memorySizeGb":1,"locationId":"us-central1-c","labels":{"env":"default","goog-terraform-provisioned":"true"}}`)
		return text(t, s, "GET", "/v1/"+example+"/instances/cache-default", "")
	}},
	"instance-enum-numbers": {run: func(t *testing.T, s *fakeserver.Server) string {
		made(t, s, example, "cache-default", `{"tier":1,"memorySizeGb":1,"locationId":"us-central1-c","labels":{"env":"default","goog-terraform-provisioned":"true"}}`)
		return text(t, s, "GET", "/v1/"+example+"/instances/cache-default?%24alt=json%3Benum-encoding%3Dint", "")
	}},
	"instance-tls-auth": {extra: []string{"maintenanceVersion", "availableMaintenanceVersions"}, run: func(t *testing.T, s *fakeserver.Server) string {
		made(t, s, example, "instance-test", `{"tier":"BASIC","memorySizeGb":1,"displayName":"test","locationId":"us-central1-a","redisVersion":"REDIS_6_X","authEnabled":true,"transitEncryptionMode":"SERVER_AUTHENTICATION"}`)
		return text(t, s, "GET", "/v1/"+example+"/instances/instance-test", "")
	}},
	"instance-replicas-updating": {anyOrder: true, without: []string{"satisfiesPzi"}, extra: []string{"currentLocationId"}, run: func(t *testing.T, s *fakeserver.Server) string {
		east := "projects/example-project/locations/us-east4"
		made(t, s, east, "cache-pro", `{"tier":"STANDARD_HA","memorySizeGb":38,"displayName":"redis pro","authEnabled":true,"locationId":"us-east4-c","alternativeLocationId":"us-east4-a",
			"connectMode":"PRIVATE_SERVICE_ACCESS","authorizedNetwork":"projects/example-project/global/networks/example-vpc","readReplicasMode":"READ_REPLICAS_ENABLED","replicaCount":1,
			"maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":"MONDAY","startTime":{"hours":6}}]}}`)
		must(t, s, "PATCH", "/v1/"+east+"/instances/cache-pro?updateMask=memory_size_gb", `{"memorySizeGb":40}`)
		return text(t, s, "GET", "/v1/"+east+"/instances/cache-pro", "")
	}},
	"locations": {extra: []string{"locations[0].displayName"}, opts: []fakeserver.Option{fakeserver.WithLocations("us-east1")}, run: func(t *testing.T, s *fakeserver.Server) string {
		return text(t, s, "GET", "/v1/projects/example-project/locations", "")
	}},
	"create-v1beta1": {run: func(t *testing.T, s *fakeserver.Server) string { return createBeta(t, s) }},
	"create-v1beta1-done": {run: func(t *testing.T, s *fakeserver.Server) string {
		return text(t, s, "GET", "/v1beta1/"+nameIn(t, createBeta(t, s)), "")
	}},
	"patch": {run: func(t *testing.T, s *fakeserver.Server) string {
		made(t, s, example, "cache-default", `{"tier":"BASIC","memorySizeGb":1}`)
		return text(t, s, "PATCH", "/v1/"+example+"/instances/cache-default?updateMask=labels", `{"labels":{"env":"prod"}}`)
	}},
	"delete-done": {run: func(t *testing.T, s *fakeserver.Server) string {
		made(t, s, example, "cache", `{"tier":"BASIC","memorySizeGb":1}`)
		return text(t, s, "GET", "/v1/"+nameIn(t, text(t, s, "DELETE", "/v1/"+example+"/instances/cache", "")), "")
	}},
	"create-failed": {run: func(t *testing.T, s *fakeserver.Server) string {
		s.Operations().Fail(example+"/instances/cache", 9, "Unable to delegate the access of CMEK. Please try again later.")
		return text(t, s, "GET", "/v1/"+nameIn(t, text(t, s, "POST", "/v1/"+example+"/instances?instanceId=cache", basic)), "")
	}},
	"not-found": {run: func(t *testing.T, s *fakeserver.Server) string {
		return text(t, s, "GET", "/v1/projects/P/locations/us-central1/instances/redis-1", "")
	}},
	"exists": {run: func(t *testing.T, s *fakeserver.Server) string {
		made(t, s, "projects/P/locations/us-central1", "redis-1", basic)
		return text(t, s, "POST", "/v1/projects/P/locations/us-central1/instances?instanceId=redis-1", basic)
	}},
	"secondary-alone": {run: func(t *testing.T, s *fakeserver.Server) string {
		made(t, s, example, "cache", basic)
		return text(t, s, "PATCH", "/v1beta1/"+example+"/instances/cache?updateMask=displayName,secondaryIpRange", `{"displayName":"new","secondaryIpRange":"10.20.30.16/28"}`)
	}},
	"range-replicas": {run: func(t *testing.T, s *fakeserver.Server) string {
		return text(t, s, "POST", "/v1/"+example+"/instances?instanceId=a", `{"tier":"STANDARD_HA","memorySizeGb":5,"readReplicasMode":"READ_REPLICAS_ENABLED","reservedIpRange":"192.168.0.0/29"}`)
	}},
	"service-disabled": {opts: []fakeserver.Option{fakeserver.WithServiceDisabled("123456789123")}, run: func(t *testing.T, s *fakeserver.Server) string {
		return text(t, s, "GET", "/v1/projects/123456789123/locations/us-central1/instances", "")
	}},
	"credentials": {opts: []fakeserver.Option{fakeserver.WithTokens(fakeserver.TokenPolicy{Tokens: map[string][]string{"good": {"*"}}})}, run: func(t *testing.T, s *fakeserver.Server) string {
		return text(t, s, "GET", "/v1/"+example+"/instances", "", "Authorization", "Bearer bad")
	}},
	"quota": {opts: []fakeserver.Option{fakeserver.WithQuota(fakeserver.Quota{RequestsPerMinute: 3000})}, run: func(t *testing.T, s *fakeserver.Server) string {
		start := time.Now().Truncate(time.Minute)
		for range 3000 {
			text(t, s, "GET", "/v1/projects/123456789123/locations/us-central1/instances", "")
		}
		if !time.Now().Truncate(time.Minute).Equal(start) {
			for range 3000 { // the minute turned meanwhile
				text(t, s, "GET", "/v1/projects/123456789123/locations/us-central1/instances", "")
			}
		}
		return text(t, s, "GET", "/v1/projects/123456789123/locations/us-central1/instances", "")
	}},
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.json")
	require.NoError(t, err)
	require.Len(t, files, len(goldens))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			g, ok := goldens[name]
			require.True(t, ok)
			recording, err := os.ReadFile(file)
			require.NoError(t, err)
			answer := g.run(t, fakeserver.New(g.opts...))
			want, got := outline(t, string(recording), g.without), outline(t, answer, g.extra)
			if g.anyOrder {
				slices.Sort(want)
				slices.Sort(got)
			}
			assert.Equal(t, want, got, "\n%s", answer)
		})
	}
}

// The bytes of the one refusal that was captured whole.
func TestGoldenBytes(t *testing.T) {
	s := fakeserver.New()
	made(t, s, example, "cache", basic)
	const want = "{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"com.google.apps.framework.request.StatusException: \\u003ceye3 title='INVALID_ARGUMENT'/\\u003e generic::INVALID_ARGUMENT: Secondary IP range can only be updated while enabling read replicas\",\n    \"status\": \"INVALID_ARGUMENT\"\n  }\n}\n"
	assert.Equal(t, want, text(t, s, "PATCH", "/v1beta1/"+example+"/instances/cache?updateMask=secondaryIpRange", `{"secondaryIpRange":"10.20.30.16/28"}`))
}

func TestHeaders(t *testing.T) {
	want := http.Header{
		"Content-Type": {"application/json; charset=UTF-8"}, "Vary": {"Origin", "X-Origin", "Referer"}, "Server": {"ESF"}, "X-Xss-Protection": {"0"},
		"X-Frame-Options": {"SAMEORIGIN"}, "X-Content-Type-Options": {"nosniff"}, "Alt-Svc": {`h3=":443"; ma=2592000,h3-29=":443"; ma=2592000`},
	}
	both(t, func(t *testing.T, s *fakeserver.Server, c *http.Client) {
		for _, path := range []string{"/instances", "/instances/none"} {
			resp, err := c.Get(s.URL() + "/v1/" + parent + path)
			require.NoError(t, err)
			resp.Body.Close()
			date, err := http.ParseTime(resp.Header.Get("Date"))
			require.NoError(t, err)
			assert.WithinDuration(t, time.Now(), date, 2*time.Second)
			resp.Header.Del("Date")
			resp.Header.Del("Connection") // this test's client closes every connection
			assert.Equal(t, want, resp.Header)
			assert.EqualValues(t, -1, resp.ContentLength)
		}
	})
}

// made creates an instance and waits for it.
func made(t testing.TB, s *fakeserver.Server, parent, id, body string) {
	t.Helper()
	op := finish(t, s, must(t, s, "POST", "/v1/"+parent+"/instances?instanceId="+id, body))
	require.NotContains(t, op, "error")
}

func createBeta(t testing.TB, s *fakeserver.Server) string {
	return text(t, s, "POST", "/v1beta1/"+example+"/instances?alt=json&instanceId=cache-16",
		`{"connectMode":"DIRECT_PEERING","displayName":"Sample Redis Instance","labels":{"cnrm-test":"true","label-one":"value-one","managed-by-cnrm":"true"},"locationId":"us-central1-a","memorySizeGb":16,"name":"`+example+`/instances/cache-16","tier":"BASIC","transitEncryptionMode":"DISABLED"}`)
}

func nameIn(t testing.TB, answer string) string {
	var o object
	require.NoError(t, json.Unmarshal([]byte(answer), &o))
	return o["name"].(string)
}

// text sends a request and returns the answer's body.
func text(t testing.TB, s *fakeserver.Server, method, path, body string, header ...string) string {
	t.Helper()
	req, err := http.NewRequest(method, s.URL()+path, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(resp.Body)
	require.NoError(t, err)
	return b.String()
}

// aside are the parts of an answer that differ from one run to the next. The digits of a time do not.
var aside = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`operation-\d{13}-[0-9a-f]{13}-[0-9a-f]{8}-[0-9a-f]{8}`), "<operation>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z`), "<time, 9 digits>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`), "<time, 6 digits>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`), "<time, 3 digits>"},
	{regexp.MustCompile(`^10\.\d+\.\d+\.\d+`), "<address>"},
	{regexp.MustCompile(`^\d{8}_\d\d_\d\d$`), "<maintenance version>"},
	{regexp.MustCompile(`service-\d{12}@`), "service-<number>@"},
	{regexp.MustCompile(`(?s)-----BEGIN CERTIFICATE-----\n.*\n-----END CERTIFICATE-----\n?`), "<certificate>"},
	{regexp.MustCompile(`^[0-9a-f]{40}$`), "<sha1>"},
}

// outline lists a JSON text's members in order as path = value, with what may differ put aside. A map's members,
// whose order means nothing, are sorted; a list of versions is one line.
func outline(t testing.TB, text string, skip []string) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var lines []string
	var walk func(path string)
	walk = func(path string) {
		token, err := d.Token()
		require.NoError(t, err, text)
		if delim, ok := token.(json.Delim); ok {
			from := len(lines)
			for i := 0; d.More(); i++ {
				if delim == '[' {
					walk(fmt.Sprintf("%s[%d]", path, i))
					continue
				}
				key, err := d.Token()
				require.NoError(t, err)
				walk(strings.TrimPrefix(path+"."+key.(string), "."))
			}
			_, err := d.Token()
			require.NoError(t, err)
			if len(lines) == from {
				lines = append(lines, fmt.Sprintf("%s = empty %v", path, delim))
			}
			if strings.HasSuffix(path, "labels") || strings.HasSuffix(path, "metadata") && strings.Contains(path, "details") {
				slices.Sort(lines[from:])
			}
			return
		}
		value := fmt.Sprint(token)
		for _, a := range aside {
			value = a.pattern.ReplaceAllString(value, a.with)
		}
		lines = append(lines, path+" = "+value)
	}
	walk("")
	kept := lines[:0]
	for _, l := range lines {
		path, _, _ := strings.Cut(l, " = ")
		base, index, _ := strings.Cut(path, "[")
		if slices.Contains(skip, path) || slices.Contains(skip, base) || strings.HasSuffix(base, "availableMaintenanceVersions") && index != "0]" {
			continue
		}
		kept = append(kept, l)
	}
	return kept
}
