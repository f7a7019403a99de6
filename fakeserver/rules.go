package fakeserver

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A change is one create or update that is being looked at, before anything is done.
type change struct {
	project, location string
	region            region
	regions           []region
	before            *message // nil for a create
	asked             *message // the request's instance
	after             *message // what the instance would be, as far as it is asked for
	mask              mask     // of an update
}

func (c *change) creating() bool { return c.before == nil }

// touches tells whether the change sets any of the fields.
func (c *change) touches(fields []*field) bool {
	if c.creating() || len(fields) == 0 {
		return true
	}
	for _, f := range fields {
		if c.mask.has(f) {
			return true
		}
	}
	return false
}

func (c *change) version() string { return c.after.str(fRedisVersion) }

func (c *change) standard() bool { return c.after.num(fTier) == tierStandard }

func (c *change) replicas() bool { return c.after.num(fReadReplicasMode) == replicasEnabled }

// enabling tells whether an update switches read replicas on.
func (c *change) enabling() bool {
	return !c.creating() && c.replicas() && c.before.num(fReadReplicasMode) != replicasEnabled
}

// A rule is one thing an instance must satisfy.
type rule struct {
	key    string
	about  string
	fields []*field // an update is held against the rule when it sets one of them; none: always
	when   occasion
	check  func(c *change) *problem
	basis
}

type occasion uint8

const (
	both occasion = iota
	onCreate
	onUpdate
)

// judge holds a change against every rule, in the table's order, and returns the first refusal.
func judge(c *change) *problem {
	for i := range rules {
		r := &rules[i]
		if r.when == onCreate && !c.creating() || r.when == onUpdate && c.creating() || !c.touches(r.fields) {
			continue
		}
		if p := r.check(c); p != nil {
			return p
		}
	}
	return nil
}

