package fakeserver

import (
	"encoding/json"
	"net/http"
	"time"
)

// An answer is what goes back, before it is known over what.
type answer struct {
	status int
	body   []byte
	html   bool
	header http.Header // besides the front end's own
	cut    cut
}

// A cut is how an answer is kept from arriving.
type cut uint8

const (
	uncut cut = iota
	cutReset
	cutHalf
)

var (
	jsonType    = []string{"application/json; charset=UTF-8"}
	htmlType    = []string{"text/html; charset=UTF-8"}
	varyBy      = []string{"Origin", "X-Origin", "Referer"}
	serverName  = []string{"ESF"}
	xssOff      = []string{"0"}
	sameOrigin  = []string{"SAMEORIGIN"}
	noSniff     = []string{"nosniff"}
	altSvc      = []string{`h3=":443"; ma=2592000,h3-29=":443"; ma=2592000`}
	noReferrer  = []string{"no-referrer"}
	headerTexts = recorded(c7nLog) // that successes and JSON errors carry just these
)

// headers are the answer's own and the front end's. There is never an ETag, a Location or a request id.
func (a *answer) headers(now time.Time, withDate bool) http.Header {
	h := make(http.Header, 12)
	if withDate {
		h["Date"] = []string{now.UTC().Format(http.TimeFormat)}
	} else {
		h["Date"] = nil // keeps net/http from adding its own
	}
	h["Alt-Svc"] = altSvc
	if a.html {
		h["Content-Type"] = htmlType
		h["Referrer-Policy"] = noReferrer
	} else {
		h["Content-Type"] = jsonType
		h["Vary"] = varyBy
		h["Server"] = serverName
		h["X-Xss-Protection"] = xssOff
		h["X-Frame-Options"] = sameOrigin
		h["X-Content-Type-Options"] = noSniff
	}
	for k, v := range a.header {
		h[k] = v
	}
	return h
}

// refusal is the answer that a problem becomes.
func (p *problem) refusal(s style, legacy bool) *answer {
	if p.html {
		return page(p.code.http)
	}
	a := &answer{status: p.code.http, body: envelope(p.code.http, p.code.name, p.message, p.details, s, legacy)}
	if p.challenge != "" {
		a.header = http.Header{"Www-Authenticate": {p.challenge}}
	}
	if p.after != "" {
		a.header = http.Header{"Retry-After": {p.after}}
	}
	return a
}

// envelopeType is Google's error envelope.
var (
	errorType = newMessage("google.rpc.Envelope.Error",
		field{json: "code", kind: kindInt32}, field{json: "message"},
		field{json: "errors", kind: kindMessage, repeated: true, message: legacyErrorType},
		field{json: "status"}, field{json: "details", kind: kindAny, repeated: true})
	envelopeType    = newMessage("google.rpc.Envelope", field{json: "error", kind: kindMessage, message: errorType})
	legacyErrorType = newMessage("google.rpc.Envelope.LegacyError", field{json: "message"}, field{json: "domain"}, field{json: "reason"})
)

// legacyReasons are the words of the errors array that $.xgafv=1 adds.
var legacyReasons = map[int]string{400: "badRequest", 401: "authError", 403: "forbidden", 404: "notFound", 409: "alreadyExists",
	429: "rateLimitExceeded", 500: "backendError", 501: "notImplemented", 503: "backendError", 504: "backendError"}

// envelope prints an error the way Google does.
func envelope(status int, name, sentence string, details []any, s style, legacy bool) []byte {
	e := build(errorType, "code", int32(status), "message", sentence, "status", name)
	if len(details) > 0 {
		e.set(errorType.field("details"), details)
	}
	if legacy {
		e.set(errorType.field("errors"), []*message{build(legacyErrorType, "message", sentence, "domain", "global", "reason", legacyReasons[status])})
	}
	s.enumInt, s.fields, s.rotation = false, nil, 0
	return appendMessage(nil, build(envelopeType, "error", e), s)
}

// standing are the sentences of the service's own failures.
var standing = map[int]*text{500: textInternal, 503: textUnavailable, 504: textDeadline, 429: textRateQuota, 401: textCredentials}

// acted is the answer that a fault gives in place of the usual one.
func (f *Fault) answer(usual *answer, c *call, s style, legacy bool) *answer {
	a := &answer{status: f.Status}
	switch {
	case f.Reset:
		a.cut = cutReset
		return a
	case f.Garbage:
		a.body = []byte("\x1f\x00 this is not JSON {]")
		if a.status == 0 {
			a.status = http.StatusOK
		}
	case f.Status == 0: // Truncate alone
		a = &answer{status: usual.status, body: usual.body, header: usual.header, html: usual.html}
	case f.HTML:
		a = page(f.Status)
	case f.Body != "" || f.Status < 400:
		a.body = []byte(f.Body)
	default:
		a.body = f.envelope(c, s, legacy)
	}
	if f.Truncate {
		a.cut = cutHalf
	}
	if len(f.Header) > 0 || f.RetryAfter != "" {
		h := f.Header.Clone()
		if h == nil {
			h = http.Header{}
		}
		if f.RetryAfter != "" {
			h.Set("Retry-After", f.RetryAfter)
		}
		a.header = h
	}
	return a
}

func (f *Fault) envelope(c *call, s style, legacy bool) []byte {
	sentence := f.Message
	if sentence == "" {
		sentence = http.StatusText(f.Status)
		if t := standing[f.Status]; t == textRateQuota {
			sentence = t.because(requestRate.metric, requestRate.limit, projectNumber(c.project)).message
		} else if t != nil {
			sentence = t.message
		}
	}
	var details []any
	for _, d := range f.Details {
		b, err := json.Marshal(d)
		if err != nil {
			continue // Inject has checked it
		}
		if n, broken := parseJSON(string(b)); broken == nil {
			details = append(details, n)
		}
	}
	if f.RetryInfo > 0 {
		details = append(details, build(retryInfoType, "retryDelay", f.RetryInfo))
	}
	return envelope(f.Status, codeOfStatus(f.Status).name, sentence, details, s, legacy)
}
