package fakeserver

import (
	"regexp"
	"strings"
)

// A filter is a list filter: conditions joined by AND. The service's own grammar is not published; this is the part
// of AIP-160 that its documentation shows.
type filter []condition

type condition struct {
	path, op, value string
	not             bool
}

var conditionPattern = regexp.MustCompile(`^\s*([A-Za-z_][A-Za-z0-9_.]*)\s*(=|!=|:)\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'()=:!]+)\s*$`)

var andPattern = regexp.MustCompile(`\s+AND\s+`)

// parseFilter reads a filter whose conditions are about the named fields.
func parseFilter(s string, known func(path string) bool) (filter, *problem) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var f filter
	for _, part := range andPattern.Split(s, -1) {
		part, not := bare(part)
		m := conditionPattern.FindStringSubmatch(part)
		if m == nil || !known(camelPath(m[1])) {
			return nil, textFilter.because()
		}
		value := m[3]
		if q := value[0]; q == '"' || q == '\'' {
			value = strings.ReplaceAll(value[1:len(value)-1], `\"`, `"`)
		}
		f = append(f, condition{camelPath(m[1]), m[2], value, not})
	}
	return f, nil
}

// bare takes the NOT before a condition and the parentheses around one off.
func bare(part string) (condition string, not bool) {
	for {
		part = strings.TrimSpace(part)
		if rest, ok := strings.CutPrefix(part, "NOT "); ok {
			part, not = rest, !not
		} else if len(part) > 1 && part[0] == '(' && part[len(part)-1] == ')' {
			part = part[1 : len(part)-1]
		} else {
			return part, not
		}
	}
}

// camelPath turns metadata.api_version into metadata.apiVersion.
func camelPath(path string) string {
	var b strings.Builder
	up := false
	for _, r := range path {
		if r == '_' {
			up = true
			continue
		}
		if up {
			b.WriteString(strings.ToUpper(string(r)))
			up = false
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// matches holds a thing against the filter; value gives the text of one of its fields.
func (f filter) matches(value func(path string) string) bool {
	for _, c := range f {
		if c.holds(value(c.path)) == c.not {
			return false
		}
	}
	return true
}

func (c condition) holds(got string) bool {
	switch c.op {
	case "=":
		return got == c.value || star(c.value, got)
	case "!=":
		return got != c.value
	}
	return strings.Contains(got, strings.Trim(c.value, "*"))
}

// star matches a pattern that ends with *.
func star(pattern, s string) bool {
	prefix, ok := strings.CutSuffix(pattern, "*")
	return ok && strings.HasPrefix(s, prefix)
}
