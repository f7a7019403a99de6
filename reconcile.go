package memorystore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// A rule is how a verb's change is known again after its answer was lost. It stands where the verb is, and is obeyed
// here and in run.judge.
type rule[T Result] struct {
	// verb is what the service calls the change, give or take case and separators.
	verb string
	// echo reports whether a refusal may be what this change, made by an attempt before, brings about. Nil: refused.
	echo func(status int, google bool) bool
	// judge draws the conclusion from what was seen. Nil: an operation of ours is the change.
	judge func(seen) finding
	// shows reports whether an instance at rest shows that the change was made. Nil: nothing about it does.
	shows func(*Instance) bool
	// resend makes the change again when the operation that was found made another. Nil: it cannot be another.
	resend func(context.Context) (*Operation[T], error)
}

// seen is what a look saw.
type seen struct {
	instance   *Instance       // nil: there is none
	young      bool            // it was created after the first send
	operations []operationJSON // of the verb on the instance, begun after the first send, in their order
	disturbed  bool            // something else was done to an instance of that name since
}

// refused is the echo of most changes: the service is busy with the very change, or has made it already.
func refused(status int, _ bool) bool {
	return status == http.StatusBadRequest || status == http.StatusConflict
}

// begin carries out a call that begins an operation, and settles it by r if its answer is lost.
func begin[T Result](ctx context.Context, c *Client, k *call, r rule[T]) (*Operation[T], error) {
	s := &settlement[T]{client: c, call: k, rule: r}
	k.settle = s
	var op operationJSON
	answer, err := c.do(ctx, k, &op)
	if err != nil {
		return nil, err
	}
	if answer == nil {
		return s.found, nil
	}
	c.given.give(op.Name)
	return s.handle(op), nil
}

// A settlement is the look of one call.
type settlement[T Result] struct {
	client *Client
	call   *call
	rule   rule[T]
	found  *Operation[T]
}

// handle returns an operation that can be settled from its instance once the service has forgotten it.
func (s *settlement[T]) handle(op operationJSON) *Operation[T] {
	o := operationOf[T](s.client, s.call, op)
	if s.deletes() || s.rule.shows != nil {
		o.fallback = func(ctx context.Context) (*T, error) { return s.recall(ctx, o) }
	}
	return o
}

// deletes reports whether the call is a delete, which leaves nothing behind.
func (s *settlement[T]) deletes() bool {
	_, ok := any(new(T)).(*Empty)
	return ok
}

// explains is the settler's.
func (s *settlement[T]) explains(status int, google bool) bool {
	if s.rule.echo == nil {
		return refused(status, google)
	}
	return s.rule.echo(status, google)
}

// look asks for the instance and for the operations of its location. Each of its calls is one attempt: the schedule
// that it keeps is that of the call it looks for.
func (s *settlement[T]) look(ctx context.Context, first time.Time) (finding, error) {
	once := s.client.retry
	once.MaxRetries = -1
	c := s.client.With(WithRetry(once))
	w := window{first: first}

	var saw seen
	instance := reading("GetInstance", s.call.resource, nil) // the call itself has checked the name
	instance.quiet, instance.aside, instance.heard = true, true, w.read
	var err error
	if saw.instance, err = get[Instance](ctx, c, instance); err != nil && !vanished(err) {
		return absent, err
	}
	if saw.instance != nil {
		if w.err != nil {
			return absent, w.err
		}
		saw.young = w.holds(saw.instance.CreateTime)
	}
	operations := listOperations(parentOf(s.call.resource))
	operations.quiet, operations.aside, operations.heard = true, true, w.read
	for op, err := range list[operationJSON, operationsPage](ctx, c, operations, nil, keep) {
		switch {
		case err != nil && s.deletes() && saw.instance == nil: // what is gone is gone, whoever's operation it was
			s.adopt(saw)
			return ours, nil
		case errors.As(err, new(*UnreachableError)):
			return absent, &Error{Call: "ListOperations", Name: parentOf(s.call.resource), Code: Unavailable, Message: err.Error(), lost: true, causes: []error{err}}
		case err != nil:
			return absent, err
		case w.err != nil:
			return absent, w.err
		case !s.since(op, &w):
		case plainVerb(op.Metadata.Verb) != plainVerb(s.rule.verb):
			saw.disturbed = true
		case !s.client.given.has(op.Name) && s.mayBe(op):
			saw.operations = append(saw.operations, *op)
		}
	}
	slices.SortFunc(saw.operations, func(a, b operationJSON) int { return a.Metadata.CreateTime.Compare(b.Metadata.CreateTime) })

	verdict := s.conclude(saw)
	if verdict == ours {
		s.adopt(saw)
	}
	return verdict, nil
}

// since reports whether somebody began an operation on the instance after the first send.
func (s *settlement[T]) since(op *operationJSON, w *window) bool {
	m := op.Metadata
	return m.APIVersion != "v1internal1" && m.Target == s.call.resource && w.holds(m.CreateTime)
}

