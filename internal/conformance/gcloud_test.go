package conformance

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A command is one run of gcloud. {op} in it stands for the id of the operation that was begun last.
type command struct {
	args  string
	asks  []string // what the fake was asked, as requests shows it; one that ends in … may go on
	says  string   // each of these lines is one of stdout's, blanks apart
	lacks string   // is nowhere in stdout
	fails string   // how gcloud complains on stderr; empty: it succeeds
}

// startForGcloud starts a fake, unless there is no gcloud to ask it.
func startForGcloud(t *testing.T, opts ...fakeserver.Option) *fakeserver.Server {
	t.Helper()
	_, err := exec.LookPath("gcloud")
	switch {
	case err != nil && os.Getenv("MEMORYSTORE_REQUIRE_GCLOUD") == "1":
		require.NoError(t, err, "MEMORYSTORE_REQUIRE_GCLOUD is 1")
	case err != nil:
		t.Skip("skipped, no gcloud")
	case testing.Short():
		t.Skip("skipped, -short: every gcloud takes a second")
	}
	return fakeserver.Start(t, opts...)
}

// gcloud runs commands one after another against one fake.
func gcloud(t *testing.T, fake *fakeserver.Server, commands ...command) {
	t.Helper()
	env := gcloudEnv(t, fake)
	for _, c := range commands {
		before := len(fake.Journal())
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		cmd := exec.CommandContext(ctx, "gcloud", strings.Fields("redis "+named(fake, c.args))...)
		var stdout, stderr bytes.Buffer
		cmd.Env, cmd.Stdout, cmd.Stderr = env, &stdout, &stderr
		err := cmd.Run()
		cancel()
		if c.fails == "" {
			require.NoError(t, err, "gcloud redis %s\n%s", c.args, stderr.String())
		} else {
			require.Error(t, err, "gcloud redis %s", c.args)
			assert.Contains(t, squeezed(stderr.String()), named(fake, c.fails), "gcloud redis %s", c.args)
		}
		lines := strings.Split(squeezed(stdout.String()), "\n")
		for want := range strings.Lines(named(fake, c.says)) {
			assert.Contains(t, lines, squeezed(want), "gcloud redis %s", c.args)
		}
		if c.lacks != "" {
			assert.NotContains(t, stdout.String(), c.lacks, "gcloud redis %s", c.args)
		}
		asked := requests(t, fake, before)
		for i, want := range c.asks {
			if start, more := strings.CutSuffix(want, "…"); more && i < len(asked) && strings.HasPrefix(asked[i], start) {
				asked[i] = want
			}
		}
		assert.Equal(t, c.asks, asked, "gcloud redis %s", c.args)
	}
}

var (
	operationID = regexp.MustCompile(`operations/(operation-[-0-9a-f]+)`)
	blanks      = regexp.MustCompile(`[ \t]+`)
)

// named puts the id of the last operation in place of {op}.
func named(fake *fakeserver.Server, s string) string {
	if !strings.Contains(s, "{op}") {
		return s
	}
	all := fake.Journal()
	for i := len(all) - 1; i >= 0; i-- {
		if m := operationID.FindStringSubmatch(all[i].Response); all[i].Acted && m != nil {
			return strings.ReplaceAll(s, "{op}", m[1])
		}
	}
	return s
}

// squeezed takes out what gcloud aligns with.
func squeezed(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strings.TrimSpace(blanks.ReplaceAllString(line, " ")))
	}
	return strings.Join(lines, "\n")
}

// gcloudEnv leads gcloud to a fake, and away from what its user has configured.
func gcloudEnv(t *testing.T, fake *fakeserver.Server) []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		installed := strings.HasPrefix(name, "CLOUDSDK_PYTHON") // how this machine runs it
		if name = strings.ToUpper(name); installed || !strings.HasPrefix(name, "CLOUDSDK_") && !strings.HasSuffix(name, "_PROXY") {
			env = append(env, e)
		}
	}
	return append(env, "CLOUDSDK_CONFIG="+t.TempDir(),
		"CLOUDSDK_API_ENDPOINT_OVERRIDES_REDIS="+fake.URL()+"/",
		"CLOUDSDK_AUTH_DISABLE_CREDENTIALS=true",
		"CLOUDSDK_CORE_PROJECT=p",
		"CLOUDSDK_CORE_DISABLE_PROMPTS=1",
		"CLOUDSDK_CORE_DISABLE_USAGE_REPORTING=1",
		"CLOUDSDK_CORE_DISABLE_FILE_LOGGING=1",
		"CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK=1",
		"CLOUDSDK_SURVEY_DISABLE_PROMPTS=1")
}

