package fakeserver

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
