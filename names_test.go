package memorystore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNamesAreMade(t *testing.T) {
	assert.Equal(t, testInstance, InstanceName("p", "us-central1", "cache"))
	assert.Equal(t, testLocation, LocationName("p", "us-central1"))
	assert.Equal(t, "projects/p/locations/-", LocationName("p", AllLocations))
	assert.NoError(t, checkInstance(InstanceName("example.com:shop", "us-central1", "cache")))
}

func TestInstanceIDs(t *testing.T) {
	for id, good := range map[string]bool{
		"a": true, "a1": true, "a-b": true, "cache-01": true, "a--b": true, strings.Repeat("a", 40): true,
		"": false, "A": false, "1a": false, "-a": false, "a-": false, "a_b": false, "a.b": false, "ä": false, "a b": false, "a\n": false,
		strings.Repeat("a", 41): false, "-": false, ".": false, "..": false, "a:b": false, "a/b": false, "a?b": false, "a#b": false, "a%62": false, "a\x00": false,
	} {
		err := checkInstance(testLocation + "/instances/" + id)
		assert.Equal(t, good, err == nil, "%q: %v", id, err)
		if err != nil {
			assertOneLine(t, err.Error())
		}
	}
}

// Every call refuses a name that is none before anything is sent.
func TestNamesAreChecked(t *testing.T) {
	long := strings.Repeat("x", 129)
	bad := []string{"", "/", "cache", "projects", "projects/p", "projects//locations/l/K/i", "projects/p/locations//K/i", "projects/p/locations/l/K/", "/projects/p/locations/l/K/i",
		"projects/p/locations/l/K/i/", "projects/p/locations/l/K/i/x", "Projects/p/locations/l/K/i", "projects/p/location/l/K/i", "projects/p/locations/l/J/i",
		"projects/./locations/l/K/i", "projects/../locations/l/K/i", "projects/p/locations/../K/i", "projects/p/locations/l/K/..", "projects/p/locations/l/K/.",
		"projects/a?b/locations/l/K/i", "projects/a#b/locations/l/K/i", "projects/a%2Fb/locations/l/K/i", `projects/a\b/locations/l/K/i`,
		"projects/a b/locations/l/K/i", "projects/a\nb/locations/l/K/i", "projects/a\x7fb/locations/l/K/i", "projects/a\u2028b/locations/l/K/i", "projects/a\xffb/locations/l/K/i",
		"projects/" + long + "/locations/l/K/i", "projects/p/locations/" + long + "/K/i", "projects/p/locations/l/K/" + long,
		"projects/p/locations/l:x/K/i", "projects/p/locations/l/K/i:x", "projects/p/locations/-/K/i", "https://redis.googleapis.com/v1/projects/p/locations/l/K/i"}
	ctx := t.Context()
	for _, row := range []struct {
		about string
		kind  string // K; empty: the name of a location or project
		parts int
		call  func(*Client, string) error
	}{
		{"GetInstance", "instances", 6, func(c *Client, n string) error { _, err := c.GetInstance(ctx, n); return err }},
		{"GetInstanceAuthString", "instances", 6, func(c *Client, n string) error { _, err := c.GetInstanceAuthString(ctx, n); return err }},
		{"CreateInstance", "instances", 6, func(c *Client, n string) error {
			_, err := c.CreateInstance(ctx, &Instance{Name: n, Tier: TierBasic, MemorySizeGB: 1})
			return err
		}},
		{"UpdateInstance", "instances", 6, func(c *Client, n string) error {
			_, err := c.UpdateInstance(ctx, &Instance{Name: n}, FieldLabels)
			return err
		}},
		{"DeleteInstance", "instances", 6, func(c *Client, n string) error { _, err := c.DeleteInstance(ctx, n); return err }},
		{"UpgradeInstance", "instances", 6, func(c *Client, n string) error { _, err := c.UpgradeInstance(ctx, n, "REDIS_7_2"); return err }},
		{"ImportInstance", "instances", 6, func(c *Client, n string) error { _, err := c.ImportInstance(ctx, n, testURI); return err }},
		{"ExportInstance", "instances", 6, func(c *Client, n string) error { _, err := c.ExportInstance(ctx, n, testURI); return err }},
		{"FailoverInstance", "instances", 6, func(c *Client, n string) error { _, err := c.FailoverInstance(ctx, n, ""); return err }},
		{"RescheduleMaintenance", "instances", 6, func(c *Client, n string) error {
			_, err := c.RescheduleMaintenance(ctx, n, Reschedule{Type: RescheduleTypeImmediate})
			return err
		}},
		{"GetOperation", "operations", 6, func(c *Client, n string) error { _, err := c.GetOperation(ctx, n); return err }},
		{"CancelOperation", "operations", 6, func(c *Client, n string) error { return c.CancelOperation(ctx, n) }},
		{"DeleteOperation", "operations", 6, func(c *Client, n string) error { return c.DeleteOperation(ctx, n) }},
		{"Resume", "operations", 6, func(c *Client, n string) error { return Resume[Empty](c, n).Poll(ctx) }},
		{"GetLocation", "", 4, func(c *Client, n string) error { _, err := c.GetLocation(ctx, n); return err }},
		{"ListInstances", "", 4, func(c *Client, n string) error { _, err := collect(c.ListInstances(ctx, n)); return err }},
		{"ListOperations", "", 4, func(c *Client, n string) error { _, err := collect(c.ListOperations(ctx, n)); return err }},
		{"ListLocations", "", 2, func(c *Client, n string) error { _, err := collect(c.ListLocations(ctx, n)); return err }},
	} {
		t.Run(row.about, func(t *testing.T) {
			s := newScript(t)
			c := s.client()
			tried := 0
			for _, name := range bad {
				full := strings.Replace(name, "/K/", "/"+row.kind+"/", 1)
				parts := strings.Split(name, "/")
				if row.parts < 6 {
					if len(parts) != 6 || checkName(strings.Join(parts[:row.parts], "/"), strings.Join(strings.Split(locationPattern, "/")[:row.parts], "/")) == nil {
						continue // what is wrong with it is behind the part that counts here
					}
					full = strings.Join(parts[:row.parts], "/")
					if full == "projects/p/locations/-" && row.about != "GetLocation" {
						continue // a list may be of all locations
					}
				}
				tried++
				e := failure(t, row.call(c, full))
				assert.Equal(t, InvalidArgument, e.Code, "%q", full)
				assert.Empty(t, e.Attempts)
			}
			assert.Greater(t, tried, 5)
		})
	}
	t.Run("a list may be of all locations", func(t *testing.T) {
		s := newScript(t, ok(`{}`), ok(`{}`))
		c := s.client()
		_, err := collect(c.ListInstances(ctx, "projects/p/locations/-"))
		require.NoError(t, err)
		_, err = collect(c.ListOperations(ctx, "projects/p/locations/-"))
		require.NoError(t, err)
		assert.Equal(t, "/v1/projects/p/locations/-/instances", s.sent[0].path)
	})
	t.Run("a project may hold a colon", func(t *testing.T) {
		name := InstanceName("example.com:shop", "us-central1", "cache")
		s := newScript(t, ok(fmt.Sprintf(`{"name":%q}`, name)))
		got, err := s.client().GetInstance(ctx, name)
		require.NoError(t, err)
		assert.Equal(t, name, got.Name)
		assert.Equal(t, "/v1/"+name, s.sent[0].path)
		assert.Equal(t, "name=projects%2Fexample.com%3Ashop%2Flocations%2Fus-central1%2Finstances%2Fcache", s.sent[0].header.Get("X-Goog-Request-Params"))
	})
}

func TestPartsOfNames(t *testing.T) {
	for name, want := range map[string][2]string{
		testInstance: {"cache", testLocation}, testOperation: {"op-1", testLocation}, testLocation: {"us-central1", testLocation}, "x": {"x", "x"}, "": {"", ""}, "a/": {"", "a/"},
	} {
		assert.Equal(t, want, [2]string{lastPart(name), parentOf(name)}, name)
	}
}
