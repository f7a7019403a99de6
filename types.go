package memorystore

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An Instance is a Memorystore for Redis instance.
//
// Fields marked "output only" are set by the service; they are ignored in what is sent. The zero value of
// any other field leaves the choice to the service when an instance is created. In an update, the fields
// named beside the instance decide what is sent, zero or not.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances#Instance
type Instance struct {
	// Name is the full name, projects/PROJECT/locations/REGION/instances/ID. An ID has 1 to 40 lowercase
	// letters, digits or hyphens, starts with a letter and ends with a letter or digit.
	Name string `json:"name,omitzero"`
	// DisplayName is free text for people.
	DisplayName string `json:"displayName,omitzero"`
	// Labels are the user's own keys and values. An update replaces the whole map.
	Labels map[string]string `json:"labels,omitzero"`
	// LocationID is the zone of the first node, us-central1-a. Set at creation only; empty: the service chooses.
	LocationID string `json:"locationId,omitzero"`
	// AlternativeLocationID is the zone of the second node, for STANDARD_HA. Set at creation only.
	AlternativeLocationID string `json:"alternativeLocationId,omitzero"`
	// RedisVersion is REDIS_3_2, REDIS_4_0, REDIS_5_0, REDIS_6_X, REDIS_7_0 or REDIS_7_2; empty: the
	// service's default. It is changed by UpgradeInstance only.
	RedisVersion string `json:"redisVersion,omitzero"`
	// ReservedIPRange is a CIDR range, at least /29 (/28 with read replicas), with DIRECT_PEERING, or the name
	// of an allocated range with PRIVATE_SERVICE_ACCESS. The service always answers with a CIDR range.
	ReservedIPRange string `json:"reservedIpRange,omitzero"`
	// SecondaryIPRange is a /28 CIDR range or "auto" (DIRECT_PEERING), or the name of an allocated range
	// (PRIVATE_SERVICE_ACCESS). The service takes it only in the update that enables read replicas.
	SecondaryIPRange string `json:"secondaryIpRange,omitzero"`
	// Host is the address of the primary. Output only.
	Host string `json:"host,omitzero"`
	// Port is 6379, or 6378 with TLS. Output only.
	Port int `json:"port,omitzero"`
	// CurrentLocationID is the zone the primary is in now. Output only.
	CurrentLocationID string `json:"currentLocationId,omitzero"`
	// CreateTime is when the instance was created. Output only.
	CreateTime time.Time `json:"createTime,omitzero"`
	// State is what the instance is doing. Output only.
	State State `json:"state,omitzero"`
	// StatusMessage says more about State, where the service has more to say. Output only.
	StatusMessage string `json:"statusMessage,omitzero"`
	// RedisConfigs are Redis settings such as maxmemory-policy. An update replaces the whole map.
	//
	// https://cloud.google.com/memorystore/docs/redis/supported-redis-configurations
	RedisConfigs map[string]string `json:"redisConfigs,omitzero"`
	// Tier is required and cannot be changed.
	Tier Tier `json:"tier,omitzero"`
	// MemorySizeGB is the size of a node in GiB, 1 to 300. Required.
	MemorySizeGB int `json:"memorySizeGb,omitzero"`
	// AuthorizedNetwork is projects/PROJECT/global/networks/NAME; empty: the project's default network. Set at
	// creation only.
	AuthorizedNetwork string `json:"authorizedNetwork,omitzero"`
	// PersistenceIAMIdentity is who reads and writes Cloud Storage in imports and exports,
	// serviceAccount:EMAIL. It may change. Output only.
	PersistenceIAMIdentity string `json:"persistenceIamIdentity,omitzero"`
	// ConnectMode is how the network reaches the instance; empty: DIRECT_PEERING. Set at creation only.
	ConnectMode ConnectMode `json:"connectMode,omitzero"`
	// AuthEnabled says that clients must send AUTH. GetInstanceAuthString tells the string.
	AuthEnabled bool `json:"authEnabled,omitzero"`
	// ServerCACerts are the CA certificates to trust with TLS; during a rotation there are two. Output only.
	ServerCACerts []TLSCertificate `json:"serverCaCerts,omitzero"`
	// TransitEncryptionMode turns TLS on; empty: DISABLED. Set at creation only.
	TransitEncryptionMode TransitEncryptionMode `json:"transitEncryptionMode,omitzero"`
	// MaintenancePolicy is when the service may do maintenance; nil: at any time.
	MaintenancePolicy *MaintenancePolicy `json:"maintenancePolicy,omitzero"`
	// MaintenanceSchedule is the maintenance that is planned, if any. Output only.
	MaintenanceSchedule *MaintenanceSchedule `json:"maintenanceSchedule,omitzero"`
	// ReplicaCount is 0 for BASIC; for STANDARD_HA 1, or 1 to 5 with read replicas (0: the service makes 2).
	// The service refuses it at creation unless read replicas are enabled.
	ReplicaCount int `json:"replicaCount,omitzero"`
	// Nodes are the nodes and their zones. Output only.
	Nodes []NodeInfo `json:"nodes,omitzero"`
	// ReadEndpoint is the address that spreads reads over the replicas. Output only.
	ReadEndpoint string `json:"readEndpoint,omitzero"`
	// ReadEndpointPort is the port of ReadEndpoint. Output only.
	ReadEndpointPort int `json:"readEndpointPort,omitzero"`
	// ReadReplicasMode enables read replicas. They cannot be disabled again.
	ReadReplicasMode ReadReplicasMode `json:"readReplicasMode,omitzero"`
	// CustomerManagedKey is the Cloud KMS key, projects/P/locations/REGION/keyRings/R/cryptoKeys/K. Set at
	// creation only.
	CustomerManagedKey string `json:"customerManagedKey,omitzero"`
	// PersistenceConfig sets RDB snapshots; nil: DISABLED.
	PersistenceConfig *PersistenceConfig `json:"persistenceConfig,omitzero"`
	// SuspensionReasons say why the instance is suspended. Output only.
	SuspensionReasons []SuspensionReason `json:"suspensionReasons,omitzero"`
	// MaintenanceVersion is the version of the service's own software, 20260220_00_01. An update moves it up to
	// one of AvailableMaintenanceVersions.
	MaintenanceVersion string `json:"maintenanceVersion,omitzero"`
	// AvailableMaintenanceVersions are newer than MaintenanceVersion. Output only.
	AvailableMaintenanceVersions []string `json:"availableMaintenanceVersions,omitzero"`
	// SatisfiesPZS is reserved by Google. Output only.
	SatisfiesPZS bool `json:"satisfiesPzs,omitzero"`
	// SatisfiesPZI is reserved by Google. Output only.
	SatisfiesPZI bool `json:"satisfiesPzi,omitzero"`
	// Tags are bound to the instance at creation, {"123/environment": "production"}, and never answered.
	Tags map[string]string `json:"tags,omitzero"`
}

