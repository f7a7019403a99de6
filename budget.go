package memorystore

import (
	"fmt"
	"math"
	"sync"
)

// A RetryBudget bounds what retries add to a process's load: a retry costs a token, and every call that is answered
// puts part of a token back. Without a token, a slot of the schedule passes unused. It is safe for concurrent use
// and may be shared by any number of clients.
type RetryBudget struct {
	size, perCall int64 // in millionths of a token: ten tenths must make a whole one
	err           error

	mu   sync.Mutex
	left int64
}

const token = 1_000_000

// NewRetryBudget returns a full budget of tokens retries, to which every answered call adds perCall of a token, 0.1
// say. A client refuses a budget that holds fewer tokens than its RetryPolicy has retries, because a lone call
// could not finish its schedule, and one whose perCall is not within 0 and 1.
func NewRetryBudget(tokens int, perCall float64) *RetryBudget {
	b := &RetryBudget{size: int64(tokens) * token, perCall: int64(math.Round(perCall * token)), left: int64(tokens) * token}
	if tokens < 1 || tokens > math.MaxInt32 || !(perCall >= 0 && perCall <= 1) {
		b.err = fmt.Errorf("retry budget of %d tokens and %v per call: tokens must be at least 1, per call within 0 and 1", tokens, perCall)
	}
	return b
}

// check says why the budget cannot serve a policy with this many retries.
func (b *RetryBudget) check(retries int) error {
	switch {
	case b == nil:
		return nil
	case b.err != nil:
		return b.err
	case b.size/token < int64(retries):
		return fmt.Errorf("retry budget of %d tokens is smaller than the %d retries of one call", b.size/token, retries)
	}
	return nil
}

// take spends a token, if there is one.
func (b *RetryBudget) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < token {
		return false
	}
	b.left -= token
	return true
}

// answered puts back what a call is worth that the service answered, whatever it said: it is alive.
func (b *RetryBudget) answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = min(b.size, b.left+b.perCall)
}
