package memorystore

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/api/googleapi"
)

// reportHeaders are what Google's support can find a request by. None of them is secret.
var reportHeaders = []string{"Date", "Server-Timing", "X-Cloud-Trace-Context", "Traceparent", "X-Goog-Request-Id", "Via"}

// Report returns what a support case asks for, in lines: the call, when it was made, and each attempt with its
// status, reason, latency, wait and the headers by which Google finds it. It holds no body and no secret.
//
// https://cloud.google.com/memorystore/docs/redis/getting-support
func (e *Error) Report() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s "+format+"\n", append([]any{name + ":"}, args...)...)
	}
	line("Error", "%s", e.Error())
	line("SDK", "memorystore-go %s", Version)
	if len(e.Attempts) > 0 {
		first := e.Attempts[0]
		line("Method", "%s (%s)", e.Call, first.Method)
		line("Resource", "%s", e.Name)
		line("Began", "%s", first.Start.UTC().Format(time.RFC3339Nano))
		line("Ended", "%s", first.Start.Add(e.Elapsed).UTC().Format(time.RFC3339Nano))
	}
	if e.Operation != "" {
		line("Operation", "%s", e.Operation)
	}
	if e.Ambiguous {
		line("Ambiguous", "the change may have been made")
	}
	for _, v := range e.Violations {
		line("Violation", "%s", oneLine(v.Field+": "+v.Description, 300))
	}
	for _, a := range e.Attempts {
		fmt.Fprintf(&b, "Attempt %d: %s, status %d", a.Number, a.Start.UTC().Format(time.RFC3339Nano), a.Status)
		if a.Reason != "" {
			fmt.Fprintf(&b, ", reason %s", a.Reason)
		}
		fmt.Fprintf(&b, ", latency %s", short(a.Latency))
		if a.Wait > 0 {
			fmt.Fprintf(&b, ", then waited %s", short(a.Wait))
		}
		b.WriteByte('\n')
		if answer, ok := errors.AsType[*googleapi.Error](a.Err); ok {
			for _, h := range reportHeaders {
				for _, v := range answer.Header.Values(h) {
					fmt.Fprintf(&b, "  %s: %s\n", h, oneLine(v, 200))
				}
			}
		}
	}
	line("Support", "%s", supportPage)
	return b.String()
}
