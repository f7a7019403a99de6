package fakeserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An OperationControl steers a server's operations from a test. Every method takes the full name of an operation, or
// of an instance and then means the operation that runs on it. A name that is neither, and an operation that the
// server does not have, panic: they are mistakes of the test.
type OperationControl struct{ w *world }

// Hold keeps an operation from ending, however it would end otherwise, until Release or Complete or Fail. With an
// instance's name it also holds every operation begun on that instance later, until Release with the same name.
func (c *OperationControl) Hold(nameOrTarget string) {
	defer c.lock()()
	o, target := c.find(nameOrTarget)
	if target != "" {
		c.w.held[target] = true
	}
	if o != nil && !o.done {
		o.held = true
	}
}

// Release lets a held operation end: at once if its time has come.
func (c *OperationControl) Release(nameOrTarget string) {
	defer c.lock()()
	o, target := c.find(nameOrTarget)
	delete(c.w.held, target)
	if o == nil || o.done || !o.held {
		return
	}
	now := c.w.now()
	o.held, o.released = false, now
	if o.cancelRequested {
		c.w.end(o, now)
		return
	}
	c.w.settle(now)
}

// Complete ends a running operation with success, now. It does nothing when none is running.
func (c *OperationControl) Complete(nameOrTarget string) {
	defer c.lock()()
	if o, _ := c.find(nameOrTarget); o != nil && !o.done {
		o.failing = nil
		c.w.end(o, c.w.now())
	}
}

// Fail ends a running operation with an error, now: code is a google.rpc code such as 13. With the name of an
// instance on which nothing runs it makes the next operation begun there end with this error when its time comes;
// the instance need not exist yet.
func (c *OperationControl) Fail(nameOrTarget string, code int, message string) {
	if !isCode(code) {
		panic(fmt.Sprintf("fakeserver: Fail: %d is no google.rpc code of an error: 1 to 16", code))
	}
	defer c.lock()()
	o, target := c.find(nameOrTarget)
	failure := status(int32(code), message)
	switch {
	case o != nil && !o.done:
		o.failing = failure
		c.w.end(o, c.w.now())
	case target != "":
		c.w.doomed[target] = failure
	}
}

// unspent describes the failures that Fail announced and no operation met.
func (c *OperationControl) unspent() []string {
	defer c.lock()()
	var left []string
	for _, target := range slices.Sorted(maps.Keys(c.w.doomed)) {
		f := c.w.doomed[target]
		left = append(left, fmt.Sprintf("Fail(%q): code %d %s", target, f.num(fStatusCode), shorten(f.str(fStatusText))))
	}
	return left
}

// Running returns the full names of the operations that run, in the order they began.
func (c *OperationControl) Running() []string {
	defer c.lock()()
	var names []string
	for _, o := range c.w.running {
		names = append(names, o.name)
	}
	return names
}

func (c *OperationControl) lock() (unlock func()) {
	c.w.mu.Lock()
	c.w.settle(c.w.now())
	return c.w.mu.Unlock
}

// find is the operation of a name; target is set when the name is an instance's.
func (c *OperationControl) find(name string) (o *operation, target string) {
	_, location, collection, _, ok := splitName(name)
	if !ok {
		panic(fmt.Sprintf("fakeserver: %q is the full name of no operation and of no instance", name))
	}
	if collection == "operations" {
		o = c.w.operations[name]
		if o == nil {
			panic(fmt.Sprintf("fakeserver: there is no operation %s; there are %s", name, c.known()))
		}
		return o, ""
	}
	if in := c.w.instances[name]; in != nil {
		return in.running, name
	}
	if _, ok := findRegion(c.w.regions, location); !ok {
		panic(fmt.Sprintf("fakeserver: no instance can be %s: the server has no region %s", name, location))
	}
	return nil, name
}

func (c *OperationControl) known() string {
	var names []string
	for name := range c.w.operations {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