// waited is what every change asks next, unless it is --async: gcloud polls once a second, then reads the instance whose
// name the operation's response has.
var waited = []string{"operations.get ?alt=json", "instances.get ?alt=json"}

func asks(first ...string) []string { return append(first, waited...) }

func TestGcloudLife(t *testing.T) {
	t.Parallel()
	gcloud(t, startForGcloud(t),
		command{args: "instances create cache --region=us-central1 --tier=standard --size=5 --labels=team=search --redis-config=maxmemory-policy=allkeys-lru" +
			" --enable-auth --maintenance-window-day=sunday --maintenance-window-hour=3 --format=yaml",
			asks: asks(`instances.create ?alt=json&instanceId=cache {"authEnabled":true,"authorizedNetwork":"projects/p/global/networks/default",` +
				`"labels":{"team":"search"},"maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":"SUNDAY","startTime":{"hours":3}}]},` +
				`"memorySizeGb":5,"redisConfigs":{"maxmemory-policy":"allkeys-lru"},"tier":"STANDARD_HA"}`),
			says: "name: " + cache + `
				state: READY
				tier: STANDARD_HA
				memorySizeGb: 5
				authEnabled: true
				team: search
				maxmemory-policy: allkeys-lru
				- day: SUNDAY
				duration: 3600s`},
		command{args: "instances get-auth-string cache --region=us-central1 --format=value(authString.len())",
			asks: []string{"instances.getAuthString ?alt=json"}, says: "36"},
		// It sends the whole instance back as it read it, output only fields too, and authEnabled:false though AUTH is on:
		// what the mask does not name must not be looked at.
		command{args: "instances update cache --region=us-central1 --size=6 --update-labels=env=test --remove-redis-config=maxmemory-policy" +
			" --update-redis-config=activedefrag=yes --format=yaml(labels,memorySizeGb,redisConfigs,authEnabled,state)",
			asks: asks("instances.get ?alt=json", `instances.patch ?alt=json&updateMask=labels,memory_size_gb,redis_configs {"alternativeLocationId":"us-central1-b","authEnabled":false,…`),
			says: `authEnabled: true
				labels:
				env: test
				team: search
				memorySizeGb: 6
				redisConfigs:
				activedefrag: yes
				state: READY`},
		command{args: "instances update cache --region=us-central1 --clear-labels --no-enable-auth --maintenance-window-any" +
			" --format=csv[no-heading](labels.yesno(yes,no),authEnabled.yesno(yes,no),maintenancePolicy.yesno(yes,no),memorySizeGb)",
			asks: asks("instances.get ?alt=json", "instances.patch ?alt=json&updateMask=labels,maintenance_policy,auth_enabled …"),
			says: "no,no,no,6"},
		command{args: "instances delete cache --region=us-central1",
			asks: []string{"instances.delete ?alt=json", "operations.get ?alt=json"}},
		command{args: "instances describe cache --region=us-central1", asks: []string{"instances.get ?alt=json"},
			fails: "NOT_FOUND: Resource '" + cache + "' was not found"},
	)
}

