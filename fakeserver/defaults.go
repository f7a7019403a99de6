package fakeserver

import (
	"slices"
	"time"
)

// A maintenance version is what an instance runs; the later ones are what it can be updated to.
var (
	bornVersion   = "20251007_00_00"
	laterVersions = []string{"20260220_00_01"}
)

// A default is what the service fills in where a request says nothing.
type defaultValue struct {
	field *field
	value string
	basis
}

// defaultValues is a table for the reader and for Fidelity; normalise and complete act on it.
var defaultValues = []defaultValue{
	{fRedisVersion, defaultVersion, recorded(kccLog)},
	{fConnectMode, "DIRECT_PEERING", recorded(kccLog)},
	{fTransitEncryptionMode, "DISABLED", recorded(kccLog)},
	{fReadReplicasMode, "READ_REPLICAS_DISABLED", recorded(kccLog)},
	{fAuthorizedNetwork, "projects/P/global/networks/default", recorded(kccLog)},
	{fPersistenceConfig, "persistenceMode DISABLED", recorded(kccLog)},
	{fReplicaCount, "absent for BASIC, 1 for STANDARD_HA, 2 with read replicas", documented(discovery)},
	{fLocationID, "a zone of the region, by the instance's name", guessed("the service's choice is arbitrary")},
	{fAlternativeLocationID, "the region's next zone, STANDARD_HA only", guessed("the service's choice is arbitrary")},
	{fReservedIPRange, "the network's next free /29, /28 with read replicas", recorded(kccLog)},
	{fPort, "6379, 6378 with TLS", recorded(c7nLog)},
	{fPersistenceIAMIdentity, "serviceAccount:service-NUMBER@cloud-redis.iam.gserviceaccount.com", recorded(kccLog)},
	{fMaintenanceVersion, bornVersion, recorded(c7nLog)},
	{fAvailableVersions, "the one later version", recorded(c7nLog)},
}

// normalise fills in the defaults that the rules look at, and drops what a create never stores.
func normalise(asked *message, project string) *message {
	m := asked.clone()
	for i := range m.typ.fields {
		if f := &m.typ.fields[i]; f.output || f.input {
			m.clear(f)
		}
	}
	m.clear(fSecondaryIPRange) // accepted at create and silently dropped, with or without read replicas
	for _, d := range []struct {
		field *field
		value any
	}{
		{fRedisVersion, defaultVersion}, {fConnectMode, connectDirect}, {fTransitEncryptionMode, transitDisabled}, {fReadReplicasMode, replicasDisabled},
		{fAuthorizedNetwork, "projects/" + project + "/global/networks/default"},
	} {
		if !m.has(d.field) {
			m.set(d.field, d.value)
		}
	}
	if m.num(fTier) == tierStandard && !m.has(fReplicaCount) {
		m.set(fReplicaCount, int32(1))
		if m.num(fReadReplicasMode) == replicasEnabled {
			m.set(fReplicaCount, int32(2))
		}
	}
	return m
}

// storedPersistence fills in what goes with a persistence mode. One that was switched off still shows its period.
func storedPersistence(asked, before *message, now time.Time) *message {
	p := newValue(persistenceType)
	if asked != nil {
		p = asked.clone()
	}
	p.clear(fNextSnapshotTime)
	switch p.num(fPersistenceMode) {
	case persistenceRDB:
		if !p.has(fSnapshotPeriod) {
			p.set(fSnapshotPeriod, snapshotPeriodEnum.is("TWENTY_FOUR_HOURS"))
		}
		if !p.has(fSnapshotStartTime) {
			start := now
			if before.num(fPersistenceMode) == persistenceRDB {
				start = before.when(fSnapshotStartTime)
			}
			p.set(fSnapshotStartTime, start)
		}
	default:
		p.set(fPersistenceMode, persistenceDisabled)
		if !p.has(fSnapshotPeriod) && before != nil {
			p.set(fSnapshotPeriod, before.num(fSnapshotPeriod))
		}
	}
	return p
}

// storedPolicy fills in the times and durations of a maintenance policy.
func storedPolicy(asked, before *message, now time.Time) *message {
	if asked == nil {
		return nil
	}
	p := asked.clone()
	p.set(fPolicyCreateTime, now)
	if before != nil {
		p.set(fPolicyCreateTime, before.when(fPolicyCreateTime))
	}
	p.set(fPolicyUpdateTime, now)
	windows := make([]*message, len(p.list(fPolicyWindows)))
	for i, w := range p.list(fPolicyWindows) {
		w = w.clone()
		w.set(fWindowDuration, time.Hour)
		if !w.has(fWindowStart) {
			w.set(fWindowStart, newValue(timeOfDayType))
		}
		windows[i] = w
	}
	p.set(fPolicyWindows, windows)
	return p
}

// place spreads an instance's nodes over zones: the primary in its location, the next in its alternative one.
func (c *change) place(m *message, name string) {
	zones := c.region.zoneNames()
	if !m.has(fLocationID) {
		pick := zones[sum(name)%len(zones)]
		if pick == m.str(fAlternativeLocationID) {
			pick = zones[(sum(name)+1)%len(zones)]
		}
		m.set(fLocationID, pick)
	}
	m.set(fCurrentLocationID, m.str(fLocationID))
	if c.standard() && !m.has(fAlternativeLocationID) {
		i := slices.Index(zones, m.str(fLocationID))
		m.set(fAlternativeLocationID, zones[(i+1)%len(zones)])
	}
	m.set(fNodes, nodesOf(m, zones))
}

// nodesOf lists a node for the primary and one for each replica.
func nodesOf(m *message, zones []string) []*message {
	order := []string{m.str(fLocationID)}
	if alt := m.str(fAlternativeLocationID); alt != "" {
		order = append(order, alt)
	}
	for _, z := range zones {
		if !slices.Contains(order, z) {
			order = append(order, z)
		}
	}
	nodes := make([]*message, 1+m.num(fReplicaCount))
	for i := range nodes {
		nodes[i] = build(nodeType, fNodeID, "node-"+decimal(i), fNodeZone, order[i%len(order)])
	}
	return nodes
}

// sum makes a small number of a name.
func sum(name string) int {
	n := 0
	for i := range len(name) {
		n = (n*31 + int(name[i])) & 0xffff
	}
	return n
}

// newerThan are the maintenance versions after one.
func newerThan(version string, available []string) []string {
	var newer []string
	for _, v := range available {
		if v > version {
			newer = append(newer, v)
		}
	}
	return newer
}
