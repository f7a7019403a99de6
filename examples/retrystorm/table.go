package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// A column of a table has two lines of head, a cell for each run, and a note where the head does not say it all.
type column struct {
	head [2]string
	cell func(*run) string
	note string
}

var (
	attempts = column{head: [2]string{"attempts", "per call"}, cell: func(r *run) string { return fmt.Sprintf("%.2f", r.attemptsPerCall()) }}
	peak     = column{head: [2]string{"peak over", "capacity"}, cell: func(r *run) string { return times(r.peak()) },
		note: "peak over capacity: the requests of the busiest second, as a multiple of what the server can serve"}
	overload = column{head: [2]string{"overload", "after, s"}, cell: func(r *run) string {
		length, forever := r.overload()
		if forever {
			return "no end"
		}
		return seconds(length)
	}, note: "overload after: for how long the server, well again, was kept busy turning requests away; no end: as long as\nthere was load"}
	failed      = column{head: [2]string{"calls", "failed"}, cell: func(r *run) string { return percent(r.failed(0)) }}
	failedAfter = column{head: [2]string{"begun after,", "failed"}, cell: func(r *run) string { return percent(r.failed(r.back())) },
		note: "begun after, failed: of the calls that were begun when the server was well again"}
	recovery = column{head: [2]string{"p99 back", "after, s"}, cell: func(r *run) string {
		if d, ok := r.recovery(); ok {
			return seconds(d)
		}
		return "none"
	}, note: "p99 back after: from when the server was well again, until 99 of 100 of the calls that had waited for it and did\nsucceed had done so"}
	average    = column{head: [2]string{"mean", "per s"}, cell: func(r *run) string { return fmt.Sprintf("%.1f", mean(r.rates(settled, slot))) }}
	busiest    = column{head: [2]string{"busiest 0.1 s,", "per s"}, cell: func(r *run) string { return fmt.Sprintf("%.0f", slices.Max(r.rates(settled, slot))) }}
	unevenness = column{head: [2]string{"busiest", "over mean"}, cell: func(r *run) string { return times(r.unevenness()) }}
	idle       = column{head: [2]string{"seconds with-", "out requests"}, cell: func(r *run) string { return percent(r.idle()) }}
)

var (
	herdColumns = []column{attempts, peak, overload, failed, recovery}
	loadColumns = []column{attempts, peak, overload, failed, failedAfter, recovery}
	syncColumns = []column{average, busiest, unevenness, idle}
)

// writeTable writes a line for each run, its columns no wider than they must be.
func writeTable(w io.Writer, columns []column, runs []*run) {
	lines := make([]string, 2+len(runs))
	add := func(cells []string, left bool) {
		width := 0
		for _, cell := range cells {
			width = max(width, len(cell))
		}
		if left {
			width = -width
		}
		for i, cell := range cells {
			lines[i] += fmt.Sprintf("  %*s", width, cell)
		}
	}
	names := []string{"", ""}
	for _, r := range runs {
		names = append(names, r.strategy.title(r.config))
	}
	add(names, true)
	for _, column := range columns {
		cells := column.head[:]
		for _, r := range runs {
			cells = append(cells, column.cell(r))
		}
		add(cells, false)
	}
	for _, line := range lines {
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// writeNotes writes what the heads of the tables do not say, once.
func writeNotes(w io.Writer, shown []scenario) {
	var notes []string
	for _, s := range shown {
		for _, column := range s.columns {
			if column.note != "" && !slices.Contains(notes, column.note) {
				notes = append(notes, column.note)
				fmt.Fprintln(w, column.note)
			}
		}
	}
}

func times(x float64) string { return fmt.Sprintf("%.1fx", x) }

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.0f", d.Seconds()) }
