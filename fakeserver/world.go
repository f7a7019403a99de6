package fakeserver

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// A world is everything the fake remembers: a function of what was asked, of time.Now and of the controls. Its
// lock is held for the whole of a request's work, so changes happen one after the other.
type world struct {
	mu sync.Mutex
	config
	instances  map[string]*instance
	operations map[string]*operation
	shelves    map[string]*shelf // by location
	running    []*operation
	count      int // operations begun
	reads      int // answers printed; turns maps

	networks map[string]*network
	held     map[string]bool     // targets whose operations do not end
	doomed   map[string]*message // targets whose next operation fails
	ledger   ledger
}

// A shelf is what one location of one project holds.
type shelf struct {
	project, location string
	instances         []*instance  // by name
	operations        []*operation // in the order they began
}

func newWorld(c config) *world {
	return &world{
		config: c, instances: map[string]*instance{}, operations: map[string]*operation{}, shelves: map[string]*shelf{},
		networks: map[string]*network{}, held: map[string]bool{}, doomed: map[string]*message{},
	}
}

// sketch is a copy to try something out on: nothing that happens to it happens to the world. Its operations do not end
// by themselves, so that a poll of one shows how it stands.
func (w *world) sketch() *world {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settle(w.now())
	n := newWorld(w.config)
	n.count, n.reads = w.count, w.reads
	n.held, n.doomed = maps.Clone(w.held), maps.Clone(w.doomed)
	n.ledger = ledger{w.ledger.minute, maps.Clone(w.ledger.requests), maps.Clone(w.ledger.creates)}
	for key, net := range w.networks {
		n.networks[key] = &network{slices.Clone(net.used), net.cursor}
	}
	for parent, s := range w.shelves {
		shelf := n.shelf(parent)
		for _, in := range s.instances {
			in := *in // its message is never changed, only replaced
			in.blocks = slices.Clone(in.blocks)
			n.instances[in.name] = &in
			shelf.instances = append(shelf.instances, &in)
		}
		for _, o := range s.operations {
			o := *o
			o.of, o.succeed, o.fail = nil, nil, nil // they are about the world's own instance
			n.operations[o.name] = &o
			shelf.operations = append(shelf.operations, &o)
		}
	}
	return n
}

// guessing refuses what rests on a guess, when the server is strict.
func (w *world) guessing(b *behaviour) *problem {
	if w.strict && b.mark == Guessed {
		return textStrict.because(b.key)
	}
	return nil
}

// now is the server's clock.
func (w *world) now() time.Time { return time.Now().Add(w.offset).UTC() }

// settle ends the operations that are due. Every request does this first.
func (w *world) settle(now time.Time) {
	if len(w.running) == 0 {
		return
	}
	still := w.running[:0]
	for _, o := range w.running {
		if end, ok := o.due(now); ok {
			w.finish(o, end)
		} else {
			still = append(still, o)
		}
	}
	clear(w.running[len(still):])
	w.running = still
}

// finish ends an operation and does what it was for.
func (w *world) finish(o *operation, end time.Time) {
	o.done, o.ended = true, end
	if o.of != nil && o.of.running == o {
		o.of.running = nil
	}
	switch {
	case o.failing == nil && o.succeed != nil:
		o.result = o.succeed(end)
	case o.failing == nil:
		o.result = newValue(emptyType)
	default:
		o.result = o.failing
		if o.fail != nil {
			o.fail(o.failing)
		}
	}
}

// end finishes a running operation before its time.
func (w *world) end(o *operation, now time.Time) {
	if o.done {
		return
	}
	w.finish(o, now)
	w.running = slices.DeleteFunc(w.running, func(r *operation) bool { return r == o })
}

// begin starts an operation on an instance. work names the measurement of Realistic.
func (w *world) begin(o *operation, in *instance, work string, now time.Time) {
	o.parent, o.target, o.of = in.parent, in.name, in
	o.created = now
	o.name = in.parent + "/operations/" + operationID(now)
	o.times = w.times
	o.span = measured(work)
	o.held = w.held[in.name]
	if failure, ok := w.doomed[in.name]; ok {
		o.failing = failure
		delete(w.doomed, in.name)
	}
	if o.failing != nil && work == "create" {
		o.span = measured("fail create")
	}
	in.running = o
	w.file(o)
	w.running = append(w.running, o)
	w.settle(now)
}

// file puts an operation where it can be found.
func (w *world) file(o *operation) {
	w.count++
	o.number = w.count
	w.operations[o.name] = o
	s := w.shelf(o.parent)
	for len(s.operations) > 0 && s.operations[0].expired(o.created) {
		w.forget(s.operations[0]) // a server that runs for days does not keep what nobody asks for
	}
	s.operations = append(s.operations, o)
}

// retention is how long a finished operation can be read. The documentation says a few hours.
const retention = 4 * time.Hour

// operation finds one that has not yet vanished.
func (w *world) operation(name string, now time.Time) *operation {
	o := w.operations[name]
	if o != nil && o.expired(now) {
		w.forget(o)
		return nil
	}
	return o
}

func (o *operation) expired(now time.Time) bool { return o.done && now.Sub(o.ended) > retention }

func (w *world) forget(o *operation) {
	delete(w.operations, o.name)
	s := w.shelf(o.parent)
	s.operations = slices.DeleteFunc(s.operations, func(x *operation) bool { return x == o })
}

func (w *world) shelf(parent string) *shelf {
	s := w.shelves[parent]
	if s == nil {
		part := strings.Split(parent, "/")
		s = &shelf{project: part[1], location: part[3]}
		w.shelves[parent] = s
	}
	return s
}

// shelvesOf are a project's non-empty locations in order.
func (w *world) shelvesOf(project string) []*shelf {
	var found []*shelf
	for _, s := range w.shelves {
		if s.project == project {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b *shelf) int { return strings.Compare(a.location, b.location) })
	return found
}

func (w *world) add(in *instance) {
	w.instances[in.name] = in
	s := w.shelf(in.parent)
	i, _ := slices.BinarySearchFunc(s.instances, in.name, byName)
	s.instances = slices.Insert(s.instances, i, in)
}

func (w *world) remove(in *instance) {
	delete(w.instances, in.name)
	s := w.shelf(in.parent)
	if i, ok := slices.BinarySearchFunc(s.instances, in.name, byName); ok {
		s.instances = slices.Delete(s.instances, i, i+1)
	}
	for _, b := range in.blocks {
		w.networks[in.network].release(b)
	}
}

func byName(in *instance, name string) int { return strings.Compare(in.name, name) }

// network is the address space of an authorized network.
func (w *world) network(key string) *network {
	n := w.networks[key]
	if n == nil {
		n = &network{}
		w.networks[key] = n
	}
	return n
}
