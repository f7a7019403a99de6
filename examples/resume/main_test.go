package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := run(t.Context(), &out, nil); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"first process:  stops waiting after 1 s",
			"second process: update of cache, done: false",
			"second process: update of cache, done: true",
			"second process: the instance is READY and has 2 GB",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the output lacks %q:\n%s", want, &out)
			}
		}
	})
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