// The texts of the rules.
var (
	textInstanceID = define(text{key: "instance-id", code: codeInvalidArgument, form: backend,
		message: "Instance ID must be 1 to 40 characters and use lowercase letters, numbers, or hyphens. It must start with a lowercase letter and end with a lowercase letter or number.",
		basis:   recorded("terraform-provider-google pull 6571")})
	textTier = define(text{key: "tier", code: codeInvalidArgument, form: backend,
		message: "You must specify a tier.", field: "instance.tier", description: "Invalid value: %s", basis: guessed("modelled on the sentence for a missing network")})
	textMemory = define(text{key: "memory-size", code: codeInvalidArgument, form: backend,
		message: "Memory size must be between 1 and 300 GB.", field: "instance.memory_size_gb", description: "Invalid value: %d", basis: guessed("the bounds are documented, the sentence is chosen")})
	textEnum = define(text{key: "enum-number", code: codeInvalidArgument, form: backend,
		message: "Invalid value for %[1]s.", field: "%[1]s", description: "Invalid value: %[2]d", basis: guessed(noSource)})
	textLabel = define(text{key: "label", code: codeInvalidArgument,
		message: "The request was invalid: resource labels are invalid: %[1]s", field: "instance.labels", description: "Invalid value: %[2]s", basis: guessed("error catalogue of Firebase App Hosting, a sibling; the bounds are Google Cloud's general ones")})
	textVersion = define(text{key: "redis-version", code: codeInvalidArgument, form: backend,
		message: "Redis version %[1]s is not supported.", field: "instance.redis_version", description: "Invalid value: %[1]s", basis: guessed(noSource)})
	textNetworkFormat = define(text{key: "network-format", code: codeInvalidArgument, form: backend,
		message: "invalid authorized_network format, value should be full path to network resource", field: "instance.authorized_network", description: "Invalid value: %s", basis: recorded("terraform-provider-google#1571")})
	textSharedNetwork = define(text{key: "shared-network", code: codeInvalidArgument, form: backend,
		message: "authorized_network must exist in the same project as redis instance", field: "instance.authorized_network", description: "Invalid value: %s", basis: recorded("terraform-provider-google#15792")})
	textNoNetwork = define(text{key: "network-missing", code: codeInvalidArgument, form: backend,
		message: "You must specify an authorized network.", field: "instance.authorized_network", description: "Invalid value: ", basis: recorded("terraform-google-memorystore#96")})
	textZoneRegion = define(text{key: "zone-region", code: codeInvalidArgument, form: backend,
		message: "Zone is not within instance Region.", basis: recorded("terraform-provider-google#3690")})
	textZoneMissing = define(text{key: "zone-missing", code: codeNotFound, form: backend,
		message: "'%s' was not found.", basis: recorded("exposure-notifications-verification-server#123")})
	textAlternative = define(text{key: "alternative-zone", code: codeInvalidArgument, form: backend,
		message: "%[1]s", field: "instance.alternative_location_id", description: "Invalid value: %[2]s", basis: guessed(noSource)})
	textRange = define(text{key: "ip-range", code: codeInvalidArgument, form: backend,
		message: "Invalid IP range: %[1]s.", field: "instance.reserved_ip_range", description: "Invalid value: %[1]s", basis: guessed("modelled on the sentence for a block that is too small")})
	textRangeSmall = define(text{key: "ip-range-small", code: codeInvalidArgument, form: backend,
		message: "Invalid IP range: %[1]s. Require a minimum of /29 block size.", field: "instance.reserved_ip_range", description: "Invalid value: %[1]s", basis: guessed("modelled on the sentence for read replicas")})
	textRangeReplicas = define(text{key: "ip-range-replicas", code: codeInvalidArgument, form: backend,
		message: "Invalid IP range: %[1]s. Require a minimum of /28 block size when read replica is enabled.", field: "instance.reserved_ip_range", description: "Invalid value: %[1]s", basis: recorded("magic-modules#5449")})
	textRangeTaken = define(text{key: "ip-range-taken", code: codeInvalidArgument, form: backend,
		message: "Invalid IP range: %[1]s. The range overlaps with an existing subnet of the authorized network.", field: "instance.reserved_ip_range", description: "Invalid value: %[1]s", basis: guessed("that it must not overlap is documented, the sentence is chosen")})
	textRangePrivate = define(text{key: "ip-range-private", code: codeInvalidArgument, form: backend,
		message: "Reserved IP range is not supported for --connect-mode private services access", field: "instance.reserved_ip_range", description: "Invalid value: %[1]s", basis: documented("troubleshoot-issues")})
	textReplicaCount = define(text{key: "replica-count-mode", code: codeInvalidArgument, form: backend,
		message: `Setting replica count requires read-replicas-mode to be "READ_REPLICAS_ENABLED"`, basis: recorded("terraform-provider-google#14734")})
	textReplicaUpdate = define(text{key: "replica-count-update", code: codeFailedPrecondition, form: backend,
		message: "Read Replicas mode must be enabled on the instance in order to update replica count.", basis: recorded("mozilla/terraform-modules#323; the last two words are a guess")})
	textReplicaBounds = define(text{key: "replica-count-bounds", code: codeInvalidArgument, form: backend,
		message: "Replica count must be between 1 and 5.", field: "instance.replica_count", description: "Invalid value: %d", basis: guessed("the bounds are documented, the sentence is chosen")})
	textReplicasNeed = define(text{key: "replicas-need", code: codeInvalidArgument, form: backend,
		message: "Read replicas require %s.", field: "instance.read_replicas_mode", description: "Invalid value: READ_REPLICAS_ENABLED", basis: guessed("what they require is documented, the sentence is chosen")})
	textReplicasOneWay = define(text{key: "replicas-one-way", code: codeFailedPrecondition, form: backend,
		message: "Read replicas cannot be disabled once they are enabled.", field: "instance.read_replicas_mode", description: "Invalid value: READ_REPLICAS_DISABLED", basis: guessed("that it is impossible is documented, the sentence is chosen")})
	textReplicasAlone = define(text{key: "replicas-alone", code: codeInvalidArgument, form: backend,
		message: "Enabling read replicas cannot be combined with other updates.", field: "update_mask", description: "Invalid value: %s", basis: guessed("the rule is documented, the sentence is chosen")})
	textReplicasSecondary = define(text{key: "replicas-secondary", code: codeInvalidArgument, form: backend,
		message: "Secondary IP range is required for enabling read replicas.", field: "instance.secondary_ip_range", description: "Invalid value: ", basis: guessed("the rule is documented, the sentence is chosen")})
	textSecondaryAlone = define(text{key: "secondary-alone", code: codeInvalidArgument, form: tail,
		message: "Secondary IP range can only be updated while enabling read replicas", basis: recorded(kccLog)})
	textSecondary = define(text{key: "secondary-range", code: codeInvalidArgument, form: backend,
		message: "Invalid secondary IP range: %[1]s.", field: "instance.secondary_ip_range", description: "Invalid value: %[1]s", basis: guessed("field and description are recorded in terraform-provider-google#16970, the sentence is chosen")})
	textWindows = define(text{key: "maintenance-windows", code: codeInvalidArgument, form: backend,
		message: "Exactly one weekly maintenance window must be specified.", field: "instance.maintenance_policy.weekly_maintenance_window", description: "Invalid value: %d windows", basis: guessed("the rule is documented, the sentence is chosen")})
	textWindow = define(text{key: "maintenance-window", code: codeInvalidArgument, form: backend,
		message: "Invalid maintenance window: %[1]s.", field: "instance.maintenance_policy.weekly_maintenance_window", description: "Invalid value: %[2]s", basis: guessed(noSource)})
	textDescription = define(text{key: "maintenance-description", code: codeInvalidArgument, form: backend,
		message: "The description of the maintenance policy must not exceed 512 characters.", field: "instance.maintenance_policy.description", description: "Invalid value: %d characters", basis: guessed("the bound and the code are documented, the sentence is chosen")})
	textPersistence = define(text{key: "persistence", code: codeInvalidArgument, form: backend,
		message: "RDB persistence requires Redis version 5.0 or higher.", field: "instance.persistence_config.persistence_mode", description: "Invalid value: RDB", basis: guessed("the rule is documented, the sentence is chosen")})
	textKey = define(text{key: "customer-managed-key", code: codeInvalidArgument, form: backend,
		message: "Invalid customer managed key: %[1]s.", field: "instance.customer_managed_key", description: "Invalid value: %[1]s", basis: guessed("the form is documented, the sentence is chosen")})
	textMaintenanceVersion = define(text{key: "maintenance-version", code: codeInvalidArgument, form: backend,
		message: "Maintenance version %[1]s is not available for the instance.", field: "instance.maintenance_version", description: "Invalid value: %[1]s", basis: guessed("the rule is documented, the sentence is chosen")})
)

