package fakeserver

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// A TokenPolicy says who may do what. The zero value, and no policy at all, let anyone do anything, with or without
// a token.
type TokenPolicy struct {
	// Tokens are the bearer tokens that are known, each with the permissions it has, such as "redis.instances.get",
	// "redis.instances.*" or "*". With any entry here, a request without one of these tokens is answered 401.
	Tokens map[string][]string
	// Deny are permissions that nobody has; a method that needs one is answered 403.
	Deny []string
	// DenyAll answers every request 401.
	DenyAll bool
}

// updateAuth is needed by an update of authEnabled besides the method's own permission.
const updateAuth = "redis.instances.updateAuth"

// permissions are all that any request needs.
func permissions() []string {
	all := []string{updateAuth}
	for _, r := range routes {
		all = append(all, r.permission)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Check says what is wrong with a policy: a permission that no request needs, which so could neither let anyone in nor
// keep anyone out, or a token that no request can carry.
func (p TokenPolicy) Check() error {
	for _, token := range slices.Sorted(maps.Keys(p.Tokens)) {
		if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return fmt.Errorf("token %q: no request can carry it: want visible ASCII characters", token)
		}
		if err := checkPermissions(p.Tokens[token]); err != nil {
			return fmt.Errorf("token %q: %w", token, err)
		}
	}
	if err := checkPermissions(p.Deny); err != nil {
		return fmt.Errorf("deny: %w", err)
	}
	return nil
}

func checkPermissions(list []string) error {
	all := permissions()
	for _, p := range list {
		if !slices.ContainsFunc(all, func(one string) bool { return allows([]string{p}, one) }) {
			return fmt.Errorf("no permission %q; there are %s, and patterns such as redis.instances.* and *", p, strings.Join(all, ", "))
		}
	}
	return nil
}

// refuse says why a request may not go on, or nil.
func (p *TokenPolicy) refuse(r *route, resource string, h http.Header, q query) *problem {
	if p == nil {
		return nil
	}
	token, given := bearer(h, q)
	granted, known := p.Tokens[token]
	switch {
	case !given && (p.DenyAll || len(p.Tokens) > 0):
		q := textNoCredentials.because().with(errorInfo("CREDENTIALS_MISSING", "googleapis.com", "service", "redis.googleapis.com", "method", r.rpc))
		q.challenge = `Bearer realm="https://accounts.google.com/"`
		return q
	case p.DenyAll || len(p.Tokens) > 0 && !known:
		q := textCredentials.because().with(errorInfo("ACCESS_TOKEN_TYPE_UNSUPPORTED", "googleapis.com", "service", "redis.googleapis.com", "method", r.rpc))
		q.challenge = `Bearer realm="https://accounts.google.com/", error="invalid_token"`
		return q
	case allows(p.Deny, r.permission), len(p.Tokens) > 0 && !allows(granted, r.permission):
		return denied(r.permission, resource)
	}
	return nil
}

// refuseToo checks one more permission than the method's own.
func (p *TokenPolicy) refuseToo(permission, resource string, h http.Header, q query) *problem {
	if p == nil {
		return nil
	}
	token, _ := bearer(h, q)
	if allows(p.Deny, permission) || len(p.Tokens) > 0 && !allows(p.Tokens[token], permission) {
		return denied(permission, resource)
	}
	return nil
}

func denied(permission, resource string) *problem {
	return textPermission.because(permission, resource).
		with(errorInfo("IAM_PERMISSION_DENIED", "iam.googleapis.com", "permission", permission, "resource", resource))
}

// bearer is the credential of a request: the header's, or without one that of a query parameter.
func bearer(h http.Header, q query) (string, bool) {
	given := h.Get("Authorization")
	if given == "" {
		for _, name := range []string{"access_token", "oauth_token"} {
			if token := q.get(name); token != "" {
				return token, true
			}
		}
	}
	scheme, token, ok := strings.Cut(given, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}

// allows tells whether a list of permissions covers one.
func allows(granted []string, permission string) bool {
	for _, g := range granted {
		if prefix, ok := strings.CutSuffix(g, "*"); g == permission || ok && strings.HasPrefix(permission, prefix) {
			return true
		}
	}
	return false
}

func errorInfo(reason, domain string, metadata ...string) *message {
	return build(errorInfoType, "reason", reason, "domain", domain, "metadata", pairs(metadata...))
}

// serviceDisabled is the refusal of a project that never switched the API on.
func serviceDisabled(project string) *problem {
	number := projectNumber(project)
	const title = "Google Cloud Memorystore for Redis API"
	link := "https://console.developers.google.com/apis/api/redis.googleapis.com/overview?project=" + number
	p := textServiceDisabled.because(number)
	return p.with(errorInfo("SERVICE_DISABLED", "googleapis.com", "service", "redis.googleapis.com", "serviceTitle", title,
		"consumer", "projects/"+number, "containerInfo", number, "activationUrl", link)).
		with(build(localizedType, "locale", "en-US", "message", p.message)).
		with(build(helpType, "links", []*message{build(linkType, "description", "Google developers console API activation", "url", link)}))
}
