package fakeserver

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
)

// A direct transport runs the engine in the caller's goroutine: no socket, no goroutine, no buffer in between.
type direct struct{ *engine }

// RoundTrip answers a request. What a connection would do to it is put in net/http's own words.
func (d direct) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	ctx := req.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	verb := req.Method
	if verb == "" {
		verb = http.MethodGet
	}
	var body io.Reader
	if req.Body != nil {
		body = req.Body
	}
	a, h, err := d.exchange(incoming{ctx, verb, req.URL, req.Header, body})
	if err != nil {
		return nil, err
	}
	if a.cut == cutReset {
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	if h["Date"] == nil {
		delete(h, "Date")
	}
	resp := &http.Response{
		Status: strconv.Itoa(a.status) + " " + http.StatusText(a.status), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Request: req, ContentLength: int64(len(a.body)),
	}
	switch {
	case verb == http.MethodHead || bodyless(a.status):
		resp.Body = http.NoBody
	case a.cut == cutHalf:
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(a.body[:len(a.body)/2]), brokenOff{}))
	default:
		resp.Body = io.NopCloser(bytes.NewReader(a.body))
	}
	return resp, nil
}

// brokenOff is where a body stops before its length is reached.
type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
