package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/memorystore-go/memorystore"
)

// A printer shows a run to a person at a terminal of 80 columns.
type printer struct {
	out    io.Writer
	start  time.Time
	steps  int
	colors bool
	inLine bool // a line of dots is open
}

func newPrinter(out io.Writer) *printer {
	p := &printer{out: out, start: time.Now()}
	if f, ok := out.(*os.File); ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		info, err := f.Stat()
		p.colors = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (p *printer) color(code, text string) string {
	if !p.colors {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *printer) print(text string) {
	p.endLine()
	fmt.Fprintln(p.out, strings.TrimRight(text, " "))
}

func (p *printer) endLine() {
	if p.inLine {
		fmt.Fprintln(p.out)
	}
	p.inLine = false
}

func (p *printer) title(title string, lines ...string) {
	p.print(p.color(bold, title))
	for _, line := range lines {
		p.print(line)
	}
}

// step begins a part of the job.
func (p *printer) step(format string, a ...any) {
	p.steps++
	p.print("")
	p.print(p.color(bold, fmt.Sprintf("%d. ", p.steps)+fmt.Sprintf(format, a...)))
}

// note prints a line without a time.
func (p *printer) note(format string, a ...any) {
	p.print(strings.Repeat(" ", 10) + fmt.Sprintf(format, a...))
}

// event prints a line with the seconds since the start.
func (p *printer) event(text string) { p.print(p.clock() + text) }

func (p *printer) clock() string { return fmt.Sprintf("%6.1f s  ", time.Since(p.start).Seconds()) }

// openLine begins a line of dots.
func (p *printer) openLine(text string) {
	p.endLine()
	fmt.Fprint(p.out, p.clock()+text)
	p.inLine = true
}

func (p *printer) dot() { fmt.Fprint(p.out, ".") }

func (p *printer) end(format string) {
	p.print("")
	p.print(p.color(bold, fmt.Sprintf(format, time.Since(p.start).Seconds())))
}

// attempt is the OnAttempt of the client: it shows every attempt that failed, and the one that ended the trouble.
func (p *printer) attempt(_ context.Context, a memorystore.Attempt) {
	e, _ := errors.AsType[*memorystore.Error](a.Err)
	switch {
	case e == nil && a.Number > 1:
		p.event(fmt.Sprintf("attempt %d: %s", a.Number, p.color(green, fmt.Sprintf("%-23d", a.Status))))
	case e == nil || e.Code == memorystore.NotFound:
	case e.HTTPStatus == 0:
		p.event(fmt.Sprintf("attempt %d: %s", a.Number, p.color(red, e.Message)))
	default:
		next := "no retry left"
		if a.Wait > 0 {
			next = "wait " + inTerms(a)
		}
		p.event(fmt.Sprintf("attempt %d: %s %s", a.Number, p.color(yellow, fmt.Sprintf("%-23s", fmt.Sprint(a.Status, " ", e.Code))), next))
	}
}

// inTerms writes a wait as the documented formula makes it, 2^n s + random ms, where it is that.
func inTerms(a memorystore.Attempt) string {
	base := time.Second << (a.Number - 1)
	if random := a.Wait - base; random >= 0 && random <= time.Second {
		return fmt.Sprintf("%d s + %d ms", base/time.Second, random.Milliseconds())
	}
	return a.Wait.String()
}

// follow waits for an operation: a dot for each poll.
func follow[T memorystore.Result](ctx context.Context, p *printer, op *memorystore.Operation[T]) (*T, error) {
	p.openLine("operation ")
	for _, err := range op.Watch(ctx) {
		if err != nil {
			return nil, err
		}
		p.dot()
	}
	result, err := op.Result()
	if err != nil {
		return nil, err
	}
	took := ""
	if m := op.Metadata(); !m.EndTime.IsZero() {
		took = ", took " + m.EndTime.Sub(m.CreateTime).Round(100*time.Millisecond).String()
	}
	fmt.Fprintln(p.out, p.color(green, " done")+took)
	p.inLine = false
	return result, nil
}

// logger returns the logger for the SDK. It shows ERROR records only: OnAttempt has shown each retry, which the SDK
// also logs, at WARN.
func (p *printer) logger() *slog.Logger { return slog.New(handler{p}) }

type handler struct{ *printer }

func (h handler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }
func (h handler) WithAttrs([]slog.Attr) slog.Handler           { return h }
func (h handler) WithGroup(string) slog.Handler                { return h }

// Handle prints a record over several lines, an attribute on each.
func (h handler) Handle(_ context.Context, r slog.Record) error {
	h.event(h.color(red, r.Level.String()) + " " + r.Message)
	r.Attrs(func(a slog.Attr) bool {
		h.attr(a)
		return true
	})
	return nil
}

func (h handler) attr(a slog.Attr) {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		for _, a := range v.Group() {
			h.attr(a)
		}
		return
	}
	if v.Kind() == slog.KindDuration {
		v = slog.DurationValue(v.Duration().Round(time.Millisecond))
	}
	h.print(fmt.Sprintf("        %-8s %s", a.Key, v)) // narrow, so that the support page fits
}

func last(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
