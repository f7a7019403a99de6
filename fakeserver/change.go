package fakeserver

// A change is one create or update that is being looked at, before anything is done.
type change struct {
	project, location string
	region            region
	regions           []region
	before            *message // nil for a create
	asked             *message // the request's instance
	after             *message // what the instance would be, as far as it is asked for
	mask              mask     // of an update
	block             string   // of a seed with private service access: the CIDR that a read shows
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