// A NodeInfo is one node of an instance.
type NodeInfo struct {
	ID   string `json:"id,omitzero"`   // node-0, node-1 ...
	Zone string `json:"zone,omitzero"` // us-central1-a
}

// PersistenceConfig sets the RDB snapshots of an instance.
//
// https://cloud.google.com/memorystore/docs/redis/about-rdb-snapshots
type PersistenceConfig struct {
	PersistenceMode      PersistenceMode `json:"persistenceMode,omitzero"`
	RDBSnapshotPeriod    SnapshotPeriod  `json:"rdbSnapshotPeriod,omitzero"`    // empty: TWENTY_FOUR_HOURS
	RDBNextSnapshotTime  time.Time       `json:"rdbNextSnapshotTime,omitzero"`  // output only
	RDBSnapshotStartTime time.Time       `json:"rdbSnapshotStartTime,omitzero"` // zero: now; others are aligned to it
}

// MaintenancePolicy says when the service may do maintenance.
//
// https://cloud.google.com/memorystore/docs/redis/about-maintenance
type MaintenancePolicy struct {
	CreateTime              time.Time                 `json:"createTime,omitzero"`              // output only
	UpdateTime              time.Time                 `json:"updateTime,omitzero"`              // output only
	Description             string                    `json:"description,omitzero"`             // at most 512 characters
	WeeklyMaintenanceWindow []WeeklyMaintenanceWindow `json:"weeklyMaintenanceWindow,omitzero"` // exactly one
}

