package fakeserver

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// A message is a value of a messageType. Once it is stored or handed out it is never written again: a change
// clones it, so an answer can be printed while the next change is made.
//
// A field holds nil (absent), or string, bool, int32 (ints and enums), time.Time, time.Duration, *message,
// []*message, []string, []int32 or stringMap.
type message struct {
	typ    *messageType
	values []any
}

// A stringMap is a map<string, string>, sorted by key.
type stringMap []pair

type pair struct{ key, value string }

func newValue(t *messageType) *message {
	return &message{typ: t, values: make([]any, len(t.fields))}
}

// build makes a message of fields and values in turn.
func build(t *messageType, fieldsAndValues ...any) *message {
	m := newValue(t)
	for i := 0; i < len(fieldsAndValues); i += 2 {
		f, ok := fieldsAndValues[i].(*field)
		if !ok {
			f = t.field(fieldsAndValues[i].(string))
		}
		m.set(f, fieldsAndValues[i+1])
	}
	return m
}

func (m *message) clone() *message {
	return &message{typ: m.typ, values: slices.Clone(m.values)}
}

func (m *message) has(f *field) bool { return m != nil && m.values[f.index] != nil }

// set stores a value; a default that is not printed becomes absence, as proto3 has it.
func (m *message) set(f *field, v any) {
	if !f.always && isZero(v) {
		v = nil
	}
	m.values[f.index] = v
}

func (m *message) clear(f *field) { m.values[f.index] = nil }

func isZero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case int32:
		return v == 0
	case time.Time:
		return v.IsZero()
	case time.Duration:
		return v == 0
	case *message:
		return v == nil
	case []*message:
		return len(v) == 0
	case []string:
		return len(v) == 0
	case []int32:
		return len(v) == 0
	case stringMap:
		return len(v) == 0
	}
	return false
}

func get[T any](m *message, f *field) T {
	var zero T
	if m == nil {
		return zero
	}
	v, _ := m.values[f.index].(T)
	return v
}

func (m *message) str(f *field) string        { return get[string](m, f) }
func (m *message) flag(f *field) bool         { return get[bool](m, f) }
func (m *message) num(f *field) int32         { return get[int32](m, f) }
func (m *message) when(f *field) time.Time    { return get[time.Time](m, f) }
func (m *message) sub(f *field) *message      { return get[*message](m, f) }
func (m *message) list(f *field) []*message   { return get[[]*message](m, f) }
func (m *message) strings(f *field) []string  { return get[[]string](m, f) }
func (m *message) mapping(f *field) stringMap { return get[stringMap](m, f) }

// name returns the name of an enum field's value, or "" for a number without one.
func (m *message) name(f *field) string { return f.enum.names[m.num(f)] }

func (s stringMap) get(key string) (string, bool) {
	i, ok := slices.BinarySearchFunc(s, key, func(p pair, key string) int { return strings.Compare(p.key, key) })
	if !ok {
		return "", false
	}
	return s[i].value, true
}

// put returns the map with one more entry, or one entry changed.
func (s stringMap) put(key, value string) stringMap {
	i, ok := slices.BinarySearchFunc(s, key, func(p pair, key string) int { return strings.Compare(p.key, key) })
	if ok {
		s[i].value = value
		return s
	}
	return slices.Insert(s, i, pair{key, value})
}

// pairs makes a stringMap of keys and values in turn.
func pairs(keysAndValues ...string) stringMap {
	var s stringMap
	for i := 0; i < len(keysAndValues); i += 2 {
		s = s.put(keysAndValues[i], keysAndValues[i+1])
	}
	return s
}

func decimal(n int) string { return strconv.Itoa(n) }
