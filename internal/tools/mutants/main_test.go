package main

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	m, err := parse([]byte("The rule\nin two lines.\n\nfile: retry.go\nrun: ^TestX$\n-- old --\n\tone\n-- new --\n\ttwo\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := mutant{rule: "The rule in two lines.", file: "retry.go", run: "^TestX$", oldText: "\tone\n", newer: "\ttwo\n"}
	if m != want {
		t.Errorf("got %+v, want %+v", m, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no rule":    "file: a.go\nrun: .\n-- old --\na\n-- new --\nb\n",
		"no file":    "R\nrun: .\n-- old --\na\n-- new --\nb\n",
		"no run":     "R\nfile: a.go\n-- old --\na\n-- new --\nb\n",
		"no new":     "R\nfile: a.go\nrun: .\n-- old --\na\n",
		"empty old":  "R\nfile: a.go\nrun: .\n-- old --\n-- new --\nb\n",
		"no change":  "R\nfile: a.go\nrun: .\n-- old --\na\n-- new --\na\n",
		"more files": "R\nfile: a.go\nrun: .\n-- old --\na\n-- new --\nb\n-- other --\n",
	} {
		if m, err := parse([]byte(text)); err == nil {
			t.Errorf("%s: taken as %+v", name, m)
		}
	}
}

// TestVerdicts runs mutants of testdata/subject: one that its tests notice, and every way to fail.
func TestVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	r := runner{work: t.TempDir(), timeout: 1e9}
	subject := func(old, newer string) mutant {
		return mutant{file: "testdata/subject/subject.go", run: "^TestDouble$", oldText: old, newer: newer}
	}
	good := subject("2 * n", "3 * n")
	if err := r.baseline([]mutant{good}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		mutant
		by, want string
	}{
		"noticed":       {good, "TestDouble", ""},
		"hangs":         {subject("return 2 * n", "for {\n}"), "panic: test timed out after 1s", ""},
		"unnoticed":     {subject("return 2 * n", "return n + n"), "", "no test of ^TestDouble$ fails"},
		"no text":       {subject("4 * n", "3 * n"), "", "occurs 0 times"},
		"text twice":    {subject("n", "m"), "", "must occur once"},
		"no compile":    {subject("2 * n", "2 * m"), "", "does not compile"},
		"a missing one": {mutant{file: "testdata/subject/none.go", run: ".", oldText: "a", newer: "b"}, "", "no such file"},
	} {
		by, err := r.one(0, c.mutant)
		switch {
		case c.want == "" && (err != nil || by != c.by):
			t.Errorf("%s: noticed by %q, %v", name, by, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	for run, want := range map[string]string{"^TestNone$": "there is no test", "^TestFails$": "fails without it"} {
		m := good
		m.run = run
		if err := r.baseline([]mutant{m}); err != nil {
			t.Fatal(err)
		}
		if by, err := r.one(0, m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: noticed by %q, %v", run, by, err)
		}
	}
}
