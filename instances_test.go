package memorystore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pageOf is a page of a list of instances with these ids.
func pageOf(token string, ids ...string) reply {
	items := make([]string, len(ids))
	for i, id := range ids {
		items[i] = fmt.Sprintf(`{"name":"%s/instances/%s"}`, testLocation, id)
	}
	return ok(fmt.Sprintf(`{"instances":[%s],"nextPageToken":%q}`, strings.Join(items, ","), token))
}

// idsOf reads a list of instances to its end.
func idsOf(list func(func(*Instance, error) bool)) ([]string, error) {
	all, err := collect(list)
	var ids []string
	for _, in := range all {
		ids = append(ids, lastPart(in.Name))
	}
	return ids, err
}

func TestLists(t *testing.T) {
	t.Run("pages become items", func(t *testing.T) {
		s := newScript(t, pageOf("t1", "a", "b"), pageOf("t2"), pageOf("t3", "c"), pageOf(""))
		ids, err := idsOf(s.client().ListInstances(t.Context(), testLocation, PageSize(2)))
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b", "c"}, ids)
		for i, token := range []string{"", "t1", "t2", "t3"} {
			assert.Equal(t, token, s.sent[i].query.Get("pageToken"))
			assert.Equal(t, "2", s.sent[i].query.Get("pageSize"))
		}
	})
	t.Run("a token with anything in it comes back as it is", func(t *testing.T) {
		token := "a+b/c=&d?e f%20#ü"
		s := newScript(t, pageOf(token, "a"), pageOf("", "b"))
		_, err := idsOf(s.client().ListInstances(t.Context(), testLocation))
		require.NoError(t, err)
		assert.Equal(t, token, s.sent[1].query.Get("pageToken"))
	})
	t.Run("a retry repeats one page, not the list", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(t, pageOf("t1", "a"), busy(), busy(), pageOf("t2", "b"), busy(), pageOf("", "c"))
			ids, err := idsOf(s.client().ListInstances(t.Context(), testLocation))
			require.NoError(t, err)
			assert.Equal(t, []string{"a", "b", "c"}, ids)
			var asked []string
			for _, r := range s.sent {
				asked = append(asked, r.query.Get("pageToken"))
			}
			assert.Equal(t, []string{"", "t1", "t1", "t1", "t2", "t2"}, asked)
			assertSchedule(t, s.gaps()[1:3])
			assertSchedule(t, s.gaps()[4:5]) // every page has a schedule of its own
		})
	})
	t.Run("a page that fails ends the list with its error, after the items before", func(t *testing.T) {
		s := newScript(t, pageOf("t1", "a"), refuse(403, PermissionDenied, "no"))
		ids, err := idsOf(s.client().ListInstances(t.Context(), testLocation))
		assert.Equal(t, []string{"a"}, ids)
		assert.ErrorIs(t, err, PermissionDenied)
		failure(t, err)
	})
	t.Run("who stops early fetches no further page", func(t *testing.T) {
		s := newScript(t, pageOf("t1", "a", "b"))
		for in, err := range s.client().ListInstances(t.Context(), testLocation) {
			require.NoError(t, err)
			assert.Equal(t, "a", lastPart(in.Name))
			break
		}
	})
	t.Run("nothing is fetched before it is asked for", func(t *testing.T) {
		newScript(t).client().ListInstances(t.Context(), testLocation)
	})
	t.Run("a sequence can be read again, from the start", func(t *testing.T) {
		s := newScript(t, pageOf("t1", "a"), pageOf("", "b"), pageOf("", "c"))
		list := s.client().ListInstances(t.Context(), testLocation)
		first, err := idsOf(list)
		require.NoError(t, err)
		second, err := idsOf(list)
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, first)
		assert.Equal(t, []string{"c"}, second)
		assert.Empty(t, s.sent[2].query.Get("pageToken"))
	})
	t.Run("items are not shared between rounds of a loop", func(t *testing.T) {
		s := newScript(t, pageOf("", "a", "b"))
		all, err := collect(s.client().ListInstances(t.Context(), testLocation))
		require.NoError(t, err)
		assert.NotEqual(t, all[0].Name, all[1].Name)
	})
	t.Run("a token that comes twice ends the list", func(t *testing.T) {
		s := newScript(t, pageOf("t1", "a"), pageOf("t1", "b"))
		ids, err := idsOf(s.client().ListInstances(t.Context(), testLocation))
		assert.Equal(t, []string{"a", "b"}, ids)
		assert.ErrorIs(t, err, Internal)
		failure(t, err)
	})
	t.Run("regions that did not answer are the last item, each once, and their placeholders are dropped", func(t *testing.T) {
		s := newScript(t,
			ok(`{"instances":[{"name":"projects/p/locations/a/instances/one"},{"name":"projects/p/locations/us-east1/instances/-"}],"nextPageToken":"t","unreachable":["projects/p/locations/us-east1","europe-west1"]}`),
			ok(`{"instances":[{"name":"projects/p/locations/a/instances/two"}],"unreachable":["us-east1"]}`))
		ids, err := idsOf(s.client().ListInstances(t.Context(), "projects/p/locations/-"))
		assert.Equal(t, []string{"one", "two"}, ids)
		missing, isMissing := errors.AsType[*UnreachableError](err)
		require.True(t, isMissing)
		assert.Equal(t, []string{"europe-west1", "us-east1"}, missing.Locations)
		assertOneLine(t, err.Error())
	})
	t.Run("operations name them too", func(t *testing.T) {
		s := newScript(t, ok(`{"operations":[],"unreachable":["a\nb"]}`))
		_, err := collect(s.client().ListOperations(t.Context(), "projects/p/locations/-"))
		require.ErrorAs(t, err, new(*UnreachableError))
		assertOneLine(t, err.Error())
	})
	t.Run("filters and sizes", func(t *testing.T) {
		s := newScript(t, ok(`{}`), ok(`{}`), ok(`{}`))
		c := s.client()
		_, err := collect(c.ListOperations(t.Context(), testLocation, Filter(`done=false AND verb="x&y"`), PageSize(7)))
		require.NoError(t, err)
		_, err = collect(c.ListLocations(t.Context(), testProject, Filter("a"), Filter("b")))
		require.NoError(t, err)
		_, err = collect(c.ListLocations(t.Context(), testProject))
		require.NoError(t, err)
		assert.Equal(t, `done=false AND verb="x&y"`, s.sent[0].query.Get("filter"))
		assert.Equal(t, "7", s.sent[0].query.Get("pageSize"))
		assert.Equal(t, []string{"b"}, s.sent[1].query["filter"], "the last one counts")
		assert.Equal(t, "prettyPrint=false", s.sent[2].query.Encode())
	})
	t.Run("an option that is wrong is an error before a request", func(t *testing.T) {
		for want, opt := range map[string]ListOption{"page size 0: it must be at least 1": PageSize(0), "page size -5": PageSize(-5), `filter " ": it must not be empty`: Filter(" "), `filter ""`: Filter(""), "an option is nil": nil} {
			list := newScript(t).client().ListOperations(t.Context(), testLocation, opt)
			for range 2 {
				_, err := collect(list)
				assert.Contains(t, failure(t, err).Message, want)
				assert.ErrorIs(t, err, InvalidArgument)
			}
		}
	})
	t.Run("the service has no filter for instances", func(t *testing.T) {
		_, err := collect(newScript(t).client().ListInstances(t.Context(), testLocation, Filter("state=READY")))
		assert.ErrorContains(t, err, "the service has no filter for instances")
	})
	t.Run("a context that ends between pages ends the list", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := newScript(t, pageOf("t1", "a"))
		var last error
		for _, err := range s.client().ListInstances(ctx, testLocation) {
			cancel()
			last = err
		}
		assert.ErrorIs(t, last, context.Canceled)
	})
}

