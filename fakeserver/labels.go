package fakeserver

import (
	"unicode"
	"unicode/utf8"
)

var (
	textLabel = define(text{key: "label", code: codeInvalidArgument,
		message: "The request was invalid: resource labels are invalid: %[1]s", field: "instance.labels", description: "Invalid value: %[2]s", basis: guessed("error catalogue of Firebase App Hosting, a sibling; the bounds are Google Cloud's general ones")})
)

func checkLabels(c *change) *problem {
	labels := c.after.mapping(fLabels)
	if len(labels) > 64 {
		return textLabel.because("at most 64 labels are allowed", decimal(len(labels)))
	}
	for _, e := range labels {
		first, _ := utf8.DecodeRuneInString(e.key)
		if !labelText(e.key) || !unicode.In(first, unicode.Ll, unicode.Lo) {
			return textLabel.because("invalid key", e.key)
		}
		if !labelText(e.value) {
			return textLabel.because("invalid value", e.value)
		}
	}
	return nil
}

func labelText(s string) bool {
	n := 0
	for _, r := range s {
		n++
		if r != '_' && r != '-' && !unicode.In(r, unicode.Ll, unicode.Lo, unicode.N) {
			return false
		}
	}
	return n <= 63
}
