package fakeserver_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A terraform replays what Terraform's Google provider sends for one resource, in its order, every request with
// alt=json: it was watched doing so. Its configuration is a JSON object of the instance's fields.
type terraform struct {
	t    testing.TB
	s    *fakeserver.Server
	base string // the instance's path
}

// updatable are the fields the provider updates, in the order it lists them in a mask.
var updatable = []string{"authEnabled", "displayName", "redisConfigs", "persistenceConfig", "maintenancePolicy", "maintenanceVersion", "memorySizeGb",
	"replicaCount", "readReplicasMode", "secondaryIpRange", "labels"}

func (f *terraform) poll(op object) {
	f.t.Helper()
	for range 5 {
		op = must(f.t, f.s, "GET", "/v1/"+op["name"].(string)+"?alt=json", "")
		if op["done"] == true {
			require.NotContains(f.t, op, "error")
			return
		}
	}
	f.t.Fatal("operation does not end")
}

// refresh reads the instance, and its AUTH string when it has one.
func (f *terraform) refresh() object {
	f.t.Helper()
	in := must(f.t, f.s, "GET", f.base+"?alt=json", "")
	if in["authEnabled"] == true {
		require.Len(f.t, must(f.t, f.s, "GET", f.base+"/authString?alt=json", "")["authString"], 36)
	}
	return in
}

func (f *terraform) create(config object) {
	f.t.Helper()
	body := object{"name": strings.TrimPrefix(f.base, "/v1/")}
	for k, v := range config {
		if !empty(v) {
			body[k] = v
		}
	}
	parent, id, _ := strings.Cut(f.base, "/instances/")
	f.poll(must(f.t, f.s, "POST", parent+"/instances?alt=json&instanceId="+id, jsonOf(f.t, body)))
	f.refresh()
}

// plan is what differs between the configuration and the instance: what the provider would update.
func (f *terraform) plan(config object) []string {
	f.t.Helper()
	in := f.refresh()
	var changed []string
	for _, k := range updatable {
		want, set := config[k]
		got := in[k]
		switch k {
		case "labels", "redisConfigs":
			have, _ := got.(object)
			if m, _ := want.(object); len(have) != len(m) {
				changed = append(changed, k)
				continue
			}
		case "persistenceConfig", "maintenanceVersion", "replicaCount", "readReplicasMode", "secondaryIpRange":
			if !set {
				continue // computed when it is not configured
			}
		}
		if !covers(got, want) {
			changed = append(changed, k)
		}
	}
	for k, want := range config {
		if !covers(in[k], want) && !strings.Contains(strings.Join(updatable, ","), k) {
			changed = append(changed, k+" (forces replacement)")
		}
	}
	return changed
}

// apply updates what the plan says, in one request.
func (f *terraform) apply(config object) {
	f.t.Helper()
	changed := f.plan(config)
	if len(changed) == 0 {
		return
	}
	body := object{}
	for _, k := range updatable {
		if !empty(config[k]) {
			body[k] = config[k]
		}
	}
	f.poll(must(f.t, f.s, "PATCH", f.base+"?alt=json&updateMask="+strings.Join(changed, "%2C"), jsonOf(f.t, body)))
	f.refresh()
}

func (f *terraform) destroy() {
	f.t.Helper()
	f.refresh()
	f.poll(must(f.t, f.s, "DELETE", f.base+"?alt=json", ""))
}

func jsonOf(t testing.TB, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case int:
		return v == 0
	case object:
		return len(v) == 0
	}
	return false
}

// covers tells whether what was read has everything that was configured. What the service adds inside a message is
// computed.
func covers(got, want any) bool {
	switch want := want.(type) {
	case object:
		have, _ := got.(object)
		for k, v := range want {
			if !covers(have[k], v) {
				return false
			}
		}
		return len(want) > 0 || len(have) == 0
	case []any:
		have, _ := got.([]any)
		if len(have) != len(want) {
			return false
		}
		for i := range want {
			if !covers(have[i], want[i]) {
				return false
			}
		}
		return true
	case int:
		n, _ := got.(float64)
		return int(n) == want
	}
	if empty(want) {
		return empty(got)
	}
	return got == want
}

