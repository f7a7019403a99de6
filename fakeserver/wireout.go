package fakeserver

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// A style is how a request wants its answer printed.
type style struct {
	compact  bool      // prettyPrint=false
	enumInt  bool      // $alt=json;enum-encoding=int
	version  string    // of the API the request came through
	fields   *selector // fields=: nil prints everything
	rotation int       // where a map starts: the service's order of labels changes from read to read
}

// appendMessage prints a message as proto JSON: members in wire order, absent fields left out.
func appendMessage(b []byte, m *message, s style) []byte {
	p := printer{b: b, style: s}
	p.message(m, s.fields, false)
	if !s.compact {
		p.b = append(p.b, '\n')
	}
	return p.b
}

type printer struct {
	b     []byte
	depth int
	style
}

func (p *printer) message(m *message, only *selector, withType bool) {
	p.b = append(p.b, '{')
	p.depth++
	first := true
	if withType && only.picks("@type") {
		p.member("@type", &first)
		p.quote(m.typ.typeURL(p.version))
	}
	for i, v := range m.values {
		if v == nil {
			continue
		}
		f := &m.typ.fields[i]
		if f.input || only != nil && !only.picks(f.json) {
			continue
		}
		p.member(f.json, &first)
		p.value(f, v, only.under(f.json))
	}
	p.end('}', first)
}

// member starts the next member of an object.
func (p *printer) member(key string, first *bool) {
	p.item(first)
	p.b = append(p.b, '"')
	p.b = append(p.b, key...)
	p.colon()
}

func (p *printer) colon() {
	if p.compact {
		p.b = append(p.b, '"', ':')
	} else {
		p.b = append(p.b, '"', ':', ' ')
	}
}

// item starts the next element of an object or an array.
func (p *printer) item(first *bool) {
	if !*first {
		p.b = append(p.b, ',')
	}
	*first = false
	p.newline()
}

const indentation = "\n                                        "

func (p *printer) newline() {
	if p.compact {
		return
	}
	n := 2 * p.depth
	if n < len(indentation) {
		p.b = append(p.b, indentation[:1+n]...)
		return
	}
	p.b = append(p.b, '\n')
	for range n {
		p.b = append(p.b, ' ')
	}
}

func (p *printer) end(close byte, empty bool) {
	p.depth--
	if !empty {
		p.newline()
	}
	p.b = append(p.b, close)
}

func (p *printer) value(f *field, v any, only *selector) {
	switch v := v.(type) {
	case string:
		p.quote(v)
	case bool:
		p.b = strconv.AppendBool(p.b, v)
	case int32:
		p.number(f, v)
	case time.Time:
		p.b = append(p.b, '"')
		p.b = appendTime(p.b, v, f.digits)
		p.b = append(p.b, '"')
	case time.Duration:
		p.b = append(p.b, '"')
		p.b = appendDuration(p.b, v)
		p.b = append(p.b, '"')
	case *message:
		p.any(f, v, only)
	case stringMap:
		p.mapping(v, only)
	case []*message:
		p.array(len(v), func(i int) { p.any(f, v[i], only) })
	case []string:
		if f.kind == kindSet {
			p.set(v, only)
			return
		}
		p.array(len(v), func(i int) { p.quote(v[i]) })
	case []int32:
		p.array(len(v), func(i int) { p.number(f, v[i]) })
	case []node:
		p.array(len(v), func(i int) { p.tree(v[i]) })
	case []any:
		p.array(len(v), func(i int) {
			if n, ok := v[i].(node); ok {
				p.tree(n)
			} else {
				p.any(f, v[i].(*message), only)
			}
		})
	}
}

// any prints a message; inside an Any it says its type, and its enums are names whatever the request asked for.
func (p *printer) any(f *field, m *message, only *selector) {
	if f.kind != kindAny {
		p.message(m, only, false)
		return
	}
	asked := p.enumInt
	p.enumInt = false
	p.message(m, only, true)
	p.enumInt = asked
}

func (p *printer) array(n int, item func(i int)) {
	p.b = append(p.b, '[')
	p.depth++
	first := true
	for i := range n {
		p.item(&first)
		item(i)
	}
	p.end(']', first)
}

func (p *printer) number(f *field, n int32) {
	if f.kind == kindEnum && !p.enumInt {
		if name, ok := f.enum.names[n]; ok {
			p.quote(name)
			return
		}
	}
	p.b = strconv.AppendInt(p.b, int64(n), 10)
}

func (p *printer) mapping(m stringMap, only *selector) {
	p.b = append(p.b, '{')
	p.depth++
	first := true
	for i := range m {
		e := m[(i+p.rotation)%len(m)]
		if only != nil && !only.picks(e.key) {
			continue
		}
		p.key(e.key, &first)
		p.quote(e.value)
	}
	p.end('}', first)
}

func (p *printer) set(keys []string, only *selector) {
	p.b = append(p.b, '{')
	p.depth++
	first := true
	for _, k := range keys {
		if only != nil && !only.picks(k) {
			continue
		}
		p.key(k, &first)
		p.b = append(p.b, '{', '}')
	}
	p.end('}', first)
}

// key is member for a key that may need escaping.
func (p *printer) key(key string, first *bool) {
	p.item(first)
	p.quote(key)
	p.b = p.b[:len(p.b)-1]
	p.colon()
}

// tree prints JSON that came from outside the schema.
func (p *printer) tree(n node) {
	switch n.kind {
	case nodeString:
		p.quote(n.text)
	case nodeObject:
		p.b = append(p.b, '{')
		p.depth++
		first := true
		for _, m := range n.members {
			p.key(m.key, &first)
			p.tree(m.value)
		}
		p.end('}', first)
	case nodeArray:
		p.array(len(n.items), func(i int) { p.tree(n.items[i]) })
	default:
		p.b = append(p.b, n.text...)
	}
}

// quote prints a string, with < and > escaped as Google's printer does.
func (p *printer) quote(s string) {
	const hex = "0123456789abcdef"
	b := append(p.b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != 0x7f {
				i++
				continue
			}
			b = append(b, s[start:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\n':
				b = append(b, '\\', 'n')
			case '\r':
				b = append(b, '\\', 'r')
			case '\t':
				b = append(b, '\\', 't')
			default:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b = append(b, s[start:i]...)
			b = append(b, "\ufffd"...)
			start = i + 1
		}
		i += n
	}
	b = append(b, s[start:]...)
	p.b = append(b, '"')
}
