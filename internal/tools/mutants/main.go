// Mutants breaks the SDK's rules, one at a time, and fails unless its tests notice.
//
// A mutant is a file in testdata/mutants, in the format of golang.org/x/tools/txtar: the rule it breaks, in words,
// then where, then the old text, which must occur there exactly once, and the new.
//
//	The wait before retry n is 2^n s: it must double.
//
//	file: retry.go
//	run: ^TestExponentialBackoff
//	-- old --
//		return min(time.Second<<max(n, 0)+jitter(), maximum)
//	-- new --
//		return min(time.Second*time.Duration(n+1)+jitter(), maximum)
//
// run is the pattern of the tests that must fail. The package is that of file. Each mutant is compiled through an
// overlay, so that no file of the work tree changes, and its tests run with -test.short. One that does not compile,
// whose text is not found, or that no test notices, fails the run; so does one whose tests fail without it, or do not exist.
//
// Run it at the root of the repository:
//
//	go run ./internal/tools/mutants [-v] [NAME...]
//
// With names, only the mutants run whose file names contain one of them.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/txtar"
)

// A mutant is one way to break a rule.
type mutant struct {
	name, rule     string
	file, run      string
	oldText, newer string
}

// A verdict is what came of a mutant.
type verdict struct {
	mutant
	err  error  // nil: it was noticed
	by   string // the first test that failed
	took time.Duration
}

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "testdata/mutants", "the `folder` of the mutants")
	parallel := flag.Int("parallel", 2, "how many run at a time")
	timeout := flag.Duration("timeout", time.Minute, "how long the tests of one may take")
	verbose := flag.Bool("v", false, "print what the tests of an unnoticed mutant said")
	flag.Parse()

	start := time.Now()
	mutants, err := read(*dir, flag.Args())
	if err != nil {
		log.Fatal(err)
	}
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		log.Fatal(err)
	}
	r := runner{work: work, timeout: *timeout, verbose: *verbose}
	err = r.baseline(mutants)
	failed := 0
	if err == nil {
		failed = r.all(mutants, *parallel)
	}
	if rm := os.RemoveAll(work); err == nil {
		err = rm
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d mutants, %d noticed, %d not, in %s\n", len(mutants), len(mutants)-failed, failed, time.Since(start).Round(time.Second))
	if failed > 0 {
		os.Exit(1)
	}
}

// read returns the mutants in dir whose names contain one of some, or all.
func read(dir string, some []string) ([]mutant, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	var mutants []mutant
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		if len(some) > 0 && !slices.ContainsFunc(some, func(s string) bool { return strings.Contains(name, s) }) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		m, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		m.name = name
		mutants = append(mutants, m)
	}
	if len(mutants) == 0 {
		return nil, fmt.Errorf("there is no mutant in %s that %q names", dir, some)
	}
	return mutants, nil
}

func parse(text []byte) (mutant, error) {
	archive := txtar.Parse(text)
	var m mutant
	var rule []string
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		if value, ok := strings.CutPrefix(line, "file: "); ok {
			m.file = value
		} else if value, ok := strings.CutPrefix(line, "run: "); ok {
			m.run = value
		} else if line != "" {
			rule = append(rule, line)
		}
	}
	m.rule = strings.Join(rule, " ")
	if m.rule == "" || m.file == "" || m.run == "" {
		return m, errors.New("it must say which rule it breaks, and have lines that begin with file: and run: and a value")
	}
	if f := archive.Files; len(f) != 2 || f[0].Name != "old" || f[1].Name != "new" || len(f[0].Data) == 0 || bytes.Equal(f[0].Data, f[1].Data) {
		return m, errors.New("it must have a section old and a section new that differs")
	}
	m.oldText, m.newer = string(archive.Files[0].Data), string(archive.Files[1].Data)
	return m, nil
}

// apply returns the source of m.file with the mutant in it.
func (m mutant) apply() ([]byte, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(source), m.oldText); n != 1 {
		return nil, fmt.Errorf("its old text occurs %d times in %s, and must occur once", n, m.file)
	}
	return []byte(strings.Replace(string(source), m.oldText, m.newer, 1)), nil
}

type runner struct {
	work    string
	timeout time.Duration
	verbose bool
	useless map[pattern]error // nil: of use
}

// A pattern names tests of a package.
type pattern struct{ dir, run string }

