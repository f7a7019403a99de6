// Retrystorm shows what retries do to a server that is down, and to one that is back.
//
// It lets thousands of clients of this SDK, each with its real engine, loose on the model of a server, in virtual time,
// and compares ways to retry:
//
//	go run ./examples/retrystorm
//	go run ./examples/retrystorm -scenario outage -rate 90 -capacity 100 -charts .
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A config holds the numbers that a user may bring.
type config struct {
	clients, processes            int
	rate, capacity                float64
	queue                         int
	reject                        time.Duration
	outage, maximum, deadline     time.Duration
	retries, tokens               int
	perCall                       float64
	scenarios, strategies, charts string
}

func main() {
	debug.SetGCPercent(300) // what a run keeps is little beside what it throws away
	switch err := report(os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case errors.As(err, new(usageError)):
		fmt.Fprintln(os.Stderr, "retrystorm:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "retrystorm:", err)
		os.Exit(1)
	}
}

// A usageError says in one line what is wrong with the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

// report runs what the command line asks for, and writes what came of it.
func report(args []string, out, help io.Writer) error {
	c, err := parse(args, help)
	if err != nil {
		return err
	}
	chosen, err := pick("-scenario", c.scenarios, scenarios, scenarioName)
	if err != nil {
		return err
	}
	among, err := pick("-strategies", c.strategies, strategies, strategyName)
	if err != nil {
		return err
	}
	if c.charts != "" {
		if err := os.MkdirAll(c.charts, 0o755); err != nil { // now, not after a minute's work
			return err
		}
	}
	for _, s := range chosen {
		if err := reportScenario(s, c.of(s), among, out); err != nil {
			return err
		}
	}
	writeNotes(out, chosen)
	return nil
}

func reportScenario(s scenario, c config, among []strategy, out io.Writer) error {
	fmt.Fprintf(out, "%s: %s%s\n", s.name, s.title(c), s.when)
	var left []strategy
	for _, st := range among {
		if why := s.excludes(st, c); why != "" {
			fmt.Fprintf(out, "  without %q: %s\n", st.title(c), why)
			continue
		}
		left = append(left, st)
	}
	if len(left) == 0 {
		return nil
	}
	runs, err := compare(s, c, left)
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	writeTable(out, s.columns, runs)
	fmt.Fprintln(out)
	if c.charts == "" {
		return nil
	}
	files, err := writeCharts(c.charts, runs)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n\n", strings.Join(files, "\n"))
	return nil
}

// parse reads the command line.
func parse(args []string, help io.Writer) (config, error) {
	var c config
	f := flag.NewFlagSet("retrystorm", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&c.scenarios, "scenario", "all", "comma-separated `names`: "+names(scenarios, scenarioName))
	f.StringVar(&c.strategies, "strategies", "all", "comma-separated `names`: "+names(strategies, strategyName))
	f.StringVar(&c.charts, "charts", "", "`directory` to write a chart of each scenario to, as PNG and SVG (default none)")
	f.IntVar(&c.clients, "clients", 1000, "`number` of clients that make one call each (herd, sync)")
	f.IntVar(&c.processes, "processes", 20, "`number` of processes that share the load; a budget belongs to one (outage, brownout)")
	f.Float64Var(&c.rate, "rate", 160, "new `calls` per second of all processes together (outage, brownout)")
	f.DurationVar(&c.deadline, "deadline", 2*time.Minute, "`time` that a call may take with all its retries (outage, brownout)")
	f.DurationVar(&c.outage, "outage", 0, "`time` that the server is down (herd: default 3m; outage, brownout: default 1m)")
	f.Float64Var(&c.capacity, "capacity", 200, "`calls` per second that the server can serve")
	f.IntVar(&c.queue, "queue", 100, "`number` of requests that may wait at the server; more are answered 503")
	f.DurationVar(&c.reject, "reject", 5*time.Millisecond, "`time` of one of the server's 10 workers that a 503 costs")
	f.IntVar(&c.retries, "retries", 0, "`number` of retries of a call, but for at-once (outage, brownout: default 8; herd, sync: default 1000)")
	f.DurationVar(&c.maximum, "maximum", 32*time.Second, "`time` that is the longest wait, where the maximum is fixed")
	f.IntVar(&c.tokens, "tokens", 10, "`number` of retries that a full budget holds")
	f.Float64Var(&c.perCall, "per-call", 0.1, "part of a `token` that an answered call puts back into a budget")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(help, "Retrystorm shows what retries do to a server that is down, and to one that is back.\n\n")
		f.SetOutput(help)
		f.PrintDefaults()
		return c, err
	case err != nil:
		return c, usageError(explain(f, err))
	case f.NArg() > 0:
		return c, usageError(fmt.Sprintf("%q is not a flag; see -h", f.Arg(0)))
	}
	return c, c.check(f)
}