// A WeeklyMaintenanceWindow is the hour of a week in which maintenance may begin.
type WeeklyMaintenanceWindow struct {
	Day       DayOfWeek
	StartTime *TimeOfDay    // UTC
	Duration  time.Duration // one hour; output only
}

// weeklyMaintenanceWindow is a WeeklyMaintenanceWindow on the wire, where a duration is "3600s".
type weeklyMaintenanceWindow struct {
	Day       DayOfWeek  `json:"day,omitzero"`
	StartTime *TimeOfDay `json:"startTime,omitzero"`
	Duration  string     `json:"duration,omitzero"`
}

// MarshalJSON writes the window as the service does, the duration as "3600s".
func (w WeeklyMaintenanceWindow) MarshalJSON() ([]byte, error) {
	wire := weeklyMaintenanceWindow{Day: w.Day, StartTime: w.StartTime}
	if w.Duration != 0 {
		wire.Duration = strconv.FormatFloat(w.Duration.Seconds(), 'f', -1, 64) + "s"
	}
	return json.Marshal(wire)
}

// UnmarshalJSON reads the window as the service writes it.
func (w *WeeklyMaintenanceWindow) UnmarshalJSON(b []byte) error {
	var wire weeklyMaintenanceWindow
	if err := json.Unmarshal(b, &wire, wireOptions); err != nil {
		return err
	}
	*w = WeeklyMaintenanceWindow{Day: wire.Day, StartTime: wire.StartTime}
	w.Duration, _ = parseSeconds(wire.Duration)
	return nil
}

// A TimeOfDay is a time on a 24-hour clock; midnight is its zero value.
type TimeOfDay struct {
	Hours   int `json:"hours,omitzero"`
	Minutes int `json:"minutes,omitzero"`
	Seconds int `json:"seconds,omitzero"`
	Nanos   int `json:"nanos,omitzero"`
}

// MaintenanceSchedule is a planned maintenance. RescheduleMaintenance moves it.
type MaintenanceSchedule struct {
	StartTime            time.Time `json:"startTime,omitzero"`
	EndTime              time.Time `json:"endTime,omitzero"`
	CanReschedule        bool      `json:"canReschedule,omitzero"`
	ScheduleDeadlineTime time.Time `json:"scheduleDeadlineTime,omitzero"` // it cannot be moved beyond this
}

// A TLSCertificate is a CA certificate of an instance.
//
// https://cloud.google.com/memorystore/docs/redis/about-in-transit-encryption
type TLSCertificate struct {
	SerialNumber    string    `json:"serialNumber,omitzero"`
	Cert            string    `json:"cert,omitzero"` // PEM
	CreateTime      time.Time `json:"createTime,omitzero"`
	ExpireTime      time.Time `json:"expireTime,omitzero"`
	SHA1Fingerprint string    `json:"sha1Fingerprint,omitzero"` // lowercase hex
}

// A Location is a region in which instances can be made.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations#Location
type Location struct {
	Name        string            `json:"name,omitzero"`        // projects/PROJECT/locations/us-central1
	LocationID  string            `json:"locationId,omitzero"`  // us-central1
	DisplayName string            `json:"displayName,omitzero"` // a city, if any
	Labels      map[string]string `json:"labels,omitzero"`
	Metadata    *LocationMetadata `json:"metadata,omitzero"`
}

// LocationMetadata holds the zones of a region, by their id (us-central1-a).
type LocationMetadata struct {
	AvailableZones map[string]ZoneMetadata `json:"availableZones,omitzero"`
}

// ZoneMetadata is empty, and reserved by Google for later use.
type ZoneMetadata struct{}

// Empty is the result of an operation that leaves nothing behind: a delete.
type Empty struct{}

// Reschedule says when a planned maintenance shall happen instead.
type Reschedule struct {
	Type RescheduleType
	Time time.Time // with RescheduleTypeSpecificTime only, and then required
}

// Enums are strings, so that a value newer than this SDK is kept as it came.
type (
	State                 string // what an instance is doing
	Tier                  string // one node, or two and more with failover
	ConnectMode           string // how the network reaches an instance
	TransitEncryptionMode string // TLS or none
	ReadReplicasMode      string // whether replicas answer reads
	PersistenceMode       string // RDB snapshots or none
	SnapshotPeriod        string // time between two RDB snapshots
	SuspensionReason      string // why an instance is suspended
	DataProtectionMode    string // what a failover may lose
	RescheduleType        string // when a planned maintenance shall happen
	DayOfWeek             string // MONDAY to SUNDAY
)

