package fakeserver

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