// Flags that go together. Every operation is done at once: gcloud then polls nothing, and reads the instance.
func TestGcloudFlags(t *testing.T) {
	t.Parallel()
	const here = " --region=us-central1"
	read := "instances.get ?alt=json"
	gcloud(t, startForGcloud(t, fakeserver.WithOperationTimes(fakeserver.Immediate())),
		command{args: "instances create cache --tier=standard --size=5 --zone=us-central1-b --alternative-zone=us-central1-c --redis-version=redis_6_x" +
			" --transit-encryption-mode=server-authentication --read-replicas-mode=read-replicas-enabled --replica-count=2 --reserved-ip-range=10.9.0.0/28" +
			" --persistence-mode=rdb --rdb-snapshot-period=6h --rdb-snapshot-start-time=2099-01-06T03:00:00Z --display-name=Big --format=yaml" + here,
			asks: []string{`instances.create ?alt=json&instanceId=cache {"alternativeLocationId":"us-central1-c","authEnabled":false,` +
				`"authorizedNetwork":"projects/p/global/networks/default","displayName":"Big","locationId":"us-central1-b","memorySizeGb":5,` +
				`"persistenceConfig":{"persistenceMode":"RDB","rdbSnapshotPeriod":"SIX_HOURS","rdbSnapshotStartTime":"2099-01-06T03:00:00Z"},` +
				`"readReplicasMode":"READ_REPLICAS_ENABLED","redisVersion":"REDIS_6_X","replicaCount":2,"reservedIpRange":"10.9.0.0/28",` +
				`"tier":"STANDARD_HA","transitEncryptionMode":"SERVER_AUTHENTICATION"}`, read},
			says: `port: 6378
				readEndpointPort: 6378
				host: 10.9.0.3
				replicaCount: 2
				rdbSnapshotPeriod: SIX_HOURS
				rdbNextSnapshotTime: '2099-01-06T03:00:00Z'
				- cert: |-`},
		command{args: "instances create private --tier=standard --size=5 --connect-mode=private-service-access" +
			" --network=projects/host/global/networks/shared --format=value(connectMode,authorizedNetwork)" + here,
			asks: []string{`instances.create ?alt=json&instanceId=private {"authEnabled":false,"authorizedNetwork":"projects/host/global/networks/shared",` +
				`"connectMode":"PRIVATE_SERVICE_ACCESS","memorySizeGb":5,"tier":"STANDARD_HA"}`, read},
			says: "PRIVATE_SERVICE_ACCESS projects/host/global/networks/shared"},
		command{args: "instances update private --read-replicas-mode=read-replicas-enabled --secondary-ip-range=auto --replica-count=2" +
			" --format=value(readReplicasMode,replicaCount,nodes.len())" + here,
			asks: []string{read, "instances.patch ?alt=json&updateMask=replica_count,read_replicas_mode,secondary_ip_range …", read},
			says: "READ_REPLICAS_ENABLED 2 3"},
		command{args: "instances update private --persistence-mode=rdb --rdb-snapshot-period=12h" +
			" --format=value(persistenceConfig.persistenceMode,persistenceConfig.rdbSnapshotPeriod)" + here,
			asks: []string{read, "instances.patch ?alt=json&updateMask=persistence_config …", read}, says: "RDB TWELVE_HOURS"},
		command{args: "instances update private --size=301" + here,
			asks: []string{read, "instances.patch ?alt=json&updateMask=memory_size_gb …"}, fails: "INVALID_ARGUMENT: "},
	)
}

func TestGcloudVerbs(t *testing.T) {
	t.Parallel()
	const one = " cache --region=us-central1"
	gcloud(t, startForGcloud(t, fakeserver.WithInstances(scheduled)),
		command{args: "instances failover" + one + " --data-protection-mode=force-data-loss",
			asks: asks(`instances.failover ?alt=json {"dataProtectionMode":"FORCE_DATA_LOSS"}`)},
		command{args: "instances upgrade" + one + " --redis-version=redis_7_2",
			asks: asks(`instances.upgrade ?alt=json {"redisVersion":"REDIS_7_2"}`),
			says: "redisVersion: REDIS_7_2\ncurrentLocationId: us-central1-b\nlocationId: us-central1-a"},
		command{args: "instances export gs://bucket/dump.rdb" + one,
			asks: asks(`instances.export ?alt=json {"outputConfig":{"gcsDestination":{"uri":"gs://bucket/dump.rdb"}}}`), says: "state: READY"},
		command{args: "instances import gs://bucket/dump.rdb" + one,
			asks: asks(`instances.import ?alt=json {"inputConfig":{"gcsSource":{"uri":"gs://bucket/dump.rdb"}}}`), says: "state: READY"},
		command{args: "instances reschedule-maintenance" + one + " --reschedule-type=specific-time --schedule-time=2099-01-06T03:00:00Z",
			asks: asks(`instances.rescheduleMaintenance ?alt=json {"rescheduleType":"SPECIFIC_TIME","scheduleTime":"2099-01-06T03:00:00Z"}`)},
		command{args: "instances describe" + one, asks: []string{"instances.get ?alt=json"}, says: "startTime: '2099-01-06T03:00:00Z'\nendTime: '2099-01-06T04:00:00Z'"},
	)
}