const (
	StateUnspecified State = "STATE_UNSPECIFIED"
	StateCreating    State = "CREATING"
	StateReady       State = "READY"
	StateUpdating    State = "UPDATING"
	StateDeleting    State = "DELETING"
	StateRepairing   State = "REPAIRING"
	StateMaintenance State = "MAINTENANCE"
	StateImporting   State = "IMPORTING"
	StateFailingOver State = "FAILING_OVER"

	TierUnspecified Tier = "TIER_UNSPECIFIED"
	TierBasic       Tier = "BASIC"
	TierStandardHA  Tier = "STANDARD_HA"

	ConnectModeUnspecified          ConnectMode = "CONNECT_MODE_UNSPECIFIED"
	ConnectModeDirectPeering        ConnectMode = "DIRECT_PEERING"
	ConnectModePrivateServiceAccess ConnectMode = "PRIVATE_SERVICE_ACCESS"

	TransitEncryptionModeUnspecified          TransitEncryptionMode = "TRANSIT_ENCRYPTION_MODE_UNSPECIFIED"
	TransitEncryptionModeServerAuthentication TransitEncryptionMode = "SERVER_AUTHENTICATION"
	TransitEncryptionModeDisabled             TransitEncryptionMode = "DISABLED"

	ReadReplicasModeUnspecified ReadReplicasMode = "READ_REPLICAS_MODE_UNSPECIFIED"
	ReadReplicasDisabled        ReadReplicasMode = "READ_REPLICAS_DISABLED"
	ReadReplicasEnabled         ReadReplicasMode = "READ_REPLICAS_ENABLED"

	PersistenceModeUnspecified PersistenceMode = "PERSISTENCE_MODE_UNSPECIFIED"
	PersistenceModeDisabled    PersistenceMode = "DISABLED"
	PersistenceModeRDB         PersistenceMode = "RDB"

	SnapshotPeriodUnspecified     SnapshotPeriod = "SNAPSHOT_PERIOD_UNSPECIFIED"
	SnapshotPeriodOneHour         SnapshotPeriod = "ONE_HOUR"
	SnapshotPeriodSixHours        SnapshotPeriod = "SIX_HOURS"
	SnapshotPeriodTwelveHours     SnapshotPeriod = "TWELVE_HOURS"
	SnapshotPeriodTwentyFourHours SnapshotPeriod = "TWENTY_FOUR_HOURS"

	SuspensionReasonUnspecified             SuspensionReason = "SUSPENSION_REASON_UNSPECIFIED"
	SuspensionReasonCustomerManagedKeyIssue SuspensionReason = "CUSTOMER_MANAGED_KEY_ISSUE"

	DataProtectionModeUnspecified     DataProtectionMode = "DATA_PROTECTION_MODE_UNSPECIFIED"
	DataProtectionModeLimitedDataLoss DataProtectionMode = "LIMITED_DATA_LOSS"
	DataProtectionModeForceDataLoss   DataProtectionMode = "FORCE_DATA_LOSS"

	RescheduleTypeUnspecified         RescheduleType = "RESCHEDULE_TYPE_UNSPECIFIED"
	RescheduleTypeImmediate           RescheduleType = "IMMEDIATE"
	RescheduleTypeNextAvailableWindow RescheduleType = "NEXT_AVAILABLE_WINDOW"
	RescheduleTypeSpecificTime        RescheduleType = "SPECIFIC_TIME"

	DayOfWeekUnspecified DayOfWeek = "DAY_OF_WEEK_UNSPECIFIED"
	DayOfWeekMonday      DayOfWeek = "MONDAY"
	DayOfWeekTuesday     DayOfWeek = "TUESDAY"
	DayOfWeekWednesday   DayOfWeek = "WEDNESDAY"
	DayOfWeekThursday    DayOfWeek = "THURSDAY"
	DayOfWeekFriday      DayOfWeek = "FRIDAY"
	DayOfWeekSaturday    DayOfWeek = "SATURDAY"
	DayOfWeekSunday      DayOfWeek = "SUNDAY"
)

