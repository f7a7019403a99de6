package memorystore

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
)

// Errors that an *Error may wrap, beside its Code, a *googleapi.Error and the context's error.
var (
	// ErrNotDone is the error of a Result that is asked for too early.
	ErrNotDone = errors.New("memorystore: the operation is not done")
	// ErrRetryBudget says that the client-side retry budget had no token left.
	ErrRetryBudget = errors.New("memorystore: client-side retry budget is empty")
	// ErrAttemptTimeout says that one attempt took longer than RetryPolicy.AttemptTimeout.
	ErrAttemptTimeout = errors.New("memorystore: attempt timed out")
)

// A Code is a google.rpc.Code by its name. It is an error, so that errors.Is(err, memorystore.NotFound) works.
//
// https://cloud.google.com/apis/design/errors#handling_errors
type Code string

// The codes of google.rpc, in the order of their numbers.
const (
	Cancelled          Code = "CANCELLED"
	Unknown            Code = "UNKNOWN"
	InvalidArgument    Code = "INVALID_ARGUMENT"
	DeadlineExceeded   Code = "DEADLINE_EXCEEDED"
	NotFound           Code = "NOT_FOUND"
	AlreadyExists      Code = "ALREADY_EXISTS"
	PermissionDenied   Code = "PERMISSION_DENIED"
	ResourceExhausted  Code = "RESOURCE_EXHAUSTED"
	FailedPrecondition Code = "FAILED_PRECONDITION"
	Aborted            Code = "ABORTED"
	OutOfRange         Code = "OUT_OF_RANGE"
	Unimplemented      Code = "UNIMPLEMENTED"
	Internal           Code = "INTERNAL"
	Unavailable        Code = "UNAVAILABLE"
	DataLoss           Code = "DATA_LOSS"
	Unauthenticated    Code = "UNAUTHENTICATED"
)

// codes are indexed by the number that google.rpc.Status.code holds.
var codes = [...]Code{"", Cancelled, Unknown, InvalidArgument, DeadlineExceeded, NotFound, AlreadyExists, PermissionDenied,
	ResourceExhausted, FailedPrecondition, Aborted, OutOfRange, Unimplemented, Internal, Unavailable, DataLoss, Unauthenticated}

// Error returns the name of the code.
func (c Code) Error() string { return string(c) }

func knownCode(name string) bool {
	for _, c := range codes[1:] {
		if string(c) == name {
			return true
		}
	}
	return false
}

func codeOfNumber(n int) Code {
	if n > 0 && n < len(codes) {
		return codes[n]
	}
	return Unknown
}

// codeOfStatus serves answers whose body names no code: pages of proxies and front ends.
func codeOfStatus(status int) Code {
	switch status {
	case http.StatusUnauthorized:
		return Unauthenticated
	case http.StatusForbidden:
		return PermissionDenied
	case http.StatusNotFound:
		return NotFound
	case http.StatusConflict:
		return Aborted
	case http.StatusPreconditionFailed:
		return FailedPrecondition
	case http.StatusRequestedRangeNotSatisfiable:
		return OutOfRange
	case http.StatusTooManyRequests:
		return ResourceExhausted
	case 499:
		return Cancelled
	case http.StatusNotImplemented:
		return Unimplemented
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return Unavailable
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return DeadlineExceeded
	}
	switch {
	case status >= 400 && status < 500:
		return InvalidArgument
	case status >= 500 && status < 600:
		return Internal
	}
	return Unknown
}

// An Error is how a call, or an operation that a call began, failed. Every method of a Client returns its errors
// as *Error, but for UnreachableError and ErrNotDone.
//
//	if e, ok := errors.AsType[*memorystore.Error](err); ok && e.Ambiguous { ... }
type Error struct {
	Call       string           // GetInstance
	Name       string           // projects/...
	HTTPStatus int              // 0: no answer, or an operation that failed
	Code       Code             // from the body, else from the HTTP status; empty: no answer
	Message    string           // the service's sentence, its internal second line and HTML removed
	Reason     string           // google.rpc.ErrorInfo reason
	Violations []FieldViolation // google.rpc.BadRequest
	RetryAfter time.Duration    // what the last answer asked to wait; 0: nothing
	Attempts   []Attempt        // all of them; empty: nothing was sent
	Elapsed    time.Duration    // from the start of the first attempt to the end of the call
	Ambiguous  bool             // the change may have been made
	Operation  string           // full name of the operation this was about, if any

	stop     string  // why there is no further attempt, where that needs saying
	causes   []error // what errors.Is and errors.As find beside Code
	envelope bool    // the answer's body was Google's JSON
	doubt    bool    // the request may have been carried out
	lost     bool    // a connection was lost, or the attempt timed out
}

// A FieldViolation says what is wrong with a field of a request. The service spells fields in snake_case,
// instance.reserved_ip_range.
type FieldViolation struct{ Field, Description string }

