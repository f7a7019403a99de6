package conformance

import (
	"context"
	"crypto/sha1"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	redis "cloud.google.com/go/redis/apiv1"
	"cloud.google.com/go/redis/apiv1/redispb"
	"github.com/googleapis/gax-go/v2"
	"github.com/googleapis/gax-go/v2/apierror"
	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	locationpb "google.golang.org/genproto/googleapis/cloud/location"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/genproto/googleapis/type/dayofweek"
	"google.golang.org/genproto/googleapis/type/timeofday"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// gapic returns Google's client, over REST, of a fake.
func gapic(t *testing.T, fake *fakeserver.Server) *redis.CloudRedisClient {
	t.Helper()
	c, err := redis.NewCloudRedisRESTClient(t.Context(), option.WithEndpoint(fake.URL()), option.WithoutAuthentication())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// A handle is what the client makes of a change. The handle of a delete has a Wait of its own: see deletion.
type handle interface {
	Name() string
	Done() bool
	Metadata() (*redispb.OperationMetadata, error)
	Wait(context.Context, ...gax.CallOption) (*redispb.Instance, error)
}

type deletion struct{ *redis.DeleteInstanceOperation }

func (d deletion) Wait(ctx context.Context, opts ...gax.CallOption) (*redispb.Instance, error) {
	return nil, d.DeleteInstanceOperation.Wait(ctx, opts...)
}

// as hides the type of a handle.
func as[H handle](h H, err error) (handle, error) { return h, err }

// enumsAsInts is the query of everything that this client sends, but for polls: they have none.
const enumsAsInts = "?$alt=json;enum-encoding=int"

// One instance's life, as the client's users live it. The requests are those that reference recordings of this client
// show: enums as numbers, the name in the body of every verb, the mask in camelCase.
func TestGAPICLife(t *testing.T) {
	const configured = `"redisConfigs":{"maxmemory-policy":"allkeys-lru"}`
	// Waits are taken with the first poll at once, hence no test of these is slow.
	for _, times := range []fakeserver.OperationTimes{fakeserver.Polls(1), fakeserver.Immediate()} {
		t.Run(times.String(), func(t *testing.T) {
			t.Parallel()
			immediate := times == fakeserver.Immediate()
			fake := fakeserver.Start(t, fakeserver.WithOperationTimes(times))
			c, ctx := gapic(t, fake), t.Context()
			get := func() (*redispb.Instance, error) {
				return c.GetInstance(ctx, &redispb.GetInstanceRequest{Name: cache})
			}
			for _, step := range []struct {
				verb    string
				begin   func() (handle, error)
				request string
				during  redispb.Instance_State
				after   func(*testing.T, *redispb.Instance)
			}{
				{"create", func() (handle, error) {
					return as(c.CreateInstance(ctx, &redispb.CreateInstanceRequest{Parent: region, InstanceId: "cache", Instance: &redispb.Instance{
						DisplayName: "the cache", Tier: redispb.Instance_STANDARD_HA, MemorySizeGb: 5, AuthEnabled: true,
						RedisConfigs: map[string]string{"maxmemory-policy": "allkeys-lru"}}}))
				},
					"instances.create " + enumsAsInts + `&instanceId=cache {"displayName":"the cache",` + configured + `,"tier":3,"memorySizeGb":5,"authEnabled":true}`,
					redispb.Instance_CREATING, func(t *testing.T, in *redispb.Instance) {
						assert.Equal(t, "the cache", in.DisplayName)
						assert.Equal(t, redispb.Instance_STANDARD_HA, in.Tier)
						assert.Equal(t, redispb.Instance_DIRECT_PEERING, in.ConnectMode)
						assert.Equal(t, redispb.Instance_DISABLED, in.TransitEncryptionMode)
						assert.EqualValues(t, 6379, in.Port)
						assert.NotEmpty(t, in.Host)
						assert.True(t, in.CreateTime.IsValid())
					}},
				{"update", func() (handle, error) { // two set, two cleared: a field in the mask and not in the body
					return as(c.UpdateInstance(ctx, &redispb.UpdateInstanceRequest{
						UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"display_name", "memory_size_gb", "redis_configs", "labels", "auth_enabled"}},
						Instance:   &redispb.Instance{Name: cache, MemorySizeGb: 6, Labels: map[string]string{"team": "search"}}}))
				},
					"instances.patch " + enumsAsInts + "&updateMask=displayName,memorySizeGb,redisConfigs,labels,authEnabled" +
						` {"name":"` + cache + `","labels":{"team":"search"},"memorySizeGb":6}`,
					redispb.Instance_UPDATING, func(t *testing.T, in *redispb.Instance) {
						assert.EqualValues(t, 6, in.MemorySizeGb)
						assert.Equal(t, map[string]string{"team": "search"}, in.Labels)
						assert.Empty(t, in.DisplayName)
						assert.Empty(t, in.RedisConfigs)
						assert.False(t, in.AuthEnabled)
					}},
				{"failover", func() (handle, error) {
					return as(c.FailoverInstance(ctx, &redispb.FailoverInstanceRequest{Name: cache,
						DataProtectionMode: redispb.FailoverInstanceRequest_FORCE_DATA_LOSS}))
				},
					"instances.failover " + enumsAsInts + ` {"name":"` + cache + `","dataProtectionMode":2}`,
					redispb.Instance_FAILING_OVER, func(t *testing.T, in *redispb.Instance) {
						assert.Equal(t, in.AlternativeLocationId, in.CurrentLocationId)
					}},
				{"upgrade", func() (handle, error) {
					return as(c.UpgradeInstance(ctx, &redispb.UpgradeInstanceRequest{Name: cache, RedisVersion: "REDIS_7_2"}))
				},
					"instances.upgrade " + enumsAsInts + ` {"name":"` + cache + `","redisVersion":"REDIS_7_2"}`,
					redispb.Instance_UPDATING, func(t *testing.T, in *redispb.Instance) { assert.Equal(t, "REDIS_7_2", in.RedisVersion) }},
				{"export", func() (handle, error) {
					return as(c.ExportInstance(ctx, &redispb.ExportInstanceRequest{Name: cache, OutputConfig: &redispb.OutputConfig{
						Destination: &redispb.OutputConfig_GcsDestination{GcsDestination: &redispb.GcsDestination{Uri: "gs://bucket/dump.rdb"}}}}))
				},
					"instances.export " + enumsAsInts + ` {"name":"` + cache + `","outputConfig":{"gcsDestination":{"uri":"gs://bucket/dump.rdb"}}}`,
					redispb.Instance_UPDATING, nil},
				{"import", func() (handle, error) {
					return as(c.ImportInstance(ctx, &redispb.ImportInstanceRequest{Name: cache, InputConfig: &redispb.InputConfig{
						Source: &redispb.InputConfig_GcsSource{GcsSource: &redispb.GcsSource{Uri: "gs://bucket/dump.rdb"}}}}))
				},
					"instances.import " + enumsAsInts + ` {"name":"` + cache + `","inputConfig":{"gcsSource":{"uri":"gs://bucket/dump.rdb"}}}`,
					redispb.Instance_IMPORTING, nil},
				{"delete", func() (handle, error) {
					op, err := c.DeleteInstance(ctx, &redispb.DeleteInstanceRequest{Name: cache})
					return deletion{op}, err
				},
					"instances.delete " + enumsAsInts, redispb.Instance_DELETING, nil},
			} {
				before := len(fake.Journal())
				op, err := step.begin()
				require.NoError(t, err, step.verb)
				assert.Equal(t, immediate, op.Done(), step.verb)
				assert.Equal(t, []string{step.request}, requests(t, fake, before))

				meta, err := op.Metadata()
				require.NoError(t, err, step.verb)
				assert.Equal(t, []any{step.verb, cache, "v1"}, []any{meta.Verb, meta.Target, meta.ApiVersion})
				assert.Equal(t, immediate, meta.EndTime != nil, step.verb)
				if !immediate {
					in, err := get()
					require.NoError(t, err, step.verb)
					assert.Equal(t, step.during, in.State, step.verb)
				}

				before = len(fake.Journal())
				made, err := op.Wait(ctx)
				require.NoError(t, err, step.verb)
				if immediate {
					assert.Empty(t, requests(t, fake, before), "an operation that was done needs no poll")
				} else {
					assert.Equal(t, []string{"operations.get ?"}, requests(t, fake, before), "the first poll is at once")
				}
				if step.verb == "delete" {
					break
				}
				assert.Equal(t, redispb.Instance_READY, made.State, step.verb)
				if step.after != nil {
					step.after(t, made)
				}
				in, err := get()
				require.NoError(t, err, step.verb)
				assert.True(t, proto.Equal(in, made), "%s: the operation's response is what GET says:\n%v\n%v", step.verb, made, in)
			}
			_, err := get()
			refused(t, err, 404, "NOT_FOUND")
		})
	}
}