// rules are all of them, in the order they are applied.
var rules = []rule{
	{"tier-required", "tier is BASIC or STANDARD_HA", nil, onCreate, func(c *change) *problem {
		if t := c.asked.num(fTier); t != tierBasic && t != tierStandard {
			return textTier.because(enumOrNumber(tierEnum, t))
		}
		return nil
	}, documented(discovery)},
	{"memory-bounds", "memorySizeGb is 1 to 300", []*field{fMemorySizeGB}, both, func(c *change) *problem {
		if n := c.after.num(fMemorySizeGB); n < 1 || n > 300 {
			return textMemory.because(n)
		}
		return nil
	}, documented("create-manage-instances")},
	{"known-enums", "no enum holds a number without a name", nil, both, checkEnums, guessed(noSource)},
	{"labels", "at most 64 labels; keys and values of lower-case letters, digits, _ and -, at most 63 long", []*field{fLabels}, both, checkLabels, guessed("general rules of Google Cloud labels")},
	{"redis-version", "redisVersion is a supported one", nil, onCreate, func(c *change) *problem {
		if !slices.Contains(redisVersions, c.version()) {
			return textVersion.because(c.version())
		}
		return nil
	}, documented("supported-versions")},
	{"network", "authorizedNetwork is projects/P/global/networks/N, of another project only with PRIVATE_SERVICE_ACCESS, which requires it", nil, onCreate, checkNetwork, recorded("terraform-provider-google#1571, #15792, terraform-google-memorystore#96")},
	{"zone", "locationId is a zone of the region", nil, onCreate, func(c *change) *problem { return c.checkZone(c.asked.str(fLocationID)) }, recorded("terraform-provider-google#3690, exposure-notifications-verification-server#123")},
	{"alternative-zone", "alternativeLocationId is another zone, STANDARD_HA only", nil, onCreate, checkAlternative, documented(discovery)},
	{"replica-count", "replicaCount is set only with read replicas", nil, onCreate, checkReplicaCount, recorded("terraform-provider-google#14734, terraform-google-memorystore#97")},
	{"reserved-range", "reservedIpRange is a CIDR of at least /29, /28 with read replicas; with PRIVATE_SERVICE_ACCESS names of allocated ranges", nil, onCreate, checkReserved, recorded("magic-modules#5449")},
	{"replicas-need", "read replicas need STANDARD_HA, Redis 5.0 and 5 GB", []*field{fReadReplicasMode, fMemorySizeGB}, both, checkReplicasNeed, documented("about-read-replicas")},
	{"secondary-alone", "secondaryIpRange is updated only together with enabling read replicas", []*field{fSecondaryIPRange}, onUpdate, checkSecondaryAlone, recorded(kccLog + ", terraform-provider-google#16970")},
	{"replicas-one-way", "read replicas are never disabled", []*field{fReadReplicasMode}, onUpdate, func(c *change) *problem {
		if c.before.num(fReadReplicasMode) == replicasEnabled && !c.replicas() {
			return textReplicasOneWay.because()
		}
		return nil
	}, documented(gcloudHelp)},
	{"replicas-alone", "enabling read replicas goes with no other update", []*field{fReadReplicasMode}, onUpdate, checkReplicasAlone, documented("managing-read-replicas")},
	{"replicas-secondary", "enabling read replicas needs a secondaryIpRange: a /28, auto, or with PRIVATE_SERVICE_ACCESS the name of a range", []*field{fReadReplicasMode}, onUpdate, checkSecondary, documented(discovery)},
	{"replica-update", "replicaCount is updated only with read replicas, within 1 to 5", []*field{fReplicaCount}, onUpdate, func(c *change) *problem {
		if !c.replicas() {
			return textReplicaUpdate.because()
		}
		return checkReplicaBounds(c)
	}, recorded("mozilla/terraform-modules#323")},
	{"redis-configs", "redisConfigs holds supported parameters with valid values", []*field{fRedisConfigs, fMemorySizeGB}, both, checkConfigs, documented("supported-redis-configurations")},
	{"maintenance-policy", "a maintenance policy has exactly one window with a day, on the hour, and at most 512 characters of description", []*field{fMaintenancePolicy}, both, checkPolicy, documented(discovery)},
	{"persistence", "RDB needs Redis 5.0", []*field{fPersistenceConfig}, both, func(c *change) *problem {
		if c.after.sub(fPersistenceConfig).num(fPersistenceMode) == persistenceRDB && !atLeast(c.version(), "REDIS_5_0") {
			return textPersistence.because()
		}
		return nil
	}, documented("about-rdb-snapshots")},
	{"customer-managed-key", "customerManagedKey is a key of the same region", nil, onCreate, func(c *change) *problem {
		k := c.asked.str(fCustomerManagedKey)
		if m := keyPattern.FindStringSubmatch(k); k != "" && (m == nil || m[1] != c.location) {
			return textKey.because(k)
		}
		return nil
	}, documented("about-cmek")},
	{"maintenance-version-form", "maintenanceVersion is YYYYMMDD_NN_NN", nil, onCreate, func(c *change) *problem {
		if v := c.asked.str(fMaintenanceVersion); v != "" && !versionPattern.MatchString(v) {
			return textMaintenanceVersion.because(v)
		}
		return nil
	}, documented("self-service-maintenance")},
	{"maintenance-version", "maintenanceVersion is updated to an available one", []*field{fMaintenanceVersion}, onUpdate, checkVersionUpdate, documented("self-service-maintenance")},
}