func (m mutant) pattern() pattern { return pattern{filepath.Dir(m.file), m.run} }

// baseline finds the patterns whose tests fail without any mutant, or do not exist: what they say of one is worth
// nothing.
func (r *runner) baseline(mutants []mutant) error {
	r.useless = map[pattern]error{}
	binaries := map[string]string{}
	for _, m := range mutants {
		p := m.pattern()
		if _, ok := r.useless[p]; ok {
			continue
		}
		binary, ok := binaries[p.dir]
		if !ok {
			binary = filepath.Join(r.work, fmt.Sprintf("plain%d.test", len(binaries)))
			if out, err := r.compile(p.dir, binary); err != nil {
				return fmt.Errorf("the tests of %s do not compile: %w\n%s", p.dir, err, out)
			}
			binaries[p.dir] = binary
		}
		out, err := r.test(p.dir, binary, p.run)
		switch {
		case err != nil:
			r.useless[p] = fmt.Errorf("%s of %s fails without it: %w\n%s", p.run, p.dir, err, out)
		case strings.Contains(out, "no tests to run"):
			r.useless[p] = fmt.Errorf("there is no test %s in %s", p.run, p.dir)
		default:
			r.useless[p] = nil
		}
	}
	return nil
}

// all runs the mutants, prints their verdicts in order as they come, and returns how many went unnoticed.
func (r *runner) all(mutants []mutant, parallel int) (failed int) {
	verdicts := make([]chan verdict, len(mutants))
	slots := make(chan struct{}, max(parallel, 1))
	var wait sync.WaitGroup
	for i, m := range mutants {
		verdicts[i] = make(chan verdict, 1)
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			start := time.Now()
			by, err := r.one(i, m)
			verdicts[i] <- verdict{m, err, by, time.Since(start)}
		})
	}
	for _, c := range verdicts {
		v := <-c
		seconds := v.took.Seconds()
		if v.err == nil {
			fmt.Printf("noticed  %-36s %5.1f s  %s\n", v.name, seconds, v.by)
			continue
		}
		failed++
		fmt.Printf("FAIL     %-36s %5.1f s  %v\n         %s\n", v.name, seconds, v.err, v.rule)
	}
	wait.Wait()
	return failed
}

// one returns the test that notices m, or why none does.
func (r *runner) one(i int, m mutant) (string, error) {
	if err := r.useless[m.pattern()]; err != nil {
		return "", err
	}
	source, err := m.apply()
	if err != nil {
		return "", err
	}
	path := func(suffix string) string { return filepath.Join(r.work, fmt.Sprintf("%d%s", i, suffix)) }
	original, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: path(".go")}})
	if err != nil {
		return "", err
	}
	if err := cmp.Or(os.WriteFile(path(".go"), source, 0o600), os.WriteFile(path(".json"), overlay, 0o600)); err != nil {
		return "", err
	}
	dir, binary := filepath.Dir(m.file), path(".test")
	if out, err := r.compile(dir, binary, "-overlay="+path(".json")); err != nil {
		return "", fmt.Errorf("it does not compile: %w\n%s", err, out)
	}
	out, err := r.test(dir, binary, m.run, "-test.failfast")
	if rm := os.Remove(binary); rm != nil {
		return "", rm
	}
	switch {
	case errors.As(err, new(*exec.ExitError)):
		return culprit(out), nil
	case err != nil:
		return "", err
	case r.verbose:
		return "", fmt.Errorf("no test of %s fails\n%s", m.run, out)
	}
	return "", fmt.Errorf("no test of %s fails", m.run)
}

func (r *runner) compile(dir, binary string, flags ...string) ([]byte, error) {
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary}, flags...)
	return exec.Command("go", append(args, "./"+dir)...).CombinedOutput()
}

// test runs a compiled test the way go test does: in the folder of its package.
func (r *runner) test(dir, binary, run string, flags ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), r.timeout+10*time.Second)
	defer cancel()
	args := append([]string{"-test.short", "-test.count=1", "-test.timeout=" + r.timeout.String(), "-test.run=" + run}, flags...)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// culprit returns the name of the test that failed, or how the tests ended without one.
func culprit(out string) string {
	var first string
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			name, _, _ = strings.Cut(name, " ")
			first = name // the innermost is the last of them
		} else if strings.HasPrefix(line, "panic: ") && first == "" {
			return line
		}
	}
	return cmp.Or(first, "the tests ended early")
}