// Every part of an instance that a create can ask for, through the client's types and back.
func TestGAPICFields(t *testing.T) {
	t.Parallel()
	fake := fakeserver.Start(t)
	c, ctx := gapic(t, fake), t.Context()
	start := timestamppb.New(time.Date(2099, 1, 6, 3, 0, 0, 0, time.UTC))
	asked := &redispb.Instance{
		DisplayName: "Big", Labels: map[string]string{"team": "search"}, Tier: redispb.Instance_STANDARD_HA, MemorySizeGb: 5,
		LocationId: "us-central1-b", AlternativeLocationId: "us-central1-c", RedisVersion: "REDIS_6_X", ReservedIpRange: "10.9.0.0/28",
		AuthorizedNetwork: project + "/global/networks/default", ConnectMode: redispb.Instance_DIRECT_PEERING, AuthEnabled: true,
		TransitEncryptionMode: redispb.Instance_SERVER_AUTHENTICATION, ReadReplicasMode: redispb.Instance_READ_REPLICAS_ENABLED, ReplicaCount: 2,
		CustomerManagedKey: region + "/keyRings/r/cryptoKeys/k",
		RedisConfigs:       map[string]string{"maxmemory-policy": "volatile-lru"},
		PersistenceConfig: &redispb.PersistenceConfig{PersistenceMode: redispb.PersistenceConfig_RDB,
			RdbSnapshotPeriod: redispb.PersistenceConfig_SIX_HOURS, RdbSnapshotStartTime: start},
		MaintenancePolicy: &redispb.MaintenancePolicy{Description: "at night", WeeklyMaintenanceWindow: []*redispb.WeeklyMaintenanceWindow{
			{Day: dayofweek.DayOfWeek_MONDAY, StartTime: &timeofday.TimeOfDay{Hours: 2}}}},
	}
	op, err := c.CreateInstance(ctx, &redispb.CreateInstanceRequest{Parent: region, InstanceId: "cache", Instance: asked})
	require.NoError(t, err)
	in, err := op.Wait(ctx)
	require.NoError(t, err)

	// What the service assigns.
	assert.Equal(t, []any{"us-central1-b", "10.9.0.3", int32(6378), int32(6378)}, []any{in.CurrentLocationId, in.Host, in.Port, in.ReadEndpointPort})
	assert.NotEmpty(t, in.ReadEndpoint)
	assert.NotEmpty(t, in.MaintenanceVersion)
	assert.Regexp(t, `^serviceAccount:service-\d+@cloud-redis\.iam\.gserviceaccount\.com$`, in.PersistenceIamIdentity)
	assert.Len(t, in.Nodes, 3)
	require.Len(t, in.ServerCaCerts, 1)
	block, _ := pem.Decode([]byte(in.ServerCaCerts[0].Cert))
	require.NotNil(t, block)
	ca, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	assert.True(t, ca.IsCA)
	assert.Equal(t, fmt.Sprintf("%x", sha1.Sum(block.Bytes)), in.ServerCaCerts[0].Sha1Fingerprint)
	assert.Equal(t, ca.NotAfter, in.ServerCaCerts[0].ExpireTime.AsTime().Truncate(time.Second))
	assert.Equal(t, start.AsTime(), in.PersistenceConfig.RdbNextSnapshotTime.AsTime())
	window := in.MaintenancePolicy.WeeklyMaintenanceWindow[0]
	assert.Equal(t, time.Hour, window.Duration.AsDuration())
	assert.True(t, in.MaintenancePolicy.CreateTime.IsValid())

	// Without that, it is what was asked for.
	got := proto.Clone(in).(*redispb.Instance)
	got.Name, got.CurrentLocationId, got.Host, got.Port, got.ReadEndpoint, got.ReadEndpointPort = "", "", "", 0, "", 0
	got.MaintenanceVersion, got.AvailableMaintenanceVersions, got.PersistenceIamIdentity = "", nil, ""
	got.Nodes, got.ServerCaCerts, got.CreateTime, got.State = nil, nil, nil, 0
	got.PersistenceConfig.RdbNextSnapshotTime = nil
	got.MaintenancePolicy.CreateTime, got.MaintenancePolicy.UpdateTime, got.MaintenancePolicy.WeeklyMaintenanceWindow[0].Duration = nil, nil, nil
	assert.True(t, proto.Equal(asked, got), "%v\n%v", asked, got)
}

