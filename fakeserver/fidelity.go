package fakeserver

import "strings"

// A Fact is one thing the fake does, and what stands behind it.
type Fact struct {
	Kind   string // method, field, enum, rule, text, update path, redis parameter, default, address, duration, behaviour
	Key    string
	About  string
	Mark   Mark
	Source string
}

// Fidelity returns what the fake knows of the service: every method, field, rule, text and decision, each with its
// mark and source, in the order the package declares them.
func Fidelity() []Fact {
	var all []Fact
	add := func(kind, key, about string, b basis) { all = append(all, Fact{kind, key, about, b.mark, b.source}) }
	for _, r := range routes {
		add("method", r.method, r.verb+" "+r.template, r.basis)
	}
	for _, m := range messageTypes {
		for _, f := range m.fields {
			add("field", shortName(m.name)+"."+f.json, f.about(), f.basis)
		}
	}
	for _, e := range enumTypes {
		add("enum", shortName(e.name), e.about(), e.basis)
	}
	for _, r := range rules {
		add("rule", r.key, r.about, r.basis)
	}
	for _, p := range parameters {
		add("redis parameter", p.key, "since "+p.since, p.basis)
	}
	for _, u := range updatables {
		about := "shows when the operation ends"
		if u.atOnce {
			about = "shows when the update is accepted"
		}
		add("update path", u.field.json, about, u.basis)
	}
	for _, d := range defaultValues {
		add("default", d.field.json, d.value, d.basis)
	}
	for _, a := range []addressRule{hostBasic, hostStandard, hostReplicas, readReplicas, readLater, readSecond} {
		add("address", a.key, "first address of the block + "+decimal(int(a.offset)), a.basis)
	}
	for _, m := range measurements {
		add("duration", m.work, m.d.String()+", with Realistic", m.basis)
	}
	for _, r := range []rate{requestRate, createRate} {
		add("quota", r.metric, r.name+", "+r.id, r.basis)
	}
	for _, t := range texts {
		add("text", t.key, t.code.name+": "+t.message, t.basis)
	}
	for _, b := range behaviours {
		add("behaviour", b.key, b.about, b.basis)
	}
	return all
}

// shortName drops the package of a message or an enum.
func shortName(name string) string {
	for _, prefix := range []string{"google.cloud.redis.v1.", "google.cloud.location.", "google.longrunning.", "google.type.", "google.rpc.", "google.protobuf."} {
		if short, ok := strings.CutPrefix(name, prefix); ok {
			return short
		}
	}
	return name
}

// about says where a field may be set.
func (f *field) about() string {
	switch {
	case f.output:
		return "set by the service"
	case f.input:
		return "in requests only"
	}
	return "in requests and answers"
}

// about lists an enum's values.
func (e *enumType) about() string {
	var b strings.Builder
	for n := range int32(16) {
		if name, ok := e.names[n]; ok {
			if b.Len() > 0 {
				b.WriteString(", ")
			}
			b.WriteString(name + " " + decimal(int(n)))
		}
	}
	return b.String()
}
