package fakeserver_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A schema is a message in the discovery document.
type schema struct {
	Properties map[string]*property
}

type property struct {
	Ref    string `json:"$ref"`
	Type   string
	Format string
	Enum   []string
	Items  *property
}

type discoveredMethod struct {
	HTTPMethod string
	Path       string
	Parameters map[string]any
	Request    struct {
		Ref string `json:"$ref"`
	}
}

type discoveryDoc struct {
	Revision   string
	Schemas    map[string]schema
	Parameters map[string]any
	Resources  struct {
		Projects struct {
			Resources struct {
				Locations struct {
					Methods   map[string]discoveredMethod
					Resources map[string]struct{ Methods map[string]discoveredMethod }
				}
			}
		}
	}
}

// exempt is what the fake leaves out of the document, and why.
var exempt = map[string]string{
	"locations.getSharedRegionalCertificateAuthority": "Redis Cluster's",
}

// readDiscovery reads the document that google.golang.org/api carries.
func readDiscovery(t *testing.T) *discoveryDoc {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "google.golang.org/api").Output()
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "redis", "v1", "redis-api.json"))
	require.NoError(t, err)
	var d discoveryDoc
	require.NoError(t, json.Unmarshal(b, &d))
	return &d
}

// Every method, parameter, field and enum value of locations, instances and operations in Google's document is one
// the fake knows: it is sent, and the refusal, if any, is not about what it does not know.
func TestDiscovery(t *testing.T) {
	d := readDiscovery(t)
	s := fakeserver.New()
	create(t, s, "a", basic)
	known := map[string]bool{}
	for _, f := range fakeserver.Fidelity() {
		known[f.Kind+" "+f.Key] = true
	}
	methods := map[string]discoveredMethod{}
	locations := d.Resources.Projects.Resources.Locations
	for name, m := range locations.Methods {
		methods["locations."+name] = m
	}
	for _, r := range []string{"instances", "operations"} {
		for name, m := range locations.Resources[r].Methods {
			methods[r+"."+name] = m
		}
	}
	require.Len(t, methods, 17+len(exempt))
	paths := map[string]string{}
	for _, m := range everyMethod {
		paths[m.method] = m.path
	}
	for id, m := range methods {
		if exempt[id] != "" {
			continue
		}
		assert.True(t, known["method "+id], id)
		path, _, _ := strings.Cut(paths[id], "?")
		for parameter := range m.Parameters {
			if strings.Contains(m.Path, "+"+parameter) {
				continue
			}
			probe(t, s, m.HTTPMethod, "/v1/"+path+"?"+parameter+"=", "")
		}
		for parameter := range d.Parameters {
			probe(t, s, m.HTTPMethod, "/v1/"+path+"?"+strings.ReplaceAll(parameter, "$", "%24")+"=", "")
		}
		if m.Request.Ref != "" {
			for body := range bodies(d, m.Request.Ref, nil) {
				probe(t, s, m.HTTPMethod, "/v1/"+path, body)
			}
		}
	}
	for _, answer := range []string{"Operation", "ListInstancesResponse", "ListOperationsResponse", "ListLocationsResponse", "InstanceAuthString", "Location",
		"Instance", "GoogleCloudRedisV1LocationMetadata", "TlsCertificate", "NodeInfo", "MaintenanceSchedule", "Status"} {
		for name := range d.Schemas[answer].Properties {
			short := strings.TrimPrefix(answer, "GoogleCloudRedisV1")
			assert.True(t, known["field "+short+"."+name], "%s.%s", answer, name)
		}
	}
}

// probe sends a request that must not meet with ignorance.
func probe(t *testing.T, s *fakeserver.Server, method, path, body string) {
	t.Helper()
	_, answer := fetch(t, s, method, path, body)
	assert.NotContains(t, answer, "Unknown name", "%s %s %s", method, path, body)
	assert.NotContains(t, answer, "Invalid value at", "%s %s %s", method, path, body)
	assert.NotContains(t, answer, "<html", "%s %s %s", method, path, body)
}

// bodies yields an object for every field of a schema and for every value of an enum, down to the leaves.
func bodies(d *discoveryDoc, name string, above []string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for field, p := range d.Schemas[name].Properties {
			open, end := "", ""
			if p.Type == "array" {
				open, end = "[", "]"
				p = p.Items
			}
			if p.Ref != "" && len(above) < 5 {
				for inner := range bodies(d, p.Ref, append(above, name)) {
					if !yield(`{"` + field + `":` + open + inner + end + `}`) {
						return
					}
				}
				continue
			}
			for _, v := range values(p) {
				if !yield(`{"` + field + `":` + open + v + end + `}`) {
					return
				}
			}
		}
	}
}

func values(p *property) []string {
	switch {
	case len(p.Enum) > 0:
		var all []string
		for _, e := range p.Enum {
			all = append(all, `"`+e+`"`)
		}
		return all
	case p.Type == "boolean":
		return []string{"true"}
	case p.Type == "integer":
		return []string{"1", `"1"`}
	case p.Type == "object":
		return []string{`{"a":"b"}`}
	case p.Format == "google-datetime":
		return []string{`"2026-01-02T03:04:05Z"`, `"2026-01-02T04:04:05.123456789+01:00"`}
	case p.Format == "google-duration":
		return []string{`"3600s"`}
	}
	return []string{`"x"`, `"<&>\u00e9"`}
}
