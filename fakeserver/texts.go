package fakeserver

import (
	"fmt"
)

// A form is how a message is put together from its text.
type form uint8

const (
	plain   form = iota // the sentence, as the front end says it
	backend             // the sentence, then Redis's own second line with the sentence again
	tail                // the second line alone
)

// A text is one sentence the service may answer with.
type text struct {
	key         string
	code        *code
	form        form
	message     string // a fmt format
	field       string // of the violation, a fmt format; empty and no description: no violation
	description string // of the violation, a fmt format
	basis
}

// texts holds every text, in the order of declaration.
var texts []*text

func define(t text) *text {
	texts = append(texts, &t)
	return &t
}

// A problem is one refusal: what the answer says and why.
type problem struct {
	text      *text
	code      *code
	message   string
	details   []any // *message, or node
	challenge string
	after     string // Retry-After
	html      bool   // the front end's page instead of an envelope
}

// because makes the refusal a text stands for.
func (t *text) because(args ...any) *problem {
	sentence := format(t.message, args)
	p := &problem{text: t, code: t.code, message: sentence}
	second := "com.google.apps.framework.request.StatusException: <eye3 title='" + t.code.name + "'/> generic::" + t.code.name + ": " + sentence
	switch t.form {
	case backend:
		p.message = sentence + "\n" + second
	case tail:
		p.message = second
	}
	if t.field != "" || t.description != "" {
		p.violation(format(t.field, args), format(t.description, args))
	}
	return p
}

// format is Sprintf that lets a text leave later arguments unused.
func format(f string, args []any) string {
	if len(args) == 0 {
		return f
	}
	used := 0
	for i := 0; i < len(f); i++ {
		if f[i] == '%' {
			if i+1 < len(f) && f[i+1] == '[' {
				return fmt.Sprintf(f, args...) // indexed: the text picks what it needs
			}
			used++
		}
	}
	return fmt.Sprintf(f, args[:min(used, len(args))]...)
}

// violation adds one field to the BadRequest detail.
func (p *problem) violation(fieldPath, description string) *problem {
	v := build(violationType, "field", fieldPath, "description", description)
	for i, d := range p.details {
		if m, ok := d.(*message); ok && m.typ == badRequestType {
			more := m.clone()
			more.set(badRequestType.field("fieldViolations"), append(m.list(badRequestType.field("fieldViolations")), v))
			p.details[i] = more
			return p
		}
	}
	return p.with(build(badRequestType, "fieldViolations", []*message{v}))
}

func (p *problem) with(detail any) *problem {
	p.details = append(p.details, detail)
	return p
}

// about adds the ResourceInfo that the front end's 404 and 409 carry.
func (p *problem) about(resource string) *problem {
	return p.with(build(resourceInfoType, "resourceName", resource))
}

// The front end's texts.
var (
	textNotFound = define(text{key: "resource-not-found", code: codeNotFound,
		message: "Resource '%s' was not found", basis: recorded(kccLog)})
	textExists = define(text{key: "resource-exists", code: codeAlreadyExists,
		message: "Resource '%s' already exists", basis: recorded("crossplane provider-jet-gcp#43")})
	textLocation = define(text{key: "location-denied", code: codePermissionDenied,
		message: "Location %s is not found or access is unauthorized.", basis: recorded("pulumi-google-native#292, terraform-provider-google#3690")})
	textUnknownParameter = define(text{key: "unknown-parameter", code: codeInvalidArgument,
		message:     `Invalid JSON payload received. Unknown name "%[1]s": Cannot bind query parameter. Field '%[1]s' could not be found in request message.`,
		description: `Invalid JSON payload received. Unknown name "%[1]s": Cannot bind query parameter. Field '%[1]s' could not be found in request message.`,
		basis:       guessed(frontEnd)})
	textBadParameter = define(text{key: "bad-parameter", code: codeInvalidArgument,
		message: `Invalid value at '%[1]s' (%[2]s), "%[3]s"`, field: "%[1]s", description: `Invalid value at '%[1]s' (%[2]s), "%[3]s"`, basis: guessed(frontEnd)})
	textUnknownMember = define(text{key: "unknown-member", code: codeInvalidArgument,
		message: "%s", basis: guessed(frontEnd)})
	textBadJSON = define(text{key: "bad-json", code: codeInvalidArgument,
		message: "Invalid JSON payload received. %s", description: "Invalid JSON payload received. %s", basis: guessed(frontEnd)})
	textTooLarge = define(text{key: "request-too-large", code: codeInvalidArgument,
		message: "Request payload size exceeds the limit: 10485760 bytes.", basis: guessed(frontEnd)})
	textPageSize = define(text{key: "page-size", code: codeInvalidArgument,
		message: "Invalid argument: 'page_size'", basis: guessed("error catalogue of Firebase App Hosting, a sibling")})
	textPageToken = define(text{key: "page-token", code: codeInvalidArgument,
		message: "The request was invalid: invalid page token", basis: guessed("error catalogue of Firebase App Hosting, a sibling")})
	textFilter = define(text{key: "list-filter", code: codeInvalidArgument,
		message: "The request was invalid: invalid list filter", basis: guessed("error catalogue of Firebase App Hosting, a sibling")})
	textFields = define(text{key: "fields-selector", code: codeInvalidArgument,
		message: "Request contains an invalid argument.", field: "fields",
		description: "Error expanding 'fields' parameter. Cannot find matching fields for path '%s'.", basis: guessed(frontEnd)})
	textAlt = define(text{key: "alt-unsupported", code: codeUnimplemented,
		message: "The fake server answers in JSON only, not alt=%s.", basis: guessed("a limit of the fake, not of the service")})
	textPartialSuccess = define(text{key: "partial-success", code: codeUnimplemented,
		message: "return_partial_success is not supported.", basis: guessed("discovery says UNIMPLEMENTED; the sentence is chosen")})
	textUnavailable = define(text{key: "unavailable", code: codeUnavailable,
		message: "The service is currently unavailable.", basis: guessed(frontEnd)})
	textInternal = define(text{key: "internal", code: codeInternal,
		message: "Internal error encountered.", basis: guessed(frontEnd)})
	textDeadline = define(text{key: "deadline", code: codeDeadlineExceeded,
		message: "Deadline expired before operation could complete.", basis: guessed(frontEnd)})
	textCredentials = define(text{key: "invalid-credentials", code: codeUnauthenticated,
		message: "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
		basis:   recorded("sibling services on the same front end")})
	textNoCredentials = define(text{key: "missing-credentials", code: codeUnauthenticated,
		message: "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
		basis:   recorded("sibling services on the same front end")})
	textPermission = define(text{key: "permission-denied", code: codePermissionDenied,
		message: "Permission '%s' denied on '%s'", basis: recorded("reports about redis; the detail from sibling services")})
	textServiceDisabled = define(text{key: "service-disabled", code: codePermissionDenied,
		message: "Google Cloud Memorystore for Redis API has not been used in project %[1]s before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/redis.googleapis.com/overview?project=%[1]s then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.",
		basis:   recorded("terraform-google-memorystore#3; the details from sibling services")})
	textRateQuota = define(text{key: "rate-quota", code: codeResourceExhausted,
		message: "Quota exceeded for quota metric '%s' and limit '%s' of service 'redis.googleapis.com' for consumer 'project_number:%s'.",
		basis:   guessed("sibling services on the same front end, with other metrics")})
	textStrict = define(text{key: "strict", code: codeUnimplemented,
		message: "fakeserver: WithStrict: how the service answers here is a guess (%s).", basis: guessed("a refusal of the fake, not of the service")})
)
