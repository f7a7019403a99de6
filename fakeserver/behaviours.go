package fakeserver

// A behaviour is one decision of the fake that no table row and no text shows.
type behaviour struct {
	key, about string
	basis
}

// behaviours holds every one, in the order of declaration.
var behaviours []*behaviour

func behave(key, about string, b basis) *behaviour {
	made := &behaviour{key, about, b}
	behaviours = append(behaviours, made)
	return made
}

// The decisions that WithStrict refuses to rest on, because the answer would be nothing else.
var (
	guessFilter   = behave("filter", "a list filter is conditions with =, != or :, each with NOT and parentheses, joined by AND; on name, displayName and locationId of locations, and on name, done, metadata.verb, .target, .apiVersion and .cancelRequested of operations", guessed("only displayName=tokyo is documented, and AIP-160"))
	guessFields   = behave("fields", "fields= prints only the members it selects; an unknown one is refused", guessed(frontEnd))
	guessOverride = behave("method-override", "X-HTTP-Method-Override on a POST sets the verb", guessed(frontEnd))
)

// The others, for the reader and for Fidelity.
var _ = []*behaviour{
	behave("operation-name", "operation-<ms>-<µs, 13 hex digits>-<8 hex>-<8 hex>, both of the moment it began", recorded(kccLog)),
	behave("operation-metadata-type", "google.cloud.redis.v1.OperationMetadata in v1, google.cloud.common.OperationMetadata in v1beta1", recorded(kccLog+", "+c7nLog)),
	behave("operation-printed-false", "done and metadata.cancelRequested are printed when false", recorded(c7nLog)),
	behave("verb-create", "create, update, delete and export are the verbs of those operations", recorded(kccLog+"; export in user scripts")),
	behave("verb-import", "import, failover, upgrade and rescheduleMaintenance are the verbs of the others", guessed("by analogy")),
	behave("response-snapshot", "an operation's response is the instance as it was when the operation ended", guessed(noSource)),
	behave("response-enum-names", "enums in an operation's response are names even with $alt=json;enum-encoding=int", guessed("the recordings ask for operations without $alt")),
	behave("delete-response", "a finished delete's response is google.protobuf.Empty with @type alone", recorded(kccLog)),
	behave("operation-order", "operations are listed in the order they began", guessed(noSource)),
	behave("operation-retention", "a finished operation vanishes four hours after its end", documented("discovery: after a few hours; four is chosen")),
	behave("cancel", "only import and export can be cancelled; the operation then ends at once, with code 1", documented(gcloudHelp)),
	behave("cancel-done", "cancelling a finished operation is accepted and changes nothing", guessed(noSource)),
	behave("state-busy", "one change at a time per instance; any other is refused until it is READY", documented("import, export and failover pages; the refusal is recorded in airflow pull 11735")),
	behave("state-export", "an instance is UPDATING while it is exported", guessed("the enum has no state for it")),
	behave("state-upgrade", "an instance is UPDATING while it is upgraded or its maintenance rescheduled", guessed(noSource)),
	behave("state-import", "an instance is IMPORTING for the whole import", documented(discovery)),
	behave("state-failover", "an instance is FAILING_OVER, then its currentLocationId is the other zone", documented("manual-failover-overview")),
	behave("delete-repairing", "a delete is accepted in READY and REPAIRING and refused in every other state", guessed("documentation of deletes during recovery")),
	behave("creating-hidden", "host, read endpoint and certificates show when the creation has ended, getAuthString answers {} until then", guessed(noSource)),
	behave("failed-create", "an instance whose creation failed is gone; WithFailedCreatesKept leaves it", guessed("reports differ; Terraform takes it for gone")),
	behave("labels-at-once", "labels show when the update is accepted", recorded(c7nLog)),
	behave("labels-order", "the order of labels changes from read to read", recorded(kccLog)),
	behave("mask-literal", "a masked field that the body leaves out is cleared; a field outside the mask is ignored", documented("gcloud clears fields so; that what is outside is ignored is in "+kccLog)),
	behave("no-op-update", "an update that changes nothing is an operation like any other", guessed(noSource)),
	behave("name-in-body", "the name in a body is ignored", recorded("Terraform sends it, Google's Go client does not; what a wrong one does is not known")),
	behave("output-in-body", "output-only fields in a body are ignored", documented("gcloud sends the whole instance back")),
	behave("secondary-at-create", "secondaryIpRange is accepted at create without read replicas and dropped", recorded(kccLog)),
	behave("secondary-at-create-replicas", "and with read replicas too", guessed(noSource)),
	behave("maintenance-at-create", "an instance is born at the current maintenance version, unless an available newer one was asked for", recorded("terraform-provider-google#21108")),
	behave("persistence-off", "an instance whose persistence was switched off still shows its snapshot period", recorded("sourcegraph pull 58173")),
	behave("auth-string", "a version 4 UUID, another one each time AUTH is switched on; {} when it is off", documented("auth-overview")),
	behave("update-auth-permission", "a mask with authEnabled needs redis.instances.updateAuth as well", documented("access-control")),
	behave("certificate", "with TLS, an authority of the instance's own: serial number 0, 3650 days, SHA-1 in lower-case hex", recorded(c7nLog)),
	behave("capacity", "beyond Quota.CapacityGB the operation fails with code 8", guessed("python-docs-samples#4481 has it of a limit of the service's own")),
	behave("list-order", "instances are listed by name", guessed(noSource)),
	behave("list-empty", "an empty list is {}", guessed("proto3 JSON")),
	behave("list-page", "1000 items a page when nothing is asked", documented(discovery)),
	behave("list-page-most", "at most 1000 items a page", guessed(noSource)),
	behave("list-unreachable", "a list over all locations names a missing region as projects/P/locations/L, on every page", documented("that it does is documented, the form is chosen")),
	behave("list-placeholder", "for it a list of instances has an entry with name …/instances/- and statusMessage alone", documented("list reference; its status ERROR cannot be expressed")),
	behave("location-order", "locations are listed by name, regions only", guessed(noSource)),
	behave("location-labels", "a location has the label cloud.googleapis.com/region and its city as displayName", guessed("field documentation")),
	behave("v1beta1", "v1beta1 answers the same paths", recorded(kccLog)),
	behave("html-404", "an unknown path gets the front end's HTML page", recorded("terraform-google-memorystore#82")),
	behave("html-405", "so does a wrong verb", guessed(frontEnd)),
	behave("display-name-at-once", "displayName shows when the update is accepted, as labels do", guessed(noSource)),
	behave("headers", "the headers of successes and JSON errors, and chunked transfer", recorded(c7nLog)),
	behave("gzip", "an answer is compressed for a client that accepts gzip", recorded(kccLog)),
	behave("pretty", "JSON is indented by two spaces unless prettyPrint=false", recorded(kccLog)),
	behave("error-format", "$.xgafv=1 adds an errors array", recorded("sibling services on the same front end")),
	behave("order-of-checks", "token, permission, API switched off, quota, parameters, body, mask, values, and last whether the instance is busy", guessed(noSource)),
	behave("quota-window", "a quota per minute counts in whole minutes of the clock", guessed(noSource)),
	behave("request-size", "a body beyond 10 MiB is refused", guessed(frontEnd)),
}
