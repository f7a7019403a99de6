package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore"
	"google.golang.org/api/option"
)

const instance = "projects/p/locations/l/instances/i"

// A scenario is a load, and what befalls the server under it. Times are since the start of the run.
type scenario struct {
	name     string // as -scenario takes it
	title    func(config) string
	when     string        // the figures of the table are from, if it is not the whole run
	outage   time.Duration // unless -outage says otherwise
	retries  int           // unless -retries says otherwise
	capped   bool          // it is about waits at their maximum: strategies without one have no place in it
	model    func(config) model
	state    string // of the server while it is ill
	load     func(*fleet)
	end      func(config) time.Duration // of the load; calls that are under way go on
	patience func(config) time.Duration // the deadline of a call, from its start
	columns  []column
	view     func(config) view
}

const (
	patient = 1000             // retries of a client that waits until the server is back
	before  = time.Minute      // of load ahead of an outage
	after   = 5 * time.Minute  // of load behind it
	endless = 30 * time.Minute // of an outage without end
	rest    = 0.3              // of the capacity in a brownout
)

var scenarios = []scenario{
	{
		name: "herd",
		title: func(c config) string {
			return fmt.Sprintf("%s one call each within 100 ms; the server is down for the first %s.", count(c.clients, "client makes", "clients make"), brief(c.outage))
		},
		outage:   3 * time.Minute,
		retries:  patient,
		model:    func(c config) model { return c.model(window{0, c.outage}, 0) },
		state:    "down",
		load:     oneCallEach,
		end:      func(config) time.Duration { return slot },
		patience: func(c config) time.Duration { return c.outage + endless },
		columns:  herdColumns,
		view: func(c config) view {
			return view{span: window{0, c.outage + 90*time.Second}, step: 2 * time.Second, log: true}
		},
	},
	{
		name: "outage",
		title: func(c config) string {
			return fmt.Sprintf("%v calls/s from %s; the server is down for %s.", c.rate, count(c.processes, "process", "processes"), brief(c.outage))
		},
		outage:   time.Minute,
		retries:  8,
		model:    func(c config) model { return c.model(window{before, before + c.outage}, 0) },
		state:    "down",
		load:     steadyCalls,
		end:      loadEnd,
		patience: func(c config) time.Duration { return c.deadline },
		columns:  loadColumns,
		view:     func(c config) view { return view{span: window{0, loadEnd(c)}, step: 5 * time.Second} },
	},
	{
		name: "brownout",
		title: func(c config) string {
			return fmt.Sprintf("%v calls/s from %s; the server is down to %.0f/s for %s.", c.rate, count(c.processes, "process", "processes"), rest*c.capacity, brief(c.outage))
		},
		outage:   time.Minute,
		retries:  8,
		model:    func(c config) model { return c.model(window{before, before + c.outage}, rest) },
		state:    "short of capacity",
		load:     steadyCalls,
		end:      loadEnd,
		patience: func(c config) time.Duration { return c.deadline },
		columns:  loadColumns,
		view:     func(c config) view { return view{span: window{0, loadEnd(c)}, step: 5 * time.Second} },
	},
	{
		name: "sync",
		title: func(c config) string {
			return fmt.Sprintf("%s one call each within 100 ms; the server stays down.", count(c.clients, "client makes", "clients make"))
		},
		when:     " Minutes 15 to 30.",
		retries:  patient,
		capped:   true,
		model:    func(c config) model { return c.model(window{0, endless}, 0) },
		state:    "down",
		load:     oneCallEach,
		end:      func(config) time.Duration { return slot },
		patience: func(config) time.Duration { return endless },
		columns:  syncColumns,
		view: func(config) view {
			return view{span: window{settled.from, settled.from + 3*time.Minute}, step: time.Second}
		},
	},
}

