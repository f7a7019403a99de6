package memorystore

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"
)

// An Option sets what belongs to this SDK. NewClient takes it beside the options of google.golang.org/api/option, and
// With and RetryTransport take it alone.
type Option interface {
	option.ClientOption
	set(*settings)
}

// setting is an Option. EmbeddableAdapter is how google.golang.org/api lets others make a ClientOption.
type setting struct {
	internaloption.EmbeddableAdapter
	apply func(*settings)
}

func (s *setting) set(to *settings) { s.apply(to) }

// WithRetry sets when a call is sent again. The default is the zero RetryPolicy: the documented rule.
func WithRetry(p RetryPolicy) Option {
	return &setting{apply: func(s *settings) { s.retry = p }}
}

// WithRetryBudget bounds the retries of all clients that share b. Nil, the default, means no bound.
func WithRetryBudget(b *RetryBudget) Option {
	return &setting{apply: func(s *settings) { s.budget = b }}
}

// WithPolling sets how often a running operation is asked for.
func WithPolling(p Polling) Option {
	return &setting{apply: func(s *settings) { s.polling = p }}
}

// WithLogger sets where retries (WARN) and failures that end a call (ERROR) are logged, as option.WithLogger does for
// NewClient; With and RetryTransport take it too. Nil, the default, means slog.Default.
func WithLogger(l *slog.Logger) Option {
	return &setting{apply: func(s *settings) { s.log = l }}
}

// Polling says how long Watch and Wait wait between two polls of an operation: Fraction of the time that they have
// waited so far, within Min and Max, give or take 10 %. Zero fields mean 1 s, 30 s and 0.1.
type Polling struct {
	Min, Max time.Duration
	Fraction float64
}

func (p Polling) check() error {
	if full := p.full(); full.Min < 0 || full.Max < full.Min || !(full.Fraction > 0 && full.Fraction <= 1000) {
		return fmt.Errorf("Polling is %v to %v, fraction %v: Min must not be negative nor above Max, the fraction must be above 0 and at most 1000",
			full.Min, full.Max, full.Fraction)
	}
	return nil
}

// full returns p with its defaults filled in.
func (p Polling) full() Polling {
	if p.Min == 0 {
		p.Min = time.Second
	}
	if p.Max == 0 {
		p.Max = max(30*time.Second, p.Min)
	}
	if p.Fraction == 0 {
		p.Fraction = 0.1
	}
	return p
}

// wait returns the time until the next poll.
func (p Polling) wait(elapsed time.Duration) time.Duration {
	p = p.full()
	wait := min(max(float64(elapsed)*p.Fraction, float64(p.Min)), float64(p.Max))
	return time.Duration(wait * (0.9 + 0.2*rand.Float64()))
}

// settings are what the options set. A Client holds them by value: nothing changes after it is made.
type settings struct {
	retry   RetryPolicy
	budget  *RetryBudget
	polling Polling
	log     *slog.Logger // nil: slog.Default
	invalid error        // an option that is none
}

func (s *settings) check() error {
	if s.invalid != nil {
		return s.invalid
	}
	if err := s.retry.check(); err != nil {
		return err
	}
	if err := s.budget.check(s.retry.retries()); err != nil {
		return err
	}
	return s.polling.check()
}

// engine returns the engine that obeys the settings, and counts with seen. settles: its calls know their changes.
func (s *settings) engine(seen *observer, settles bool) engine {
	log := s.log
	if log == nil {
		log = slog.Default()
	}
	return engine{policy: s.retry, budget: s.budget, log: log, seen: seen, settles: settles}
}

// A ListOption narrows a list, or sizes its pages.
type ListOption interface{ query(url.Values) error }

// PageSize asks for pages of n items; the service may send fewer. The default and the most it sends is 1000. A list
// is the same whatever its pages; a small size only bounds the size of one answer.
func PageSize(n int) ListOption { return pageSize(n) }

type pageSize int

func (n pageSize) query(q url.Values) error {
	if n < 1 {
		return fmt.Errorf("page size %d: it must be at least 1", int(n))
	}
	q.Set("pageSize", strconv.Itoa(int(n)))
	return nil
}

// Filter leaves out what does not match, for lists of locations and operations:
//
//	memorystore.Filter("done=false")
//
// https://google.aip.dev/160
func Filter(expr string) ListOption { return filter(expr) }

type filter string

func (f filter) query(q url.Values) error {
	if strings.TrimSpace(string(f)) == "" {
		return fmt.Errorf("filter %q: it must not be empty", string(f))
	}
	q.Set("filter", string(f))
	return nil
}
