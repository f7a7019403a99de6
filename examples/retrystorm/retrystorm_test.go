package main

import (
	"bytes"
	"context"
	"flag"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// simulated runs a strategy in a scenario with the default numbers, but for what args say.
func simulated(t *testing.T, scenario, strategy string, args ...string) *run {
	t.Helper()
	c, err := parse(args, t.Output())
	require.NoError(t, err)
	s := named(t, scenarios, scenario, scenarioName)
	r, err := simulate(s, c.of(s), named(t, strategies, strategy, strategyName))
	require.NoError(t, err)
	return r
}

func named[T any](t *testing.T, all []T, wanted string, name func(T) string) T {
	t.Helper()
	found, err := pick("test", wanted, all, name)
	require.NoError(t, err)
	return found[0]
}

func TestABudgetHoldsTheStorm(t *testing.T) {
	t.Parallel()
	r := simulated(t, "outage", "budget")
	assert.Equal(t, 20, r.config.processes)
	assert.LessOrEqual(t, r.attemptsPerCall(), 1.25)
	length, _ := r.overload()
	assert.LessOrEqual(t, length, 5*time.Second)
	assert.LessOrEqual(t, r.failed(r.back()), 0.001)
}

// The load and the server are a quarter of the default: the same storm, at a quarter of the cost.
func TestWithoutABudgetTheServerStaysDown(t *testing.T) {
	t.Parallel()
	r := simulated(t, "outage", "documented", "-rate", "40", "-capacity", "50", "-queue", "25", "-reject", "20ms")
	assert.Greater(t, r.attemptsPerCall(), 2.0)
	length, _ := r.overload()
	assert.Greater(t, length, time.Minute)
	assert.Greater(t, r.failed(r.back()), 0.01)
}

func TestTheDrawnMaximumSpreadsAHerd(t *testing.T) {
	t.Parallel()
	drawn := simulated(t, "sync", "documented")
	assert.LessOrEqual(t, drawn.unevenness(), 8.0)
	assert.Less(t, drawn.idle(), 0.01)

	// 32 s and 64 s are the maxima that the documentation names.
	half, full := simulated(t, "sync", "documented-fixed"), simulated(t, "sync", "documented-fixed", "-maximum", "64s")
	assert.GreaterOrEqual(t, half.unevenness(), 18.0)
	assert.GreaterOrEqual(t, full.unevenness(), 25.0)
	assert.Greater(t, full.idle(), 0.8)
}

func TestTheDrawnMaximumLetsAServerRecover(t *testing.T) {
	t.Parallel()
	drawn, fixed := simulated(t, "herd", "documented"), simulated(t, "herd", "documented-fixed")
	quick, _ := drawn.overload()
	slow, _ := fixed.overload()
	assert.LessOrEqual(t, quick, time.Second)
	assert.Greater(t, slow, 30*time.Second)
	assert.Zero(t, drawn.failed(0))
}

func TestServerWorksInOrder(t *testing.T) {
	s := &server{model: model{capacity: 200, queue: 2, reject: 5 * time.Millisecond}}
	enter := func(at time.Duration) (int, time.Duration) { t.Helper(); return s.enter(at) }
	for range workers {
		status, done := enter(0)
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, 50*time.Millisecond, done, "workers are free")
	}
	for range 2 {
		status, done := enter(0)
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, 100*time.Millisecond, done, "it waits for a worker")
	}
	status, done := enter(10 * time.Millisecond)
	assert.Equal(t, http.StatusServiceUnavailable, status, "the queue is full")
	assert.Equal(t, 55*time.Millisecond, done, "a refusal takes its turn, and 5 ms")
	assert.Equal(t, 10*time.Millisecond, s.lastRefusal)

	status, done = enter(50 * time.Millisecond)
	assert.Equal(t, http.StatusOK, status, "the queue has moved on")
	assert.Equal(t, 100*time.Millisecond, done)
	assert.Equal(t, []int{workers + 4}, s.arrivals)
}

