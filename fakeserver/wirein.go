package fakeserver

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readMessage reads a request body as proto JSON: camelCase and snake_case, enum names and numbers, "5" for 5, null
// for absence. root is the body's path in the request message (instance), empty when the body is the request.
func readMessage(body string, t *messageType, root string) (*message, *problem) {
	if strings.Trim(body, " \t\r\n") == "" {
		return newValue(t), nil
	}
	tree, broken := parseJSON(body)
	if broken != nil {
		return nil, textBadJSON.because(broken.problem + "\n" + snippet(body, broken.at))
	}
	if tree.kind != nodeObject {
		return nil, textBadJSON.because(`Unknown name "": Root element must be a message.`)
	}
	r := reader{}
	m := r.message(tree, t, root)
	if r.bad != nil {
		r.bad.message = strings.Join(r.sentences, "\n")
		return nil, r.bad
	}
	return m, nil
}

// snippet shows where a text breaks: the neighbourhood, and a caret below the place.
func snippet(body string, at int) string {
	const around = 20
	from, to := max(0, at-around), min(len(body), at+around)
	line := strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, body[from:to]), "?")
	return line + "\n" + strings.Repeat(" ", at-from) + "^"
}

// A reader collects everything that is wrong with a body; the front end reports it all at once.
type reader struct {
	bad       *problem
	sentences []string
}

// maxViolations bounds what one answer repeats of a bad request.
const maxViolations = 100

func (r *reader) fail(path, sentence string) {
	if r.bad == nil {
		r.bad = &problem{text: textUnknownMember, code: textUnknownMember.code}
	}
	if len(r.sentences) >= maxViolations {
		return
	}
	r.sentences = append(r.sentences, sentence)
	r.bad.violation(path, sentence)
}

func (r *reader) message(n node, t *messageType, path string) *message {
	m := newValue(t)
	for _, e := range n.members {
		f, ok := t.byName[e.key]
		switch {
		case !ok && path == "":
			r.fail("", fmt.Sprintf("Invalid JSON payload received. Unknown name %q: Cannot find field.", e.key))
		case !ok:
			r.fail(path, fmt.Sprintf("Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", e.key, path))
		case e.value.kind != nodeNull:
			m.set(f, r.field(e.value, f, join(path, f.snake)))
		}
	}
	return m
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (r *reader) field(n node, f *field, path string) any {
	if !f.repeated {
		return r.single(n, f, path)
	}
	if n.kind != nodeArray {
		n = node{kind: nodeArray, items: []node{n}} // the front end takes one value for a list of one
	}
	var messages []*message
	var numbers []int32
	var words []string
	for i, item := range n.items {
		switch v := r.single(item, f, path+"["+strconv.Itoa(i)+"]").(type) {
		case *message:
			messages = append(messages, v)
		case int32:
			numbers = append(numbers, v)
		case string:
			words = append(words, v)
		}
	}
	switch f.kind {
	case kindMessage:
		return messages
	case kindEnum:
		return numbers
	}
	return words
}

func (r *reader) single(n node, f *field, path string) any {
	switch f.kind {
	case kindString:
		if n.kind == nodeString {
			return n.text
		}
		r.invalid(n, path, "TYPE_STRING")
	case kindBool:
		if n.kind == nodeBool || n.kind == nodeString && (n.text == "true" || n.text == "false") {
			return n.text == "true"
		}
		r.invalid(n, path, "TYPE_BOOL")
	case kindInt32:
		if v, ok := wholeNumber(n); ok {
			return v
		}
		r.invalid(n, path, "TYPE_INT32")
	case kindEnum:
		if v, ok := f.enum.numbers[n.text]; ok && n.kind == nodeString {
			return v
		}
		if v, ok := wholeNumber(n); ok {
			return v // an enum is open: a number without a name is kept
		}
		r.invalid(n, path, "type.googleapis.com/"+f.enum.name)
	case kindTime:
		if t, err := time.Parse(time.RFC3339Nano, n.text); err == nil && n.kind == nodeString && t.Year() > 0 && t.Year() < 10000 {
			return t.UTC()
		}
		r.fail(path, fmt.Sprintf("Invalid value at '%s' (type.googleapis.com/google.protobuf.Timestamp), Field '%s', Illegal timestamp format; timestamps must end with 'Z' or have a valid timezone offset.", path, last(path)))
	case kindDuration:
		if d, ok := protoDuration(n); ok {
			return d
		}
		r.fail(path, fmt.Sprintf("Invalid value at '%s' (type.googleapis.com/google.protobuf.Duration), Field '%s', Illegal duration format; duration must end with 's'", path, last(path)))
	case kindMap:
		if n.kind == nodeObject {
			return r.mapping(n, path)
		}
		r.invalid(n, path, "Map")
	case kindMessage:
		if n.kind == nodeObject {
			return r.message(n, f.message, path)
		}
		r.invalid(n, path, "type.googleapis.com/"+f.message.name)
	default:
		r.invalid(n, path, "type.googleapis.com/google.protobuf.Any")
	}
	return nil
}

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func (r *reader) invalid(n node, path, typ string) {
	shown := n.text
	switch n.kind {
	case nodeObject, nodeArray:
		shown = "Object"
		if n.kind == nodeArray {
			shown = "List"
		}
		r.fail(path, fmt.Sprintf("Invalid value at '%s' (%s), %s", path, typ, shown))
		return
	case nodeString:
		shown = string(quoted(shown))
	}
	r.fail(path, fmt.Sprintf("Invalid value at '%s' (%s), %s", path, typ, shown))
}

func quoted(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`)
	}
	return b
}

func (r *reader) mapping(n node, path string) stringMap {
	m := make(stringMap, 0, len(n.members))
	for i, e := range n.members {
		switch e.value.kind {
		case nodeString:
			m = append(m, pair{e.key, e.value.text})
		case nodeNull:
		default:
			r.invalid(e.value, fmt.Sprintf("%s[%d].value", path, i), "TYPE_STRING")
		}
	}
	slices.SortStableFunc(m, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	kept := m[:0]
	for i, e := range m {
		if i+1 == len(m) || m[i+1].key != e.key { // of a key given twice the last one counts
			kept = append(kept, e)
		}
	}
	return kept
}

// wholeNumber reads an int32 from 5, "5", 5.0 or 5e0.
func wholeNumber(n node) (int32, bool) {
	if n.kind != nodeNumber && n.kind != nodeString {
		return 0, false
	}
	if v, err := strconv.ParseInt(n.text, 10, 32); err == nil {
		return int32(v), true
	}
	v, err := strconv.ParseFloat(n.text, 64)
	if err != nil || v != math.Trunc(v) || v < math.MinInt32 || v > math.MaxInt32 || strings.ContainsAny(n.text, "xXpPiInN_+ ") {
		return 0, false
	}
	return int32(v), true
}

// protoDuration reads "3600s" or "1.5s".
func protoDuration(n node) (time.Duration, bool) {
	digits, ok := strings.CutSuffix(n.text, "s")
	if n.kind != nodeString || !ok || strings.Trim(digits, "-0123456789.") != "" {
		return 0, false
	}
	d, err := time.ParseDuration(n.text)
	return d, err == nil
}
