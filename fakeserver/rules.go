package fakeserver

import (
	"regexp"
	"slices"
)

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
	textVersion = define(text{key: "redis-version", code: codeInvalidArgument, form: backend,
		message: "Redis version %[1]s is not supported.", field: "instance.redis_version", description: "Invalid value: %[1]s", basis: guessed(noSource)})
	textPersistence = define(text{key: "persistence", code: codeInvalidArgument, form: backend,
		message: "RDB persistence requires Redis version 5.0 or higher.", field: "instance.persistence_config.persistence_mode", description: "Invalid value: RDB", basis: guessed("the rule is documented, the sentence is chosen")})
	textKey = define(text{key: "customer-managed-key", code: codeInvalidArgument, form: backend,
		message: "Invalid customer managed key: %[1]s.", field: "instance.customer_managed_key", description: "Invalid value: %[1]s", basis: guessed("the form is documented, the sentence is chosen")})
)

var keyPattern = regexp.MustCompile(`^projects/[^/]+/locations/([^/]+)/keyRings/[^/]+/cryptoKeys/[^/]+$`)

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
