package fakeserver

import (
	"net/http"
	"slices"
)

// A handler does one method's work and returns the message to answer with.
type handler func(w *world, c *call) (*message, *problem)

// handlers has one for every route.
var handlers = map[string]handler{
	"locations.list":                  listLocations,
	"locations.get":                   getLocation,
	"instances.list":                  listInstances,
	"instances.get":                   getInstance,
	"instances.getAuthString":         getAuthString,
	"instances.create":                createInstance,
	"instances.patch":                 patchInstance,
	"instances.delete":                deleteInstance,
	"instances.export":                exportInstance,
	"instances.import":                importInstance,
	"instances.failover":              failoverInstance,
	"instances.upgrade":               upgradeInstance,
	"instances.rescheduleMaintenance": rescheduleMaintenance,
	"operations.list":                 listOperations,
	"operations.get":                  getOperation,
	"operations.delete":               deleteOperation,
	"operations.cancel":               cancelOperation,
}

// do carries a call out under the world's lock and prints its answer.
func (w *world) do(c *call) *answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.now = w.now() // read under the lock: what comes later is not earlier
	w.settle(c.now)
	w.reads++
	m, s, bad := w.try(c)
	if bad != nil {
		if w.strict && bad.text.mark == Guessed {
			bad = textStrict.because(bad.text.key)
		}
		return bad.refusal(s, c.legacy())
	}
	return &answer{status: http.StatusOK, body: appendMessage(make([]byte, 0, 1024), m, s)}
}

// try runs the front end's checks in their order, and then the handler.
func (w *world) try(c *call) (*message, style, *problem) {
	s, badStyle := c.style(w.reads)
	if bad := w.policy.refuse(c.route, c.target(), c.header, c.query); bad != nil {
		return nil, s, bad
	}
	if slices.Contains(w.disabled, c.project) {
		return nil, s, serviceDisabled(c.project)
	}
	if bad := w.ledger.charge(w.quota, c.route, c.project, c.now); bad != nil {
		return nil, s, bad
	}
	if unknown := c.query.unknown(c.route); len(unknown) > 0 {
		return nil, s, refuseParameters(unknown)
	}
	if badStyle != nil {
		return nil, s, badStyle
	}
	if bad := w.guessing(guessFields); bad != nil && s.fields != nil {
		return nil, s, bad
	}
	if bad := w.guessing(guessOverride); bad != nil && c.overridden {
		return nil, s, bad
	}
	m, bad := handlers[c.method](w, c)
	return m, s, bad
}

func refuseParameters(unknown []string) *problem {
	p := textUnknownParameter.because(unknown[0])
	for _, name := range unknown[1:min(len(unknown), maxViolations)] {
		more := textUnknownParameter.because(name)
		p.message += "\n" + more.message
		p.violation("", more.message)
	}
	return p
}

// legacy tells whether the request wants the errors array of the first error format.
func (c *call) legacy() bool { return c.query.get("$.xgafv") == "1" }

// phantom is the answer to a request that is not carried out and yet seems to be: the one that a copy of the world gives.
func (w *world) phantom(c *call) *answer {
	a := w.sketch().do(c)
	c.acted = false // what it changed is thrown away
	return a
}