var (
	networkPattern = regexp.MustCompile(`^projects/([^/]+)/global/networks/([a-z]([-a-z0-9]{0,61}[a-z0-9])?)$`)
	rangeName      = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)
	keyPattern     = regexp.MustCompile(`^projects/[^/]+/locations/([^/]+)/keyRings/[^/]+/cryptoKeys/[^/]+$`)
	versionPattern = regexp.MustCompile(`^\d{8}_\d{2}_\d{2}$`)
)

// enumOrNumber names a number, as far as it has a name.
func enumOrNumber(e *enumType, n int32) string {
	if s, ok := e.names[n]; ok {
		return s
	}
	return decimal(int(n))
}

func checkEnums(c *change) *problem {
	return checkEnumsOf(c.after, "instance")
}

func checkEnumsOf(m *message, path string) *problem {
	for i, v := range m.values {
		f := &m.typ.fields[i]
		switch v := v.(type) {
		case int32:
			if f.kind != kindEnum {
				continue
			}
			if _, ok := f.enum.names[v]; !ok {
				return textEnum.because(path+"."+f.snake, v)
			}
		case *message:
			if p := checkEnumsOf(v, path+"."+f.snake); p != nil {
				return p
			}
		case []*message:
			for j, sub := range v {
				if p := checkEnumsOf(sub, path+"."+f.snake+"["+decimal(j)+"]"); p != nil {
					return p
				}
			}
		}
	}
	return nil
}