func TestUpdateInstance(t *testing.T) {
	full := &Instance{Name: testInstance, AuthEnabled: true, DisplayName: "new", Labels: map[string]string{"a": "b"}, MaintenanceVersion: "20260301_00_00", MemorySizeGB: 7,
		MaintenancePolicy: &MaintenancePolicy{Description: "sundays", WeeklyMaintenanceWindow: []WeeklyMaintenanceWindow{{Day: DayOfWeekSunday, StartTime: &TimeOfDay{}}}},
		PersistenceConfig: &PersistenceConfig{PersistenceMode: PersistenceModeRDB, RDBSnapshotPeriod: SnapshotPeriodOneHour, RDBSnapshotStartTime: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)},
		ReadReplicasMode:  ReadReplicasEnabled, RedisConfigs: map[string]string{"timeout": "5"}, ReplicaCount: 3, SecondaryIPRange: "auto",
		// Of these nothing is ever sent.
		Host: "10.0.0.1", State: StateReady, Tier: TierBasic, RedisVersion: "REDIS_7_2"}
	for _, row := range []struct {
		field      Field
		mask       string
		full, zero string
	}{
		{FieldAuthEnabled, "authEnabled", `{"authEnabled":true}`, `{"authEnabled":false}`},
		{FieldDisplayName, "displayName", `{"displayName":"new"}`, `{"displayName":""}`},
		{FieldLabels, "labels", `{"labels":{"a":"b"}}`, `{"labels":{}}`},
		{FieldMaintenancePolicy, "maintenancePolicy", `{"maintenancePolicy":{"description":"sundays","weeklyMaintenanceWindow":[{"day":"SUNDAY","startTime":{}}]}}`, `{"maintenancePolicy":null}`},
		{FieldMaintenanceVersion, "maintenanceVersion", `{"maintenanceVersion":"20260301_00_00"}`, `{"maintenanceVersion":""}`},
		{FieldMemorySizeGB, "memorySizeGb", `{"memorySizeGb":7}`, `{"memorySizeGb":0}`},
		{FieldPersistenceConfig, "persistenceConfig", `{"persistenceConfig":{"persistenceMode":"RDB","rdbSnapshotPeriod":"ONE_HOUR","rdbSnapshotStartTime":"2026-03-01T10:00:00Z"}}`, `{"persistenceConfig":null}`},
		{FieldReadReplicasMode, "readReplicasMode", `{"readReplicasMode":"READ_REPLICAS_ENABLED"}`, `{"readReplicasMode":""}`},
		{FieldRedisConfigs, "redisConfigs", `{"redisConfigs":{"timeout":"5"}}`, `{"redisConfigs":{}}`},
		{FieldReplicaCount, "replicaCount", `{"replicaCount":3}`, `{"replicaCount":0}`},
		{FieldSecondaryIPRange, "secondaryIpRange", `{"secondaryIpRange":"auto"}`, `{"secondaryIpRange":""}`},
	} {
		t.Run(string(row.field), func(t *testing.T) {
			for in, want := range map[*Instance]string{full: row.full, {Name: testInstance}: row.zero} {
				s := newScript(t, ok(operationBody("")))
				_, err := s.client().UpdateInstance(t.Context(), in, row.field)
				require.NoError(t, err)
				assert.JSONEq(t, want, s.sent[0].body)
				assert.Equal(t, row.mask, s.sent[0].query.Get("updateMask"))
			}
		})
	}
	t.Run("all fields at once, in the order given", func(t *testing.T) {
		s := newScript(t, ok(operationBody("")))
		_, err := s.client().UpdateInstance(t.Context(), full, FieldReplicaCount, FieldAuthEnabled, FieldLabels)
		require.NoError(t, err)
		assert.Equal(t, "replicaCount,authEnabled,labels", s.sent[0].query.Get("updateMask"))
		assert.JSONEq(t, `{"replicaCount":3,"authEnabled":true,"labels":{"a":"b"}}`, s.sent[0].body)
		assert.Len(t, fieldValues, 11)
	})
	t.Run("refused before a request", func(t *testing.T) {
		for _, row := range []struct {
			in     *Instance
			fields []Field
			want   string
		}{
			{full, nil, "an update must name the fields to change, such as FieldLabels"},
			{full, []Field{"redisVersion"}, "redisVersion is changed by UpgradeInstance, not by an update"},
			{full, []Field{FieldLabels, "redisConfig"}, `field "redisConfig" cannot be updated; fields that can: authEnabled, displayName, labels, maintenancePolicy, maintenanceVersion, memorySizeGb, persistenceConfig, readReplicasMode, redisConfigs, replicaCount, secondaryIpRange`},
			{full, []Field{"tier"}, `field "tier" cannot be updated`},
			{full, []Field{"*"}, `field "*" cannot be updated`},
			{full, []Field{"labels,tier"}, `field "labels,tier" cannot be updated`},
			{full, []Field{"a\nb"}, `field "a\nb" cannot be updated`},
			{full, []Field{""}, `field "" cannot be updated`},
			{full, []Field{FieldLabels, FieldDisplayName, FieldLabels}, `field "labels" is named twice`},
			{nil, []Field{FieldLabels}, "the instance is nil"},
			{&Instance{}, []Field{FieldLabels}, "must have the form projects/PROJECT"},
		} {
			s := newScript(t)
			_, err := s.client().UpdateInstance(t.Context(), row.in, row.fields...)
			e := failure(t, err)
			assert.Contains(t, e.Message, row.want)
			assert.ErrorIs(t, err, InvalidArgument)
		}
	})
	t.Run("the caller may change the instance once the call has returned", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			in := *full
			s := newScript(t, reply{status: 503, before: func() { in.DisplayName = "later" }}, ok(operationBody("")))
			_, err := s.client().UpdateInstance(t.Context(), &in, FieldDisplayName)
			require.NoError(t, err)
			assert.JSONEq(t, s.sent[0].body, s.sent[1].body)
		})
	})
}