// Maintenance is put off to a time, and then begun.
func TestGAPICReschedule(t *testing.T) {
	t.Parallel()
	fake := fakeserver.Start(t, fakeserver.WithInstances(scheduled))
	c, ctx := gapic(t, fake), t.Context()
	in, err := c.GetInstance(ctx, &redispb.GetInstanceRequest{Name: cache})
	require.NoError(t, err)
	later := timestamppb.New(in.MaintenanceSchedule.StartTime.AsTime().AddDate(0, 0, 2))
	op, err := c.RescheduleMaintenance(ctx, &redispb.RescheduleMaintenanceRequest{Name: cache,
		RescheduleType: redispb.RescheduleMaintenanceRequest_SPECIFIC_TIME, ScheduleTime: later})
	require.NoError(t, err)
	assert.Equal(t, []string{"instances.rescheduleMaintenance " + enumsAsInts + ` {"name":"` + cache + `","rescheduleType":3,"scheduleTime":"2099-01-06T03:00:00Z"}`},
		requests(t, fake, 1))
	in, err = op.Wait(ctx)
	require.NoError(t, err)
	assert.Equal(t, later.AsTime(), in.MaintenanceSchedule.StartTime.AsTime())
	require.Len(t, in.MaintenancePolicy.WeeklyMaintenanceWindow, 1)
}

