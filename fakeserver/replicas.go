package fakeserver

import (
	"net/netip"
)

// What read replicas require, and how they may be changed.
var (
	textReplicaCount = define(text{key: "replica-count-mode", code: codeInvalidArgument, form: backend,
		message: `Setting replica count requires read-replicas-mode to be "READ_REPLICAS_ENABLED"`, basis: recorded("terraform-provider-google#14734")})
	textReplicaUpdate = define(text{key: "replica-count-update", code: codeFailedPrecondition, form: backend,
		message: "Read Replicas mode must be enabled on the instance in order to update replica count.", basis: guessed("mozilla/terraform-modules#323, of which the last words are missing")})
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
)

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
