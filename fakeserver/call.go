package fakeserver

import (
	"net/http"
	"strconv"
	"time"
)

// A call is one request that found its method.
type call struct {
	*route
	place
	query      query
	body       string
	header     http.Header
	now        time.Time
	overridden bool // the verb is X-HTTP-Method-Override's
	acted      bool // something was changed
}

// target is the resource that a fault or a permission is about: for a create the instance that would be made.
func (c *call) target() string {
	if c.id == "" && c.route.method == "instances.create" {
		if id := c.query.get("instanceId"); id != "" {
			return c.name + "/instances/" + id
		}
	}
	return c.name
}

// style reads how the answer is to be printed. An answer that cannot be is refused.
func (c *call) style(rotation int) (style, *problem) {
	s := style{version: c.version, rotation: rotation}
	for _, p := range c.query {
		switch p.key {
		case "alt", "$alt":
			switch p.value {
			case "", "json":
			case "json;enum-encoding=int":
				s.enumInt = true
			case "media", "proto":
				return s, textAlt.because(p.value)
			default:
				return s, textBadParameter.because(p.key, "type.googleapis.com/google.api.AltType", p.value)
			}
		case "prettyPrint", "$prettyPrint":
			pretty, err := strconv.ParseBool(p.value)
			if err != nil && p.value != "" {
				return s, textBadParameter.because(p.key, "TYPE_BOOL", p.value)
			}
			s.compact = err == nil && !pretty
		case "fields", "$fields":
			if p.value == "" {
				continue
			}
			var bad string
			if s.fields, bad = parseSelector(p.value, c.returns); bad != "" {
				return s, textFields.because(bad)
			}
		}
	}
	return s, nil
}

// read reads the body as the method's request.
func (c *call) read() (*message, *problem) { return readMessage(c.body, c.route.body, c.root) }