// The AUTH string comes with AUTH, goes with it, and is another one when it comes again.
func TestGAPICAuthString(t *testing.T) {
	t.Parallel()
	fake := fakeserver.Start(t, fakeserver.WithInstances(scheduled), fakeserver.WithOperationTimes(fakeserver.Immediate()))
	c, ctx := gapic(t, fake), t.Context()
	auth := func() string {
		s, err := c.GetInstanceAuthString(ctx, &redispb.GetInstanceAuthStringRequest{Name: cache})
		require.NoError(t, err)
		return s.AuthString
	}
	turn := func(on bool) {
		_, err := c.UpdateInstance(ctx, &redispb.UpdateInstanceRequest{UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"auth_enabled"}},
			Instance: &redispb.Instance{Name: cache, AuthEnabled: on}})
		require.NoError(t, err)
	}
	first := auth()
	assert.Len(t, first, 36)
	assert.Equal(t, first, auth())
	turn(false)
	assert.Empty(t, auth())
	turn(true)
	assert.Len(t, auth(), 36)
	assert.NotEqual(t, first, auth())
}

// names reads a list to its end.
func names[T interface{ GetName() string }](t *testing.T, list iter.Seq2[T, error]) []string {
	t.Helper()
	var all []string
	for item, err := range list {
		require.NoError(t, err)
		all = append(all, item.GetName())
	}
	return all
}

