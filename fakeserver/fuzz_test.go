package fakeserver_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
)

// Whatever is asked: no panic, no 5xx but 501, one JSON object or one HTML page, and nothing changed by a refused
// request.
func FuzzHandler(f *testing.F) {
	for _, m := range everyMethod {
		f.Add(m.verb, m.path, "", basic)
	}
	for _, r := range refusals {
		path, query, _ := strings.Cut(r.path, "?")
		f.Add(r.method, parent+path, query, r.body)
	}
	f.Add("POST", parent+"/instances", "instanceId=new&%24alt=json%3Benum-encoding%3Dint&prettyPrint=false&fields=name", basic)
	f.Add("PATCH", parent+"/instances/ha", "updateMask=readReplicasMode,secondaryIpRange&$.xgafv=1", `{"readReplicasMode":2,"secondaryIpRange":"auto"}`)
	f.Add("GET", "projects/p/locations/-/operations", "filter=done%3Dtrue%20AND%20name:a&pageSize=1&pageToken=abc", "")
	f.Add("POST", parent+"/instances", "instanceId=new", strings.Repeat("[", 200))
	seed := `{"name":"` + parent + `/instances/a","tier":"BASIC","memorySizeGb":5}`
	ha := `{"name":"` + parent + `/instances/ha","tier":"STANDARD_HA","memorySizeGb":5,"maintenanceSchedule":{"startTime":"2100-01-01T00:00:00Z"}}`
	f.Fuzz(func(t *testing.T, method, path, query, body string) {
		s := fakeserver.New(fakeserver.WithInstances(seed, ha))
		u, err := url.Parse(s.URL() + "/v1/" + path)
		if err != nil {
			return
		}
		projects := []string{"p"}
		if part := strings.Split(u.Path, "/"); len(part) > 3 {
			projects = append(projects, url.PathEscape(part[3]))
		}
		state := func() (all string) {
			for _, p := range projects {
				all += text(t, s, "GET", "/v1/projects/"+p+"/locations/-/instances?prettyPrint=false", "") + text(t, s, "GET", "/v1/projects/"+p+"/locations/-/operations?prettyPrint=false", "")
			}
			return all
		}
		before := state()
		u.RawQuery = query
		req, err := http.NewRequest(method, u.String(), strings.NewReader(body))
		if err != nil {
			return
		}
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case resp.StatusCode >= 500 && resp.StatusCode != 501:
			t.Fatalf("status %d: %s", resp.StatusCode, answer)
		case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html"):
			if resp.StatusCode != 404 {
				t.Fatalf("HTML with status %d", resp.StatusCode)
			}
		default:
			var o map[string]any
			if err := json.Unmarshal(answer, &o); err != nil {
				t.Fatalf("%v: %s", err, answer)
			}
			if e, ok := o["error"].(map[string]any); resp.StatusCode != 200 && (!ok || e["message"] == "" || e["status"] == "") {
				t.Fatalf("no error in %s", answer)
			}
		}
		journal := s.Journal()
		acted := journal[len(journal)-1].Acted
		if after := state(); resp.StatusCode != 200 && after != before {
			t.Fatalf("status %d, and yet:\n%s\n%s", resp.StatusCode, before, after)
		} else if acted != (after != before) {
			t.Fatalf("acted %v:\n%s\n%s", acted, before, after)
		}
	})
}
