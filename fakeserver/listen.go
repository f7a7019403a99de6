package fakeserver

import (
	"net"
	"net/http"
	"strconv"
)

// ServeHTTP answers a request that came over a connection, or what a connection is to net/http.
func (e *engine) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	a, h, err := e.exchange(incoming{req.Context(), req.Method, req.URL, req.Header, req.Body})
	if err != nil || a.cut == cutReset {
		reset(w)
		return
	}
	if a.status < 200 {
		informational(w, a.status)
		return
	}
	header := w.Header()
	for k, v := range h {
		header[k] = v
	}
	if bodyless(a.status) {
		w.WriteHeader(a.status)
		return
	}
	body := a.body
	if small, ok := a.compressed(req.Header); ok {
		body = small
		header.Set("Content-Encoding", "gzip")
	}
	if a.chunked() {
		header.Set("Transfer-Encoding", "chunked")
	} else {
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(a.status)
	if a.cut == cutHalf {
		w.Write(a.body[:len(a.body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler) // the only way to end an answer that is not whole
	}
	w.Write(body)
}

// reset ends the connection with a TCP reset, or as harshly as the connection allows.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}

// informational sends a 1xx and nothing after it.
func informational(w http.ResponseWriter, status int) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()
	buf.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n\r\n")
	buf.Flush()
}
