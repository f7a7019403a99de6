package fakeserver

import (
	"net/netip"
	"slices"
	"time"
)

var (
	textNoAddresses = define(text{key: "addresses-exhausted", code: codeFailedPrecondition,
		message: "The IP ranges for the connection do not have enough available IPs. Allocate a new range or expand existing range and try again.", basis: documented("troubleshoot-issues")})
	textCapacity = define(text{key: "capacity-quota", code: codeResourceExhausted,
		message: "Unable to create instance. System limit for internal resources has been reached. Please request higher limit here: https://forms.gle/", basis: recorded("python-docs-samples#4481; the end of the form's address is not known")})
	textCapacityResize = define(text{key: "capacity-quota-resize", code: codeResourceExhausted,
		message: "Unable to update instance. System limit for internal resources has been reached. Please request higher limit here: https://forms.gle/", basis: guessed("what is recorded of a creation, with the change's verb")})
)

func createInstance(w *world, c *call) (*message, *problem) {
	r, bad := w.region(c)
	if bad != nil {
		return nil, bad
	}
	id := c.query.get("instanceId")
	asked, bad := c.read()
	if bad != nil {
		return nil, bad
	}
	if !isInstanceID(id) {
		return nil, textInstanceID.because()
	}
	name := c.name + "/instances/" + id
	if w.instances[name] != nil {
		return nil, textExists.because(name).about(name)
	}
	in, bad := w.make(asked, &change{project: c.project, location: c.location, region: r, regions: w.regions, asked: asked}, name, c.now)
	if bad != nil {
		return nil, bad
	}
	c.acted = true
	w.add(in)
	o := &operation{verb: "create", version: c.version}
	o.succeed = func(now time.Time) *message {
		in.setState(stateReady)
		if in.shown.flag(fAuthEnabled) {
			in.auth = newUUID()
		}
		return in.view(now)
	}
	o.fail = func(failure *message) {
		if !w.keepFailed {
			w.remove(in)
			return
		}
		m := in.shown.clone()
		m.set(fState, stateRepairing)
		m.set(fStatusMessage, failure.str(fStatusText))
		in.shown = m
	}
	if q := w.quota.CapacityGB; q > 0 && w.used(c.name) > q {
		o.failing = status(textCapacity.code.number, textCapacity.message)
	}
	w.begin(o, in, "create", c.now)
	return o.view(), nil
}

// used is how much memory the instances of a location have, in GB.
func (w *world) used(parent string) int {
	total := 0
	for _, in := range w.shelf(parent).instances {
		total += int(in.shown.num(fMemorySizeGB))
	}
	return total
}

// make checks what is asked for and makes the instance, in state CREATING. It takes addresses and changes nothing else.
func (w *world) make(asked *message, c *change, name string, now time.Time) (*instance, *problem) {
	c.after = normalise(asked, c.project)
	if bad := judge(c); bad != nil {
		return nil, bad
	}
	m := c.after
	in := &instance{name: name, parent: locationName(c.project, c.location), shown: m}
	bits := 29
	if c.replicas() {
		bits = 28
	}
	want := m.str(fReservedIPRange)
	if c.block != "" {
		want = c.block
	}
	block, bad := w.reserve(in, fReservedIPRange, want, bits)
	if bad != nil {
		return nil, bad
	}
	m.set(fName, name)
	m.set(fReservedIPRange, block.String())
	m.set(fCreateTime, now)
	m.set(fState, stateCreating)
	m.set(fPersistenceIAMIdentity, "serviceAccount:service-"+projectNumber(c.project)+"@cloud-redis.iam.gserviceaccount.com")
	born := bornVersion // an older one that is asked for is ignored
	if asked := m.str(fMaintenanceVersion); slices.Contains(laterVersions, asked) {
		born = asked
	}
	m.set(fMaintenanceVersion, born)
	m.clear(fAvailableVersions)
	if later := laterVersions[slices.Index(laterVersions, born)+1:]; len(later) > 0 {
		m.set(fAvailableVersions, later)
	}
	m.set(fPersistenceConfig, storedPersistence(m.sub(fPersistenceConfig), nil, now))
	m.set(fMaintenancePolicy, storedPolicy(m.sub(fMaintenancePolicy), nil, now))
	c.place(m, name)
	m.set(fPort, int32(6379))
	if m.num(fTransitEncryptionMode) == transitTLS {
		m.set(fPort, int32(6378))
		ca, err := newAuthority(now)
		if err != nil {
			return nil, textInternal.because()
		}
		in.ca = ca
		m.set(fServerCACerts, []*message{ca.shown(now)})
	}
	endpoints(m, block)
	return in, nil
}

// endpoints gives the instance its addresses in its block.
func endpoints(m *message, block netip.Prefix) {
	host := hostBasic
	if m.num(fTier) == tierStandard {
		host = hostStandard
	}
	if m.num(fReadReplicasMode) == replicasEnabled {
		host = hostReplicas
		m.set(fReadEndpoint, nth(block, readReplicas.offset))
		m.set(fReadEndpointPort, m.num(fPort))
	}
	m.set(fHost, nth(block, host.offset))
}

// reserve takes the addresses an instance asks for: a CIDR block, or, for the name of a range, auto or nothing, the
// next free one.
func (w *world) reserve(in *instance, f *field, asked string, bits int) (netip.Prefix, *problem) {
	network := in.shown.str(fAuthorizedNetwork)
	n := w.network(network)
	if block, err := netip.ParsePrefix(asked); err == nil {
		if !n.free(block) {
			p := textRangeTaken.because(asked)
			if f == fSecondaryIPRange {
				p = textSecondary.because(asked)
			}
			return block, p
		}
		n.take(block)
		in.network, in.blocks = network, append(in.blocks, block)
		return block, nil
	}
	block, ok := n.allocate(bits)
	if !ok {
		return block, textNoAddresses.because()
	}
	in.network, in.blocks = network, append(in.blocks, block)
	return block, nil
}

// cleanName is a full instance name's parts, or a reason why it is none.
func cleanName(name string) (project, location, id, problem string) {
	project, location, collection, id, ok := splitName(name)
	switch {
	case !ok || collection != "instances":
		return "", "", "", `"name" must be projects/P/locations/L/instances/I`
	case !isInstanceID(id):
		return "", "", "", "the instance's id: " + textInstanceID.message
	}
	return project, location, id, ""
}
