package memorystore

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

type instancesPage struct {
	Instances     []Instance `json:"instances"`
	NextPageToken string     `json:"nextPageToken"`
	Unreachable   []string   `json:"unreachable"`
}

func (p *instancesPage) items() []Instance     { return p.Instances }
func (p *instancesPage) next() string          { return p.NextPageToken }
func (p *instancesPage) unreachable() []string { return p.Unreachable }
func (p *instancesPage) unnamed() string       { return firstUnnamed(p.Instances) }

// ListInstances returns the instances of parent, projects/PROJECT/locations/REGION, or of all regions if the region
// is AllLocations. It fetches page after page as they are asked for. When regions did not answer, the last item is an
// *UnreachableError.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/list
func (c *Client) ListInstances(ctx context.Context, parent string, opts ...ListOption) iter.Seq2[*Instance, error] {
	// The service puts an entry with the id "-" where a region did not answer.
	placeholder := func(in *Instance) bool { return lastPart(in.Name) == AllLocations }
	k := &call{name: "ListInstances", method: "GET", path: parent + "/instances", resource: parent, params: "parent", invalid: checkParent(parent)}
	if k.invalid == nil && slices.ContainsFunc(opts, func(o ListOption) bool { _, ok := o.(filter); return ok }) {
		k.invalid = fmt.Errorf("the service has no filter for instances: leave out what does not match from the sequence")
	}
	return list[Instance, instancesPage](ctx, c, k, opts, placeholder)
}

// GetInstance returns an instance by its full name.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/get
func (c *Client) GetInstance(ctx context.Context, name string) (*Instance, error) {
	return get[Instance](ctx, c, reading("GetInstance", name, checkInstance(name)))
}

// GetInstanceAuthString returns the AUTH string of an instance. It is empty when AUTH is off.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/getAuthString
func (c *Client) GetInstanceAuthString(ctx context.Context, name string) (Secret, error) {
	answer, err := get[authStringJSON](ctx, c, &call{name: "GetInstanceAuthString", method: "GET", path: name + "/authString",
		resource: name, params: "name", invalid: checkInstance(name)})
	if err != nil {
		return Secret{}, err
	}
	return NewSecret(answer.AuthString), nil
}

// CreateInstance creates an instance. in.Name, in.Tier and in.MemorySizeGB are required; what only the service sets is
// not sent.
//
// If the answer is lost and the instance is then found to exist, created since, with every value that was asked for,
// it is this one. Otherwise the AlreadyExists stands.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/create
func (c *Client) CreateInstance(ctx context.Context, in *Instance) (*Operation[Instance], error) {
	k := &call{name: "CreateInstance", method: "POST", params: "parent", change: repeats}
	if in != nil {
		k.resource = in.Name
	}
	if k.invalid = checkCreate(in); k.invalid != nil {
		return begin(ctx, c, k, rule[Instance]{})
	}
	body := in.input()
	body.Name = "" // it goes into the URL
	k.path, k.body = parentOf(in.Name)+"/instances", body
	k.query = url.Values{"instanceId": {lastPart(in.Name)}}
	return begin(ctx, c, k, rule[Instance]{
		verb:  "create",
		echo:  func(status int, _ bool) bool { return status == http.StatusConflict },
		shows: func(got *Instance) bool { return holdsAll(body, got) },
		judge: func(saw seen) finding {
			switch {
			case saw.instance == nil && len(saw.operations) > 0:
				return ours // it was begun and left nothing: its operation says why
			case saw.instance == nil:
				return absent
			case !saw.young:
				return refuted
			case holdsAll(body, saw.instance):
				return ours
			case len(saw.operations) == 1 && !saw.disturbed:
				return refuted // the one create since our first send made something else
			}
			return confused
		},
	})
}

func checkCreate(in *Instance) error {
	if in == nil {
		return fmt.Errorf("the instance is nil")
	}
	if err := checkInstance(in.Name); err != nil {
		return err
	}
	if in.Tier == "" || in.Tier == TierUnspecified {
		return fmt.Errorf("an instance must have a Tier: %s or %s", TierBasic, TierStandardHA)
	}
	if in.MemorySizeGB < 1 {
		return fmt.Errorf("an instance must have a MemorySizeGB of 1 to 300, not %d", in.MemorySizeGB)
	}
	return nil
}

// UpdateInstance changes the named fields to the values they have in in, zero values too. No other field is sent.
// Labels and RedisConfigs are replaced as a whole.
//
// The service has no way to say which state an update is based on: of two updates of a field the last one stays.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/patch
func (c *Client) UpdateInstance(ctx context.Context, in *Instance, fields ...Field) (*Operation[Instance], error) {
	k := &call{name: "UpdateInstance", method: "PATCH", params: "instance.name", change: repeats}
	if in == nil {
		k.invalid = fmt.Errorf("the instance is nil")
		return begin(ctx, c, k, rule[Instance]{})
	}
	fields = slices.Clone(fields)
	k.resource, k.path = in.Name, in.Name
	if k.invalid = checkInstance(in.Name); k.invalid == nil {
		k.invalid = checkFields(fields)
	}
	if k.invalid != nil {
		return begin(ctx, c, k, rule[Instance]{})
	}
	want := in.input() // the caller's own may change while the operation runs
	body := make(map[Field]any, len(fields))
	paths := make([]string, len(fields))
	for i, f := range fields {
		body[f] = fieldValues[f](want)
		paths[i] = string(f)
	}
	k.body, k.query = body, url.Values{"updateMask": {strings.Join(paths, ",")}}
	return begin(ctx, c, k, rule[Instance]{
		verb:  "update",
		shows: func(got *Instance) bool { return holds(want, got, fields...) },
		resend: func(ctx context.Context) (*Operation[Instance], error) {
			return c.UpdateInstance(ctx, want, fields...)
		},
	})
}

