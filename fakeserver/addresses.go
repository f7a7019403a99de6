package fakeserver

import (
	"net/netip"
	"regexp"
	"strings"
)

// What an instance may ask of networks, zones and address ranges.
var (
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
)

var (
	networkPattern = regexp.MustCompile(`^projects/([^/]+)/global/networks/([a-z]([-a-z0-9]{0,61}[a-z0-9])?)$`)
	rangeName      = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)
)

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
	if !private && m[1] != c.project && !isNumber(m[1]) && !isNumber(c.project) { // which number an id has is not known
		return textSharedNetwork.because(given)
	}
	return nil
}

// isNumber tells a project's number from its id, which begins with a letter.
func isNumber(project string) bool { return strings.Trim(project, "0123456789") == "" }

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
