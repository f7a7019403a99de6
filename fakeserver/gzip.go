package fakeserver

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a valid one
	}
	return w
}}

// compressed is the answer's body as it travels to a client that accepts gzip, as the front end sends it; not ok
// when it travels as it is.
func (a *answer) compressed(request http.Header) (body []byte, ok bool) {
	if len(a.body) == 0 || a.cut != uncut || a.header["Content-Encoding"] != nil || !acceptsGzip(request["Accept-Encoding"]) {
		return nil, false
	}
	var b bytes.Buffer
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&b)
	if _, err := w.Write(a.body); err != nil || w.Close() != nil {
		return nil, false
	}
	return b.Bytes(), true
}

func acceptsGzip(values []string) bool {
	for _, v := range values {
		for _, coding := range strings.Split(v, ",") {
			name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
			if strings.EqualFold(name, "gzip") && strings.ReplaceAll(quality, " ", "") != "q=0" {
				return true
			}
		}
	}
	return false
}
