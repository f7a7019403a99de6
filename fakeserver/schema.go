package fakeserver

import (
	"strings"
	"unicode"
)

// A kind is the JSON shape of a field.
type kind uint8

const (
	kindString kind = iota
	kindBool
	kindInt32
	kindEnum
	kindTime
	kindDuration
	kindMessage
	kindAny // a message printed with its @type
	kindMap // map<string, string>
	kindSet // map<string, an empty message>
)

// A field is one member of a message. The order of fields in a message is the order on the wire.
type field struct {
	json     string // memorySizeGb
	snake    string // memory_size_gb, derived
	number   int    // in the proto; 0 where it is not published
	kind     kind
	repeated bool
	always   bool         // printed even when it holds its default
	digits   int          // of a time's fraction; 0: as many of 3, 6 or 9 as are needed
	output   bool         // set by the service; what a request says is ignored
	input    bool         // never printed
	message  *messageType // of kindMessage
	enum     *enumType    // of kindEnum
	index    int          // derived
	basis
}

// A messageType is a message's name and its fields in wire order.
type messageType struct {
	name    string // in version v1
	nameV1b string // in v1beta1; empty: the same
	fields  []field
	byName  map[string]*field // both spellings
}

// An enumType is an enum's name, its names and its numbers.
type enumType struct {
	name    string
	names   map[int32]string
	numbers map[string]int32
	basis
}

type enumValue struct {
	number int32
	name   string
}

// enumTypes and messageTypes are all of them, in the order of declaration.
var (
	enumTypes    []*enumType
	messageTypes []*messageType
)

func newEnum(name string, values ...enumValue) *enumType {
	e := &enumType{name: name, names: map[int32]string{}, numbers: map[string]int32{}, basis: documented(discovery + "; numbers from the published pb.go")}
	for _, v := range values {
		e.names[v.number] = v.name
		e.numbers[v.name] = v.number
	}
	enumTypes = append(enumTypes, e)
	return e
}

// is returns the number of a name that the table must hold.
func (e *enumType) is(name string) int32 {
	n, ok := e.numbers[name]
	if !ok {
		panic("fakeserver: enum " + e.name + " has no value " + name)
	}
	return n
}

func newMessage(name string, fields ...field) *messageType {
	t := &messageType{name: name, fields: fields, byName: make(map[string]*field, 2*len(fields))}
	for i := range t.fields {
		f := &t.fields[i]
		f.index = i
		f.snake = snakeCase(f.json)
		if f.mark == 0 {
			f.basis = documented(discovery)
			if strings.HasPrefix(name, "google.rpc.") {
				f.basis = documented("google/rpc/error_details.proto; the envelope in https://cloud.google.com/apis/design/errors")
			}
		}
		t.byName[f.json] = f
		t.byName[f.snake] = f
	}
	messageTypes = append(messageTypes, t)
	return t
}

// field returns a field that the table must hold.
func (t *messageType) field(json string) *field {
	f, ok := t.byName[json]
	if !ok {
		panic("fakeserver: message " + t.name + " has no field " + json)
	}
	return f
}

// typeURL is what @type says of the message when it is read through an API version.
func (t *messageType) typeURL(version string) string {
	if version == "v1beta1" && t.nameV1b != "" {
		return "type.googleapis.com/" + t.nameV1b
	}
	return "type.googleapis.com/" + t.name
}

