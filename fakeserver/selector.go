package fakeserver

import "strings"

// A selector is a partial-response mask (fields=name,instances(name,state)): the members to print, each with what
// to print of it. A nil selector, and one without members, picks everything.
type selector struct {
	members map[string]*selector
}

func (s *selector) picks(key string) bool {
	if s == nil || len(s.members) == 0 {
		return true
	}
	_, ok := s.members[key]
	if !ok {
		_, ok = s.members["*"]
	}
	return ok
}

func (s *selector) under(key string) *selector {
	if s == nil || len(s.members) == 0 {
		return nil
	}
	if sub, ok := s.members[key]; ok {
		return sub
	}
	return s.members["*"]
}

// add merges one more selected member.
func (s *selector) add(key string) *selector {
	if s.members == nil {
		s.members = map[string]*selector{}
	}
	sub, ok := s.members[key]
	if !ok {
		sub = &selector{}
		s.members[key] = sub
	}
	return sub
}

// parseSelector reads a mask and checks its paths against the answer's type. It returns the part it could not
// read or does not know.
func parseSelector(mask string, t *messageType) (*selector, string) {
	p := selectorParser{rest: mask}
	root := &selector{}
	p.list(root, 0)
	if p.rest != "" || p.broken {
		return nil, mask
	}
	if bad := unknownPath(root, t); bad != "" {
		return nil, bad
	}
	return root, ""
}

type selectorParser struct {
	rest   string
	broken bool
}

func (p *selectorParser) list(into *selector, depth int) {
	for {
		p.path(into, depth)
		if p.broken || !strings.HasPrefix(p.rest, ",") {
			return
		}
		p.rest = p.rest[1:]
	}
}

func (p *selectorParser) path(into *selector, depth int) {
	for {
		end := strings.IndexAny(p.rest, ",/.()")
		if end < 0 {
			end = len(p.rest)
		}
		key := strings.TrimSpace(p.rest[:end])
		p.rest = p.rest[end:]
		if key == "" || depth > maxDepth {
			p.broken = true
			return
		}
		into = into.add(key)
		depth++
		switch {
		case strings.HasPrefix(p.rest, "/") || strings.HasPrefix(p.rest, "."):
			p.rest = p.rest[1:]
		case strings.HasPrefix(p.rest, "("):
			p.rest = p.rest[1:]
			p.list(into, depth)
			if !strings.HasPrefix(p.rest, ")") {
				p.broken = true
				return
			}
			p.rest = p.rest[1:]
			return
		default:
			return
		}
	}
}

// unknownPath returns the first selected member that the type does not have.
func unknownPath(s *selector, t *messageType) string {
	for key, sub := range s.members {
		if key == "*" || key == "@type" {
			continue
		}
		f, ok := t.byName[key]
		if !ok {
			return key
		}
		if f.json != key { // the printer knows members by their camelCase name
			delete(s.members, key)
			s.members[f.json] = sub
		}
		if f.kind != kindMessage {
			continue // what hangs from an Any or a map is not known here
		}
		if bad := unknownPath(sub, f.message); bad != "" {
			return key + "/" + bad
		}
	}
	return ""
}
