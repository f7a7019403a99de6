package fakeserver

import "net/http"

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
