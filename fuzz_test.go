package memorystore

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/googleapi"
)

// Whatever a server answers makes an error of one line, of a bounded length, whose status alone decides what follows.
func FuzzErrorBody(f *testing.F) {
	for _, r := range []reply{busy(), htmlPage(404, "Error 404 (Not Found)!!1"), {status: 500}, {status: 429, body: "[{}]"}, {status: 400, body: `{"error":{"code":400,"message":"a\nb","status":"INVALID_ARGUMENT","details":[{"@type":"x/google.rpc.RetryInfo","retryDelay":"1e999s"}]}}`},
		{status: 404, body: statusTail}, {status: 302, body: "<title>\u2028</title>"}, {status: 599, body: "["}, {status: 999, body: "[["}} {
		f.Add(r.status, r.header["Content-Type"], []byte(r.body))
	}
	f.Fuzz(func(t *testing.T, status int, kind string, body []byte) {
		header := http.Header{}
		header.Set("Content-Type", kind)
		e := refusal(&call{name: "GetInstance", resource: testInstance}, &answer{status: status, header: header, body: body})
		assertOneLine(t, e.Error())
		assert.True(t, utf8.ValidString(e.Message))
		assert.LessOrEqual(t, utf8.RuneCountInString(e.Message), 1000)
		assert.NotEmpty(t, e.Message)
		assert.True(t, knownCode(string(e.Code)))
		assert.True(t, e.RetryAfter >= 0 && e.RetryAfter <= hintLimit)
		assert.Equal(t, status >= 500 && status <= 599, e.doubt)
		assert.Equal(t, status, e.HTTPStatus)
		assertOneLine(t, e.Reason)
		if status < 200 || status > 299 {
			google, isGoogle := errors.AsType[*googleapi.Error](e)
			require.True(t, isGoogle)
			assert.Equal(t, string(body), google.Body)
		}
	})
}

// A hint is never negative, never beyond what can be added to, and digits alone mean seconds.
func FuzzRetryAfter(f *testing.F) {
	for _, v := range []string{"", "0", "20", "-5", "1.5", "+7", "9223372037", "18446744074", "99999999999999999999", "99999999999999999999x", "Sat, 01 Jan 2000 00:00:30 GMT",
		"Saturday, 01-Jan-00 00:00:30 GMT", "Sat Jan  1 00:00:30 2000", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT"} {
		f.Add(v, "Sat, 01 Jan 2000 00:00:00 GMT")
		f.Add(v, "")
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		h := http.Header{"Retry-After": {value}, "Date": {date}}
		hint := retryAfter(h)
		assert.True(t, hint >= 0 && hint <= hintLimit, hint)
		assert.Positive(t, hint+time.Second, "the jitter that is added does not overflow")
		digits := strings.TrimSpace(value)
		switch {
		case digits != "" && strings.Trim(digits, "0123456789") == "":
			assert.Zero(t, hint%time.Second)
			if strings.Trim(digits, "0") != "" {
				assert.GreaterOrEqual(t, hint, time.Second, "seconds that are not 0 are at least one")
			}
		case http.Header.Get(h, "Retry-After") != "":
			if _, err := http.ParseTime(digits); err != nil {
				assert.Zero(t, hint, "nonsense is no hint")
			}
		}
	})
}

// A name that is let through is one that a URL carries unchanged, and of the parts it was made of.
func FuzzNames(f *testing.F) {
	for _, name := range []string{testInstance, testOperation, testLocation, "projects/example.com:p/locations/l/instances/i", "projects/p/locations/-/instances/i", "projects/../locations/l/instances/i", "projects/a%2Fb/locations/l/instances/i",
		"projects/a\u2028/locations/l/instances/i", "projects/\xff/locations/l/instances/i", "", "/////", "projects/ü/locations/l/instances/i"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for pattern, check := range map[string]func(string) error{instancePattern: checkInstance, locationPattern: checkLocation, operationPattern: checkOperation, projectPattern: checkProject, locationPattern + " or all": checkParent} {
			err := check(name)
			if err != nil {
				assertOneLine(t, err.Error())
				assert.Less(t, len(err.Error()), 2500)
				continue
			}
			req, err := http.NewRequest("GET", "https://redis.googleapis.com/v1/"+name+"?prettyPrint=false", nil)
			require.NoError(t, err, "%q as %s", name, pattern)
			assert.Equal(t, "/v1/"+name, req.URL.Path)
			assert.Equal(t, "redis.googleapis.com", req.URL.Host)
			assert.Equal(t, "prettyPrint=false", req.URL.RawQuery)
			assert.Empty(t, req.URL.Fragment)
			parts := strings.Split(name, "/")
			assert.Len(t, parts, len(strings.Split(strings.TrimSuffix(pattern, " or all"), "/")))
			assertOneLine(t, name)
			if len(parts) == 6 {
				assert.Equal(t, LocationName(parts[1], parts[3]), parentOf(name))
				assert.Equal(t, parts[5], lastPart(name))
			}
		}
	})
}

// An answer is read or refused in one line, and what was read can be written and read again as the same.
func FuzzInstanceJSON(f *testing.F) {
	f.Add([]byte(instanceJSON))
	f.Add([]byte(`{"name":"x","state":2,"tier":"3","memorySizeGb":"5","port":5.0,"createTime":"2026-03-01T10:00:00.1234567891Z"}`))
	f.Add([]byte(`{"name":"x","maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":7,"startTime":{"hours":"3"},"duration":"3600.000000001s"}]},"nodes":[{}],"labels":{"a":"b","a":"c"}}`))
	f.Add([]byte(`{"name":"x","persistenceConfig":{"persistenceMode":2},"unknown":[1,{"x":null}],"suspensionReasons":[1,"A",null]}`))
	f.Add([]byte("{\"name\":\"\xff\"}"))
	f.Add([]byte(``))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var in Instance
		if err := decode(body, &in); err != nil {
			assertOneLine(t, err.Error())
			assert.Less(t, len(err.Error()), 2000)
			return
		}
		assert.NotEmpty(t, in.Name)
		written, err := jsonv2.Marshal(&in, jsonv2.Deterministic(true))
		if err != nil {
			return // a year beyond 9999, which is read but cannot be written
		}
		var again Instance
		require.NoError(t, decode(written, &again))
		rewritten, err := jsonv2.Marshal(&again, jsonv2.Deterministic(true))
		require.NoError(t, err)
		assert.Equal(t, string(written), string(rewritten))
	})
}