// mayBe reports whether an operation of the verb may be ours. One that ended with other values is another's.
func (s *settlement[T]) mayBe(op *operationJSON) bool {
	if s.rule.resend == nil || !op.Done || op.Error != nil {
		return true
	}
	var made Instance
	return json.Unmarshal(op.Response, &made, wireOptions) == nil && s.rule.shows(&made)
}

func plainVerb(verb string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(verb))
}

func (s *settlement[T]) conclude(saw seen) finding {
	switch {
	case s.rule.judge != nil:
		return s.rule.judge(saw)
	case len(saw.operations) > 0:
		return ours
	case s.rule.shows != nil && saw.instance != nil && saw.instance.State == StateReady && s.rule.shows(saw.instance):
		return ours // it ended, and its operation is forgotten
	}
	return absent
}

// adopt makes the handle of what was found.
func (s *settlement[T]) adopt(saw seen) {
	if n := len(saw.operations); n > 0 {
		op := saw.operations[0]
		if saw.young { // the instance is of the last of them
			op = saw.operations[n-1]
		}
		s.client.given.give(op.Name)
		s.found = s.handle(op)
	} else {
		s.found = s.handle(operationJSON{})
		s.found.result = s.known(saw.instance)
	}
	s.found.reconciled = true
	if s.rule.resend != nil {
		s.found.confirm = func(ctx context.Context, got *Instance) (*Operation[T], error) {
			if s.rule.shows(got) {
				return nil, nil
			}
			return s.rule.resend(ctx)
		}
	}
}

// known returns the result of a change that the instance alone shows to have ended, or nil.
func (s *settlement[T]) known(instance *Instance) *T {
	var result any
	switch deletes := s.deletes(); {
	case deletes && (instance == nil || instance.State != StateDeleting):
		result = &Empty{}
	case !deletes && instance.State == StateReady:
		result = instance
	default:
		return nil
	}
	return result.(*T)
}

// recall settles an operation that the service has forgotten, from its instance.
func (s *settlement[T]) recall(ctx context.Context, o *Operation[T]) (*T, error) {
	k := reading("GetInstance", s.call.resource, nil)
	k.quiet = true
	instance, err := get[Instance](ctx, s.client, k)
	deletes := s.deletes()
	switch {
	case err != nil && !vanished(err):
		return nil, err
	case deletes && (instance == nil || instance.CreateTime.After(o.op.Metadata.CreateTime) && !o.op.Metadata.CreateTime.IsZero()):
		return s.known(nil), nil
	case instance == nil:
		return nil, s.lostTrack(o, "the instance does not exist")
	case deletes && instance.State == StateReady:
		return nil, s.lostTrack(o, "the instance still exists")
	case instance.State != StateReady:
		return nil, nil
	case !s.rule.shows(instance):
		return nil, s.lostTrack(o, "the instance does not show the change")
	}
	return s.known(instance), nil
}

func (s *settlement[T]) lostTrack(o *Operation[T], what string) error {
	return &Error{Call: s.call.name, Name: s.call.resource, Operation: o.op.Name, Code: NotFound,
		Message: "the service does not know the operation any more, and " + what}
}

// A window tells what began after our first send. No clock of this machine counts but the monotonic one: the time
// is that of the answer's own Date, less the time since the first send, less a second that Date does not resolve.
type window struct {
	first, opens time.Time
	err          error
}

func (w *window) read(a *answer) {
	date, err := http.ParseTime(a.header.Get("Date"))
	if err != nil {
		w.err = fmt.Errorf("an answer without a Date cannot tell whose change it shows")
		return
	}
	w.opens = date.Add(-time.Since(w.first) - time.Second)
}

func (w *window) holds(t time.Time) bool { return !t.Before(w.opens) }

// holds reports whether got has the value that want has in each of fields, as the service normalises values.
func holds(want, got *Instance, fields ...Field) bool {
	for _, f := range fields {
		if !sameField[f](want, got) {
			return false
		}
	}
	return true
}

// sameField compares the fields that can be updated.
var sameField = map[Field]func(want, got *Instance) bool{
	FieldAuthEnabled: func(w, g *Instance) bool { return w.AuthEnabled == g.AuthEnabled },
	FieldDisplayName: func(w, g *Instance) bool { return w.DisplayName == g.DisplayName },
	FieldLabels:      func(w, g *Instance) bool { return maps.Equal(w.Labels, g.Labels) },
	FieldMaintenancePolicy: func(w, g *Instance) bool {
		return samePolicy(w.MaintenancePolicy, g.MaintenancePolicy)
	},
	FieldMaintenanceVersion: func(w, g *Instance) bool {
		// "current_default" is taken for a version; what is born may be newer than what was asked for
		return w.MaintenanceVersion <= g.MaintenanceVersion || w.MaintenanceVersion == "current_default"
	},
	FieldMemorySizeGB: func(w, g *Instance) bool { return w.MemorySizeGB == g.MemorySizeGB },
	FieldPersistenceConfig: func(w, g *Instance) bool {
		return samePersistence(w.PersistenceConfig, g.PersistenceConfig)
	},
	FieldReadReplicasMode: func(w, g *Instance) bool {
		return sameEnum(w.ReadReplicasMode, g.ReadReplicasMode, ReadReplicasModeUnspecified, ReadReplicasDisabled)
	},
	FieldRedisConfigs:     func(w, g *Instance) bool { return maps.Equal(w.RedisConfigs, g.RedisConfigs) },
	FieldReplicaCount:     func(w, g *Instance) bool { return w.ReplicaCount == 0 || w.ReplicaCount == g.ReplicaCount },
	FieldSecondaryIPRange: func(w, g *Instance) bool { return sameRange(w.SecondaryIPRange, g.SecondaryIPRange) },
}