func TestGAPICLists(t *testing.T) {
	t.Parallel()
	var instances, want []string
	for i := range 5 {
		want = append(want, fmt.Sprintf("%s/instances/cache-%d", region, i))
	}
	want = append(want, project+"/locations/us-east1/instances/cache-0")
	for _, name := range want {
		instances = append(instances, `{"name":"`+name+`","tier":"BASIC","memorySizeGb":1}`)
	}
	fake := fakeserver.Start(t, fakeserver.WithInstances(instances...), fakeserver.WithUnreachable("europe-west1"))
	c, ctx := gapic(t, fake), t.Context()

	here := c.ListInstances(ctx, &redispb.ListInstancesRequest{Parent: region, PageSize: 2})
	assert.Equal(t, want[:5], names(t, here.All()))
	var pages []string
	for _, e := range fake.Journal() {
		assert.Equal(t, "instances.list", e.Method)
		pages = append(pages, fmt.Sprint(e.Status))
	}
	assert.Equal(t, []string{"200", "200", "200"}, pages, "five in pages of two")

	// A region that does not answer has an entry in place of its instances.
	everywhere := c.ListInstances(ctx, &redispb.ListInstancesRequest{Parent: project + "/locations/-"})
	assert.ElementsMatch(t, append(want[:6:6], project+"/locations/europe-west1/instances/-"), names(t, everywhere.All()))
	assert.Equal(t, []string{project + "/locations/europe-west1"}, everywhere.Response.(*redispb.ListInstancesResponse).Unreachable)

	assert.Empty(t, names(t, c.ListInstances(ctx, &redispb.ListInstancesRequest{Parent: project + "/locations/us-west1"}).All()))
	_, err := c.ListInstances(ctx, &redispb.ListInstancesRequest{Parent: project + "/locations/us-central1-f"}).Next()
	refused(t, err, 403, "PERMISSION_DENIED")
	_, err = c.ListInstances(ctx, &redispb.ListInstancesRequest{Parent: region, PageToken: "none of yours"}).Next()
	refused(t, err, 400, "INVALID_ARGUMENT")
}

func TestGAPICLocations(t *testing.T) {
	t.Parallel()
	fake := fakeserver.Start(t, fakeserver.WithPageSize(10))
	c, ctx := gapic(t, fake), t.Context()
	all := names(t, c.ListLocations(ctx, &locationpb.ListLocationsRequest{Name: project}).All())
	assert.Contains(t, all, region)
	assert.Greater(t, len(all), 20)

	l, err := c.GetLocation(ctx, &locationpb.GetLocationRequest{Name: region})
	require.NoError(t, err)
	assert.Equal(t, "us-central1", l.LocationId)
	var zones redispb.LocationMetadata
	require.NoError(t, l.Metadata.UnmarshalTo(&zones))
	assert.Contains(t, zones.AvailableZones, "us-central1-a")
}

