package fakeserver

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