// count writes 1 token, and 2 tokens.
func count(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func loadEnd(c config) time.Duration { return before + c.outage + after }

// of returns the numbers of a scenario: the user's, and its own where the user gave none.
func (c config) of(s scenario) config {
	if c.outage == 0 {
		c.outage = s.outage
	}
	if c.retries == 0 {
		c.retries = s.retries
	}
	return c
}

// excludes says why a strategy has no place in a scenario, if so.
func (s scenario) excludes(st strategy, c config) string {
	switch {
	case s.capped && !st.capped:
		return "its waits never grow to a maximum"
	case st.budget && c.tokens < c.retries:
		return fmt.Sprintf("the SDK refuses a budget of %s, fewer than the %d retries of one call", count(c.tokens, "token", "tokens"), c.retries)
	}
	return ""
}

// A run is what came of a strategy in a scenario.
type run struct {
	scenario    scenario
	config      config
	strategy    strategy
	calls       []outcome
	arrivals    []int         // at the server, by slot
	lastRefusal time.Duration // for want of room
}

// An outcome is how one call went.
type outcome struct {
	start, end time.Duration
	ok         bool
}

// compare runs a scenario with every strategy. Each is a world of its own, so that they can share the processors.
func compare(s scenario, c config, among []strategy) ([]*run, error) {
	runs, errs := make([]*run, len(among)), make([]error, len(among))
	var wg sync.WaitGroup
	processors := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, st := range among {
		wg.Go(func() {
			processors <- struct{}{}
			runs[i], errs[i] = simulate(s, c, st)
			<-processors
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// simulate runs a scenario with one strategy, in virtual time.
func simulate(s scenario, c config, st strategy) (r *run, err error) {
	inVirtualTime(func() {
		srv := &server{model: s.model(c), start: time.Now()}
		var client *memorystore.Client
		client, err = memorystore.NewClient(context.Background(),
			option.WithHTTPClient(&http.Client{Transport: srv}),
			option.WithLogger(slog.New(slog.DiscardHandler)), // a record for each retry would be millions
			memorystore.WithRetry(st.policy(c)))
		if err != nil {
			return
		}
		f := &fleet{config: c, strategy: st, client: client, start: srv.start, end: s.end(c), patience: s.patience(c)}
		s.load(f)
		f.wg.Wait()
		synctest.Wait() // for attempts that the deadline of their call has cut short: the engine does not
		r = &run{scenario: s, config: c, strategy: st, calls: f.calls, arrivals: srv.arrivals, lastRefusal: srv.lastRefusal}
	})
	return r, err
}

// inVirtualTime runs f in a bubble, where time jumps to the next timer as soon as nobody has anything to do: half an
// hour takes a second, and the SDK's own waits are real waits. Bubbles are made for tests and want a *testing.T. They
// use it to fail a test, and nothing here fails one, so its zero value serves. The other ways in, testing.Main and
// testing.MainStart, parse the command line, print PASS and end the program.
func inVirtualTime(f func()) {
	synctest.Test(new(testing.T), func(*testing.T) { f() })
}

// A fleet is the callers of one run.
type fleet struct {
	config   config
	strategy strategy
	client   *memorystore.Client
	start    time.Time
	end      time.Duration // of the load
	patience time.Duration // of a call

	wg    sync.WaitGroup
	mu    sync.Mutex
	calls []outcome
}

// process returns what a process would have: the client, with a budget of its own.
func (f *fleet) process() *memorystore.Client {
	if !f.strategy.budget {
		return f.client
	}
	return f.client.With(memorystore.WithRetryBudget(memorystore.NewRetryBudget(f.config.tokens, f.config.perCall)))
}

// oneCallEach is the load of clients that are all woken by the same event.
func oneCallEach(f *fleet) {
	for range f.config.clients {
		client := f.process()
		f.wg.Go(func() {
			time.Sleep(rand.N(slot))
			f.call(client)
		})
	}
}

// steadyCalls is the load of processes that serve users, who do not stop coming because the server is down.
func steadyCalls(f *fleet) {
	processes := make([]*memorystore.Client, f.config.processes)
	for i := range processes {
		processes[i] = f.process()
	}
	for {
		time.Sleep(time.Duration(rand.ExpFloat64() / f.config.rate * float64(time.Second)))
		if time.Since(f.start) >= f.end {
			return
		}
		f.wg.Go(func() { f.call(processes[rand.IntN(len(processes))]) })
	}
}

func (f *fleet) call(client *memorystore.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), f.patience)
	defer cancel()
	o := outcome{start: time.Since(f.start)}
	_, err := client.GetInstance(ctx, instance)
	o.end, o.ok = time.Since(f.start), err == nil
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, o)
}
