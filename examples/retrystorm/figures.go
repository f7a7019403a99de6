package main

import (
	"slices"
	"time"
)

// settled is the part of an endless outage in which every wait is at its maximum.
var settled = window{endless / 2, endless}

// back returns when the server was well again.
func (r *run) back() time.Duration { return r.scenario.model(r.config).ill.to }

// attemptsPerCall returns how many requests one call made of itself.
func (r *run) attemptsPerCall() float64 { return float64(sum(r.arrivals)) / float64(len(r.calls)) }

// peak returns the most requests of one second, as a multiple of the capacity.
func (r *run) peak() float64 {
	all := window{0, time.Duration(len(r.arrivals)) * slot}
	return slices.Max(r.rates(all, time.Second)) / r.config.capacity
}

// overload returns for how long the server, well again, still turned requests away. It reports true if that went on
// until the load ended.
func (r *run) overload() (time.Duration, bool) {
	length := max(r.lastRefusal-r.back(), 0)
	load := r.scenario.end(r.config) - r.back()
	return length, load > 0 && length >= load-10*time.Second
}

// failed returns the part of the calls begun at or after a moment that failed.
func (r *run) failed(since time.Duration) float64 {
	var calls, failed float64
	for _, o := range r.calls {
		if o.start >= since {
			calls++
			if !o.ok {
				failed++
			}
		}
	}
	return failed / max(calls, 1)
}

// recovery returns the time within which 99 of 100 of the calls that waited when the server was back, and succeeded in
// the end, did so. It reports false if there was none.
func (r *run) recovery() (time.Duration, bool) {
	var waits []time.Duration
	for _, o := range r.calls {
		if o.ok && o.start < r.back() && o.end >= r.back() {
			waits = append(waits, o.end-r.back())
		}
	}
	if len(waits) == 0 {
		return 0, false
	}
	slices.Sort(waits)
	return waits[(len(waits)*99+99)/100-1], true
}

// unevenness returns the most requests of 100 ms as a multiple of their mean.
func (r *run) unevenness() float64 {
	rates := r.rates(settled, slot)
	if m := mean(rates); m > 0 {
		return slices.Max(rates) / m
	}
	return 0 // everybody has given up
}

// idle returns the part of the seconds in which no request came.
func (r *run) idle() float64 {
	rates := r.rates(settled, time.Second)
	var idle float64
	for _, rate := range rates {
		if rate == 0 {
			idle++
		}
	}
	return idle / float64(len(rates))
}

// rates returns the requests per second in each step of a window. A step is a whole number of slots.
func (r *run) rates(w window, step time.Duration) []float64 {
	var rates []float64
	for t := w.from; t < w.to; t += step {
		from, to := min(int(t/slot), len(r.arrivals)), min(int((t+step)/slot), len(r.arrivals))
		rates = append(rates, float64(sum(r.arrivals[from:to]))/step.Seconds())
	}
	return rates
}

func sum(ns []int) (total int) {
	for _, n := range ns {
		total += n
	}
	return total
}

func mean(xs []float64) float64 {
	var total float64
	for _, x := range xs {
		total += x
	}
	return total / float64(len(xs))
}