// A Secret holds a value that must not be seen by chance, such as an AUTH string. Whatever prints, logs,
// compares or encodes it gets "REDACTED"; only Reveal tells. The zero value holds the empty string.
type Secret struct {
	reveal func() string // a closure, because printers and differs follow pointers but do not call functions
}

const redacted = "REDACTED"

// NewSecret returns a Secret that holds value.
func NewSecret(value string) Secret { return Secret{func() string { return value }} }

// Reveal returns the value.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// Equal reports whether two secrets hold the same value; go-cmp asks it.
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// Format prints REDACTED for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// String returns REDACTED.
func (Secret) String() string { return redacted }

// GoString returns REDACTED.
func (Secret) GoString() string { return redacted }

// MarshalText returns REDACTED; encoding/json and log/slog use it.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// What the wire says beside the types above.
type (
	operationJSON struct {
		Name     string            `json:"name"`
		Metadata OperationMetadata `json:"metadata"`
		Done     bool              `json:"done"`
		Error    *statusJSON       `json:"error"`
		Response jsontext.Value    `json:"response"`
	}
	statusJSON struct {
		Code    int              `json:"code"`
		Message string           `json:"message"`
		Status  string           `json:"status"`
		Details []jsontext.Value `json:"details"`
	}
	detailJSON struct {
		Type            string               `json:"@type"`
		Reason          string               `json:"reason"`
		FieldViolations []fieldViolationJSON `json:"fieldViolations"`
		RetryDelay      string               `json:"retryDelay"`
	}
	fieldViolationJSON struct {
		Field       string `json:"field"`
		Description string `json:"description"`
	}
	authStringJSON struct {
		AuthString string `json:"authString"`
	}
)

// OperationMetadata is what the service says of a long-running operation beside its outcome. Which texts it
// puts into Verb and StatusDetail is not documented; nothing should hang on their spelling.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.operations#Operation
type OperationMetadata struct {
	CreateTime      time.Time `json:"createTime,omitzero"`
	EndTime         time.Time `json:"endTime,omitzero"` // zero while it runs
	Target          string    `json:"target,omitzero"`  // full name of the instance
	Verb            string    `json:"verb,omitzero"`    // create, update, delete, export ...
	StatusDetail    string    `json:"statusDetail,omitzero"`
	CancelRequested bool      `json:"cancelRequested,omitzero"`
	APIVersion      string    `json:"apiVersion,omitzero"` // v1, or v1internal1 for what the service began itself
}

// wireOptions read what the service may send rather than what it should: proto JSON lets numbers come as
// strings and enums as numbers, and an unreadable time or a repeated member is no reason to lose the rest.
var wireOptions = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(readInt),
		json.UnmarshalFromFunc(readTime),
		readEnum(StateUnspecified, StateCreating, StateReady, StateUpdating, StateDeleting, StateRepairing,
			StateMaintenance, "", StateImporting, StateFailingOver),
		readEnum(TierUnspecified, TierBasic, "", TierStandardHA),
		readEnum(ConnectModeUnspecified, ConnectModeDirectPeering, ConnectModePrivateServiceAccess),
		readEnum(TransitEncryptionModeUnspecified, TransitEncryptionModeServerAuthentication, TransitEncryptionModeDisabled),
		readEnum(ReadReplicasModeUnspecified, ReadReplicasDisabled, ReadReplicasEnabled),
		readEnum(PersistenceModeUnspecified, PersistenceModeDisabled, PersistenceModeRDB),
		readEnum(SnapshotPeriodUnspecified, "", "", SnapshotPeriodOneHour, SnapshotPeriodSixHours,
			SnapshotPeriodTwelveHours, SnapshotPeriodTwentyFourHours),
		readEnum(SuspensionReasonUnspecified, SuspensionReasonCustomerManagedKeyIssue),
		readEnum(DayOfWeekUnspecified, DayOfWeekMonday, DayOfWeekTuesday, DayOfWeekWednesday, DayOfWeekThursday,
			DayOfWeekFriday, DayOfWeekSaturday, DayOfWeekSunday),
	)),
)

