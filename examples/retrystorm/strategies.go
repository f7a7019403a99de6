package main

import (
	"fmt"
	"image/color"
	"time"

	"github.com/memorystore-go/memorystore"
)

// A strategy is a way to retry.
type strategy struct {
	name   string // as -strategies takes it
	title  func(config) string
	policy func(config) memorystore.RetryPolicy
	capped bool // its waits grow up to a maximum
	budget bool // every process has a retry budget
	colour color.RGBA
}

// strategies are in the order of the tables. Their colours can be told apart by those who see fewer of them: the set of
// Okabe and Ito.
var strategies = []strategy{
	{
		name:   "at-once",
		colour: color.RGBA{0xE6, 0x9F, 0x00, 0xFF},
		title:  plainly("at once, 5 times"),
		policy: func(config) memorystore.RetryPolicy {
			return memorystore.RetryPolicy{MaxRetries: 5, Backoff: constant(0)}
		},
	},
	{
		name:   "fixed-1s",
		colour: color.RGBA{0xCC, 0x79, 0xA7, 0xFF},
		title:  plainly("every second"),
		policy: func(c config) memorystore.RetryPolicy {
			return memorystore.RetryPolicy{MaxRetries: c.retries, Backoff: constant(time.Second), MaximumBackoff: time.Second}
		},
	},
	{
		name:   "documented-fixed",
		colour: color.RGBA{0xD5, 0x5E, 0x00, 0xFF},
		title:  func(c config) string { return fmt.Sprintf("documented, maximum %s", brief(c.maximum)) },
		policy: func(c config) memorystore.RetryPolicy {
			return memorystore.RetryPolicy{MaxRetries: c.retries, MaximumBackoff: c.maximum}
		},
		capped: true,
	},
	{
		name:   "documented",
		colour: color.RGBA{0x00, 0x72, 0xB2, 0xFF},
		title:  plainly("documented, maximum drawn"),
		policy: documented,
		capped: true,
	},
	{
		name:   "full-jitter",
		colour: color.RGBA{0x56, 0xB4, 0xE9, 0xFF},
		title:  func(c config) string { return fmt.Sprintf("full jitter, maximum %s", brief(c.maximum)) },
		policy: func(c config) memorystore.RetryPolicy {
			return memorystore.RetryPolicy{MaxRetries: c.retries, MaximumBackoff: c.maximum, Backoff: memorystore.FullJitter(time.Second)}
		},
		capped: true,
	},
	{
		name:   "budget",
		colour: color.RGBA{0x00, 0x9E, 0x73, 0xFF},
		title:  plainly("documented, with a budget"),
		policy: documented,
		capped: true,
		budget: true,
	},
}

// documented is what a client of this SDK does unless told otherwise.
func documented(c config) memorystore.RetryPolicy {
	return memorystore.RetryPolicy{MaxRetries: c.retries}
}

func constant(d time.Duration) memorystore.Backoff {
	return func(int, time.Duration) time.Duration { return d }
}

func plainly(title string) func(config) string { return func(config) string { return title } }
