package main

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
)

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := run(t.Context(), &out, nil); err != nil {
			t.Fatal(err)
		}
		want := regexp.MustCompile(`^google\.golang\.org/api/redis/v1 alone
  get, the service answers 503 twice
    failed after 0\.0 s: 503 Service Unavailable
  failover, the service answers 429 once
    failed after 0\.0 s: 429 Too Many Requests
  failover, the service answers 503 once
    failed after 0\.0 s: 503 Service Unavailable

The same client over memorystore\.RetryTransport
  get, the service answers 503 twice
    attempt 1: 503, wait (1(\.\d+)?|2)s
    attempt 2: 503, wait (2\.\d+|3|2)s
    succeeded after [345]\.\d s
  failover, the service answers 429 once
    attempt 1: 429, wait (1(\.\d+)?|2)s
    succeeded after [12]\.\d s
  failover, the service answers 503 once
    failed after 0\.0 s: 503 Service Unavailable
$`)
		if !want.Match(out.Bytes()) {
			t.Errorf("got:\n%s", &out)
		}
	})
}

func TestArguments(t *testing.T) {
	for _, arg := range []string{"-h", "-help", "--help"} {
		var out bytes.Buffer
		if err := run(t.Context(), &out, []string{arg}); err != nil || strings.Count(out.String(), "\n") != 1 || !strings.HasPrefix(out.String(), "usage: ") {
			t.Errorf("%s: %v, printed %q", arg, err, &out)
		}
	}
	for _, arg := range []string{"-x", "--project=p", "demo", ""} {
		var out bytes.Buffer
		if err := run(t.Context(), &out, []string{arg}); !errors.Is(err, errUsage) || out.Len() > 0 {
			t.Errorf("%q: %v, printed %q", arg, err, &out)
		}
	}
}
