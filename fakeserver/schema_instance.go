package fakeserver

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