func TestGcloudOperations(t *testing.T) {
	t.Parallel()
	const here = " --region=us-central1"
	// What the service itself began: gcloud hides it.
	internal := `{"name":"` + region + `/operations/operation-1","done":true,"metadata":{"@type":"type.googleapis.com/google.cloud.redis.v1.OperationMetadata",` +
		`"createTime":"2026-04-27T18:11:56.906271382Z","endTime":"2026-04-27T18:12:56.906271382Z","target":"` + cache + `","verb":"update","apiVersion":"v1internal1"}}`
	gcloud(t, startForGcloud(t, fakeserver.WithInstances(scheduled), fakeserver.WithOperations(internal)),
		command{args: "instances import gs://bucket/dump.rdb cache --async" + here,
			asks: []string{`instances.import ?alt=json {"inputConfig":{"gcsSource":{"uri":"gs://bucket/dump.rdb"}}}`},
			says: "done: false\nname: " + region + "/operations/{op}\ntarget: " + cache + "\nverb: import\ncancelRequested: false\napiVersion: v1"},
		command{args: "operations list --format=csv(name.basename(),metadata.verb,done)" + here,
			asks: []string{"operations.list ?alt=json"}, says: "{op},import,False", lacks: "operation-1,"},
		command{args: "instances failover cache" + here, asks: []string{`instances.failover ?alt=json {}`},
			fails: "FAILED_PRECONDITION: Unable to failover due to ongoing operations. Please wait until instance is in READY state."},
		command{args: "operations cancel {op}" + here, asks: []string{"operations.cancel ?alt=json"}},
		command{args: "operations describe {op}" + here, asks: []string{"operations.get ?alt=json"},
			says: "cancelRequested: true\ndone: true\ncode: 1"},
		command{args: "operations list --region=-", asks: []string{"operations.list ?alt=json"},
			says: "OPERATION_NAME REGION TYPE TARGET DONE CREATE_TIME DURATION"},
	)
}

func TestGcloudPlaces(t *testing.T) {
	t.Parallel()
	gcloud(t, startForGcloud(t, fakeserver.WithInstances(scheduled)),
		command{args: "regions list", asks: []string{"locations.list ?alt=json"}, says: "us-central1\neurope-west1"},
		command{args: "regions describe us-central1", asks: []string{"locations.get ?alt=json"},
			says: "locationId: us-central1\nname: " + region + "\nus-central1-a: {}"},
		command{args: "zones list --region=us-central1", asks: []string{"locations.list ?alt=json"}, says: "ZONE REGION\nus-central1-a us-central1"},
		command{args: "instances list --region=- --page-size=100", asks: []string{"instances.list ?alt=json&pageSize=100"},
			says: "INSTANCE_NAME VERSION REGION TIER SIZE_GB HOST PORT NETWORK RESERVED_IP STATUS CREATE_TIME\n" +
				"cache REDIS_7_0 us-central1 STANDARD_HA 5 10.1.2.4 6379 default 10.1.2.0/29 READY 2026-04-27T18:11:56"},
	)
}

// gcloud sends a create again after a 503, although the first may have been carried out; then it says that the name is
// taken, and the instance is there. It is the failure that this SDK's lost answers are about.
func TestGcloudLostAnswer(t *testing.T) {
	t.Parallel()
	fake := startForGcloud(t)
	fake.Inject("instances.create", fakeserver.Fault{Status: 503, AfterWork: true})
	create := `instances.create ?alt=json&instanceId=cache {"authEnabled":false,"authorizedNetwork":"projects/p/global/networks/default","memorySizeGb":1,"tier":"BASIC"}`
	gcloud(t, fake,
		command{args: "instances create cache --region=us-central1", asks: []string{create, create},
			fails: "ALREADY_EXISTS: Resource '" + cache + "' already exists"},
		command{args: "instances describe cache --region=us-central1", asks: []string{"instances.get ?alt=json"}, says: "state: CREATING"},
	)
}

// A create whose operation fails.
func TestGcloudFailedOperation(t *testing.T) {
	t.Parallel()
	fake := startForGcloud(t)
	fake.Operations().Fail(cache, 9, "Unable to delegate the access of CMEK. Please try again later.")
	gcloud(t, fake, command{args: "instances create cache --region=us-central1",
		asks: []string{`instances.create ?alt=json&instanceId=cache {"authEnabled":false,"authorizedNetwork":"projects/p/global/networks/default","memorySizeGb":1,"tier":"BASIC"}`,
			"operations.get ?alt=json"},
		fails: "Unable to delegate the access of CMEK. Please try again later."})
}