// holdsAll reports whether got is what a create of want makes: every field that want sets, as the service normalises
// values. What the service drops at creation (secondaryIpRange) or never answers (tags) cannot be compared.
func holdsAll(want, got *Instance) bool {
	set := []struct {
		field Field
		set   bool
	}{
		{FieldAuthEnabled, want.AuthEnabled},
		{FieldDisplayName, want.DisplayName != ""},
		{FieldLabels, len(want.Labels) > 0},
		{FieldMaintenancePolicy, want.MaintenancePolicy != nil},
		{FieldMaintenanceVersion, want.MaintenanceVersion != ""},
		{FieldMemorySizeGB, want.MemorySizeGB != 0},
		{FieldPersistenceConfig, want.PersistenceConfig != nil},
		{FieldReadReplicasMode, want.ReadReplicasMode != ""},
		{FieldRedisConfigs, len(want.RedisConfigs) > 0},
		{FieldReplicaCount, want.ReplicaCount != 0},
	}
	for _, s := range set {
		if s.set && !sameField[s.field](want, got) {
			return false
		}
	}
	return sameIfSet(want.LocationID, got.LocationID) &&
		sameIfSet(want.AlternativeLocationID, got.AlternativeLocationID) &&
		sameIfSet(want.RedisVersion, got.RedisVersion) &&
		sameIfSet(want.CustomerManagedKey, got.CustomerManagedKey) &&
		sameIfSet(want.Tier, got.Tier) &&
		sameIfSet(networkOf(want.AuthorizedNetwork), networkOf(got.AuthorizedNetwork)) &&
		(want.ReservedIPRange == "" || sameRange(want.ReservedIPRange, got.ReservedIPRange)) &&
		sameEnum(want.ConnectMode, got.ConnectMode, ConnectModeUnspecified, ConnectModeDirectPeering) &&
		sameEnum(want.TransitEncryptionMode, got.TransitEncryptionMode, TransitEncryptionModeUnspecified, TransitEncryptionModeDisabled)
}

func sameIfSet[T comparable](want, got T) bool {
	var zero T
	return want == zero || want == got
}

// sameEnum takes unset and unspecified for the default.
func sameEnum[T ~string](want, got, unspecified, byDefault T) bool {
	plain := func(v T) T {
		if v == "" || v == unspecified {
			return byDefault
		}
		return v
	}
	return plain(want) == plain(got)
}

// networkOf leaves out the project, which the service may answer by number.
func networkOf(name string) string {
	_, network, ok := strings.Cut(name, "/global/networks/")
	if !ok {
		return name
	}
	return network
}

// sameRange compares CIDR ranges. The name of an allocated range, and "auto", are answered with a range that cannot be
// known before.
func sameRange(want, got string) bool {
	w, err := netip.ParsePrefix(want)
	if err != nil {
		return true
	}
	g, err := netip.ParsePrefix(got)
	return err == nil && w.Masked() == g.Masked()
}

func samePolicy(want, got *MaintenancePolicy) bool {
	if want == nil || got == nil {
		return want == got
	}
	return want.Description == got.Description && slices.EqualFunc(want.WeeklyMaintenanceWindow, got.WeeklyMaintenanceWindow,
		func(w, g WeeklyMaintenanceWindow) bool { return w.Day == g.Day && timeOf(w) == timeOf(g) })
}

func timeOf(w WeeklyMaintenanceWindow) TimeOfDay {
	if w.StartTime == nil {
		return TimeOfDay{}
	}
	return *w.StartTime
}

func samePersistence(want, got *PersistenceConfig) bool {
	w, g := PersistenceConfig{}, PersistenceConfig{}
	if want != nil {
		w = *want
	}
	if got != nil {
		g = *got
	}
	if !sameEnum(w.PersistenceMode, g.PersistenceMode, PersistenceModeUnspecified, PersistenceModeDisabled) {
		return false
	}
	return w.PersistenceMode != PersistenceModeRDB ||
		sameEnum(w.RDBSnapshotPeriod, g.RDBSnapshotPeriod, SnapshotPeriodUnspecified, SnapshotPeriodTwentyFourHours) &&
			(w.RDBSnapshotStartTime.IsZero() || w.RDBSnapshotStartTime.Equal(g.RDBSnapshotStartTime))
}
