package fakeserver_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// walk reads all pages of a list and returns the names, and how many pages there were.
func walk(t testing.TB, s *fakeserver.Server, path, items string) (names []string, pages int) {
	t.Helper()
	u, err := url.Parse(path)
	require.NoError(t, err)
	for {
		list := must(t, s, "GET", u.String(), "")
		pages++
		for _, it := range list[items].([]any) {
			names = append(names, it.(object)["name"].(string))
		}
		token, _ := list["nextPageToken"].(string)
		if token == "" {
			return names, pages
		}
		q := u.Query()
		q.Set("pageToken", token)
		u.RawQuery = q.Encode()
	}
}

func seeds(locations []string, perLocation int) (all []string) {
	for _, l := range locations {
		for i := range perLocation {
			all = append(all, fmt.Sprintf(`{"name":"projects/p/locations/%s/instances/i%03d","tier":"BASIC","memorySizeGb":1}`, l, i))
		}
	}
	return all
}

func TestPages(t *testing.T) {
	s := fakeserver.New(fakeserver.WithInstances(seeds([]string{"us-central1", "europe-west1", "asia-east1"}, 7)...), fakeserver.WithPageSize(5))
	for _, tt := range []struct {
		path         string
		items, pages int
	}{
		{"/v1/" + parent + "/instances", 7, 2},
		{"/v1/" + parent + "/instances?pageSize=3", 7, 3},
		{"/v1/" + parent + "/instances?page_size=7", 7, 2},
		{"/v1/projects/p/locations/-/instances?pageSize=4", 21, 6},
		{"/v1/projects/p/locations/-/instances?pageSize=0", 21, 5},
	} {
		names, pages := walk(t, s, tt.path, "instances")
		assert.Len(t, names, tt.items, tt.path)
		assert.IsIncreasing(t, names)
		assert.Equal(t, tt.pages, pages, tt.path)
	}
	locations, pages := walk(t, s, "/v1/projects/p/locations", "locations")
	assert.Len(t, locations, 42)
	assert.Equal(t, 9, pages)

	// A token is good for its own list alone, and survives what happens between two pages.
	first := must(t, s, "GET", "/v1/"+parent+"/instances?pageSize=2", "")
	token := url.QueryEscape(first["nextPageToken"].(string))
	refused(t, s, "GET", "/v1/projects/p/locations/-/instances?pageToken="+token, "", 400)
	refused(t, s, "GET", "/v1/"+parent+"/operations?pageToken="+token, "", 400)
	finish(t, s, must(t, s, "DELETE", "/v1/"+parent+"/instances/i001", ""))
	next := must(t, s, "GET", "/v1/"+parent+"/instances?pageSize=2&pageToken="+token, "")
	assert.Equal(t, parent+"/instances/i002", next["instances"].([]any)[0].(object)["name"])
}

func TestListDefaults(t *testing.T) {
	s := fakeserver.New(fakeserver.WithInstances(seeds([]string{"us-central1"}, 1001)...))
	names, pages := walk(t, s, "/v1/"+parent+"/instances?pageSize=5000", "instances")
	assert.Len(t, names, 1001)
	assert.Equal(t, 2, pages)
	for _, path := range []string{"/v1/projects/none/locations/us-central1/instances", "/v1/projects/none/locations/-/instances", "/v1/projects/none/locations/-/operations"} {
		assert.Equal(t, "{}\n", text(t, s, "GET", path, ""))
	}
}

func TestIsolation(t *testing.T) {
	s := fakeserver.New()
	create(t, s, "a", basic)
	for _, other := range []string{"projects/q/locations/us-central1", "projects/p/locations/us-east1"} {
		refused(t, s, "GET", "/v1/"+other+"/instances/a", "", 404)
		refused(t, s, "DELETE", "/v1/"+other+"/instances/a", "", 404)
		assert.Empty(t, must(t, s, "GET", "/v1/"+other+"/instances", ""))
		assert.Empty(t, must(t, s, "GET", "/v1/"+other+"/operations", ""))
		made(t, s, other, "a", basic)
	}
	names, _ := walk(t, s, "/v1/projects/p/locations/-/instances", "instances")
	assert.Equal(t, []string{parent + "/instances/a", "projects/p/locations/us-east1/instances/a"}, names)
}

func TestFilters(t *testing.T) {
	s := fakeserver.New(fakeserver.WithUnreachable("asia-east1"))
	create(t, s, "a", basic)
	create(t, s, "b", basic)
	must(t, s, "DELETE", "/v1/"+parent+"/instances/b", "")
	for _, tt := range []struct {
		filter string
		want   int
	}{
		{"", 3}, {"done=true", 2}, {"done = false", 1}, {"done:true", 2}, {"done!=true", 1}, {"(done=true)", 2}, {"NOT done=true", 1}, {"NOT (done:true) AND (metadata.verb=delete)", 1}, {"NOT (NOT done=true)", 2}, {"metadata.verb=create", 2},
		{`metadata.target="` + parent + `/instances/b"`, 2}, {`metadata.target="` + parent + `/instances/b" AND metadata.verb=delete`, 1},
		{"metadata.api_version=v1", 3}, {"metadata.cancelRequested=true", 0}, {"name=" + parent + "/operations/*", 3},
	} {
		for _, location := range []string{"us-central1", "-"} {
			list := must(t, s, "GET", "/v1/projects/p/locations/"+location+"/operations?filter="+url.QueryEscape(tt.filter), "")
			ops, _ := list["operations"].([]any)
			assert.Len(t, ops, tt.want, "%s in %s", tt.filter, location)
			assert.Equal(t, location == "-", list["unreachable"] != nil)
		}
	}
	list := must(t, s, "GET", "/v1/projects/p/locations?filter=displayName%3DTokyo", "")
	assert.Len(t, list["locations"], 1)
	zones := list["locations"].([]any)[0].(object)["metadata"].(object)["availableZones"]
	assert.Equal(t, object{"asia-northeast1-a": object{}, "asia-northeast1-b": object{}, "asia-northeast1-c": object{}}, zones)
	assert.Equal(t, list["locations"].([]any)[0], any(must(t, s, "GET", "/v1/projects/p/locations/asia-northeast1", "")))
}

func TestPartialResponses(t *testing.T) {
	s := fakeserver.New(fakeserver.WithInstances(seeds([]string{"us-central1"}, 2)...))
	for fields, want := range map[string]string{
		"name":                             `{"name":"` + parent + `/instances/i000"}`,
		"nodes/id,persistence_config":      `{"nodes":[{"id":"node-0"}],"persistenceConfig":{"persistenceMode":"DISABLED"}}`,
		"nodes(id),tier":                   `{"tier":"BASIC","nodes":[{"id":"node-0"}]}`,
		"persistenceConfig.*,memorySizeGb": `{"memorySizeGb":1,"persistenceConfig":{"persistenceMode":"DISABLED"}}`,
	} {
		assert.Equal(t, want, text(t, s, "GET", "/v1/"+parent+"/instances/i000?prettyPrint=false&fields="+url.QueryEscape(fields), ""), fields)
	}
	assert.Equal(t, `{"instances":[{"name":"`+parent+`/instances/i000"},{"name":"`+parent+`/instances/i001"}]}`,
		text(t, s, "GET", "/v1/"+parent+"/instances?prettyPrint=false&fields=instances(name)", ""))
	for _, bad := range []string{"name,", "(name)", "nodes(id", "nodes/nope", "a)b"} {
		refused(t, s, "GET", "/v1/"+parent+"/instances/i000?fields="+url.QueryEscape(bad), "", 400)
	}
}
