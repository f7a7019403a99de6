package fakeserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Fault is one way in which an answer goes wrong. Unless AfterWork is set the request changes nothing.
//
// Exactly one of Status, Reset, Truncate, Garbage and Stall says what happens; Truncate, Garbage and Stall may also
// go with a Status, and Stall with anything: it comes first.
type Fault struct {
	// Target limits the fault to requests for one resource: the full name of an instance, an operation or a
	// location, for locations.list the project, for a create the instance that would be made. Empty: any.
	Target string

	// Status is the HTTP status of the answer, 100 to 999. From 400 the body is Google's error envelope, with the
	// canonical name that goes with the status; below, it is Body. A 1xx is sent alone and the connection then
	// closed.
	Status int
	// Message is the envelope's sentence; empty: the service's own for that status.
	Message string
	// Details are added to the envelope's: anything that encoding/json makes an object of.
	Details []any
	// HTML answers with the front end's page in place of the envelope.
	HTML bool
	// Header is added to the answer's.
	Header http.Header
	// Body is sent in place of the envelope.
	Body string

	// RetryAfter is the answer's Retry-After header.
	RetryAfter string
	// RetryInfo is the delay of a google.rpc.RetryInfo detail.
	RetryInfo time.Duration

	// AfterWork has the request carried out first: the change is made, then the answer fails.
	AfterWork bool

	// Reset resets the connection in place of an answer. On a connection that was used before, net/http sends a GET
	// again by itself, and the program under test does not notice.
	Reset bool
	// Truncate sends an answer's headers with the length of the whole body, and half of the body.
	Truncate bool
	// Garbage sends a body that is not JSON, with status 200 when Status is 0.
	Garbage bool
	// Stall waits before the answer, or until the request's context ends; with AfterWork the change is made before
	// the wait. Alone it only delays: the answer then is the usual one.
	Stall time.Duration

	// Times is how many requests get the fault; 0 means one.
	Times int
}

// A Rule is what one Inject armed.
type Rule struct {
	book   *faultBook
	method string
	faults []armed
	hits   int
}

type armed struct {
	Fault
	left int
}

// Hits is how many requests the rule has spoilt.
func (r *Rule) Hits() int {
	r.book.mu.Lock()
	defer r.book.mu.Unlock()
	return r.hits
}

// Remove disarms what is left of the rule. It is then no longer reported as unspent.
func (r *Rule) Remove() {
	r.book.mu.Lock()
	defer r.book.mu.Unlock()
	r.faults = nil
}

// A faultBook holds a server's rules.
type faultBook struct {
	mu    sync.Mutex
	rules map[string][]*Rule
}

// arm adds a rule.
func (b *faultBook) arm(method string, faults []Fault) *Rule {
	i := slices.Index(methodIDs(), method)
	if i < 0 {
		panic(fmt.Sprintf("fakeserver: Inject: no method %q; there are %s", method, strings.Join(methodIDs(), ", ")))
	}
	if len(faults) == 0 {
		panic("fakeserver: Inject: no fault given")
	}
	about := routes[i].target()
	r := &Rule{book: b, method: method}
	for i := range faults {
		if why := faults[i].contradiction(); why != "" {
			panic(fmt.Sprintf("fakeserver: Inject(%q): fault %d: %s", method, i+1, why))
		}
		if target := faults[i].Target; target != "" && !fits(target, about) {
			panic(fmt.Sprintf("fakeserver: Inject(%q): fault %d: no request has the Target %q; want %s", method, i+1, target, about))
		}
		f := faults[i]
		f.Header = canonical(f.Header)
		r.faults = append(r.faults, armed{f, max(1, f.Times)})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rules == nil {
		b.rules = map[string][]*Rule{}
	}
	b.rules[method] = append(b.rules[method], r)
	return r
}

// canonical is a header as it arrives over a connection, however its names were written.
func canonical(h http.Header) http.Header {
	if h == nil {
		return nil
	}
	c := make(http.Header, len(h))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		key := http.CanonicalHeaderKey(name)
		c[key] = append(c[key], h[name]...)
	}
	return c
}

// take spends the fault that a request gets, if any: the first one left of the first rule whose turn it is.
func (b *faultBook) take(method, target string) *Fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.rules[method] {
		if len(r.faults) == 0 {
			continue
		}
		next := &r.faults[0]
		if next.Target != "" && next.Target != target {
			continue
		}
		next.left--
		r.hits++
		f := next.Fault
		if next.left == 0 {
			r.faults = r.faults[1:]
		}
		return &f
	}
	return nil
}

