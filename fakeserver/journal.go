package fakeserver

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// An Exchange is one request and its answer as the journal keeps them. Credentials and AUTH strings are taken out.
type Exchange struct {
	Number int       // from 1, in the order of arrival
	Time   time.Time // of arrival, by the server's clock

	Method     string // Google's id, such as "instances.get"; empty when no method answers the path
	Target     string // the resource, as a Fault's Target names it
	HTTPMethod string
	Path       string
	Query      string
	Header     http.Header
	Body       string

	Status         int // of the answer; 0 when none was sent
	ResponseHeader http.Header
	Response       string
	Fault          *Fault // that spoilt it
	Acted          bool   // the request changed something
}

// An entry is an Exchange in the making. What only Journal needs is worked out when it is asked for: a test that
// sends a hundred thousand requests asks once.
type entry struct {
	Exchange
	header   []headerLine // of the request
	request  []byte
	answer   *answer
	answered time.Time
}

type headerLine struct {
	key    string
	values []string
}

// linesOf copies a header, whose owner may change it later.
func linesOf(h http.Header) []headerLine {
	lines := make([]headerLine, 0, len(h))
	values := make([]string, 0, len(h)+2)
	for k, v := range h {
		from := len(values)
		values = append(values, v...)
		lines = append(lines, headerLine{k, values[from:len(values):len(values)]})
	}
	return lines
}

// A journal keeps a server's exchanges.
type journal struct {
	mu      sync.Mutex
	limit   int // 0: none
	noDate  bool
	entries []*entry
	count   int
}

// open notes a request on its arrival.
func (j *journal) open(e *entry) {
	if j.limit < 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.count++
	e.Number = j.count
	if j.limit > 0 && len(j.entries) >= 2*j.limit {
		j.entries = append([]*entry(nil), j.entries[len(j.entries)-j.limit+1:]...)
	}
	j.entries = append(j.entries, e)
}

// close notes its answer.
func (j *journal) close(e *entry, a *answer, now time.Time) {
	if j.limit < 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e.answer, e.answered = a, now
}

// noted records what became of the request before it is answered.
func (j *journal) noted(e *entry, f *Fault, acted bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.Fault, e.Acted = f, e.Acted || acted
}

// copy is what the journal says now.
func (j *journal) copy() []Exchange {
	j.mu.Lock()
	defer j.mu.Unlock()
	entries := j.entries
	if j.limit > 0 && len(entries) > j.limit {
		entries = entries[len(entries)-j.limit:]
	}
	all := make([]Exchange, len(entries))
	for i, e := range entries {
		x := e.Exchange
		x.Header = redactHeader(e.header)
		x.Query = redactQuery(x.Query)
		x.Body = string(e.request)
		if e.answer != nil && e.answer.cut != cutReset {
			x.Status = e.answer.status
			x.ResponseHeader = e.answer.headers(e.answered, !j.noDate)
			x.Response = redactAuth(x.Method, e.answer.body)
		}
		all[i] = x
	}
	return all
}

const redacted = "REDACTED"

// secretHeaders carry credentials.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Goog-Api-Key", "X-Goog-Iam-Authorization-Token"}

// redactHeader makes a header without credentials.
func redactHeader(lines []headerLine) http.Header {
	h := make(http.Header, len(lines))
	for _, l := range lines {
		h[l.key] = slices.Clone(l.values)
		if slices.Contains(secretHeaders, http.CanonicalHeaderKey(l.key)) {
			h[l.key] = []string{redacted}
		}
	}
	return h
}

// redactQuery takes the values of the parameters that carry credentials out.
func redactQuery(raw string) string {
	if !strings.Contains(raw, "token") && !strings.Contains(raw, "key") && !strings.Contains(raw, "Key") && !strings.Contains(raw, "%") {
		return raw
	}
	parts := strings.Split(raw, "&")
	for i, p := range parts {
		key, _, _ := strings.Cut(p, "=")
		switch unescape(key) {
		case "access_token", "oauth_token", "key", "$key", "$apiKey":
			parts[i] = key + "=" + redacted
		}
	}
	return strings.Join(parts, "&")
}

// redactAuth takes the AUTH string out of an answer that has one.
func redactAuth(method string, body []byte) string {
	if method != "instances.getAuthString" {
		return string(body)
	}
	const key = `"authString"`
	i := bytes.Index(body, []byte(key))
	if i < 0 {
		return string(body)
	}
	start := i + len(key) + bytes.IndexByte(body[i+len(key):], '"') + 1
	end := bytes.IndexByte(body[start:], '"')
	if end < 0 {
		end = len(body) - start
	}
	return string(body[:start]) + redacted + string(body[start+end:])
}
