package fakeserver

import (
	"strings"
	"unicode"
)

// A kind is the JSON shape of a field.
type kind uint8

const (
	kindString kind = iota
	kindBool
	kindInt32
	kindEnum
	kindTime
	kindDuration
	kindMessage
	kindAny // a message printed with its @type
	kindMap // map<string, string>
	kindSet // map<string, an empty message>
)

// A field is one member of a message. The order of fields in a message is the order on the wire.
type field struct {
	json     string // memorySizeGb
	snake    string // memory_size_gb, derived
	number   int    // in the proto; 0 where it is not published
	kind     kind
	repeated bool
	always   bool         // printed even when it holds its default
	digits   int          // of a time's fraction; 0: as many of 3, 6 or 9 as are needed
	output   bool         // set by the service; what a request says is ignored
	input    bool         // never printed
	message  *messageType // of kindMessage
	enum     *enumType    // of kindEnum
	index    int          // derived
	basis
}

// A messageType is a message's name and its fields in wire order.
type messageType struct {
	name    string // in version v1
	nameV1b string // in v1beta1; empty: the same
	fields  []field
	byName  map[string]*field // both spellings
}

// An enumType is an enum's name, its names and its numbers.
type enumType struct {
	name    string
	names   map[int32]string
	numbers map[string]int32
	basis
}

type enumValue struct {
	number int32
	name   string
}

// enumTypes and messageTypes are all of them, in the order of declaration.
var (
	enumTypes    []*enumType
	messageTypes []*messageType
)

func newEnum(name string, values ...enumValue) *enumType {
	e := &enumType{name: name, names: map[int32]string{}, numbers: map[string]int32{}, basis: documented(discovery + "; numbers from the published pb.go")}
	for _, v := range values {
		e.names[v.number] = v.name
		e.numbers[v.name] = v.number
	}
	enumTypes = append(enumTypes, e)
	return e
}

// is returns the number of a name that the table must hold.
func (e *enumType) is(name string) int32 {
	n, ok := e.numbers[name]
	if !ok {
		panic("fakeserver: enum " + e.name + " has no value " + name)
	}
	return n
}

func newMessage(name string, fields ...field) *messageType {
	t := &messageType{name: name, fields: fields, byName: make(map[string]*field, 2*len(fields))}
	for i := range t.fields {
		f := &t.fields[i]
		f.index = i
		f.snake = snakeCase(f.json)
		if f.mark == 0 {
			f.basis = documented(discovery)
			if strings.HasPrefix(name, "google.rpc.") {
				f.basis = documented("google/rpc/error_details.proto; the envelope in https://cloud.google.com/apis/design/errors")
			}
		}
		t.byName[f.json] = f
		t.byName[f.snake] = f
	}
	messageTypes = append(messageTypes, t)
	return t
}

// field returns a field that the table must hold.
func (t *messageType) field(json string) *field {
	f, ok := t.byName[json]
	if !ok {
		panic("fakeserver: message " + t.name + " has no field " + json)
	}
	return f
}

// typeURL is what @type says of the message when it is read through an API version.
func (t *messageType) typeURL(version string) string {
	if version == "v1beta1" && t.nameV1b != "" {
		return "type.googleapis.com/" + t.nameV1b
	}
	return "type.googleapis.com/" + t.name
}

// snakeCase turns memorySizeGb into memory_size_gb.
func snakeCase(camel string) string {
	var b strings.Builder
	for _, r := range camel {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// versioned gives a message the name it has when it is read through v1beta1.
func versioned(beta string, t *messageType) *messageType {
	t.nameV1b = beta
	return t
}