func TestTerraform(t *testing.T) {
	s := fakeserver.New()
	f := &terraform{t, s, "/v1/" + parent + "/instances/tf1"}
	config := object{"tier": "BASIC", "memorySizeGb": 1, "authEnabled": true, "connectMode": "DIRECT_PEERING", "displayName": "one", "redisVersion": "REDIS_7_0",
		"transitEncryptionMode": "DISABLED", "labels": object{"goog-terraform-provisioned": "true", "team": "x"}, "redisConfigs": object{"maxmemory-policy": "allkeys-lru"},
		"maintenancePolicy": object{"weeklyMaintenanceWindow": []any{object{"day": "TUESDAY", "startTime": object{"minutes": 30}}}}}
	f.create(config)
	assert.Empty(t, f.plan(config), "a second plan")

	config["displayName"], config["memorySizeGb"], config["redisConfigs"] = "two", 2, object{"maxmemory-policy": "noeviction", "timeout": "300"}
	assert.Equal(t, []string{"displayName", "redisConfigs", "memorySizeGb"}, f.plan(config))
	f.apply(config)
	assert.Empty(t, f.plan(config))

	config["redisConfigs"], config["displayName"] = object{}, "" // cleared: in the mask, not in the body
	f.apply(config)
	in := f.refresh()
	assert.NotContains(t, in, "redisConfigs")
	assert.NotContains(t, in, "displayName")
	assert.Empty(t, f.plan(config))

	config["authEnabled"] = false // auth off and version up: a patch, then an upgrade
	f.apply(config)
	f.poll(must(t, s, "POST", f.base+":upgrade?alt=json", `{"redisVersion":"REDIS_7_2"}`))
	config["redisVersion"] = "REDIS_7_2"
	assert.Empty(t, f.plan(config))
	assert.NotContains(t, f.refresh(), "authEnabled")

	delete(config, "maintenancePolicy")
	assert.Equal(t, []string{"maintenancePolicy"}, f.plan(config))
	f.apply(config)
	assert.Empty(t, f.plan(config))

	f.destroy()
	refused(t, s, "DELETE", f.base+"?alt=json", "", 404)
}

// A thousand random valid instances go through create, read and re-apply, and the plan is empty each time.
func TestRandomInstances(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := fakeserver.New(fakeserver.WithJournal(0))
	for i := range 1000 {
		config := randomInstance(r)
		f := &terraform{t, s, fmt.Sprintf("/v1/%s/instances/r%d", parent, i)}
		f.create(config)
		require.Empty(t, f.plan(config), "%d: %s", i, jsonOf(t, config))
		second := randomInstance(r)
		for _, k := range []string{"displayName", "labels", "authEnabled", "maintenancePolicy"} {
			config[k] = second[k]
		}
		f.apply(config)
		require.Empty(t, f.plan(config), "%d again: %s", i, jsonOf(t, config))
	}
}

func randomInstance(r *rand.Rand) object {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	maybe := func() bool { return r.IntN(2) == 0 }
	version := pick("REDIS_3_2", "REDIS_4_0", "REDIS_5_0", "REDIS_6_X", "REDIS_7_0", "REDIS_7_2")
	modern := version >= "REDIS_5_0"
	in := object{"tier": pick("BASIC", "STANDARD_HA"), "memorySizeGb": 5 + r.IntN(296), "redisVersion": version, "authEnabled": maybe(),
		"transitEncryptionMode": pick("DISABLED", "SERVER_AUTHENTICATION"), "connectMode": "DIRECT_PEERING"}
	if r.IntN(20) > 0 {
		in["transitEncryptionMode"] = "DISABLED" // keys take time to make
	}
	if maybe() {
		in["displayName"] = pick("x", "Größe", "a <b> & \"c\"\n")
	}
	if maybe() {
		in["labels"] = object{pick("env", "größe"): pick("", "prod", "dev"), pick("team", "cost_center-1"): pick("a", "7")}
	}
	if maybe() {
		in["locationId"] = pick("us-central1-a", "us-central1-b")
	}
	if in["tier"] == "STANDARD_HA" {
		if maybe() {
			in["alternativeLocationId"] = pick("us-central1-c", "us-central1-f")
		}
		if modern && maybe() {
			in["readReplicasMode"] = "READ_REPLICAS_ENABLED"
			if maybe() {
				in["replicaCount"] = 1 + r.IntN(5)
			}
		}
	}
	if maybe() {
		in["connectMode"], in["authorizedNetwork"] = "PRIVATE_SERVICE_ACCESS", "projects/host/global/networks/n"
	} else if maybe() {
		in["authorizedNetwork"] = "projects/p/global/networks/other"
	}
	if maybe() {
		configs := object{"maxmemory-policy": pick("noeviction", "volatile-ttl"), "timeout": pick("0", "120"), "notify-keyspace-events": pick("", "KEA")}
		if version >= "REDIS_7_0" {
			configs["maxmemory-clients"] = pick("0%", "100%")
			configs["lazyfree-lazy-expire"] = pick("yes", "no")
		}
		in["redisConfigs"] = configs
	}
	if maybe() {
		start := object{}
		if h := r.IntN(24); h > 0 {
			start["hours"] = h
		}
		in["maintenancePolicy"] = object{"weeklyMaintenanceWindow": []any{object{"day": pick("MONDAY", "SUNDAY"), "startTime": start}}}
	}
	if modern && maybe() {
		in["persistenceConfig"] = object{"persistenceMode": "RDB", "rdbSnapshotPeriod": pick("ONE_HOUR", "TWELVE_HOURS"), "rdbSnapshotStartTime": "2026-01-02T03:04:05Z"}
	} else if maybe() {
		in["persistenceConfig"] = object{"persistenceMode": "DISABLED"}
	}
	if maybe() {
		in["customerManagedKey"] = "projects/k/locations/us-central1/keyRings/r/cryptoKeys/c"
	}
	return in
}