// Error returns one line that says who failed, on what, how, in the service's words, and how often it was tried:
//
//	memorystore: GetInstance projects/p/locations/l/instances/i: 503 UNAVAILABLE: text (9 attempts in 2m40s)
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("memorystore: " + e.Call)
	if e.Name != "" {
		b.WriteString(" " + oneLine(e.Name, 500))
	}
	b.WriteString(": ")
	switch {
	case e.HTTPStatus != 0:
		fmt.Fprintf(&b, "%d %s: ", e.HTTPStatus, e.Code)
	case e.Code != "":
		b.WriteString(string(e.Code) + ": ")
	}
	var more string
	if len(e.Attempts) > 1 {
		more = fmt.Sprintf(" (%d attempts in %s)", len(e.Attempts), short(e.Elapsed))
	}
	if e.stop != "" {
		more += "; " + e.stop
	}
	if e.Ambiguous {
		more += "; the change may have been made"
	}
	if more == "" {
		return b.String() + e.Message
	}
	return b.String() + strings.TrimSuffix(e.Message, ".") + more
}

// Unwrap returns what applies of: the Code, a *googleapi.Error with the answer's body, the error of the connection,
// the context's error, ErrRetryBudget, ErrAttemptTimeout.
func (e *Error) Unwrap() []error {
	if e.Code == "" {
		return e.causes
	}
	return append([]error{e.Code}, e.causes...)
}

// LogValue returns a group with the fields that are set. It holds no body and no secret.
func (e *Error) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("call", e.Call), slog.String("name", e.Name)}
	add := func(set bool, a slog.Attr) {
		if set {
			attrs = append(attrs, a)
		}
	}
	add(e.HTTPStatus != 0, slog.Int("status", e.HTTPStatus))
	add(e.Code != "", slog.String("code", string(e.Code)))
	add(e.Reason != "", slog.String("reason", e.Reason))
	add(true, slog.String("message", e.Message))
	add(e.stop != "", slog.String("stop", e.stop))
	add(len(e.Attempts) > 0, slog.Int("attempts", len(e.Attempts)))
	add(len(e.Attempts) > 0, slog.String("statuses", statuses(e.Attempts)))
	add(e.Elapsed > 0, slog.Duration("elapsed", e.Elapsed))
	add(e.RetryAfter > 0, slog.Duration("retry_after", e.RetryAfter))
	add(e.Ambiguous, slog.Bool("ambiguous", true))
	add(e.Operation != "", slog.String("operation", e.Operation))
	return slog.GroupValue(attrs...)
}

// because adds why a call ended to the error that it ends with.
func (e *Error) because(stop string, causes ...error) *Error {
	e.stop = stop
	e.causes = append(e.causes, causes...)
	return e
}

func statuses(attempts []Attempt) string {
	words := make([]string, len(attempts))
	for i, a := range attempts {
		words[i] = strconv.Itoa(a.Status)
	}
	return strings.Join(words, " ")
}

// short prints a duration with no more digits than a reader wants.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// An UnreachableError is the last item of a list that is not whole, because the service could not ask every region.
type UnreachableError struct {
	Locations []string // ids (europe-west1), each once
}

func (e *UnreachableError) Error() string {
	return "memorystore: the list is not whole: unreachable locations: " + oneLine(strings.Join(e.Locations, ", "), 2000)
}

// supportPage is where Google says what a support case needs.
const supportPage = "https://cloud.google.com/memorystore/docs/redis/getting-support"

// newError returns the failure of a call before it was sent, or for a reason that no server gave.
func newError(c *call, code Code, message string, causes ...error) *Error {
	return &Error{Call: c.name, Name: c.resource, Code: code, Message: message, causes: causes}
}

// missed returns the failure of an attempt without an answer that can be used; status is 0 or that of an answer
// that could not be read.
func missed(c *call, status int, m *miss) *Error {
	e := &Error{Call: c.name, Name: c.resource, HTTPStatus: status, Message: oneLine(m.text, 500), doubt: m.doubt, lost: m.lost}
	if status != 0 {
		e.Code = codeOfStatus(status)
	}
	if m.err != nil {
		e.causes = []error{m.err}
	}
	return e
}

// refusal turns an answer other than 2xx into words.
func refusal(c *call, a *answer) *Error {
	e := &Error{Call: c.name, Name: c.resource, HTTPStatus: a.status, Code: codeOfStatus(a.status), doubt: a.status >= 500 && a.status <= 599}
	e.causes = []error{googleapi.CheckResponseWithBody(&http.Response{StatusCode: a.status, Header: a.header}, a.body)}
	var body struct {
		Error *statusJSON `json:"error"`
	}
	text := a.body
	if len(text) > 1 && text[0] == '[' { // some front ends answer with a list of one
		text = text[1 : len(text)-1]
	}
	if json.Unmarshal(text, &body, wireOptions) == nil && body.Error != nil {
		e.envelope = true
		e.fill(body.Error)
		return e
	}
	e.Message = bodyText(a)
	if a.status >= 300 && a.status < 400 {
		e.Message = "the answer is a redirect, which is not followed"
	}
	return e
}