// snakeCase turns memorySizeGb into memory_size_gb.
func snakeCase(camel string) string {
	var b strings.Builder
	for _, r := range camel {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// The enums of the instance and of the verbs' requests.
var (
	stateEnum = newEnum("google.cloud.redis.v1.Instance.State",
		enumValue{0, "STATE_UNSPECIFIED"}, enumValue{1, "CREATING"}, enumValue{2, "READY"}, enumValue{3, "UPDATING"},
		enumValue{4, "DELETING"}, enumValue{5, "REPAIRING"}, enumValue{6, "MAINTENANCE"}, enumValue{8, "IMPORTING"},
		enumValue{9, "FAILING_OVER"})
	tierEnum = newEnum("google.cloud.redis.v1.Instance.Tier",
		enumValue{0, "TIER_UNSPECIFIED"}, enumValue{1, "BASIC"}, enumValue{3, "STANDARD_HA"})
	connectModeEnum = newEnum("google.cloud.redis.v1.Instance.ConnectMode",
		enumValue{0, "CONNECT_MODE_UNSPECIFIED"}, enumValue{1, "DIRECT_PEERING"}, enumValue{2, "PRIVATE_SERVICE_ACCESS"})
	transitEncryptionEnum = newEnum("google.cloud.redis.v1.Instance.TransitEncryptionMode",
		enumValue{0, "TRANSIT_ENCRYPTION_MODE_UNSPECIFIED"}, enumValue{1, "SERVER_AUTHENTICATION"}, enumValue{2, "DISABLED"})
	readReplicasEnum = newEnum("google.cloud.redis.v1.Instance.ReadReplicasMode",
		enumValue{0, "READ_REPLICAS_MODE_UNSPECIFIED"}, enumValue{1, "READ_REPLICAS_DISABLED"}, enumValue{2, "READ_REPLICAS_ENABLED"})
	suspensionEnum = newEnum("google.cloud.redis.v1.Instance.SuspensionReason",
		enumValue{0, "SUSPENSION_REASON_UNSPECIFIED"}, enumValue{1, "CUSTOMER_MANAGED_KEY_ISSUE"})
	persistenceModeEnum = newEnum("google.cloud.redis.v1.PersistenceConfig.PersistenceMode",
		enumValue{0, "PERSISTENCE_MODE_UNSPECIFIED"}, enumValue{1, "DISABLED"}, enumValue{2, "RDB"})
	snapshotPeriodEnum = newEnum("google.cloud.redis.v1.PersistenceConfig.SnapshotPeriod",
		enumValue{0, "SNAPSHOT_PERIOD_UNSPECIFIED"}, enumValue{3, "ONE_HOUR"}, enumValue{4, "SIX_HOURS"},
		enumValue{5, "TWELVE_HOURS"}, enumValue{6, "TWENTY_FOUR_HOURS"})
	dayEnum = newEnum("google.type.DayOfWeek",
		enumValue{0, "DAY_OF_WEEK_UNSPECIFIED"}, enumValue{1, "MONDAY"}, enumValue{2, "TUESDAY"}, enumValue{3, "WEDNESDAY"},
		enumValue{4, "THURSDAY"}, enumValue{5, "FRIDAY"}, enumValue{6, "SATURDAY"}, enumValue{7, "SUNDAY"})
	rescheduleEnum = newEnum("google.cloud.redis.v1.RescheduleMaintenanceRequest.RescheduleType",
		enumValue{0, "RESCHEDULE_TYPE_UNSPECIFIED"}, enumValue{1, "IMMEDIATE"}, enumValue{2, "NEXT_AVAILABLE_WINDOW"}, enumValue{3, "SPECIFIC_TIME"})
	dataProtectionEnum = newEnum("google.cloud.redis.v1.FailoverInstanceRequest.DataProtectionMode",
		enumValue{0, "DATA_PROTECTION_MODE_UNSPECIFIED"}, enumValue{1, "LIMITED_DATA_LOSS"}, enumValue{2, "FORCE_DATA_LOSS"})
)

// The instance and what hangs from it.
var (
	nodeType = newMessage("google.cloud.redis.v1.NodeInfo",
		field{json: "id", number: 1, output: true},
		field{json: "zone", number: 2, output: true})
	timeOfDayType = newMessage("google.type.TimeOfDay",
		field{json: "hours", number: 1, kind: kindInt32},
		field{json: "minutes", number: 2, kind: kindInt32},
		field{json: "seconds", number: 3, kind: kindInt32},
		field{json: "nanos", number: 4, kind: kindInt32})
	windowType = newMessage("google.cloud.redis.v1.WeeklyMaintenanceWindow",
		field{json: "day", number: 1, kind: kindEnum, enum: dayEnum},
		field{json: "startTime", number: 2, kind: kindMessage, message: timeOfDayType},
		field{json: "duration", number: 3, kind: kindDuration, output: true})
	policyType = newMessage("google.cloud.redis.v1.MaintenancePolicy",
		field{json: "createTime", number: 1, kind: kindTime, digits: 6, output: true},
		field{json: "updateTime", number: 2, kind: kindTime, digits: 6, output: true},
		field{json: "description", number: 3},
		field{json: "weeklyMaintenanceWindow", number: 4, kind: kindMessage, repeated: true, message: windowType})
	scheduleType = newMessage("google.cloud.redis.v1.MaintenanceSchedule",
		field{json: "startTime", number: 1, kind: kindTime, output: true},
		field{json: "endTime", number: 2, kind: kindTime, output: true},
		field{json: "canReschedule", number: 3, kind: kindBool},
		field{json: "scheduleDeadlineTime", number: 5, kind: kindTime, output: true})
	certificateType = newMessage("google.cloud.redis.v1.TlsCertificate",
		field{json: "serialNumber", number: 1},
		field{json: "cert", number: 2},
		field{json: "createTime", number: 3, kind: kindTime, digits: 6, output: true},
		field{json: "expireTime", number: 4, kind: kindTime, digits: 3, output: true},
		field{json: "sha1Fingerprint", number: 5})
	persistenceType = newMessage("google.cloud.redis.v1.PersistenceConfig",
		field{json: "persistenceMode", number: 1, kind: kindEnum, enum: persistenceModeEnum},
		field{json: "rdbSnapshotPeriod", number: 2, kind: kindEnum, enum: snapshotPeriodEnum},
		field{json: "rdbNextSnapshotTime", number: 4, kind: kindTime, output: true},
		field{json: "rdbSnapshotStartTime", number: 5, kind: kindTime})
	instanceType = versioned("google.cloud.redis.v1beta1.Instance", newMessage("google.cloud.redis.v1.Instance",
		field{json: "name", number: 1, basis: recorded(kccLog)},
		field{json: "displayName", number: 2, basis: recorded(kccLog)},
		field{json: "labels", number: 3, kind: kindMap, basis: recorded(kccLog)},
		field{json: "locationId", number: 4, basis: recorded(kccLog)},
		field{json: "alternativeLocationId", number: 5, basis: recorded(kccLog)},
		field{json: "redisVersion", number: 7, basis: recorded(kccLog)},
		field{json: "reservedIpRange", number: 9, basis: recorded(kccLog)},
		field{json: "secondaryIpRange", number: 30},
		field{json: "host", number: 10, output: true, basis: recorded(kccLog)},
		field{json: "port", number: 11, kind: kindInt32, output: true, basis: recorded(kccLog)},
		field{json: "currentLocationId", number: 12, output: true, basis: recorded(kccLog)},
		field{json: "createTime", number: 13, kind: kindTime, digits: 9, output: true, basis: recorded(kccLog)},
		field{json: "state", number: 14, kind: kindEnum, enum: stateEnum, output: true, basis: recorded(kccLog)},
		field{json: "statusMessage", number: 15, output: true},
		field{json: "redisConfigs", number: 16, kind: kindMap},
		field{json: "tier", number: 17, kind: kindEnum, enum: tierEnum, basis: recorded(kccLog)},
		field{json: "memorySizeGb", number: 18, kind: kindInt32, basis: recorded(kccLog)},
		field{json: "authorizedNetwork", number: 20, basis: recorded(kccLog)},
		field{json: "persistenceIamIdentity", number: 21, output: true, basis: recorded(kccLog)},
		field{json: "connectMode", number: 22, kind: kindEnum, enum: connectModeEnum, basis: recorded(kccLog)},
		field{json: "authEnabled", number: 23, kind: kindBool, basis: recorded(c7nLog)},
		field{json: "serverCaCerts", number: 25, kind: kindMessage, repeated: true, message: certificateType, output: true, basis: recorded(c7nLog)},
		field{json: "transitEncryptionMode", number: 26, kind: kindEnum, enum: transitEncryptionEnum, basis: recorded(kccLog)},
		field{json: "maintenancePolicy", number: 27, kind: kindMessage, message: policyType},
		field{json: "maintenanceSchedule", number: 28, kind: kindMessage, message: scheduleType, output: true},
		field{json: "replicaCount", number: 31, kind: kindInt32},
		field{json: "nodes", number: 32, kind: kindMessage, repeated: true, message: nodeType, output: true, basis: recorded(kccLog)},
		field{json: "readEndpoint", number: 33, output: true},
		field{json: "readEndpointPort", number: 34, kind: kindInt32, output: true},
		field{json: "readReplicasMode", number: 35, kind: kindEnum, enum: readReplicasEnum, basis: recorded(kccLog)},
		field{json: "customerManagedKey", number: 36},
		field{json: "persistenceConfig", number: 37, kind: kindMessage, message: persistenceType, basis: recorded(kccLog)},
		field{json: "suspensionReasons", number: 38, kind: kindEnum, repeated: true, enum: suspensionEnum, output: true},
		field{json: "maintenanceVersion", number: 39, basis: recorded(kccLog)},
		field{json: "availableMaintenanceVersions", number: 40, repeated: true, output: true, basis: recorded(kccLog)},
		field{json: "satisfiesPzs", kind: kindBool, output: true},
		field{json: "satisfiesPzi", kind: kindBool, output: true},
		field{json: "tags", kind: kindMap, input: true}))
)

// The fields of an instance, by name.
var (
	fName                   = instanceType.field("name")
	fDisplayName            = instanceType.field("displayName")
	fLabels                 = instanceType.field("labels")
	fLocationID             = instanceType.field("locationId")
	fAlternativeLocationID  = instanceType.field("alternativeLocationId")
	fRedisVersion           = instanceType.field("redisVersion")
	fReservedIPRange        = instanceType.field("reservedIpRange")
	fSecondaryIPRange       = instanceType.field("secondaryIpRange")
	fHost                   = instanceType.field("host")
	fPort                   = instanceType.field("port")
	fCurrentLocationID      = instanceType.field("currentLocationId")
	fCreateTime             = instanceType.field("createTime")
	fState                  = instanceType.field("state")
	fStatusMessage          = instanceType.field("statusMessage")
	fRedisConfigs           = instanceType.field("redisConfigs")
	fTier                   = instanceType.field("tier")
	fMemorySizeGB           = instanceType.field("memorySizeGb")
	fAuthorizedNetwork      = instanceType.field("authorizedNetwork")
	fPersistenceIAMIdentity = instanceType.field("persistenceIamIdentity")
	fConnectMode            = instanceType.field("connectMode")
	fAuthEnabled            = instanceType.field("authEnabled")
	fServerCACerts          = instanceType.field("serverCaCerts")
	fTransitEncryptionMode  = instanceType.field("transitEncryptionMode")
	fMaintenancePolicy      = instanceType.field("maintenancePolicy")
	fMaintenanceSchedule    = instanceType.field("maintenanceSchedule")
	fReplicaCount           = instanceType.field("replicaCount")
	fNodes                  = instanceType.field("nodes")
	fReadEndpoint           = instanceType.field("readEndpoint")
	fReadEndpointPort       = instanceType.field("readEndpointPort")
	fReadReplicasMode       = instanceType.field("readReplicasMode")
	fCustomerManagedKey     = instanceType.field("customerManagedKey")
	fPersistenceConfig      = instanceType.field("persistenceConfig")
	fMaintenanceVersion     = instanceType.field("maintenanceVersion")
	fAvailableVersions      = instanceType.field("availableMaintenanceVersions")

	fNodeID   = nodeType.field("id")
	fNodeZone = nodeType.field("zone")

	fHours   = timeOfDayType.field("hours")
	fMinutes = timeOfDayType.field("minutes")
	fSeconds = timeOfDayType.field("seconds")
	fNanos   = timeOfDayType.field("nanos")

	fWindowDay      = windowType.field("day")
	fWindowStart    = windowType.field("startTime")
	fWindowDuration = windowType.field("duration")

	fPolicyCreateTime  = policyType.field("createTime")
	fPolicyUpdateTime  = policyType.field("updateTime")
	fPolicyDescription = policyType.field("description")
	fPolicyWindows     = policyType.field("weeklyMaintenanceWindow")

	fScheduleStart    = scheduleType.field("startTime")
	fScheduleEnd      = scheduleType.field("endTime")
	fScheduleDeadline = scheduleType.field("scheduleDeadlineTime")

	fCertSerial      = certificateType.field("serialNumber")
	fCertPEM         = certificateType.field("cert")
	fCertCreateTime  = certificateType.field("createTime")
	fCertExpireTime  = certificateType.field("expireTime")
	fCertFingerprint = certificateType.field("sha1Fingerprint")

	fPersistenceMode   = persistenceType.field("persistenceMode")
	fSnapshotPeriod    = persistenceType.field("rdbSnapshotPeriod")
	fNextSnapshotTime  = persistenceType.field("rdbNextSnapshotTime")
	fSnapshotStartTime = persistenceType.field("rdbSnapshotStartTime")
)

// Enum numbers that the fake decides by.
var (
	stateCreating    = stateEnum.is("CREATING")
	stateReady       = stateEnum.is("READY")
	stateUpdating    = stateEnum.is("UPDATING")
	stateDeleting    = stateEnum.is("DELETING")
	stateRepairing   = stateEnum.is("REPAIRING")
	stateImporting   = stateEnum.is("IMPORTING")
	stateFailingOver = stateEnum.is("FAILING_OVER")

	tierBasic    = tierEnum.is("BASIC")
	tierStandard = tierEnum.is("STANDARD_HA")

	connectDirect  = connectModeEnum.is("DIRECT_PEERING")
	connectPrivate = connectModeEnum.is("PRIVATE_SERVICE_ACCESS")

	transitTLS      = transitEncryptionEnum.is("SERVER_AUTHENTICATION")
	transitDisabled = transitEncryptionEnum.is("DISABLED")

	replicasDisabled = readReplicasEnum.is("READ_REPLICAS_DISABLED")
	replicasEnabled  = readReplicasEnum.is("READ_REPLICAS_ENABLED")

	persistenceDisabled = persistenceModeEnum.is("DISABLED")
	persistenceRDB      = persistenceModeEnum.is("RDB")

	rescheduleImmediate = rescheduleEnum.is("IMMEDIATE")
	rescheduleNext      = rescheduleEnum.is("NEXT_AVAILABLE_WINDOW")
	rescheduleSpecific  = rescheduleEnum.is("SPECIFIC_TIME")
)

// The requests of the verbs.
var (
	gcsSourceType      = newMessage("google.cloud.redis.v1.GcsSource", field{json: "uri", number: 1})
	gcsDestinationType = newMessage("google.cloud.redis.v1.GcsDestination", field{json: "uri", number: 1})
	inputConfigType    = newMessage("google.cloud.redis.v1.InputConfig", field{json: "gcsSource", number: 1, kind: kindMessage, message: gcsSourceType})
	outputConfigType   = newMessage("google.cloud.redis.v1.OutputConfig", field{json: "gcsDestination", number: 1, kind: kindMessage, message: gcsDestinationType})
	importType         = newMessage("google.cloud.redis.v1.ImportInstanceRequest",
		field{json: "name", number: 1}, field{json: "inputConfig", number: 3, kind: kindMessage, message: inputConfigType})
	exportType = newMessage("google.cloud.redis.v1.ExportInstanceRequest",
		field{json: "name", number: 1}, field{json: "outputConfig", number: 3, kind: kindMessage, message: outputConfigType})
	failoverType = newMessage("google.cloud.redis.v1.FailoverInstanceRequest",
		field{json: "name", number: 1}, field{json: "dataProtectionMode", number: 2, kind: kindEnum, enum: dataProtectionEnum})
	upgradeType = newMessage("google.cloud.redis.v1.UpgradeInstanceRequest",
		field{json: "name", number: 1}, field{json: "redisVersion", number: 2})
	rescheduleType = newMessage("google.cloud.redis.v1.RescheduleMaintenanceRequest",
		field{json: "name", number: 1}, field{json: "rescheduleType", number: 2, kind: kindEnum, enum: rescheduleEnum},
		field{json: "scheduleTime", number: 3, kind: kindTime})
	cancelType = newMessage("google.longrunning.CancelOperationRequest", field{json: "name", number: 1})

	fInputConfig        = importType.field("inputConfig")
	fGCSSource          = inputConfigType.field("gcsSource")
	fSourceURI          = gcsSourceType.field("uri")
	fOutputConfig       = exportType.field("outputConfig")
	fGCSDestination     = outputConfigType.field("gcsDestination")
	fDestinationURI     = gcsDestinationType.field("uri")
	fDataProtectionMode = failoverType.field("dataProtectionMode")
	fUpgradeVersion     = upgradeType.field("redisVersion")
	fRescheduleType     = rescheduleType.field("rescheduleType")
	fScheduleTime       = rescheduleType.field("scheduleTime")
)

// Answers other than the instance.
var (
	statusType = newMessage("google.rpc.Status",
		field{json: "code", number: 1, kind: kindInt32, always: true},
		field{json: "message", number: 2},
		field{json: "details", number: 3, kind: kindAny, repeated: true})
	metadataType = versioned("google.cloud.common.OperationMetadata", newMessage("google.cloud.redis.v1.OperationMetadata",
		field{json: "createTime", number: 1, kind: kindTime, digits: 9, basis: recorded(kccLog)},
		field{json: "endTime", number: 2, kind: kindTime, digits: 9, basis: recorded(kccLog)},
		field{json: "target", number: 3, basis: recorded(kccLog)},
		field{json: "verb", number: 4, basis: recorded(kccLog)},
		field{json: "statusDetail", number: 5},
		field{json: "cancelRequested", number: 6, kind: kindBool, always: true, basis: recorded(c7nLog)},
		field{json: "apiVersion", number: 7, basis: recorded(kccLog)}))
	operationType = newMessage("google.longrunning.Operation",
		field{json: "name", number: 1, basis: recorded(kccLog)},
		field{json: "metadata", number: 2, kind: kindAny, basis: recorded(kccLog)},
		field{json: "done", number: 3, kind: kindBool, always: true, basis: recorded(c7nLog)},
		field{json: "error", number: 4, kind: kindMessage, message: statusType},
		field{json: "response", number: 5, kind: kindAny, basis: recorded(kccLog)})
	emptyType      = newMessage("google.protobuf.Empty")
	authStringType = newMessage("google.cloud.redis.v1.InstanceAuthString", field{json: "authString", number: 1})

	listInstancesType = newMessage("google.cloud.redis.v1.ListInstancesResponse",
		field{json: "instances", number: 1, kind: kindMessage, repeated: true, message: instanceType},
		field{json: "nextPageToken", number: 2},
		field{json: "unreachable", number: 3, repeated: true})
	listOperationsType = newMessage("google.longrunning.ListOperationsResponse",
		field{json: "operations", number: 1, kind: kindMessage, repeated: true, message: operationType},
		field{json: "nextPageToken", number: 2},
		field{json: "unreachable", number: 3, repeated: true})
	locationMetadataType = versioned("google.cloud.redis.v1beta1.LocationMetadata", newMessage("google.cloud.redis.v1.LocationMetadata",
		field{json: "availableZones", number: 1, kind: kindSet, output: true}))
	locationType = newMessage("google.cloud.location.Location",
		field{json: "name", number: 1},
		field{json: "locationId", number: 4},
		field{json: "displayName", number: 5},
		field{json: "labels", number: 2, kind: kindMap},
		field{json: "metadata", number: 3, kind: kindAny})
	listLocationsType = newMessage("google.cloud.location.ListLocationsResponse",
		field{json: "locations", number: 1, kind: kindMessage, repeated: true, message: locationType},
		field{json: "nextPageToken", number: 2})

	fStatusCode       = statusType.field("code")
	fStatusText       = statusType.field("message")
	fOpCreateTime     = metadataType.field("createTime")
	fOpEndTime        = metadataType.field("endTime")
	fOpTarget         = metadataType.field("target")
	fOpVerb           = metadataType.field("verb")
	fOpStatusDetail   = metadataType.field("statusDetail")
	fOpCancel         = metadataType.field("cancelRequested")
	fOpAPIVersion     = metadataType.field("apiVersion")
	fOpName           = operationType.field("name")
	fOpMetadata       = operationType.field("metadata")
	fOpDone           = operationType.field("done")
	fOpError          = operationType.field("error")
	fOpResponse       = operationType.field("response")
	fAuthString       = authStringType.field("authString")
	fAvailableZones   = locationMetadataType.field("availableZones")
	fLocName          = locationType.field("name")
	fLocID            = locationType.field("locationId")
	fLocDisplayName   = locationType.field("displayName")
	fLocLabels        = locationType.field("labels")
	fLocMetadata      = locationType.field("metadata")
	fInstancesPage    = listInstancesType.field("instances")
	fInstancesNext    = listInstancesType.field("nextPageToken")
	fInstancesMissing = listInstancesType.field("unreachable")
	fOpsPage          = listOperationsType.field("operations")
	fOpsNext          = listOperationsType.field("nextPageToken")
	fOpsMissing       = listOperationsType.field("unreachable")
	fLocationsPage    = listLocationsType.field("locations")
	fLocationsNext    = listLocationsType.field("nextPageToken")
)

// The details of an error (google/rpc/error_details.proto).
var (
	violationType = newMessage("google.rpc.BadRequest.FieldViolation",
		field{json: "field", number: 1}, field{json: "description", number: 2})
	badRequestType = newMessage("google.rpc.BadRequest",
		field{json: "fieldViolations", number: 1, kind: kindMessage, repeated: true, message: violationType})
	resourceInfoType = newMessage("google.rpc.ResourceInfo",
		field{json: "resourceType", number: 1}, field{json: "resourceName", number: 2})
	errorInfoType = newMessage("google.rpc.ErrorInfo",
		field{json: "reason", number: 1}, field{json: "domain", number: 2}, field{json: "metadata", number: 3, kind: kindMap})
	localizedType = newMessage("google.rpc.LocalizedMessage",
		field{json: "locale", number: 1}, field{json: "message", number: 2})
	linkType = newMessage("google.rpc.Help.Link",
		field{json: "description", number: 1}, field{json: "url", number: 2})
	helpType = newMessage("google.rpc.Help",
		field{json: "links", number: 1, kind: kindMessage, repeated: true, message: linkType})
	retryInfoType = newMessage("google.rpc.RetryInfo",
		field{json: "retryDelay", number: 1, kind: kindDuration, always: true})
)

// versioned gives a message the name it has when it is read through v1beta1.
func versioned(beta string, t *messageType) *messageType {
	t.nameV1b = beta
	return t
}
