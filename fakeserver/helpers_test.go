package fakeserver_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/require"
)

const (
	parent = "projects/p/locations/us-central1"
	basic  = `{"tier":"BASIC","memorySizeGb":1}`
)

// object is a decoded JSON object.
type object = map[string]any

// ask sends one request and decodes the answer, which is nil when it is not JSON.
func ask(t testing.TB, s *fakeserver.Server, method, path, body string) (int, object) {
	t.Helper()
	resp, text := fetch(t, s, method, path, body)
	var o object
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		require.NoError(t, json.Unmarshal([]byte(text), &o), text)
	}
	return resp.StatusCode, o
}

// fetch sends one request and returns the answer's text.
func fetch(t testing.TB, s *fakeserver.Server, method, path, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL()+path, strings.NewReader(body))
	require.NoError(t, err)
	resp, err := s.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(b)
}

// must asks for something that has to work.
func must(t testing.TB, s *fakeserver.Server, method, path, body string) object {
	t.Helper()
	status, o := ask(t, s, method, path, body)
	require.Equal(t, 200, status, "%s %s: %v", method, path, o)
	return o
}

// finish polls an operation to its end.
func finish(t testing.TB, s *fakeserver.Server, op object) object {
	t.Helper()
	for range 10 {
		if op["done"] == true {
			return op
		}
		op = must(t, s, "GET", "/v1/"+op["name"].(string), "")
	}
	t.Fatalf("operation does not end: %v", op)
	return nil
}

// create makes an instance and waits for it.
func create(t testing.TB, s *fakeserver.Server, id, body string) object {
	t.Helper()
	op := finish(t, s, must(t, s, "POST", "/v1/"+parent+"/instances?instanceId="+id, body))
	require.Nil(t, op["error"])
	return op["response"].(object)
}

// errorOf is the envelope's content.
func errorOf(t testing.TB, o object) object {
	t.Helper()
	e, ok := o["error"].(object)
	require.True(t, ok, "no error in %v", o)
	return e
}

// refused asks for something that must be refused, and returns the error.
func refused(t testing.TB, s *fakeserver.Server, method, path, body string, status int) object {
	t.Helper()
	got, o := ask(t, s, method, path, body)
	require.Equal(t, status, got, "%s %s %s: %v", method, path, body, o)
	e := errorOf(t, o)
	require.EqualValues(t, status, e["code"])
	return e
}
