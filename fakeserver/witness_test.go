package fakeserver_test

import (
	"context"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	redis "google.golang.org/api/redis/v1"
)

// Google's own client, made from the discovery document, runs the whole life of an instance against the fake, over
// a socket and without one.
func TestWitness(t *testing.T) {
	for name, s := range map[string]*fakeserver.Server{"direct": fakeserver.New(), "socket": fakeserver.Start(t)} {
		t.Run(name, func(t *testing.T) {
			opts := []option.ClientOption{option.WithEndpoint(s.URL() + "/"), option.WithoutAuthentication()}
			if name == "direct" {
				opts = []option.ClientOption{option.WithHTTPClient(s.Client())}
			}
			service, err := redis.NewService(t.Context(), opts...)
			require.NoError(t, err)
			w := &witness{t: t, ctx: t.Context(), locations: service.Projects.Locations}
			w.life()
			w.pages()
			w.errors()
		})
	}
}

type witness struct {
	t         *testing.T
	ctx       context.Context
	locations *redis.ProjectsLocationsService
}

// wait polls an operation to its end.
func (w *witness) wait(op *redis.Operation, err error) *redis.Operation {
	w.t.Helper()
	require.NoError(w.t, err)
	for !op.Done {
		op, err = w.locations.Operations.Get(op.Name).Context(w.ctx).Do()
		require.NoError(w.t, err)
	}
	require.Nil(w.t, op.Error)
	return op
}

func (w *witness) get(id string) *redis.Instance {
	w.t.Helper()
	in, err := w.locations.Instances.Get(parent + "/instances/" + id).Do()
	require.NoError(w.t, err)
	return in
}

func (w *witness) life() {
	t, name := w.t, parent+"/instances/life"
	in := w.locations.Instances
	w.wait(in.Create(parent, &redis.Instance{
		Tier: "STANDARD_HA", MemorySizeGb: 5, AuthEnabled: true, TransitEncryptionMode: "SERVER_AUTHENTICATION", RedisConfigs: map[string]string{"maxmemory-policy": "allkeys-lru"},
		MaintenancePolicy: &redis.MaintenancePolicy{WeeklyMaintenanceWindow: []*redis.WeeklyMaintenanceWindow{{Day: "MONDAY", StartTime: &redis.TimeOfDay{Hours: 3}}}},
		PersistenceConfig: &redis.PersistenceConfig{PersistenceMode: "RDB", RdbSnapshotPeriod: "SIX_HOURS"},
	}).InstanceId("life").Do())
	got := w.get("life")
	assert.Equal(t, "READY", got.State)
	assert.EqualValues(t, 6378, got.Port)
	assert.Len(t, got.ServerCaCerts, 1)
	assert.Len(t, got.Nodes, 2)
	auth, err := in.GetAuthString(name).Do()
	require.NoError(t, err)
	assert.Len(t, auth.AuthString, 36)

	w.wait(in.Patch(name, &redis.Instance{DisplayName: "new", MemorySizeGb: 6, Labels: map[string]string{"a": "b"}}).UpdateMask("displayName,memorySizeGb,labels,redisConfigs").Do())
	got = w.get("life")
	assert.Equal(t, "new", got.DisplayName)
	assert.EqualValues(t, 6, got.MemorySizeGb)
	assert.Empty(t, got.RedisConfigs)
	w.wait(in.Failover(name, &redis.FailoverInstanceRequest{DataProtectionMode: "LIMITED_DATA_LOSS"}).Do())
	assert.Equal(t, got.AlternativeLocationId, w.get("life").CurrentLocationId)
	w.wait(in.Export(name, &redis.ExportInstanceRequest{OutputConfig: &redis.OutputConfig{GcsDestination: &redis.GcsDestination{Uri: "gs://bucket/o.rdb"}}}).Do())
	w.wait(in.Import(name, &redis.ImportInstanceRequest{InputConfig: &redis.InputConfig{GcsSource: &redis.GcsSource{Uri: "gs://bucket/o.rdb"}}}).Do())
	w.wait(in.Upgrade(name, &redis.UpgradeInstanceRequest{RedisVersion: "REDIS_7_2"}).Do())
	assert.Equal(t, "REDIS_7_2", w.get("life").RedisVersion)

	list, err := w.locations.Operations.List(parent).Filter(`metadata.target="` + name + `"`).Do()
	require.NoError(t, err)
	assert.Len(t, list.Operations, 6)
	_, err = w.locations.Operations.Delete(list.Operations[0].Name).Do()
	require.NoError(t, err)
	_, err = w.locations.Operations.Get(list.Operations[0].Name).Do()
	assert.Equal(t, 404, status(err))

	location, err := w.locations.Get(parent).Do()
	require.NoError(t, err)
	assert.Equal(t, "us-central1", location.LocationId)
	op := w.wait(in.Delete(name).Do())
	assert.JSONEq(t, `{"@type":"type.googleapis.com/google.protobuf.Empty"}`, string(op.Response))
	_, err = in.Get(name).Do()
	assert.Equal(t, 404, status(err))
}

func (w *witness) pages() {
	for _, id := range []string{"p1", "p2", "p3"} {
		w.wait(w.locations.Instances.Create(parent, &redis.Instance{Tier: "BASIC", MemorySizeGb: 1}).InstanceId(id).Do())
	}
	pages, items := 0, 0
	for _, where := range []string{parent, "projects/p/locations/-"} {
		require.NoError(w.t, w.locations.Instances.List(where).PageSize(2).Pages(w.ctx, func(r *redis.ListInstancesResponse) error {
			pages++
			items += len(r.Instances)
			return nil
		}))
	}
	assert.Equal(w.t, 4, pages)
	assert.Equal(w.t, 6, items)
	regions := 0
	require.NoError(w.t, w.locations.List("projects/p").PageSize(20).Pages(w.ctx, func(r *redis.ListLocationsResponse) error {
		regions += len(r.Locations)
		return nil
	}))
	assert.Equal(w.t, 42, regions)
}

func (w *witness) errors() {
	_, err := w.locations.Instances.Create(parent, &redis.Instance{Tier: "BASIC", MemorySizeGb: 1}).InstanceId("p1").Do()
	assert.Equal(w.t, 409, status(err))
	assert.EqualError(w.t, err, "googleapi: Error 409: Resource 'projects/p/locations/us-central1/instances/p1' already exists\nDetails:\n[\n  {\n    \"@type\": \"type.googleapis.com/google.rpc.ResourceInfo\",\n    \"resourceName\": \"projects/p/locations/us-central1/instances/p1\"\n  }\n]")
	_, err = w.locations.Instances.Patch(parent+"/instances/p1", &redis.Instance{}).UpdateMask("redisConfig").Do()
	assert.Equal(w.t, 400, status(err))
	_, err = w.locations.Instances.Failover(parent+"/instances/p1", &redis.FailoverInstanceRequest{}).Do()
	assert.Equal(w.t, 400, status(err))
	_, err = w.locations.Operations.Cancel(parent + "/operations/none").Do()
	assert.Equal(w.t, 404, status(err))
	_, err = w.locations.Instances.RescheduleMaintenance(parent+"/instances/p1", &redis.RescheduleMaintenanceRequest{RescheduleType: "IMMEDIATE"}).Do()
	assert.Equal(w.t, 400, status(err))
}

func status(err error) int {
	if e, ok := err.(*googleapi.Error); ok {
		return e.Code
	}
	return 0
}