// unspent describes what was armed and never happened.
func (b *faultBook) unspent() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var left []string
	for _, method := range slices.Sorted(maps.Keys(b.rules)) {
		for _, r := range b.rules[method] {
			for _, f := range r.faults {
				left = append(left, fmt.Sprintf("%s: %s, %d of %d times", method, f.Fault, f.left, max(1, f.Times)))
			}
		}
	}
	return left
}

// String says in short what the fault does: all that tells it from another, but for Times.
func (f Fault) String() string {
	var parts []string
	add := func(is bool, s string) {
		if is {
			parts = append(parts, s)
		}
	}
	add(f.Stall > 0, "stall "+f.Stall.String())
	add(f.Status != 0, "status "+decimal(f.Status))
	add(f.Message != "", "message "+shorten(f.Message))
	for _, d := range f.Details {
		b, _ := json.Marshal(d)
		add(true, "detail "+shorten(string(b)))
	}
	add(f.RetryInfo != 0, "RetryInfo "+f.RetryInfo.String())
	add(f.RetryAfter != "", "Retry-After "+strconv.Quote(f.RetryAfter))
	for _, name := range slices.Sorted(maps.Keys(f.Header)) {
		add(true, fmt.Sprintf("header %s %q", name, f.Header[name]))
	}
	add(f.HTML, "HTML")
	add(f.Body != "", "body "+shorten(f.Body))
	add(f.Reset, "reset")
	add(f.Truncate, "truncate")
	add(f.Garbage, "garbage")
	add(f.AfterWork, "after the work")
	add(f.Target != "", "for "+f.Target)
	return strings.Join(parts, " ")
}

// shorten quotes a text; of a long one only the beginning.
func shorten(s string) string {
	const limit = 60
	if len(s) <= limit {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%q… (%d bytes)", s[:limit], len(s))
}

// contradiction says what makes a fault one that cannot be acted out.
func (f Fault) contradiction() string {
	envelope := f.Message != "" || len(f.Details) > 0 || f.RetryInfo != 0
	answered := envelope || f.HTML || f.Body != "" || f.Header != nil || f.RetryAfter != ""
	switch {
	case f.Status != 0 && (f.Status < 100 || f.Status > 999):
		return fmt.Sprintf("Status %d: 100 to 999", f.Status)
	case f.Times < 0:
		return fmt.Sprintf("Times %d: not negative", f.Times)
	case f.Stall < 0 || f.RetryInfo < 0:
		return "Stall and RetryInfo are not negative"
	case f.Status == 0 && !f.Reset && !f.Truncate && !f.Garbage && f.Stall == 0:
		return "it says nothing of what happens: set Status, Reset, Truncate, Garbage or Stall"
	case f.Reset && (f.Status != 0 || f.Truncate || f.Garbage || answered):
		return "Reset gives no answer, so nothing of an answer goes with it"
	case f.Truncate && f.Garbage:
		return "Truncate and Garbage are two faults"
	case f.Garbage && (envelope || f.HTML || f.Body != ""):
		return "Garbage is a body of its own"
	case f.Status == 0 && answered && !f.Garbage:
		return "an answer that is spelt out needs a Status"
	case envelope && (f.HTML || f.Body != ""):
		return "Message, Details and RetryInfo are the envelope's: not with HTML or Body"
	case envelope && f.Status < 400:
		return "Message, Details and RetryInfo need a Status from 400"
	case f.HTML && f.Body != "":
		return "HTML and Body are two bodies"
	case f.Garbage && bodyless(f.Status):
		return fmt.Sprintf("an answer %d has no body to be garbage", f.Status)
	case f.Truncate && bodyless(f.Status):
		return fmt.Sprintf("a %d has no body to truncate", f.Status)
	}
	for i, d := range f.Details {
		if b, err := json.Marshal(d); err != nil || len(b) == 0 || b[0] != '{' {
			return fmt.Sprintf("Details[%d] is no JSON object", i)
		}
	}
	return ""
}

// bodyless tells the statuses whose answers have no body.
func bodyless(status int) bool {
	return status >= 100 && status < 200 || status == http.StatusNoContent || status == http.StatusNotModified
}

// spoils tells whether the fault gives another answer than the usual one.
func (f *Fault) spoils() bool { return f.Status != 0 || f.Reset || f.Truncate || f.Garbage }
