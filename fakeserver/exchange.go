package fakeserver

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxBody is the largest request the front end takes.
const maxBody = 10 << 20

// An engine answers requests, whatever they come through.
type engine struct {
	*world
	faults  faultBook
	journal journal
}

// An incoming is one request as either entrance sees it.
type incoming struct {
	ctx    context.Context
	verb   string
	url    *url.URL
	header http.Header
	body   io.Reader // may be nil
}

// exchange answers one request. It fails only when the request's body cannot be read, or its context ends in a stall.
func (e *engine) exchange(in incoming) (*answer, http.Header, error) {
	body, tooLarge, err := readBody(in.body)
	if err != nil {
		return nil, nil, err
	}
	now := e.now()
	verb := in.verb
	if override := in.header["X-Http-Method-Override"]; verb == http.MethodPost && len(override) == 1 {
		verb = override[0]
	}
	r, at := match(verb, in.url)
	note := &entry{Exchange: Exchange{Time: now, HTTPMethod: in.verb, Path: in.url.EscapedPath(), Query: in.url.RawQuery}, request: body}
	if e.journal.limit >= 0 {
		note.header = linesOf(in.header)
	}
	if r == nil {
		e.journal.open(note)
		return e.send(note, lost(in.url.Path))
	}
	c := &call{route: r, place: at, query: parseQuery(in.url.RawQuery), body: string(body), header: in.header, now: now, overridden: verb != in.verb}
	note.Method, note.Target = r.method, c.target()
	e.journal.open(note)
	if tooLarge {
		return e.send(note, textTooLarge.because().refusal(style{}, c.legacy()))
	}
	fault := e.faults.take(r.method, note.Target)
	if fault == nil {
		a := e.do(c)
		e.journal.noted(note, nil, c.acted)
		return e.send(note, a)
	}
	a, err := e.spoil(in.ctx, note, fault, c)
	if err != nil {
		return nil, nil, err
	}
	return e.send(note, a)
}

// spoil acts a fault out, as far as it is not a matter of the connection.
func (e *engine) spoil(ctx context.Context, note *entry, f *Fault, c *call) (*answer, error) {
	e.journal.noted(note, f, false)
	var usual *answer
	if f.AfterWork {
		usual = e.do(c)
		e.journal.noted(note, f, c.acted)
	}
	if f.Stall > 0 {
		if err := stall(ctx, f.Stall); err != nil {
			return nil, err
		}
	}
	if usual == nil {
		switch {
		case !f.spoils():
			usual = e.do(c)
		case f.Truncate && f.Status == 0:
			usual = e.phantom(c)
		}
		e.journal.noted(note, f, c.acted)
	}
	if !f.spoils() {
		return usual, nil
	}
	s, _ := c.style(0)
	return f.answer(usual, c, s, c.legacy()), nil
}

// stall waits, or returns the context's error when it ends first.
func stall(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send notes an answer and gives it its headers.
func (e *engine) send(note *entry, a *answer) (*answer, http.Header, error) {
	now := e.now()
	e.journal.close(note, a, now)
	if e.logf != nil {
		method := note.Method
		if method == "" {
			method = "-"
		}
		e.logf("%s %s %s %d", method, note.HTTPMethod, note.Path, a.status)
	}
	return a, a.headers(now, !e.noDate), nil
}

// readBody reads all of a request's body that the front end would take.
func readBody(r io.Reader) (body []byte, tooLarge bool, err error) {
	if r == nil || r == http.NoBody {
		return nil, false, nil
	}
	body, err = io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil {
		return nil, false, err
	}
	if len(body) > maxBody {
		_, err = io.Copy(io.Discard, io.LimitReader(r, 2*maxBody))
		return nil, true, err
	}
	return body, false, nil
}
