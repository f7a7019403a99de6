package fakeserver

import (
	"bytes"
	"fmt"
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
	var sent io.Reader
	if req.Body != nil {
		sent = req.Body
	}
	a, h, err := d.exchange(incoming{ctx, verb, req.URL, req.Header, sent})
	if err != nil {
		return nil, err
	}
	if a.cut == cutReset {
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	if a.status < 200 && a.status != http.StatusSwitchingProtocols {
		// It announces an answer, and the connection ends before one comes.
		return nil, fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", io.ErrUnexpectedEOF)
	}
	if h["Date"] == nil {
		delete(h, "Date")
	}
	resp := &http.Response{
		Status: strconv.Itoa(a.status) + " " + http.StatusText(a.status), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Request: req, ContentLength: int64(len(a.body)),
	}
	body := a.body
	if a.chunked() {
		resp.ContentLength, resp.TransferEncoding = -1, chunked
	}
	switch small, ok := a.compressed(req.Header); {
	case ok:
		body = small
		h["Content-Encoding"] = []string{"gzip"}
	case bodyless(a.status):
		resp.ContentLength, resp.TransferEncoding = 0, nil
	}
	switch {
	case verb == http.MethodHead || bodyless(a.status):
		resp.Body = http.NoBody
	case a.cut == cutHalf:
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(a.body[:len(a.body)/2]), brokenOff{}))
	default:
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	return resp, nil
}

var chunked = []string{"chunked"}

// brokenOff is where a body stops before its length is reached.
type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
