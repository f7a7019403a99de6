package main

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	workers   = 10
	roundTrip = 20 * time.Millisecond  // on the network, there and back
	slot      = 100 * time.Millisecond // of the count of arrivals
)

// A model says what a server can do, and when it cannot. Times are since the start of the run.
type model struct {
	capacity float64       // calls per second, when it is well
	queue    int           // requests that may wait for a worker
	reject   time.Duration // what a 503 costs a worker
	ill      window
	left     float64 // the part of its capacity that is left while it is ill; 0: every request is answered 503
}

// A window is a span of time, without its end.
type window struct{ from, to time.Duration }

func (w window) holds(t time.Duration) bool { return w.from <= t && t < w.to }

// A server is a model at work. Its requests stand in one line, in the order they came, for the next worker that is
// free. What finds the queue full gets a 503, from a worker as well: that is how a server that refuses enough has no
// time left to serve. It is the transport of the clients, so that nothing but the network is not real.
type server struct {
	model
	start time.Time

	mu          sync.Mutex
	free        [workers]time.Duration // when each will have done what stands in line for it
	queued      []time.Duration        // when each request that waits will reach its worker, in order
	arrivals    []int                  // by slot
	lastRefusal time.Duration          // for want of room, not for an outage
}

// RoundTrip answers a request when its turn has come. A client whose context ends does not wait for that, but its
// request keeps its place in the line: nobody tells the server.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	now := time.Since(s.start)
	status, done := s.enter(now + roundTrip/2)
	answered := time.NewTimer(done + roundTrip/2 - now)
	defer answered.Stop()
	select {
	case <-answered.C:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	body := "" // of a refusal: the engine judges by the status
	if status == http.StatusOK {
		body = `{"name":"` + instance + `"}`
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// enter takes in a request at a time not before that of the last one. It says how the request will be answered, and when.
func (s *server) enter(at time.Duration) (status int, done time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(at)
	for len(s.queued) > 0 && s.queued[0] <= at {
		s.queued = s.queued[1:]
	}
	next := 0
	for i := range s.free {
		if s.free[i] < s.free[next] {
			next = i
		}
	}
	turn := max(at, s.free[next])
	status, cost := s.judge(at)
	if status == http.StatusOK && turn > at {
		s.queued = append(s.queued, turn)
	}
	s.free[next] = turn + cost
	return status, s.free[next]
}

// judge returns the answer to a request that arrives now, and the time it takes a worker.
func (s *server) judge(at time.Duration) (status int, cost time.Duration) {
	part := 1.0
	if s.ill.holds(at) {
		part = s.left
	}
	switch {
	case part == 0:
		return http.StatusServiceUnavailable, s.reject
	case len(s.queued) >= s.queue && slices.Min(s.free[:]) > at:
		s.lastRefusal = at
		return http.StatusServiceUnavailable, s.reject
	}
	return http.StatusOK, time.Duration(workers / (s.capacity * part) * float64(time.Second))
}

func (s *server) count(at time.Duration) {
	i := int(at / slot)
	if i >= len(s.arrivals) {
		s.arrivals = append(s.arrivals, make([]int, i+1-len(s.arrivals))...)
	}
	s.arrivals[i]++
}