func TestCreateInstance(t *testing.T) {
	t.Run("what only the service sets is not sent, nor the name", func(t *testing.T) {
		in := &Instance{Name: testInstance, Tier: TierBasic, MemorySizeGB: 1, DisplayName: "x", Tags: map[string]string{"1/env": "prod"}, ReplicaCount: 2,
			Host: "h", Port: 1, CurrentLocationID: "z", CreateTime: time.Now(), State: StateReady, StatusMessage: "s", PersistenceIAMIdentity: "i", ServerCACerts: []TLSCertificate{{Cert: "c"}},
			MaintenanceSchedule: &MaintenanceSchedule{CanReschedule: true}, Nodes: []NodeInfo{{ID: "n"}}, ReadEndpoint: "e", ReadEndpointPort: 1,
			SuspensionReasons: []SuspensionReason{"x"}, AvailableMaintenanceVersions: []string{"v"}, SatisfiesPZS: true, SatisfiesPZI: true}
		before := *in
		s := newScript(t, ok(operationBody("")))
		_, err := s.client().CreateInstance(t.Context(), in)
		require.NoError(t, err)
		assert.JSONEq(t, `{"tier":"BASIC","memorySizeGb":1,"displayName":"x","tags":{"1/env":"prod"},"replicaCount":2}`, s.sent[0].body)
		assert.Equal(t, "cache", s.sent[0].query.Get("instanceId"))
		assert.Equal(t, "/v1/"+testLocation+"/instances", s.sent[0].path)
		assert.Equal(t, before, *in, "the caller's instance is not written to")
	})
	t.Run("refused before a request", func(t *testing.T) {
		for want, in := range map[string]*Instance{
			"the instance is nil":                                      nil,
			"must have the form projects/PROJECT":                      {Tier: TierBasic, MemorySizeGB: 1},
			"an instance must have a Tier: BASIC or STANDARD_HA":       {Name: testInstance, MemorySizeGB: 1},
			"an instance must have a Tier":                             {Name: testInstance, MemorySizeGB: 1, Tier: TierUnspecified},
			"an instance must have a MemorySizeGB of 1 to 300, not 0":  {Name: testInstance, Tier: TierBasic},
			"an instance must have a MemorySizeGB of 1 to 300, not -1": {Name: testInstance, Tier: TierBasic, MemorySizeGB: -1},
		} {
			_, err := newScript(t).client().CreateInstance(t.Context(), in)
			assert.Contains(t, failure(t, err).Message, want)
		}
	})
}