func TestServerWithoutAQueueServesAFreeWorker(t *testing.T) {
	s := &server{model: model{capacity: 10, queue: 0}}
	for range workers {
		status, _ := s.enter(0)
		assert.Equal(t, http.StatusOK, status)
	}
	status, _ := s.enter(0)
	assert.Equal(t, http.StatusServiceUnavailable, status)
}

func TestServerIll(t *testing.T) {
	ill := window{time.Second, 2 * time.Second}
	down := &server{model: model{capacity: 200, queue: 100, reject: 5 * time.Millisecond, ill: ill}}
	slow := &server{model: model{capacity: 200, queue: 100, ill: ill, left: 0.5}}
	for _, tt := range []struct {
		server *server
		at     time.Duration
		status int
		cost   time.Duration
	}{
		{down, ill.from - 1, http.StatusOK, 50 * time.Millisecond},
		{down, ill.from, http.StatusServiceUnavailable, 5 * time.Millisecond},
		{down, ill.to - 1, http.StatusServiceUnavailable, 5 * time.Millisecond},
		{down, ill.to, http.StatusOK, 50 * time.Millisecond},
		{slow, ill.from, http.StatusOK, 100 * time.Millisecond},
		{slow, ill.to, http.StatusOK, 50 * time.Millisecond},
	} {
		status, done := tt.server.enter(tt.at)
		assert.Equal(t, tt.status, status, tt.at)
		assert.Equal(t, tt.at+tt.cost, done, tt.at)
	}
	assert.Zero(t, down.lastRefusal, "an outage is not a want of room")
}

func TestRoundTrip(t *testing.T) {
	inVirtualTime(func() {
		s := &server{model: model{capacity: 200, queue: 1}, start: time.Now()}
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://server.invalid/", nil)
		require.NoError(t, err)
		response, err := s.RoundTrip(r)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, response.StatusCode)
		assert.Equal(t, 50*time.Millisecond+roundTrip, time.Since(s.start))
	})
}

func TestFigures(t *testing.T) {
	s := named(t, scenarios, "herd", scenarioName)
	r := &run{scenario: s, config: config{outage: 10 * time.Second, capacity: 4},
		arrivals: append(make([]int, 100), 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2), lastRefusal: 12 * time.Second,
		calls: []outcome{{end: 11 * time.Second, ok: true}, {end: 14 * time.Second, ok: true}, {end: 9 * time.Second}, {start: 10 * time.Second}}}
	assert.Equal(t, 2.5, r.attemptsPerCall())
	assert.Equal(t, 2.0, r.peak())
	length, forever := r.overload()
	assert.Equal(t, 2*time.Second, length)
	assert.False(t, forever)
	assert.Equal(t, 0.5, r.failed(0))
	assert.Equal(t, 1.0, r.failed(r.back()))
	wait, ok := r.recovery()
	assert.True(t, ok)
	assert.Equal(t, 4*time.Second, wait)
	_, ok = (&run{scenario: s}).recovery()
	assert.False(t, ok)
	assert.Zero(t, r.unevenness(), "nobody is left")
}