// readEnum reads an enum that comes as its name or as its number in the API's proto files, which is its index
// in names. A number without a name is kept as its digits.
func readEnum[T ~string](names ...T) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *T) error {
		if dec.PeekKind() != '0' {
			return errors.ErrUnsupported // the default reading
		}
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		*v = T(tok.String())
		if n, err := strconv.Atoi(string(*v)); err == nil && n >= 0 && n < len(names) && names[n] != "" {
			*v = names[n]
		}
		return nil
	})
}

// readInt reads 5, "5" and 5.0.
func readInt(dec *jsontext.Decoder, v *int) error {
	kind := dec.PeekKind()
	if kind != '"' && kind != '0' {
		return errors.ErrUnsupported // the default reading
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	text := tok.String()
	if n, err := strconv.Atoi(text); err == nil {
		*v = n
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return fmt.Errorf("%.40q is not a whole number", text)
	}
	*v = int(f)
	return nil
}

// readTime reads RFC 3339 with any fraction of a second; anything else is no time.
func readTime(dec *jsontext.Decoder, v *time.Time) error {
	if dec.PeekKind() != '"' {
		*v = time.Time{}
		return dec.SkipValue()
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	t, err := time.Parse(time.RFC3339Nano, tok.String())
	if err != nil {
		t = time.Time{}
	}
	*v = t
	return nil
}

// parseSeconds reads a duration of proto JSON, "45.837906927s". What is beyond an int64 of nanoseconds saturates.
func parseSeconds(s string) (time.Duration, bool) {
	digits, ok := strings.CutSuffix(s, "s")
	if !ok || digits == "" || strings.ContainsFunc(digits, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }) {
		return 0, false
	}
	f, err := strconv.ParseFloat(digits, 64)
	switch {
	case err != nil && !math.IsInf(f, 1):
		return 0, false
	case f >= math.MaxInt64/float64(time.Second):
		return math.MaxInt64, true
	}
	return time.Duration(math.Round(f * float64(time.Second))), true
}

// input returns a copy of in that shares nothing with it, without what the service alone sets.
func (in *Instance) input() *Instance {
	out := *in
	out.Host, out.Port, out.CurrentLocationID = "", 0, ""
	out.CreateTime, out.State, out.StatusMessage = time.Time{}, "", ""
	out.PersistenceIAMIdentity, out.ServerCACerts, out.MaintenanceSchedule, out.Nodes = "", nil, nil, nil
	out.ReadEndpoint, out.ReadEndpointPort, out.SuspensionReasons, out.AvailableMaintenanceVersions = "", 0, nil, nil
	out.SatisfiesPZS, out.SatisfiesPZI = false, false
	out.Labels, out.RedisConfigs, out.Tags = maps.Clone(in.Labels), maps.Clone(in.RedisConfigs), maps.Clone(in.Tags)
	if in.PersistenceConfig != nil {
		config := *in.PersistenceConfig
		config.RDBNextSnapshotTime = time.Time{}
		out.PersistenceConfig = &config
	}
	if in.MaintenancePolicy != nil {
		policy := MaintenancePolicy{Description: in.MaintenancePolicy.Description}
		for _, w := range in.MaintenancePolicy.WeeklyMaintenanceWindow {
			window := WeeklyMaintenanceWindow{Day: w.Day}
			if w.StartTime != nil {
				start := *w.StartTime
				window.StartTime = &start
			}
			policy.WeeklyMaintenanceWindow = append(policy.WeeklyMaintenanceWindow, window)
		}
		out.MaintenancePolicy = &policy
	}
	return &out
}

// Zones returns the ids of the location's zones, sorted.
func (l *Location) Zones() []string {
	if l.Metadata == nil {
		return nil
	}
	zones := make([]string, 0, len(l.Metadata.AvailableZones))
	for zone := range l.Metadata.AvailableZones {
		zones = append(zones, zone)
	}
	slices.Sort(zones)
	return zones
}

// unnamed says of what kind an answer is that lacks its name, which is no answer. client.go asks.
func (in *Instance) unnamed() string      { return unless(in.Name, "instance") }
func (l *Location) unnamed() string       { return unless(l.Name, "location") }
func (op *operationJSON) unnamed() string { return unless(op.Name, "operation") }

func unless(name, what string) string {
	if name != "" {
		return ""
	}
	return what
}