// DeleteInstance deletes an instance and its data.
//
// If the answer is lost and the instance is then gone, it was deleted.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/delete
func (c *Client) DeleteInstance(ctx context.Context, name string) (*Operation[Empty], error) {
	return begin(ctx, c, &call{name: "DeleteInstance", method: "DELETE", path: name, resource: name, params: "name",
		change: repeats, invalid: checkInstance(name)}, rule[Empty]{
		verb: "delete",
		echo: func(status int, google bool) bool {
			return refused(status, google) || status == http.StatusNotFound && google
		},
		judge: func(saw seen) finding {
			if saw.instance == nil || saw.young || len(saw.operations) > 0 || saw.instance.State == StateDeleting {
				return ours
			}
			return absent
		},
	})
}

// UpgradeInstance moves an instance to a newer version of Redis, REDIS_7_2. There is no way back.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/upgrade
func (c *Client) UpgradeInstance(ctx context.Context, name, redisVersion string) (*Operation[Instance], error) {
	k := act(name, "UpgradeInstance", "upgrade", map[string]any{"redisVersion": redisVersion})
	k.change = repeats
	if k.invalid == nil && redisVersion == "" {
		k.invalid = fmt.Errorf("a version of Redis is required, such as REDIS_7_2")
	}
	return begin(ctx, c, k, rule[Instance]{
		verb:  "upgrade",
		shows: func(got *Instance) bool { return got.RedisVersion == redisVersion },
		resend: func(ctx context.Context) (*Operation[Instance], error) {
			return c.UpgradeInstance(ctx, name, redisVersion)
		},
	})
}

// ImportInstance replaces the data of an instance by that of an RDB file in Cloud Storage, gs://BUCKET/OBJECT. The
// instance does not serve meanwhile.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/import
func (c *Client) ImportInstance(ctx context.Context, name, gcsURI string) (*Operation[Instance], error) {
	k := act(name, "ImportInstance", "import", map[string]any{"inputConfig": map[string]any{"gcsSource": map[string]any{"uri": gcsURI}}})
	if k.invalid == nil {
		k.invalid = checkURI(gcsURI)
	}
	return begin(ctx, c, k, rule[Instance]{verb: "import"})
}

// ExportInstance writes the data of an instance to an RDB file in Cloud Storage, gs://BUCKET/OBJECT. An object that is
// there is overwritten.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/export
func (c *Client) ExportInstance(ctx context.Context, name, gcsURI string) (*Operation[Instance], error) {
	k := act(name, "ExportInstance", "export", map[string]any{"outputConfig": map[string]any{"gcsDestination": map[string]any{"uri": gcsURI}}})
	if k.invalid == nil {
		k.invalid = checkURI(gcsURI)
	}
	return begin(ctx, c, k, rule[Instance]{verb: "export"})
}

func checkURI(uri string) error {
	bucket, object, ok := strings.Cut(strings.TrimPrefix(uri, "gs://"), "/")
	if !strings.HasPrefix(uri, "gs://") || !ok || bucket == "" || object == "" {
		return fmt.Errorf("the Cloud Storage URI %.200q must have the form gs://BUCKET/OBJECT", uri)
	}
	return nil
}

// FailoverInstance makes a replica the primary; STANDARD_HA only. An empty mode means LIMITED_DATA_LOSS, which the
// service aborts when a replica lags too far behind.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/failover
func (c *Client) FailoverInstance(ctx context.Context, name string, mode DataProtectionMode) (*Operation[Instance], error) {
	body := map[string]any{}
	if mode != "" {
		body["dataProtectionMode"] = mode
	}
	return begin(ctx, c, act(name, "FailoverInstance", "failover", body), rule[Instance]{verb: "failover"})
}

// RescheduleMaintenance moves a planned maintenance: to now, to the next window, or to a time.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/rescheduleMaintenance
func (c *Client) RescheduleMaintenance(ctx context.Context, name string, to Reschedule) (*Operation[Instance], error) {
	body := map[string]any{"rescheduleType": to.Type}
	if !to.Time.IsZero() {
		body["scheduleTime"] = to.Time.UTC().Format(time.RFC3339Nano)
	}
	k := act(name, "RescheduleMaintenance", "rescheduleMaintenance", body)
	switch specific := to.Type == RescheduleTypeSpecificTime; {
	case k.invalid != nil:
	case to.Type == "" || to.Type == RescheduleTypeUnspecified:
		k.invalid = fmt.Errorf("a Reschedule must have a Type: %s, %s or %s", RescheduleTypeImmediate, RescheduleTypeNextAvailableWindow, RescheduleTypeSpecificTime)
	case specific == to.Time.IsZero():
		k.invalid = fmt.Errorf("a Reschedule must have a Time with the Type %s, and only then", RescheduleTypeSpecificTime)
	}
	return begin(ctx, c, k, rule[Instance]{verb: "rescheduleMaintenance"})
}

// act is a call of one of the API's own verbs, POST NAME:VERB. Sent again, it happens again.
func act(name, callName, verb string, body any) *call {
	return &call{name: callName, method: "POST", path: name + ":" + verb, resource: name, params: "name", body: body,
		change: acts, invalid: checkInstance(name)}
}
