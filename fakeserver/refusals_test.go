package fakeserver_test

import (
	"strings"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fixtures are the instances that the refusals below are tried on. None of them changes.
func fixtures(t testing.TB) *fakeserver.Server {
	s := fakeserver.New(fakeserver.WithInstances(
		`{"name":"`+parent+`/instances/basic","tier":"BASIC","memorySizeGb":5,"redisConfigs":{"databases":"20"}}`,
		`{"name":"`+parent+`/instances/ha","tier":"STANDARD_HA","memorySizeGb":5}`,
		`{"name":"`+parent+`/instances/small","tier":"STANDARD_HA","memorySizeGb":4}`,
		`{"name":"`+parent+`/instances/old","tier":"STANDARD_HA","memorySizeGb":5,"redisVersion":"REDIS_4_0"}`,
		`{"name":"`+parent+`/instances/rr","tier":"STANDARD_HA","memorySizeGb":5,"readReplicasMode":"READ_REPLICAS_ENABLED"}`,
		`{"name":"`+parent+`/instances/psa","tier":"STANDARD_HA","memorySizeGb":5,"connectMode":"PRIVATE_SERVICE_ACCESS","authorizedNetwork":"projects/host/global/networks/shared"}`,
	))
	create(t, s, "busy", basic)
	s.Operations().Hold(parent + "/instances/busy")
	must(t, s, "PATCH", "/v1/"+parent+"/instances/busy?updateMask=labels", "{}")
	return s
}

// A refusal's message begins with says; its one violation is field and described.
type refusal struct {
	method, path, body string
	status             int
	code               string
	says               string
	field, described   string
}

const (
	invalid      = "INVALID_ARGUMENT"
	precondition = "FAILED_PRECONDITION"
)

func created(with, says, field, described string) refusal {
	return refusal{"POST", "/instances?instanceId=new", `{"tier":"BASIC","memorySizeGb":1` + with + `}`, 400, invalid, says, field, described}
}

func createdHA(with, says, field, described string) refusal {
	return refusal{"POST", "/instances?instanceId=new", `{"tier":"STANDARD_HA","memorySizeGb":5` + with + `}`, 400, invalid, says, field, described}
}

func patched(id, mask, body, code, says, field, described string) refusal {
	return refusal{"PATCH", "/instances/" + id + "?updateMask=" + mask, body, 400, code, says, field, described}
}

const replicasOn = `,"readReplicasMode":"READ_REPLICAS_ENABLED"`

var refusals = []refusal{
	// names
	{"POST", "/instances?instanceId=Bad_ID", basic, 400, invalid, "Instance ID must be 1 to 40 characters and use lowercase letters", "", ""},
	{"POST", "/instances", basic, 400, invalid, "Instance ID must be 1 to 40 characters", "", ""},
	{"POST", "/instances?instanceId=" + strings.Repeat("a", 41), basic, 400, invalid, "Instance ID must be", "", ""},
	{"POST", "/instances?instanceId=a-", basic, 400, invalid, "Instance ID must be", "", ""},
	{"POST", "/instances?instanceId=1a", basic, 400, invalid, "Instance ID must be", "", ""},
	{"POST", "/instances?instanceId=basic", basic, 409, "ALREADY_EXISTS", "Resource '" + parent + "/instances/basic' already exists", "", ""},
	{"GET", "/instances/none", "", 404, "NOT_FOUND", "Resource '" + parent + "/instances/none' was not found", "", ""},
	{"DELETE", "/instances/none", "", 404, "NOT_FOUND", "Resource '" + parent + "/instances/none' was not found", "", ""},
	{"GET", "/operations/none", "", 404, "NOT_FOUND", "Resource '" + parent + "/operations/none' was not found", "", ""},
	{"POST", "/operations/none:cancel", "", 404, "NOT_FOUND", "Resource '" + parent + "/operations/none' was not found", "", ""},
	{"DELETE", "/operations/none", "", 404, "NOT_FOUND", "Resource '" + parent + "/operations/none' was not found", "", ""},
	// size and tier
	{"POST", "/instances?instanceId=new", `{"memorySizeGb":1}`, 400, invalid, "You must specify a tier.", "instance.tier", "Invalid value: TIER_UNSPECIFIED"},
	{"POST", "/instances?instanceId=new", ``, 400, invalid, "You must specify a tier.", "instance.tier", "Invalid value: TIER_UNSPECIFIED"},
	{"POST", "/instances?instanceId=new", `{"tier":2,"memorySizeGb":1}`, 400, invalid, "You must specify a tier.", "instance.tier", "Invalid value: 2"},
	{"POST", "/instances?instanceId=new", `{"tier":"BASIC"}`, 400, invalid, "Memory size must be between 1 and 300 GB.", "instance.memory_size_gb", "Invalid value: 0"},
	{"POST", "/instances?instanceId=new", `{"tier":"BASIC","memorySizeGb":301}`, 400, invalid, "Memory size must be", "instance.memory_size_gb", "Invalid value: 301"},
	patched("basic", "memorySizeGb", `{"memorySizeGb":-1}`, invalid, "Memory size must be", "instance.memory_size_gb", "Invalid value: -1"),
	created(`,"connectMode":9`, "Invalid value for instance.connect_mode.", "instance.connect_mode", "Invalid value: 9"),
	created(`,"redisVersion":"REDIS_99"`, "Redis version REDIS_99 is not supported.", "instance.redis_version", "Invalid value: REDIS_99"),
	// labels
	created(`,"labels":{"BAD KEY":"x"}`, "The request was invalid: resource labels are invalid: invalid key", "instance.labels", "Invalid value: BAD KEY"),
	created(`,"labels":{"k":"`+strings.Repeat("v", 64)+`"}`, "The request was invalid: resource labels are invalid: invalid value", "instance.labels", "Invalid value: "+strings.Repeat("v", 64)),
	// network
	created(`,"authorizedNetwork":"https://www.googleapis.com/compute/v1/projects/p/global/networks/n"`, "invalid authorized_network format, value should be full path to network resource", "instance.authorized_network", "Invalid value: https://www.googleapis.com/compute/v1/projects/p/global/networks/n"),
	created(`,"authorizedNetwork":"default"`, "invalid authorized_network format", "instance.authorized_network", "Invalid value: default"),
	created(`,"authorizedNetwork":"projects/host/global/networks/shared"`, "authorized_network must exist in the same project as redis instance", "instance.authorized_network", "Invalid value: projects/host/global/networks/shared"),
	created(`,"connectMode":"PRIVATE_SERVICE_ACCESS"`, "You must specify an authorized network.", "instance.authorized_network", "Invalid value: "),
	// zones
	created(`,"locationId":"us-east1-b"`, "Zone is not within instance Region.", "", ""),
	{"POST", "/instances?instanceId=new", `{"tier":"BASIC","memorySizeGb":1,"locationId":"europe-west1-a"}`, 404, "NOT_FOUND", "'europe-west1-a' was not found.", "", ""},
	created(`,"alternativeLocationId":"us-central1-a"`, "Alternative zone can only be specified for STANDARD_HA", "instance.alternative_location_id", "Invalid value: us-central1-a"),
	createdHA(`,"locationId":"us-central1-a","alternativeLocationId":"us-central1-a"`, "Alternative zone must be different", "instance.alternative_location_id", "Invalid value: us-central1-a"),
	// address ranges
	created(`,"reservedIpRange":"10.0.0.0/30"`, "Invalid IP range: 10.0.0.0/30. Require a minimum of /29 block size.", "instance.reserved_ip_range", "Invalid value: 10.0.0.0/30"),
	createdHA(`,"reservedIpRange":"192.168.0.0/29"`+replicasOn, "Invalid IP range: 192.168.0.0/29. Require a minimum of /28 block size when read replica is enabled.", "instance.reserved_ip_range", "Invalid value: 192.168.0.0/29"),
	created(`,"reservedIpRange":"10.0.0.1/29"`, "Invalid IP range: 10.0.0.1/29.", "instance.reserved_ip_range", "Invalid value: 10.0.0.1/29"),
	created(`,"reservedIpRange":"8.8.8.0/29"`, "Invalid IP range: 8.8.8.0/29.", "instance.reserved_ip_range", "Invalid value: 8.8.8.0/29"),
	created(`,"reservedIpRange":"a-name"`, "Invalid IP range: a-name.", "instance.reserved_ip_range", "Invalid value: a-name"),
	created(`,"reservedIpRange":"10.0.0.0/29"`, "Invalid IP range: 10.0.0.0/29. The range overlaps", "instance.reserved_ip_range", "Invalid value: 10.0.0.0/29"),
	created(`,"reservedIpRange":"10.9.0.0/29","connectMode":"PRIVATE_SERVICE_ACCESS","authorizedNetwork":"projects/p/global/networks/n"`, "Reserved IP range is not supported for --connect-mode private services access", "instance.reserved_ip_range", "Invalid value: 10.9.0.0/29"),
	// replicas
	createdHA(`,"replicaCount":1`, `Setting replica count requires read-replicas-mode to be "READ_REPLICAS_ENABLED"`, "", ""),
	created(`,"replicaCount":1`, `Setting replica count requires read-replicas-mode to be "READ_REPLICAS_ENABLED"`, "", ""),
	created(replicasOn, "Read replicas require the STANDARD_HA tier.", "instance.read_replicas_mode", "Invalid value: READ_REPLICAS_ENABLED"),
	createdHA(replicasOn+`,"replicaCount":6`, "Replica count must be between 1 and 5.", "instance.replica_count", "Invalid value: 6"),
	createdHA(replicasOn+`,"redisVersion":"REDIS_4_0"`, "Read replicas require Redis version 5.0", "instance.read_replicas_mode", "Invalid value: READ_REPLICAS_ENABLED"),
	{"POST", "/instances?instanceId=new", `{"tier":"STANDARD_HA","memorySizeGb":4` + replicasOn + `}`, 400, invalid, "Read replicas require a memory size of at least 5 GB.", "instance.read_replicas_mode", "Invalid value: READ_REPLICAS_ENABLED"},
	patched("ha", "replica_count", `{}`, precondition, "Read Replicas mode must be enabled on the instance in order to update", "", ""),
	patched("basic", "replica_count", `{"replicaCount":1}`, precondition, "Read Replicas mode must be enabled", "", ""),
	patched("rr", "replicaCount", `{}`, invalid, "Replica count must be between 1 and 5.", "instance.replica_count", "Invalid value: 0"),
	patched("rr", "memorySizeGb", `{"memorySizeGb":4}`, invalid, "Read replicas require a memory size", "instance.read_replicas_mode", "Invalid value: READ_REPLICAS_ENABLED"),
	patched("rr", "readReplicasMode", `{"readReplicasMode":"READ_REPLICAS_DISABLED"}`, precondition, "Read replicas cannot be disabled", "instance.read_replicas_mode", "Invalid value: READ_REPLICAS_DISABLED"),
	patched("ha", "readReplicasMode", `{"readReplicasMode":"READ_REPLICAS_ENABLED"}`, invalid, "Secondary IP range is required", "instance.secondary_ip_range", "Invalid value: "),
	patched("ha", "readReplicasMode,secondaryIpRange,labels", `{"readReplicasMode":"READ_REPLICAS_ENABLED","secondaryIpRange":"auto"}`, invalid, "Enabling read replicas cannot be combined with other updates.", "update_mask", "Invalid value: labels"),
	patched("ha", "readReplicasMode,secondaryIpRange", `{"readReplicasMode":"READ_REPLICAS_ENABLED","secondaryIpRange":"10.20.30.0/27"}`, invalid, "Invalid secondary IP range: 10.20.30.0/27.", "instance.secondary_ip_range", "Invalid value: 10.20.30.0/27"),
	patched("psa", "readReplicasMode,secondaryIpRange", `{"readReplicasMode":"READ_REPLICAS_ENABLED","secondaryIpRange":"10.20.30.0/28"}`, invalid, "Invalid secondary IP range", "instance.secondary_ip_range", "Invalid value: 10.20.30.0/28"),
	patched("ha", "secondaryIpRange", `{"secondaryIpRange":"10.20.30.0/28"}`, invalid, "com.google.apps.framework.request.StatusException: <eye3 title='INVALID_ARGUMENT'/> generic::INVALID_ARGUMENT: Secondary IP range can only be updated while enabling read replicas", "", ""),
	patched("psa", "secondaryIpRange", `{"secondaryIpRange":"auto"}`, invalid, "com.google.apps.framework.request.StatusException: ", "instance.secondary_ip_range", "Invalid value: auto"),
	patched("small", "readReplicasMode,secondaryIpRange", `{"readReplicasMode":"READ_REPLICAS_ENABLED","secondaryIpRange":"auto"}`, invalid, "Read replicas require a memory size", "instance.read_replicas_mode", "Invalid value: READ_REPLICAS_ENABLED"),
	patched("old", "readReplicasMode,secondaryIpRange", `{"readReplicasMode":"READ_REPLICAS_ENABLED","secondaryIpRange":"auto"}`, invalid, "Read replicas require Redis version", "instance.read_replicas_mode", "Invalid value: READ_REPLICAS_ENABLED"),
	// redisConfigs
	created(`,"redisConfigs":{"nosuch":"x"}`, "Invalid Redis configuration parameter: nosuch", "instance.redis_configs", "Invalid value: nosuch"),
	created(`,"redisConfigs":{"maxmemory-policy":"best"}`, "Invalid value for Redis configuration parameter maxmemory-policy: best.", "instance.redis_configs", "Invalid value: best"),
	created(`,"redisConfigs":{"maxmemory-clients":"5%"},"redisVersion":"REDIS_6_X"`, "Invalid Redis configuration parameter: maxmemory-clients", "instance.redis_configs", "Invalid value: maxmemory-clients"),
	created(`,"redisConfigs":{"maxmemory-policy":"allkeys-lfu"},"redisVersion":"REDIS_3_2"`, "Invalid value for Redis", "instance.redis_configs", "Invalid value: allkeys-lfu"),
	created(`,"redisConfigs":{"timeout":"119"}`, "Invalid value for Redis", "instance.redis_configs", "Invalid value: 119"),
	created(`,"redisConfigs":{"databases":"101"}`, "Invalid value for Redis", "instance.redis_configs", "Invalid value: 101"),
	created(`,"redisConfigs":{"maxmemory-gb":"1.5"}`, "Invalid value for Redis", "instance.redis_configs", "Invalid value: 1.5"),
	created(`,"redisConfigs":{"notify-keyspace-events":"KEQ"}`, "Invalid value for Redis", "instance.redis_configs", "Invalid value: KEQ"),
	created(`,"redisConfigs":{"activedefrag":"maybe"}`, "Invalid value for Redis", "instance.redis_configs", "Invalid value: maybe"),
	created(`,"redisConfigs":{"lfu-decay-time":"-1"}`, "Invalid value for Redis", "instance.redis_configs", "Invalid value: -1"),
	created(`,"redisConfigs":{"maxmemory-clients":"101%"}`, "Invalid value for Redis", "instance.redis_configs", "Invalid value: 101%"),
	patched("basic", "redisConfigs", `{"redisConfigs":{"databases":"30"}}`, invalid, "Redis configuration parameter databases can only be set", "instance.redis_configs", "Invalid value: databases"),
	// maintenance
	created(`,"maintenancePolicy":{"description":"x"}`, "Exactly one weekly maintenance window", "instance.maintenance_policy.weekly_maintenance_window", "Invalid value: 0 windows"),
	created(`,"maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":1},{"day":2}]}`, "Exactly one weekly maintenance window", "instance.maintenance_policy.weekly_maintenance_window", "Invalid value: 2 windows"),
	created(`,"maintenancePolicy":{"weeklyMaintenanceWindow":[{}]}`, "Invalid maintenance window: a day must be specified.", "instance.maintenance_policy.weekly_maintenance_window", "Invalid value: DAY_OF_WEEK_UNSPECIFIED"),
	created(`,"maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":1,"startTime":{"hours":24}}]}`, "Invalid maintenance window: hours", "instance.maintenance_policy.weekly_maintenance_window", "Invalid value: 24"),
	created(`,"maintenancePolicy":{"description":"`+strings.Repeat("é", 513)+`","weeklyMaintenanceWindow":[{"day":1}]}`, "The description of the maintenance policy", "instance.maintenance_policy.description", "Invalid value: 513 characters"),
	created(`,"maintenanceVersion":"latest"`, "Maintenance version latest is not available", "instance.maintenance_version", "Invalid value: latest"),
	patched("basic", "maintenanceVersion", `{"maintenanceVersion":"20200101_00_00"}`, invalid, "Maintenance version 20200101_00_00 is not available", "instance.maintenance_version", "Invalid value: 20200101_00_00"),
	// persistence, keys
	created(`,"persistenceConfig":{"persistenceMode":"RDB"},"redisVersion":"REDIS_4_0"`, "RDB persistence requires Redis version 5.0", "instance.persistence_config.persistence_mode", "Invalid value: RDB"),
	created(`,"customerManagedKey":"projects/p/locations/us-east1/keyRings/r/cryptoKeys/k"`, "Invalid customer managed key", "instance.customer_managed_key", "Invalid value: projects/p/locations/us-east1/keyRings/r/cryptoKeys/k"),
	// masks
	{"PATCH", "/instances/basic", `{"displayName":"x"}`, 400, invalid, "Update mask is empty", "update_mask", "Invalid value: "},
	patched("basic", "", `{}`, invalid, "Update mask is empty", "update_mask", "Invalid value: "),
	patched("basic", "redisConfig", `{}`, invalid, "Invalid option 'redis_config': 'redis_config' cannot be updated on existing instances.", "update_mask.paths.0", "Invalid value: redis_config"),
	patched("basic", "labels,tier", `{"tier":"STANDARD_HA"}`, invalid, "Invalid option 'tier': 'tier' cannot be updated", "update_mask.paths.1", "Invalid value: tier"),
	patched("basic", "redisVersion", `{"redisVersion":"REDIS_7_2"}`, invalid, "Invalid option 'redis_version'", "update_mask.paths.0", "Invalid value: redis_version"),
	patched("basic", "maintenanceSchedule", `{}`, invalid, "Invalid option 'maintenance_schedule'", "update_mask.paths.0", "Invalid value: maintenance_schedule"),
	patched("basic", "labels.env", `{}`, invalid, "Invalid option 'labels.env'", "update_mask.paths.0", "Invalid value: labels.env"),
	patched("basic", "*", `{}`, invalid, "Invalid option '*'", "update_mask.paths.0", "Invalid value: *"),
	// verbs
	{"POST", "/instances/basic:failover", "", 400, precondition, "Failover is only supported for STANDARD_HA", "", ""},
	{"POST", "/instances/basic:upgrade", `{"redisVersion":"REDIS_7_0"}`, 400, invalid, "Instance can only be upgraded to a version newer than REDIS_7_0.", "redis_version", "Invalid value: REDIS_7_0"},
	{"POST", "/instances/basic:upgrade", `{"redisVersion":"REDIS_6_X"}`, 400, invalid, "Instance can only be upgraded to a version newer", "redis_version", "Invalid value: REDIS_6_X"},
	{"POST", "/instances/basic:upgrade", `{}`, 400, invalid, "Redis version  is not supported.", "instance.redis_version", "Invalid value: "},
	{"POST", "/instances/basic:export", `{"outputConfig":{"gcsDestination":{"uri":"s3://b/o"}}}`, 400, invalid, "Invalid Cloud Storage URI: 's3://b/o'.", "output_config.gcs_destination.uri", "Invalid value: s3://b/o"},
	{"POST", "/instances/basic:import", `{}`, 400, invalid, "Invalid Cloud Storage URI: ''.", "input_config.gcs_source.uri", "Invalid value: "},
	{"POST", "/instances/basic:rescheduleMaintenance", `{"rescheduleType":"IMMEDIATE"}`, 400, precondition, "There is no maintenance scheduled", "", ""},
	// busy
	patched("busy", "labels", `{}`, precondition, "Unable to update due to ongoing operations. Please wait until instance is in READY state.", "", ""),
	{"DELETE", "/instances/busy", "", 400, precondition, "Unable to delete due to ongoing operations. Please wait until instance is in READY state.", "", ""},
	{"POST", "/instances/busy:upgrade", `{"redisVersion":"REDIS_7_2"}`, 400, precondition, "Unable to upgrade due to ongoing operations.", "", ""},
	{"POST", "/instances/busy:export", `{"outputConfig":{"gcsDestination":{"uri":"gs://bucket/o"}}}`, 400, precondition, "Unable to export due to ongoing operations.", "", ""},
	{"POST", "/instances/busy:import", `{"inputConfig":{"gcsSource":{"uri":"gs://bucket/o"}}}`, 400, precondition, "Unable to import due to ongoing operations.", "", ""},
	// the front end
	created(`,"foo":1`, `Invalid JSON payload received. Unknown name "foo" at 'instance': Cannot find field.`, "instance", `Invalid JSON payload received. Unknown name "foo" at 'instance': Cannot find field.`),
	created(`,"persistenceConfig":{"mode":1}`, `Invalid JSON payload received. Unknown name "mode" at 'instance.persistence_config': Cannot find field.`, "instance.persistence_config", `Invalid JSON payload received. Unknown name "mode" at 'instance.persistence_config': Cannot find field.`),
	{"POST", "/instances?instanceId=new", `{"tier":"GOLD"}`, 400, invalid, `Invalid value at 'instance.tier' (type.googleapis.com/google.cloud.redis.v1.Instance.Tier), "GOLD"`, "instance.tier", `Invalid value at 'instance.tier' (type.googleapis.com/google.cloud.redis.v1.Instance.Tier), "GOLD"`},
	{"POST", "/instances?instanceId=new", `{"memorySizeGb":"abc"}`, 400, invalid, `Invalid value at 'instance.memory_size_gb' (TYPE_INT32), "abc"`, "instance.memory_size_gb", `Invalid value at 'instance.memory_size_gb' (TYPE_INT32), "abc"`},
	{"POST", "/instances?instanceId=new", `{"memorySizeGb":1.5}`, 400, invalid, `Invalid value at 'instance.memory_size_gb' (TYPE_INT32), 1.5`, "instance.memory_size_gb", `Invalid value at 'instance.memory_size_gb' (TYPE_INT32), 1.5`},
	{"POST", "/instances/basic:upgrade", `{"version":"x"}`, 400, invalid, `Invalid JSON payload received. Unknown name "version": Cannot find field.`, "", `Invalid JSON payload received. Unknown name "version": Cannot find field.`},
	{"POST", "/instances?instanceId=new", `{"tier":`, 400, invalid, "Invalid JSON payload received. Unexpected end of string. Expected a value.\n{\"tier\":\n        ^", "", "Invalid JSON payload received. Unexpected end of string. Expected a value.\n{\"tier\":\n        ^"},
	{"POST", "/instances?instanceId=new", `[]`, 400, invalid, `Invalid JSON payload received. Unknown name "": Root element must be a message.`, "", `Invalid JSON payload received. Unknown name "": Root element must be a message.`},
	{"GET", "/instances?foo=1", "", 400, invalid, `Invalid JSON payload received. Unknown name "foo": Cannot bind query parameter. Field 'foo' could not be found in request message.`, "", `Invalid JSON payload received. Unknown name "foo": Cannot bind query parameter. Field 'foo' could not be found in request message.`},
	{"GET", "/instances?pageSize=-1", "", 400, invalid, "Invalid argument: 'page_size'", "", ""},
	{"GET", "/instances?pageSize=x", "", 400, invalid, `Invalid value at 'page_size' (TYPE_INT32), "x"`, "page_size", `Invalid value at 'page_size' (TYPE_INT32), "x"`},
	{"GET", "/instances?pageToken=garbage", "", 400, invalid, "The request was invalid: invalid page token", "", ""},
	{"GET", "/operations?filter=done%3D", "", 400, invalid, "The request was invalid: invalid list filter", "", ""},
	{"GET", "/operations?filter=nope%3D1", "", 400, invalid, "The request was invalid: invalid list filter", "", ""},
	{"GET", "/operations?returnPartialSuccess=true", "", 501, "UNIMPLEMENTED", "return_partial_success is not supported.", "", ""},
	{"GET", "/instances/basic?fields=nope", "", 400, invalid, "Request contains an invalid argument.", "fields", "Error expanding 'fields' parameter. Cannot find matching fields for path 'nope'."},
	{"GET", "/instances/basic?alt=proto", "", 501, "UNIMPLEMENTED", "The fake server answers in JSON only", "", ""},
	{"GET", "/instances/basic?alt=xml", "", 400, invalid, `Invalid value at 'alt'`, "alt", `Invalid value at 'alt' (type.googleapis.com/google.api.AltType), "xml"`},
}

// plainTexts are refusals of the front end: one sentence, without Redis's second line.
func isPlain(says string) bool {
	for _, p := range []string{"Resource '", "Invalid JSON", "Invalid value at", "Invalid argument", "The request was", "return_partial", "Request contains", "The fake", "com.google"} {
		if strings.HasPrefix(says, p) {
			return true
		}
	}
	return false
}

func TestRefusals(t *testing.T) {
	s := fixtures(t)
	before := text(t, s, "GET", "/v1/"+parent+"/instances?prettyPrint=false", "")
	operations := text(t, s, "GET", "/v1/"+parent+"/operations", "")
	for _, r := range refusals {
		e := refused(t, s, r.method, "/v1/"+parent+r.path, r.body, r.status)
		at := r.method + " " + r.path + " " + r.body
		assert.Equal(t, r.code, e["status"], at)
		message := e["message"].(string)
		assert.Truef(t, strings.HasPrefix(message, r.says), "%s\n%s", at, message)
		if !isPlain(r.says) {
			first, second, two := strings.Cut(message, "\n")
			assert.True(t, two, at)
			assert.Equal(t, "com.google.apps.framework.request.StatusException: <eye3 title='"+r.code+"'/> generic::"+r.code+": "+first, second, at)
		}
		assert.Equal(t, r.violation(), firstViolation(e), at)
		if r.status == 404 && strings.HasPrefix(r.says, "Resource") || r.status == 409 {
			require.Len(t, e["details"], 1, at)
			info := e["details"].([]any)[0].(object)
			assert.Equal(t, "type.googleapis.com/google.rpc.ResourceInfo", info["@type"])
			assert.Len(t, info, 2)
		}
	}
	for _, x := range s.Journal()[len(s.Journal())-len(refusals):] {
		assert.False(t, x.Acted, x.Path)
	}
	assert.ElementsMatch(t, strings.Split(before, ","), strings.Split(text(t, s, "GET", "/v1/"+parent+"/instances?prettyPrint=false", ""), ","))
	assert.Equal(t, operations, text(t, s, "GET", "/v1/"+parent+"/operations", ""))
}

func (r refusal) violation() object {
	v := object{}
	if r.field != "" {
		v["field"] = r.field
	}
	if r.described != "" {
		v["description"] = r.described
	}
	return v
}

// firstViolation is the one entry of the error's BadRequest, or an empty object.
func firstViolation(e object) object {
	details, _ := e["details"].([]any)
	for _, d := range details {
		if d.(object)["@type"] == "type.googleapis.com/google.rpc.BadRequest" {
			return d.(object)["fieldViolations"].([]any)[0].(object)
		}
	}
	return object{}
}
