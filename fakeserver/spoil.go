package fakeserver

import (
	"encoding/json"
	"net/http"
)

// standing are the sentences of the service's own failures.
var standing = map[int]*text{500: textInternal, 503: textUnavailable, 504: textDeadline, 429: textRateQuota, 401: textCredentials}

// answer is the one that a fault gives in place of the usual one.
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
