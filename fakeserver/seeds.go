package fakeserver

import (
	"fmt"
	"net/netip"
	"time"
)

// seed makes the instances and operations that a server has from the start. It panics on one that is wrong: seeds
// are written by the test.
func (w *world) seed() {
	now := w.now()
	for _, text := range w.seeds {
		if err := w.seedInstance(text, now); err != nil {
			panic(fmt.Sprintf("fakeserver: WithInstances: %v in %s", err, text))
		}
	}
	for _, text := range w.seedOps {
		if err := w.seedOperation(text, now); err != nil {
			panic(fmt.Sprintf("fakeserver: WithOperations: %v in %s", err, text))
		}
	}
}

func (w *world) seedInstance(text string, now time.Time) error {
	asked, bad := readMessage(text, instanceType, "instance")
	if bad != nil {
		return fmt.Errorf("%s", bad.message)
	}
	project, location, _, wrong := cleanName(asked.str(fName))
	if wrong != "" {
		return fmt.Errorf("%s", wrong)
	}
	name := asked.str(fName)
	r, ok := findRegion(w.regions, location)
	switch {
	case !ok:
		return fmt.Errorf("%s", textLocation.because(location).message)
	case w.instances[name] != nil:
		return fmt.Errorf("%s", textExists.because(name).message)
	}
	c := &change{project: project, location: location, region: r, regions: w.regions, asked: asked.clone()}
	c.unread()
	in, bad := w.make(c.asked, c, name, now)
	if bad != nil {
		return fmt.Errorf("%s", bad.message)
	}
	in.setState(stateReady)
	for i, v := range asked.values {
		f := &asked.typ.fields[i]
		if f.output && v != nil {
			in.shown.set(f, v)
		}
	}
	for _, f := range []*field{fMaintenanceVersion, fSecondaryIPRange, fReplicaCount} {
		if asked.has(f) {
			in.shown.set(f, asked.values[f.index])
		}
	}
	in.renewAuth(in.shown)
	w.add(in)
	return nil
}

// unread drops what a read instance shows and no create may ask for: replicaCount 1 without read replicas, and the
// CIDR block of an instance with private service access.
func (c *change) unread() {
	m := c.asked
	if m.num(fReadReplicasMode) != replicasEnabled && m.num(fReplicaCount) == 1 && m.num(fTier) == tierStandard {
		m.clear(fReplicaCount)
	}
	if _, err := netip.ParsePrefix(m.str(fReservedIPRange)); err == nil && m.num(fConnectMode) == connectPrivate {
		c.block = m.str(fReservedIPRange)
		m.clear(fReservedIPRange)
	}
}

func (w *world) seedOperation(text string, now time.Time) error {
	tree, broken := parseJSON(text)
	if broken != nil {
		return fmt.Errorf("%s", broken.problem)
	}
	o := &operation{held: true, created: now, version: "v1", result: newValue(emptyType)}
	o.name = tree.member("name").text
	project, location, collection, _, ok := splitName(o.name)
	if !ok || collection != "operations" {
		return fmt.Errorf(`"name" must be projects/P/locations/L/operations/O`)
	}
	if w.operations[o.name] != nil {
		return fmt.Errorf("%s", textExists.because(o.name).message)
	}
	o.parent = locationName(project, location)
	meta := tree.member("metadata")
	o.verb, o.target, o.statusDetail = meta.member("verb").text, meta.member("target").text, meta.member("statusDetail").text
	o.cancelRequested = meta.member("cancelRequested").text == "true"
	if v := meta.member("apiVersion").text; v != "" {
		o.version = v
	}
	for _, t := range []struct {
		key  string
		into *time.Time
	}{{"createTime", &o.created}, {"endTime", &o.ended}} {
		if v := meta.member(t.key).text; v != "" {
			parsed, err := time.Parse(time.RFC3339Nano, v)
			if err != nil {
				return fmt.Errorf("metadata.%s: %v", t.key, err)
			}
			*t.into = parsed
		}
	}
	if o.done = tree.member("done").text == "true"; o.done {
		if o.ended.IsZero() {
			o.ended = now
		}
		if failure := tree.member("error"); failure.kind == nodeObject {
			code, _ := wholeNumber(failure.member("code"))
			o.result = status(code, failure.member("message").text)
		} else if in := w.instances[o.target]; in != nil && o.verb != "delete" {
			o.result = in.view(now)
		}
	} else {
		w.running = append(w.running, o)
	}
	w.file(o)
	return nil
}
