package memorystore

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// A call is one request of the API as its verb describes it, before it is sent.
type call struct {
	name     string     // GetInstance
	method   string     // GET
	path     string     // below /v1/
	query    url.Values // without system parameters
	body     any        // encoded once; nil: none
	resource string     // the full name that the call is about
	params   string     // what names it in X-Goog-Request-Params: name, parent, instance.name
	change   change
	settle   settler       // nil: nothing can be found out about it
	heard    func(*answer) // told of the answer, if it succeeds; nil: nobody wants it
	invalid  error         // why it must not be sent
	quiet    bool          // its failure is the caller's to report: no ERROR record
	aside    bool          // it is part of another call, which is given up or not
}

// A change is what sending a call twice does. The author of a verb says it, where the verb is.
type change int

const (
	reads   change = iota // changes nothing
	repeats               // changes nothing more: the name or the value makes it so
	acts                  // happens once more
)

// A settler finds out what became of a change whose answer was lost.
type settler interface {
	// explains reports whether a refusal with this HTTP status may be the echo of this very change, made by an
	// attempt before. google: its body is Google's JSON, and not a front end's page.
	explains(status int, google bool) bool
	// look asks the service. first is when the change was first sent. An error means that there is no finding.
	look(ctx context.Context, first time.Time) (finding, error)
}

// A finding is what a look found.
type finding int

const (
	absent   finding = iota // nothing of ours, and nothing that stands in its way
	ours                    // the change was made; the settler has it
	refuted                 // the change was not made, and the refusal is what it says
	confused                // what is there may be ours or another's
)

// An answer is what a server said to one attempt, read whole.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// A miss is why an attempt has no answer that can be used.
type miss struct {
	text  string // what happened, in one line that may be shown
	err   error  // its cause, free of secrets; nil where nothing of the cause may be shown
	doubt bool   // the request may have reached the service
	lost  bool   // a connection was lost or an attempt took too long: another try may fare better
}

// An Attempt is one request that was sent, and what came of it.
type Attempt struct {
	Call, Method, Name string        // GetInstance, GET, projects/...
	Number             int           // from 1
	Changes            bool          // the call changes something; true for cancel and delete of an operation too
	Status             int           // HTTP status; 0: no answer
	Reason             string        // google.rpc.ErrorInfo reason, such as RATE_LIMIT_EXCEEDED
	Start              time.Time     // when it was sent
	Latency            time.Duration // until its answer was read, or failed
	Wait               time.Duration // before the next attempt; 0: none
	Err                error         // nil: it succeeded
}
