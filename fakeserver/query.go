package fakeserver

import (
	"net/url"
	"slices"
	"strings"
)

// systemParameters are understood by every method.
var systemParameters = []string{"alt", "$alt", "prettyPrint", "$.xgafv", "fields", "key", "access_token", "oauth_token",
	"callback", "quotaUser", "uploadType", "upload_protocol", "$prettyPrint", "$fields", "$key", "$callback", "$userProject", "$apiKey"}

// A query is a request's parameters in order.
type query []pair

// parseQuery splits at & only: the $alt parameter's value may hold a semicolon.
func parseQuery(raw string) query {
	var q query
	for raw != "" {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		if part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, "=")
		q = append(q, pair{unescape(key), unescape(value)})
	}
	return q
}

func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	u, err := url.QueryUnescape(s)
	if err != nil {
		return s
	}
	return u
}

// get returns a parameter by its camelCase name; either spelling may have been sent, and the last one counts.
func (q query) get(name string) string {
	value := ""
	for _, p := range q {
		if p.key == name || len(p.key) > len(name) && p.key == snakeCase(name) {
			value = p.value
		}
	}
	return value
}

// unknown returns the parameters that neither the method nor the front end knows.
func (q query) unknown(r *route) []string {
	var bad []string
	for _, p := range q {
		if slices.Contains(systemParameters, p.key) || slices.Contains(r.query, p.key) || r.hasSnake(p.key) {
			continue
		}
		bad = append(bad, p.key)
	}
	return bad
}

func (r *route) hasSnake(key string) bool {
	for _, q := range r.query {
		if len(key) > len(q) && snakeCase(q) == key {
			return true
		}
	}
	return false
}