// fill takes over what a google.rpc.Status says.
func (e *Error) fill(s *statusJSON) {
	if knownCode(s.Status) {
		e.Code = Code(s.Status)
	}
	e.Message = sentence(s.Message)
	if e.Message == "" {
		e.Message = "the service gave no message"
	}
	for _, raw := range s.Details {
		var d detailJSON
		if json.Unmarshal(raw, &d, wireOptions) != nil {
			continue
		}
		switch d.Type[strings.LastIndexByte(d.Type, '/')+1:] {
		case "google.rpc.ErrorInfo":
			e.Reason = oneLine(d.Reason, 100)
		case "google.rpc.BadRequest":
			for _, v := range d.FieldViolations {
				e.Violations = append(e.Violations, FieldViolation(v))
			}
		case "google.rpc.RetryInfo":
			if delay, ok := parseSeconds(d.RetryDelay); ok {
				e.RetryAfter = min(delay, hintLimit)
			}
		}
	}
}

// hintLimit is where a server's hint of when to come back saturates: far beyond any wait, with room to add to.
const hintLimit = 100 * 365 * 24 * time.Hour

const statusException = "com.google.apps.framework.request.StatusException: "

var generic = regexp.MustCompile(`^<eye3 title='[^']*'/> generic::[A-Z_]+: `)

// sentence returns what is meant for people of a message of the Redis backend, which comes as TEXT, as
// TEXT\nStatusException: <eye3 .../> generic::CODE: TEXT, or as the second line alone.
func sentence(message string) string {
	if text, ok := strings.CutPrefix(message, statusException); ok {
		message = generic.ReplaceAllString(text, "")
	} else if i := strings.Index(message, "\n"+statusException); i >= 0 {
		message = message[:i]
	}
	return oneLine(message, 1000)
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// bodyText says what there is to say of a body that is not Google's JSON: the title of a page. Anything else may hold
// what nobody should see; it is in the *googleapi.Error for those who look there.
func bodyText(a *answer) string {
	text := string(a.body[:min(len(a.body), 64<<10)])
	if strings.HasPrefix(strings.TrimSpace(text), "<") || strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		if found := title.FindStringSubmatch(text); found != nil {
			if text = oneLine(html.UnescapeString(found[1]), 200); text != "" {
				return text
			}
		}
	}
	if text = http.StatusText(a.status); text != "" {
		return text
	}
	return "no text"
}

// oneLine makes a text fit for one line of a log: white space folded, nothing unprintable, at most n characters.
func oneLine(text string, n int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}

// vanished reports whether a failure is the service's word that a resource is not there. A page of a front end with
// the same status says nothing of the resource.
func vanished(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.HTTPStatus == http.StatusNotFound && e.envelope
}

// overdue is the miss of an attempt whose context ended.
func overdue(ctx context.Context, doubt bool) *miss {
	if errors.Is(context.Cause(ctx), ErrAttemptTimeout) {
		return &miss{text: "the attempt took longer than its timeout", err: ErrAttemptTimeout, doubt: doubt, lost: true}
	}
	return &miss{text: ctx.Err().Error(), doubt: doubt}
}

// disconnected is the miss of an attempt whose connection failed. An error that a transport of the caller's made may
// quote anything, a token server's answer too; only what is known to be of the connection is shown whole.
func disconnected(err error, doubt, builtin bool) *miss {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // without the URL, which the error names already
	}
	m := &miss{text: "no answer: " + err.Error(), err: err, doubt: doubt, lost: !hopeless(err)}
	if !builtin && !ofConnection(err) {
		m.text = "no answer: " + safeText(err)
	}
	return m
}

func ofConnection(err error) bool {
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || hopeless(err)
}

// hopeless reports whether a connection fails for a reason that another try meets again.
func hopeless(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsNotFound
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	for _, target := range []any{new(x509.UnknownAuthorityError), new(x509.HostnameError), new(x509.CertificateInvalidError), new(tls.RecordHeaderError), new(*net.AddrError)} {
		if errors.As(err, target) {
			return true
		}
	}
	return errors.Is(err, http.ErrSchemeMismatch) || strings.Contains(err.Error(), "unsupported protocol scheme")
}

// isTokenError reports whether an error is that of a token server: as oauth2 has it, or as that of an HTTP client below
// the one that was asked.
func isTokenError(err error) bool {
	if _, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return true
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		_, nested := errors.AsType[*url.Error](outer.Err)
		return nested
	}
	return false
}

// credentialText says in one line why a credential could not be had.
func credentialText(err error) string {
	if retrieve, ok := errors.AsType[*oauth2.RetrieveError](err); ok && retrieve.Response != nil {
		return oneLine(fmt.Sprintf("no credential: the token server answered %d %s", retrieve.Response.StatusCode, retrieve.ErrorCode), 200)
	}
	return "no credential: " + safeText(err)
}

// safeText returns the text of an error up to where it may quote a token server's answer, which may hold what was
// sent to it.
func safeText(err error) string {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	if i := strings.IndexAny(text, "`{<"); i >= 0 {
		text = text[:i]
	}
	return oneLine(text, 200)
}
