package fakeserver

import (
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
	jsonType   = []string{"application/json; charset=UTF-8"}
	htmlType   = []string{"text/html; charset=UTF-8"}
	varyBy     = []string{"Origin", "X-Origin", "Referer"}
	serverName = []string{"ESF"}
	xssOff     = []string{"0"}
	sameOrigin = []string{"SAMEORIGIN"}
	noSniff    = []string{"nosniff"}
	altSvc     = []string{`h3=":443"; ma=2592000,h3-29=":443"; ma=2592000`}
	noReferrer = []string{"no-referrer"}
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

// chunked tells whether the answer is sent without its length, as the service's JSON is.
func (a *answer) chunked() bool { return !a.html && a.cut == uncut }