func TestGAPICOperations(t *testing.T) {
	t.Parallel()
	fake := fakeserver.Start(t, fakeserver.WithInstances(scheduled))
	c, ctx := gapic(t, fake), t.Context()
	begin := func() *redis.ImportInstanceOperation {
		op, err := c.ImportInstance(ctx, &redispb.ImportInstanceRequest{Name: cache, InputConfig: &redispb.InputConfig{
			Source: &redispb.InputConfig_GcsSource{GcsSource: &redispb.GcsSource{Uri: "gs://bucket/dump.rdb"}}}})
		require.NoError(t, err)
		return op
	}
	list := func(filter string) []string {
		return names(t, c.ListOperations(ctx, &longrunningpb.ListOperationsRequest{Name: region, Filter: filter}).All())
	}

	first := begin()
	err := c.DeleteOperation(ctx, &longrunningpb.DeleteOperationRequest{Name: first.Name()})
	refused(t, err, 400, "FAILED_PRECONDITION")
	require.NoError(t, c.CancelOperation(ctx, &longrunningpb.CancelOperationRequest{Name: first.Name()}))
	_, err = first.Wait(ctx)
	failed, ok := apierror.FromError(err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, codes.Canceled, failed.GRPCStatus().Code())
	meta, err := first.Metadata()
	require.NoError(t, err)
	assert.True(t, meta.CancelRequested)

	second := begin()
	in, err := c.ImportInstanceOperation(second.Name()).Wait(ctx) // known by its name only
	require.NoError(t, err)
	assert.Equal(t, cache, in.Name)

	assert.Equal(t, []string{first.Name(), second.Name()}, list(""))
	assert.Empty(t, list("done=false"))
	raw, err := c.GetOperation(ctx, &longrunningpb.GetOperationRequest{Name: second.Name()})
	require.NoError(t, err)
	var made redispb.Instance
	require.NoError(t, raw.GetResponse().UnmarshalTo(&made))
	assert.True(t, proto.Equal(in, &made))

	require.NoError(t, c.DeleteOperation(ctx, &longrunningpb.DeleteOperationRequest{Name: second.Name()}))
	assert.Equal(t, []string{first.Name()}, list(""))
	_, err = c.GetOperation(ctx, &longrunningpb.GetOperationRequest{Name: second.Name()})
	refused(t, err, 404, "NOT_FOUND")

	// Only imports and exports can be cancelled.
	other, err := c.FailoverInstance(ctx, &redispb.FailoverInstanceRequest{Name: cache})
	require.NoError(t, err)
	err = c.CancelOperation(ctx, &longrunningpb.CancelOperationRequest{Name: other.Name()})
	refused(t, err, 400, "FAILED_PRECONDITION")
	_, err = other.Wait(ctx)
	require.NoError(t, err)
}

// An operation that fails is an error with its code, and not an HTTP one.
func TestGAPICFailedOperation(t *testing.T) {
	t.Parallel()
	const sentence = "Unable to delegate the access of CMEK. Please try again later."
	fake := fakeserver.Start(t)
	c, ctx := gapic(t, fake), t.Context()
	fake.Operations().Fail(cache, 9, sentence)
	op, err := c.CreateInstance(ctx, &redispb.CreateInstanceRequest{Parent: region, InstanceId: "cache",
		Instance: &redispb.Instance{Tier: redispb.Instance_BASIC, MemorySizeGb: 1}})
	require.NoError(t, err)
	_, err = op.Wait(ctx)
	failed, ok := apierror.FromError(err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, codes.FailedPrecondition, failed.GRPCStatus().Code())
	assert.Equal(t, sentence, failed.GRPCStatus().Message())
	assert.Equal(t, -1, failed.HTTPCode())
	_, err = c.GetInstance(ctx, &redispb.GetInstanceRequest{Name: cache})
	refused(t, err, 404, "NOT_FOUND")
}

// codesOf is what apierror makes of HTTP's status. ALREADY_EXISTS and FAILED_PRECONDITION, which stand in the body, are
// lost to it.
var codesOf = map[int]codes.Code{400: codes.InvalidArgument, 403: codes.PermissionDenied, 404: codes.NotFound, 409: codes.Aborted,
	429: codes.ResourceExhausted, 502: codes.Internal, 503: codes.Unavailable}

