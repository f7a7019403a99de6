package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, nil); err != nil {
		t.Fatal(err)
	}
	const want = `REGION       INSTANCE  TIER         GB  STATE
asia-east1   sessions  STANDARD_HA  16  READY
us-central1  cache     STANDARD_HA  5   READY
us-central1  queue     BASIC        1   READY

Not whole: europe-west1 did not answer. What is there is not shown.
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", &out, want)
	}
}

func TestArguments(t *testing.T) {
	for _, arg := range []string{"-h", "-help", "--help"} {
		var out bytes.Buffer
		if err := run(t.Context(), &out, []string{arg}); err != nil || strings.Count(out.String(), "\n") != 1 || !strings.HasPrefix(out.String(), "usage: ") {
			t.Errorf("%s: %v, printed %q", arg, err, &out)
		}
	}
	for _, arg := range []string{"-x", "--project=p", "demo", ""} {
		var out bytes.Buffer
		if err := run(t.Context(), &out, []string{arg}); !errors.Is(err, errUsage) || out.Len() > 0 {
			t.Errorf("%q: %v, printed %q", arg, err, &out)
		}
	}
}