func checkLabels(c *change) *problem {
	labels := c.after.mapping(fLabels)
	if len(labels) > 64 {
		return textLabel.because("at most 64 labels are allowed", decimal(len(labels)))
	}
	for _, e := range labels {
		first, _ := utf8.DecodeRuneInString(e.key)
		if !labelText(e.key) || !unicode.In(first, unicode.Ll, unicode.Lo) {
			return textLabel.because("invalid key", e.key)
		}
		if !labelText(e.value) {
			return textLabel.because("invalid value", e.value)
		}
	}
	return nil
}

func labelText(s string) bool {
	n := 0
	for _, r := range s {
		n++
		if r != '_' && r != '-' && !unicode.In(r, unicode.Ll, unicode.Lo, unicode.N) {
			return false
		}
	}
	return n <= 63
}

func checkNetwork(c *change) *problem {
	given := c.asked.str(fAuthorizedNetwork)
	private := c.after.num(fConnectMode) == connectPrivate
	if given == "" {
		if private {
			return textNoNetwork.because()
		}
		return nil
	}
	m := networkPattern.FindStringSubmatch(given)
	if m == nil {
		return textNetworkFormat.because(given)
	}
	if !private && m[1] != c.project && m[1] != projectNumber(c.project) {
		return textSharedNetwork.because(given)
	}
	return nil
}

func (c *change) checkZone(zone string) *problem {
	switch {
	case zone == "" || c.region.hasZone(zone):
		return nil
	case isZone(c.regions, zone):
		return textZoneRegion.because()
	}
	return textZoneMissing.because(zone)
}

func checkAlternative(c *change) *problem {
	zone := c.asked.str(fAlternativeLocationID)
	switch {
	case zone == "":
		return nil
	case !c.standard():
		return textAlternative.because("Alternative zone can only be specified for STANDARD_HA instances.", zone)
	case zone == c.asked.str(fLocationID):
		return textAlternative.because("Alternative zone must be different from the zone of the instance.", zone)
	}
	return c.checkZone(zone)
}

func checkReplicaCount(c *change) *problem {
	if !c.replicas() {
		if c.asked.has(fReplicaCount) {
			return textReplicaCount.because()
		}
		return nil
	}
	if !c.asked.has(fReplicaCount) {
		return nil
	}
	return checkReplicaBounds(c)
}

func checkReplicaBounds(c *change) *problem {
	if n := c.after.num(fReplicaCount); n < 1 || n > 5 {
		return textReplicaBounds.because(n)
	}
	return nil
}

func checkReplicasNeed(c *change) *problem {
	switch {
	case !c.replicas():
		return nil
	case !c.standard():
		return textReplicasNeed.because("the STANDARD_HA tier")
	case !atLeast(c.version(), "REDIS_5_0"):
		return textReplicasNeed.because("Redis version 5.0 or higher")
	case c.after.num(fMemorySizeGB) < 5:
		return textReplicasNeed.because("a memory size of at least 5 GB")
	}
	return nil
}