// refused checks how apierror, through which users of this client look at errors, sees one, and the body's own status.
func refused(t *testing.T, err error, code int, status string) *apierror.APIError {
	t.Helper()
	e, ok := errors.AsType[*apierror.APIError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, code, e.HTTPCode(), "%v", err)
	assert.Equal(t, codesOf[code], e.GRPCStatus().Code(), "%v", err)
	under, ok := errors.AsType[*googleapi.Error](err)
	require.True(t, ok, "%v", err)
	if status == "" {
		assert.Contains(t, under.Body, "<!DOCTYPE html>")
		return e
	}
	var body struct{ Error struct{ Status string } }
	require.NoError(t, json.Unmarshal([]byte(under.Body), &body))
	assert.Equal(t, status, body.Error.Status)
	return e
}

func TestGAPICErrors(t *testing.T) {
	t.Parallel()
	// twice is what the service's backend makes of a sentence.
	twice := func(status, sentence string) string {
		return sentence + "\ncom.google.apps.framework.request.StatusException: <eye3 title='" + status + "'/> generic::" + status + ": " + sentence
	}
	update := func(c *redis.CloudRedisClient, ctx context.Context, mask *fieldmaskpb.FieldMask) error {
		_, err := c.UpdateInstance(ctx, &redispb.UpdateInstanceRequest{UpdateMask: mask, Instance: &redispb.Instance{Name: cache}})
		return err
	}
	violation := func(field, description string) apierror.ErrDetails {
		return apierror.ErrDetails{BadRequest: &errdetails.BadRequest{
			FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: field, Description: description}}}}
	}
	resource := func(name string) apierror.ErrDetails {
		return apierror.ErrDetails{ResourceInfo: &errdetails.ResourceInfo{ResourceName: name}}
	}
	create := func(c *redis.CloudRedisClient, ctx context.Context, id string) error {
		_, err := c.CreateInstance(ctx, &redispb.CreateInstanceRequest{Parent: region, InstanceId: id,
			Instance: &redispb.Instance{Tier: redispb.Instance_BASIC, MemorySizeGb: 1}})
		return err
	}
	for _, test := range []struct {
		about   string
		options []fakeserver.Option
		faults  []fakeserver.Fault // of instances.get
		call    func(*redis.CloudRedisClient, context.Context) error
		code    int
		status  string
		message string
		details apierror.ErrDetails
	}{
		{"no such instance", nil, nil, func(c *redis.CloudRedisClient, ctx context.Context) error {
			_, err := c.GetInstance(ctx, &redispb.GetInstanceRequest{Name: cache + "-2"})
			return err
		}, 404, "NOT_FOUND", "Resource '" + cache + "-2' was not found", resource(cache + "-2")},
		{"no such operation", nil, nil, func(c *redis.CloudRedisClient, ctx context.Context) error {
			_, err := c.CreateInstanceOperation(region + "/operations/operation-1").Poll(ctx)
			return err
		}, 404, "NOT_FOUND", "Resource '" + region + "/operations/operation-1' was not found", resource(region + "/operations/operation-1")},
		{"name taken", nil, nil, func(c *redis.CloudRedisClient, ctx context.Context) error { return create(c, ctx, "cache") },
			409, "ALREADY_EXISTS", "Resource '" + cache + "' already exists", resource(cache)},
		{"bad id", nil, nil, func(c *redis.CloudRedisClient, ctx context.Context) error { return create(c, ctx, "Cache") },
			400, "INVALID_ARGUMENT", twice("INVALID_ARGUMENT", "Instance ID must be 1 to 40 characters and use lowercase letters, numbers, or hyphens. "+
				"It must start with a lowercase letter and end with a lowercase letter or number."), apierror.ErrDetails{}},
		{"mask the reference names", nil, nil, func(c *redis.CloudRedisClient, ctx context.Context) error {
			return update(c, ctx, &fieldmaskpb.FieldMask{Paths: []string{"redis_config"}})
		}, 400, "INVALID_ARGUMENT", twice("INVALID_ARGUMENT", "Invalid option 'redis_config': 'redis_config' cannot be updated on existing instances."),
			violation("update_mask.paths.0", "Invalid value: redis_config")},
		{"empty mask", nil, nil, func(c *redis.CloudRedisClient, ctx context.Context) error {
			return update(c, ctx, &fieldmaskpb.FieldMask{})
		}, 400, "INVALID_ARGUMENT", twice("INVALID_ARGUMENT", "Update mask is empty"), violation("update_mask", "Invalid value: ")},
		{"no mask", nil, nil, func(c *redis.CloudRedisClient, ctx context.Context) error { return update(c, ctx, nil) },
			400, "INVALID_ARGUMENT", twice("INVALID_ARGUMENT", "Update mask is empty"), violation("update_mask", "Invalid value: ")},
		{"busy", nil, nil, func(c *redis.CloudRedisClient, ctx context.Context) error {
			if _, err := c.FailoverInstance(ctx, &redispb.FailoverInstanceRequest{Name: cache}); err != nil {
				return err
			}
			_, err := c.FailoverInstance(ctx, &redispb.FailoverInstanceRequest{Name: cache})
			return err
		}, 400, "FAILED_PRECONDITION", twice("FAILED_PRECONDITION", "Unable to failover due to ongoing operations. Please wait until instance is in READY state."),
			apierror.ErrDetails{}},
		{"zone for a region", nil, nil, func(c *redis.CloudRedisClient, ctx context.Context) error {
			_, err := c.GetLocation(ctx, &locationpb.GetLocationRequest{Name: project + "/locations/us-central1-f"})
			return err
		}, 403, "PERMISSION_DENIED", "Location us-central1-f is not found or access is unauthorized.", apierror.ErrDetails{}},
		{"quota", []fakeserver.Option{fakeserver.WithQuota(fakeserver.Quota{CreatesPerMinute: 1})}, nil, func(c *redis.CloudRedisClient, ctx context.Context) error {
			if err := create(c, ctx, "cache-1"); err != nil {
				return err
			}
			return create(c, ctx, "cache-2")
		}, 429, "RESOURCE_EXHAUSTED", "", apierror.ErrDetails{ErrorInfo: &errdetails.ErrorInfo{Reason: "RATE_LIMIT_EXCEEDED", Domain: "googleapis.com"}}},
		{"unavailable", nil, []fakeserver.Fault{{Status: 503}}, func(c *redis.CloudRedisClient, ctx context.Context) error {
			_, err := c.GetInstance(ctx, &redispb.GetInstanceRequest{Name: cache})
			return err
		}, 503, "UNAVAILABLE", "The service is currently unavailable.", apierror.ErrDetails{}},
		{"front end", nil, []fakeserver.Fault{{Status: 502, HTML: true}}, func(c *redis.CloudRedisClient, ctx context.Context) error {
			_, err := c.GetInstance(ctx, &redispb.GetInstanceRequest{Name: cache})
			return err
		}, 502, "", "", apierror.ErrDetails{}},
	} {
		t.Run(test.about, func(t *testing.T) {
			t.Parallel()
			fake := fakeserver.Start(t, append(test.options, fakeserver.WithInstances(scheduled))...)
			if test.faults != nil {
				fake.Inject("instances.get", test.faults...)
			}
			e := refused(t, test.call(gapic(t, fake), t.Context()), test.code, test.status)
			if test.message != "" {
				assert.Equal(t, test.message, e.Message())
			}
			got := e.Details()
			if test.details.ErrorInfo != nil { // its metadata are the quota's affair
				assert.Equal(t, test.details.ErrorInfo.Reason, e.Reason())
				assert.Equal(t, test.details.ErrorInfo.Domain, e.Domain())
				return
			}
			assert.True(t, proto.Equal(test.details.BadRequest, got.BadRequest), "%v", got)
			assert.True(t, proto.Equal(test.details.ResourceInfo, got.ResourceInfo), "%v", got)
			assert.Empty(t, got.Unknown)
		})
	}
}
