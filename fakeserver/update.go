package fakeserver

import (
	"net/netip"
	"slices"
	"time"
)

var textBusy = define(text{key: "busy", code: codeFailedPrecondition, form: backend,
	message: "Unable to %s due to ongoing operations. Please wait until instance is in READY state.",
	basis:   recorded("airflow pull 11735, for failover")})

var textBusyOther = define(text{key: "busy-other", code: codeFailedPrecondition, form: backend, message: textBusy.message,
	basis: guessed("what is recorded of failover, with the verb of the change")})

// ready refuses a change while another runs, and in every state but READY. A delete may also interrupt a repair.
func (in *instance) ready(verb string) *problem {
	state := in.shown.num(fState)
	if in.running == nil && (state == stateReady || verb == "delete" && state == stateRepairing) {
		return nil
	}
	if verb == "failover" {
		return textBusy.because(verb)
	}
	return textBusyOther.because(verb)
}

func patchInstance(w *world, c *call) (*message, *problem) {
	in, bad := w.find(c)
	if bad != nil {
		return nil, bad
	}
	asked, bad := c.read()
	if bad != nil {
		return nil, bad
	}
	m, bad := parseMask(c.query.get("updateMask"))
	if bad != nil {
		return nil, bad
	}
	if m.has(fAuthEnabled) {
		if bad := w.policy.refuseToo(updateAuth, in.name, c.header, c.query); bad != nil {
			return nil, bad
		}
	}
	r, bad := w.region(c)
	if bad != nil {
		return nil, bad
	}
	ch := &change{project: c.project, location: c.location, region: r, regions: w.regions, before: in.shown, asked: asked, mask: m}
	ch.after = ch.merged()
	if bad := judge(ch); bad != nil {
		return nil, bad
	}
	if bad := in.ready("update"); bad != nil {
		return nil, bad
	}
	if ch.enabling() {
		block, bad := w.reserve(in, fSecondaryIPRange, ch.after.str(fSecondaryIPRange), 28)
		if bad != nil {
			return nil, bad
		}
		ch.after.set(fSecondaryIPRange, block.String())
		ch.after.set(fReadEndpoint, readEndpointLater(in.shown, block))
		ch.after.set(fReadEndpointPort, in.shown.num(fPort))
	}
	c.acted = true
	o := w.update(in, ch, c)
	return o.view(), nil
}

// readEndpointLater is the read endpoint of an instance whose read replicas are enabled by an update: in its original
// block if that is as large as read replicas need, else in the secondary one.
func readEndpointLater(m *message, secondary netip.Prefix) string {
	if p, err := netip.ParsePrefix(m.str(fReservedIPRange)); err == nil && p.Bits() <= 28 {
		return nth(p, readLater.offset)
	}
	return nth(secondary, readSecond.offset)
}

// merged is the instance with the masked fields as asked: a masked field that the body does not set is cleared.
func (c *change) merged() *message {
	after := c.before.clone()
	for _, u := range c.mask {
		after.values[u.field.index] = c.asked.values[u.field.index]
	}
	if c.mask.has(fReadReplicasMode) && !after.has(fReadReplicasMode) {
		after.set(fReadReplicasMode, replicasDisabled)
	}
	if p := after.sub(fMaintenancePolicy); p != nil && len(p.list(fPolicyWindows)) == 0 && !p.has(fPolicyDescription) {
		after.clear(fMaintenancePolicy)
	}
	if after.num(fReadReplicasMode) == replicasEnabled && c.before.num(fReadReplicasMode) != replicasEnabled && !c.mask.has(fReplicaCount) {
		after.set(fReplicaCount, int32(2))
	}
	return after
}

// update begins the operation: what shows at once is stored now, the rest when it ends.
func (w *world) update(in *instance, ch *change, c *call) *operation {
	work := "update"
	shown := in.shown.clone()
	for _, u := range ch.mask {
		if u.atOnce {
			shown.values[u.field.index] = ch.after.values[u.field.index]
		}
		if u.field == fMemorySizeGB && ch.after.num(fMemorySizeGB) != ch.before.num(fMemorySizeGB) {
			work = "resize"
		}
	}
	shown.set(fState, stateUpdating)
	in.shown = shown
	o := &operation{verb: "update", version: c.version}
	zones := ch.region.zoneNames()
	o.succeed = func(now time.Time) *message {
		m := in.shown.clone()
		for _, u := range ch.mask {
			if !u.atOnce {
				m.values[u.field.index] = ch.after.values[u.field.index]
			}
		}
		complete(m, ch, zones, now)
		in.renewAuth(m)
		m.set(fState, stateReady)
		in.shown = m
		return in.view(now)
	}
	o.fail = func(*message) {
		in.setState(stateReady)
		if ch.enabling() {
			last := len(in.blocks) - 1
			w.network(in.network).release(in.blocks[last])
			in.blocks = slices.Clone(in.blocks[:last])
		}
	}
	if q := w.quota.CapacityGB; q > 0 && ch.mask.has(fMemorySizeGB) && w.used(in.parent)-int(ch.before.num(fMemorySizeGB))+int(ch.after.num(fMemorySizeGB)) > q {
		o.failing = status(textCapacityResize.code.number, textCapacityResize.message)
	}
	w.begin(o, in, work, c.now)
	return o
}

// complete fills in what the service adds to the fields that an update set.
func complete(m *message, ch *change, zones []string, now time.Time) {
	for _, u := range ch.mask {
		switch u.field {
		case fPersistenceConfig:
			m.set(fPersistenceConfig, storedPersistence(m.sub(fPersistenceConfig), ch.before.sub(fPersistenceConfig), now))
		case fMaintenancePolicy:
			m.set(fMaintenancePolicy, storedPolicy(m.sub(fMaintenancePolicy), ch.before.sub(fMaintenancePolicy), now))
		case fReadReplicasMode, fReplicaCount:
			for _, f := range []*field{fReplicaCount, fSecondaryIPRange, fReadEndpoint, fReadEndpointPort} {
				m.set(f, ch.after.values[f.index])
			}
			m.set(fNodes, nodesOf(m, zones))
		case fMaintenanceVersion:
			available := ch.before.strings(fAvailableVersions)
			if v := m.str(fMaintenanceVersion); v == "current_default" {
				m.set(fMaintenanceVersion, newest(ch.before.str(fMaintenanceVersion), available))
			}
			m.set(fAvailableVersions, newerThan(m.str(fMaintenanceVersion), available))
		}
	}
}

func newest(version string, available []string) string {
	for _, v := range available {
		version = max(version, v)
	}
	return version
}

// renewAuth makes an AUTH string when AUTH is switched on, and drops it when it is switched off.
func (in *instance) renewAuth(m *message) {
	switch on := m.flag(fAuthEnabled); {
	case !on:
		in.auth = ""
	case in.auth == "":
		in.auth = newUUID()
	}
}