func checkReserved(c *change) *problem {
	given := c.asked.str(fReservedIPRange)
	if given == "" {
		return nil
	}
	if c.after.num(fConnectMode) == connectPrivate {
		return checkRangeNames(given)
	}
	p, err := netip.ParsePrefix(given)
	switch {
	case err != nil || !p.Addr().Is4() || p.Masked() != p || !privateBlock(p):
		return textRange.because(given)
	case c.replicas() && p.Bits() > 28:
		return textRangeReplicas.because(given)
	case p.Bits() > 29:
		return textRangeSmall.because(given)
	}
	return nil
}

func checkRangeNames(given string) *problem {
	for _, name := range strings.Split(given, ",") {
		if _, err := netip.ParsePrefix(name); err == nil {
			return textRangePrivate.because(given)
		}
		if !rangeName.MatchString(strings.TrimSpace(name)) {
			return textRange.because(given)
		}
	}
	return nil
}

// privateBlock tells a block that lies whole in RFC 1918's ranges.
func privateBlock(p netip.Prefix) bool {
	for _, r := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"} {
		if all := netip.MustParsePrefix(r); all.Bits() <= p.Bits() && all.Contains(p.Addr()) {
			return true
		}
	}
	return false
}

func checkSecondaryAlone(c *change) *problem {
	if c.enabling() {
		return nil
	}
	p := textSecondaryAlone.because()
	if given := c.asked.str(fSecondaryIPRange); given == "auto" {
		p.violation("instance.secondary_ip_range", "Invalid value: auto")
	}
	return p
}

func checkReplicasAlone(c *change) *problem {
	if !c.enabling() {
		return nil
	}
	for _, u := range c.mask {
		if u.field != fReadReplicasMode && u.field != fSecondaryIPRange && u.field != fReplicaCount {
			return textReplicasAlone.because(u.field.snake)
		}
	}
	return nil
}

func checkSecondary(c *change) *problem {
	if !c.enabling() {
		return nil
	}
	given := c.after.str(fSecondaryIPRange)
	switch {
	case given == "" || !c.mask.has(fSecondaryIPRange):
		return textReplicasSecondary.because()
	case given == "auto":
		return nil
	case c.after.num(fConnectMode) == connectPrivate:
		if !rangeName.MatchString(given) {
			return textSecondary.because(given)
		}
		return nil
	}
	p, err := netip.ParsePrefix(given)
	if err != nil || !p.Addr().Is4() || p.Masked() != p || !privateBlock(p) || p.Bits() != 28 {
		return textSecondary.because(given)
	}
	return nil
}

func checkPolicy(c *change) *problem {
	policy := c.after.sub(fMaintenancePolicy)
	if policy == nil {
		return nil
	}
	if n := utf8.RuneCountInString(policy.str(fPolicyDescription)); n > 512 {
		return textDescription.because(n)
	}
	windows := policy.list(fPolicyWindows)
	if len(windows) != 1 {
		return textWindows.because(len(windows))
	}
	start := windows[0].sub(fWindowStart)
	hour := start.num(fHours)
	switch {
	case windows[0].num(fWindowDay) == 0:
		return textWindow.because("a day must be specified", "DAY_OF_WEEK_UNSPECIFIED")
	case hour < 0 || hour > 23:
		return textWindow.because("hours must be between 0 and 23", decimal(int(hour)))
	case outOf(start.num(fMinutes), 59) || outOf(start.num(fSeconds), 59) || outOf(start.num(fNanos), 999_999_999):
		return textWindow.because("the start time is out of range", "start_time")
	}
	return nil
}

func outOf(n, most int32) bool { return n < 0 || n > most }

func checkVersionUpdate(c *change) *problem {
	v := c.after.str(fMaintenanceVersion)
	if v == "current_default" || v == c.before.str(fMaintenanceVersion) || slices.Contains(c.before.strings(fAvailableVersions), v) {
		return nil
	}
	return textMaintenanceVersion.because(v)
}