var badValue = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for flag -([^ :]+): `)

// explain says what a flag takes, with its unit and an example, where package flag says "parse error".
func explain(f *flag.FlagSet, err error) string {
	parts := badValue.FindStringSubmatch(err.Error())
	if parts == nil {
		return err.Error() + "; see -h"
	}
	known := f.Lookup(parts[2])
	unit, about := flag.UnquoteUsage(known)
	want, example := "a number", known.DefValue
	switch known.Value.(flag.Getter).Get().(type) {
	case time.Duration:
		want = "a time with its unit"
		if example == "0s" {
			example = "90s"
		}
	case int:
		want = "a whole number"
		if example == "0" {
			example = "8"
		}
	}
	if unit == "calls" {
		want += " of calls per second"
	}
	about, _, _ = strings.Cut(about, " (")
	return fmt.Sprintf("-%s %s: want %s, such as %s: %s", parts[2], parts[1], want, example, about)
}

// check refuses numbers that mean nothing, or that would take for ever. Each condition is one that NaN fails.
func (c config) check(f *flag.FlagSet) error {
	for _, rule := range []struct {
		flag string
		ok   bool
		want string
	}{
		{"clients", c.clients >= 1 && c.clients <= 100_000, "from 1 to 100000"},
		{"processes", c.processes >= 1 && c.processes <= 100_000, "from 1 to 100000"},
		{"rate", c.rate > 0 && c.rate <= 10_000, "above 0, at most 10000"},
		{"deadline", c.deadline >= time.Second && c.deadline <= time.Hour, "from 1s to 1h"},
		{"outage", c.outage == 0 || c.outage >= time.Second && c.outage <= time.Hour, "from 1s to 1h"},
		{"capacity", c.capacity >= 1 && c.capacity <= 100_000, "from 1 to 100000"},
		{"queue", c.queue >= 0 && c.queue <= 100_000, "from 0 to 100000"},
		{"reject", c.reject >= 0 && c.reject <= time.Second, "from 0s to 1s"},
		{"retries", c.retries >= 0 && c.retries <= 10_000, "from 1 to 10000"},
		{"maximum", c.maximum >= time.Second && c.maximum <= time.Hour, "from 1s to 1h"},
		{"tokens", c.tokens >= 1 && c.tokens <= math.MaxInt32, "at least 1"},
		{"per-call", c.perCall >= 0 && c.perCall <= 1, "from 0 to 1"},
	} {
		if !rule.ok {
			return usageError(fmt.Sprintf("-%s %s: it must be %s", rule.flag, f.Lookup(rule.flag).Value, rule.want))
		}
	}
	return nil
}

// model returns the server that fails within a window, when it has only a part of its capacity left.
func (c config) model(ill window, left float64) model {
	return model{capacity: c.capacity, queue: c.queue, reject: c.reject, ill: ill, left: left}
}

// pick returns the things that a comma-separated list names, in the order of all.
func pick[T any](flag, list string, all []T, name func(T) string) ([]T, error) {
	if list == "all" {
		return all, nil
	}
	wanted := strings.Split(list, ",")
	for i, word := range wanted {
		if !slices.ContainsFunc(all, func(thing T) bool { return name(thing) == word }) {
			return nil, usageError(fmt.Sprintf("%s %s: there is no %q; there are %s", flag, list, word, names(all, name)))
		}
		if slices.Contains(wanted[:i], word) {
			return nil, usageError(fmt.Sprintf("%s %s: there is no second %q", flag, list, word))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(thing T) bool { return !slices.Contains(wanted, name(thing)) }), nil
}

func scenarioName(s scenario) string { return s.name }

func strategyName(s strategy) string { return s.name }

func names[T any](all []T, name func(T) string) string {
	words := []string{"all"}
	for _, thing := range all {
		words = append(words, name(thing))
	}
	return strings.Join(words, ", ")
}