func TestVerbsOfAnInstance(t *testing.T) {
	noon := time.Date(2026, 3, 1, 14, 0, 0, 5, time.FixedZone("", 2*3600))
	for _, row := range []struct {
		about string
		call  func(context.Context, *Client) error
		body  string // empty: refused
		want  string
	}{
		{"failover without a mode", func(ctx context.Context, c *Client) error {
			_, err := c.FailoverInstance(ctx, testInstance, "")
			return err
		}, `{}`, ""},
		{"failover", func(ctx context.Context, c *Client) error {
			_, err := c.FailoverInstance(ctx, testInstance, DataProtectionModeLimitedDataLoss)
			return err
		}, `{"dataProtectionMode":"LIMITED_DATA_LOSS"}`, ""},
		{"reschedule to a time", func(ctx context.Context, c *Client) error {
			_, err := c.RescheduleMaintenance(ctx, testInstance, Reschedule{RescheduleTypeSpecificTime, noon})
			return err
		}, `{"rescheduleType":"SPECIFIC_TIME","scheduleTime":"2026-03-01T12:00:00.000000005Z"}`, ""},
		{"reschedule to the next window", func(ctx context.Context, c *Client) error {
			_, err := c.RescheduleMaintenance(ctx, testInstance, Reschedule{Type: RescheduleTypeNextAvailableWindow})
			return err
		}, `{"rescheduleType":"NEXT_AVAILABLE_WINDOW"}`, ""},
		{"reschedule to nothing", func(ctx context.Context, c *Client) error {
			_, err := c.RescheduleMaintenance(ctx, testInstance, Reschedule{})
			return err
		}, "", "a Reschedule must have a Type: IMMEDIATE, NEXT_AVAILABLE_WINDOW or SPECIFIC_TIME"},
		{"reschedule to no time", func(ctx context.Context, c *Client) error {
			_, err := c.RescheduleMaintenance(ctx, testInstance, Reschedule{Type: RescheduleTypeSpecificTime})
			return err
		}, "", "a Reschedule must have a Time with the Type SPECIFIC_TIME, and only then"},
		{"reschedule to now at a time", func(ctx context.Context, c *Client) error {
			_, err := c.RescheduleMaintenance(ctx, testInstance, Reschedule{RescheduleTypeImmediate, noon})
			return err
		}, "", "and only then"},
		{"upgrade to nothing", func(ctx context.Context, c *Client) error {
			_, err := c.UpgradeInstance(ctx, testInstance, "")
			return err
		}, "", "a version of Redis is required, such as REDIS_7_2"},
		{"import from a folder", func(ctx context.Context, c *Client) error {
			_, err := c.ImportInstance(ctx, testInstance, "gs://bucket/")
			return err
		}, "", `Cloud Storage URI "gs://bucket/"`},
		{"import from a bucket", func(ctx context.Context, c *Client) error {
			_, err := c.ImportInstance(ctx, testInstance, "gs://bucket")
			return err
		}, "", "gs://BUCKET/OBJECT"},
		{"import from the web", func(ctx context.Context, c *Client) error {
			_, err := c.ImportInstance(ctx, testInstance, "https://bucket/x")
			return err
		}, "", "gs://BUCKET/OBJECT"},
		{"export to nowhere", func(ctx context.Context, c *Client) error {
			_, err := c.ExportInstance(ctx, testInstance, "")
			return err
		}, "", "gs://BUCKET/OBJECT"},
		{"export to a path", func(ctx context.Context, c *Client) error {
			_, err := c.ExportInstance(ctx, testInstance, "gs:///x\n")
			return err
		}, "", "gs://BUCKET/OBJECT"},
	} {
		t.Run(row.about, func(t *testing.T) {
			var replies []reply
			if row.body != "" {
				replies = []reply{ok(operationBody(""))}
			}
			s := newScript(t, replies...)
			err := row.call(t.Context(), s.client())
			if row.body != "" {
				require.NoError(t, err)
				assert.JSONEq(t, row.body, s.sent[0].body)
				return
			}
			e := failure(t, err)
			assert.Contains(t, e.Message, row.want)
			assert.ErrorIs(t, err, InvalidArgument)
		})
	}
}
