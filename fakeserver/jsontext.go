package fakeserver

import (
	"encoding/json"
	"strings"
)

// A node is one value of a JSON text. Members keep their order.
type node struct {
	kind    nodeKind
	text    string // the string's value, or the literal as it was written
	members []member
	items   []node
}

type member struct {
	key   string
	value node
}

type nodeKind uint8

const (
	nodeNull nodeKind = iota
	nodeBool
	nodeNumber
	nodeString
	nodeObject
	nodeArray
)

// maxDepth bounds the nesting of a request; protocol buffers' own limit is 100.
const maxDepth = 100

// A syntaxError says where a JSON text breaks, in the words of the front end.
type syntaxError struct {
	problem string
	at      int
}

// parseJSON reads a whole text as one JSON value.
func parseJSON(text string) (node, *syntaxError) {
	p := parser{text: text}
	n := p.value(0)
	p.space()
	if p.err == nil && p.at < len(p.text) {
		p.fail("Unexpected token.")
	}
	return n, p.err
}

type parser struct {
	text string
	at   int
	err  *syntaxError
}

func (p *parser) fail(problem string) {
	if p.err == nil {
		p.err = &syntaxError{problem, p.at}
	}
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// next skips space and returns the byte that follows, or 0 at the end.
func (p *parser) next() byte {
	p.space()
	if p.at >= len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) value(depth int) node {
	if depth > maxDepth {
		p.fail("Message too deep. Max recursion depth reached for key ''")
		return node{}
	}
	switch c := p.next(); {
	case c == 0 && p.at >= len(p.text):
		p.fail("Unexpected end of string. Expected a value.")
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		return node{kind: nodeString, text: p.quoted()}
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case strings.HasPrefix(p.text[p.at:], "true"):
		p.at += 4
		return node{kind: nodeBool, text: "true"}
	case strings.HasPrefix(p.text[p.at:], "false"):
		p.at += 5
		return node{kind: nodeBool, text: "false"}
	case strings.HasPrefix(p.text[p.at:], "null"):
		p.at += 4
		return node{kind: nodeNull, text: "null"}
	default:
		p.fail("Expected a value.")
	}
	return node{}
}

func (p *parser) object(depth int) node {
	n := node{kind: nodeObject}
	p.at++
	if p.next() == '}' {
		p.at++
		return n
	}
	for p.err == nil {
		if p.next() != '"' {
			p.failAtEnd("Expected an object key or }.")
			break
		}
		key := p.quoted()
		if p.err != nil {
			break
		}
		if p.next() != ':' {
			p.failAtEnd("Expected : between key:value pair.")
			break
		}
		p.at++
		n.members = append(n.members, member{key, p.value(depth + 1)})
		if p.err != nil {
			break
		}
		switch p.next() {
		case ',':
			p.at++
		case '}':
			p.at++
			return n
		default:
			p.failAtEnd("Expected , or } after key:value pair.")
		}
	}
	return n
}

func (p *parser) array(depth int) node {
	n := node{kind: nodeArray}
	p.at++
	if p.next() == ']' {
		p.at++
		return n
	}
	for p.err == nil {
		n.items = append(n.items, p.value(depth+1))
		if p.err != nil {
			break
		}
		switch p.next() {
		case ',':
			p.at++
		case ']':
			p.at++
			return n
		default:
			p.failAtEnd("Expected , or ] after array value.")
		}
	}
	return n
}

// failAtEnd is fail, with the words for a text that simply stops.
func (p *parser) failAtEnd(expected string) {
	if p.at >= len(p.text) {
		expected = "Unexpected end of string. " + expected
	}
	p.fail(expected)
}

func (p *parser) number() node {
	start := p.at
	digits := func() bool {
		from := p.at
		for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
			p.at++
		}
		return p.at > from
	}
	if p.text[p.at] == '-' {
		p.at++
	}
	ok := digits()
	if ok && p.at < len(p.text) && p.text[p.at] == '.' {
		p.at++
		ok = digits()
	}
	if ok && p.at < len(p.text) && (p.text[p.at] == 'e' || p.text[p.at] == 'E') {
		p.at++
		if p.at < len(p.text) && (p.text[p.at] == '+' || p.text[p.at] == '-') {
			p.at++
		}
		ok = digits()
	}
	if !ok {
		p.fail("Unable to parse number.")
	}
	return node{kind: nodeNumber, text: p.text[start:p.at]}
}

// quoted reads a string literal and returns its value.
func (p *parser) quoted() string {
	start := p.at
	p.at++
	plain := true
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			literal := p.text[start:p.at]
			if plain {
				return strings.ToValidUTF8(literal[1:len(literal)-1], "\ufffd")
			}
			var s string
			if json.Unmarshal([]byte(literal), &s) != nil {
				p.at = start
				p.fail("Invalid escape sequence.")
			}
			return s
		case c == '\\':
			plain = false
			p.at += 2
		case c < ' ':
			p.fail("Unexpected control character in string.")
			return ""
		default:
			p.at++
		}
	}
	p.at = len(p.text)
	p.fail("Closing quote expected in string.")
	return ""
}

// member returns a member's value, or null.
func (n node) member(key string) node {
	for _, m := range n.members {
		if m.key == key {
			return m.value
		}
	}
	return node{}
}