func TestCommandLine(t *testing.T) {
	for args, want := range map[string]string{
		"-rate 0":                     "-rate 0: it must be above 0, at most 10000",
		"-rate NaN":                   "-rate NaN: it must be above 0, at most 10000",
		"-clients 0":                  "-clients 0: it must be from 1 to 100000",
		"-processes -1":               "-processes -1: it must be from 1 to 100000",
		"-capacity 0.5":               "-capacity 0.5: it must be from 1 to 100000",
		"-queue -1":                   "-queue -1: it must be from 0 to 100000",
		"-reject 2s":                  "-reject 2s: it must be from 0s to 1s",
		"-outage -1s":                 "-outage -1s: it must be from 1s to 1h",
		"-deadline 0s":                "-deadline 0s: it must be from 1s to 1h",
		"-maximum 1ms":                "-maximum 1ms: it must be from 1s to 1h",
		"-retries -1":                 "-retries -1: it must be from 1 to 10000",
		"-tokens 0":                   "-tokens 0: it must be at least 1",
		"-per-call 2":                 "-per-call 2: it must be from 0 to 1",
		"-outage soon":                `-outage "soon": want a time with its unit, such as 90s: time that the server is down`,
		"-deadline 10":                `-deadline "10": want a time with its unit, such as 2m0s: time that a call may take with all its retries`,
		"-rate x":                     `-rate "x": want a number of calls per second, such as 160: new calls per second of all processes together`,
		"-per-call x":                 `-per-call "x": want a number, such as 0.1: part of a token that an answered call puts back into a budget`,
		"-clients 1.5":                `-clients "1.5": want a whole number, such as 1000: number of clients that make one call each`,
		"-retries x":                  `-retries "x": want a whole number, such as 8: number of retries of a call, but for at-once`,
		"-rate":                       "flag needs an argument: -rate; see -h",
		"herd":                        `"herd" is not a flag; see -h`,
		"-scenario herd,flood":        `-scenario herd,flood: there is no "flood"; there are all, herd, outage, brownout, sync`,
		"-strategies at-once,at-once": `-strategies at-once,at-once: there is no second "at-once"`,
	} {
		var help bytes.Buffer
		err := report(strings.Fields(args), &help, &help)
		require.ErrorAs(t, err, new(usageError), args)
		assert.EqualError(t, err, want, args)
		assert.Empty(t, help.String(), "one line is enough")
	}
	var help bytes.Buffer
	require.ErrorIs(t, report([]string{"-h"}, &help, &help), flag.ErrHelp)
	assert.Contains(t, help.String(), "-reject time")
}

func TestReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "img")
	var out bytes.Buffer
	require.NoError(t, report([]string{"-scenario", "herd,outage,brownout,sync", "-clients", "20", "-rate", "5", "-outage", "10s", "-retries", "9", "-charts", dir}, &out, &out))
	text := out.String()
	for _, s := range scenarios {
		for _, ending := range []string{".png", ".svg"} {
			name := filepath.Join(dir, "retries-"+s.name+ending)
			assert.Contains(t, text, name+"\n")
			assert.FileExists(t, name)
		}
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, dir) {
			assert.LessOrEqual(t, len(strings.TrimRight(line, "\n")), 120, line)
		}
	}
	assert.Regexp(t, `documented, with a budget +\d\.\d\d `, text)
	assert.Contains(t, text, `without "every second": its waits never grow to a maximum`)
	assert.Equal(t, 1, strings.Count(text, "overload after:"))

	f, err := os.Open(filepath.Join(dir, "retries-herd.png"))
	require.NoError(t, err)
	defer f.Close()
	picture, err := png.Decode(f)
	require.NoError(t, err)
	assert.Equal(t, 1700, picture.Bounds().Dx())
	content, err := os.ReadFile(filepath.Join(dir, "retries-sync.svg"))
	require.NoError(t, err)
	assert.Contains(t, string(content), "the server stays down. Seconds 900 to 1080.", "as the axis says")
	assert.NotContains(t, string(content), "Minutes")
	assert.Contains(t, text, "sync: 20 clients make one call each within 100 ms; the server stays down. Minutes 15 to 30.", "as the table's figures")
	content, err = os.ReadFile(filepath.Join(dir, "retries-outage.svg"))
	require.NoError(t, err)
	for _, word := range []string{"time, seconds", "requests per second, mean of 5 s", "documented, with a budget", "capacity, 200 per second", "the server is down"} {
		assert.Contains(t, string(content), word)
	}
}

func TestABudgetThatTheSDKRefusesIsLeftOut(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report([]string{"-scenario", "outage", "-strategies", "budget", "-tokens", "5"}, &out, &out))
	assert.Contains(t, out.String(), "the SDK refuses a budget of 5 tokens, fewer than the 8 retries of one call")
	out.Reset()
	require.NoError(t, report([]string{"-scenario", "outage", "-strategies", "budget", "-tokens", "1", "-processes", "1"}, &out, &out))
	assert.Contains(t, out.String(), "calls/s from 1 process;")
	assert.Contains(t, out.String(), "a budget of 1 token, fewer")
}
