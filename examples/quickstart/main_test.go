package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"google.golang.org/api/option"

	"github.com/memorystore-go/memorystore"
	"github.com/memorystore-go/memorystore/fakeserver"
)

func contains(t *testing.T, out string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var out bytes.Buffer
		if err := run(t.Context(), &out, nil); err != nil {
			t.Fatal(err)
		}
		contains(t, out.String(),
			"READY at 10.",
			"attempt 1: 503 UNAVAILABLE         wait 1 s + ",
			"attempt 2: 429 RESOURCE_EXHAUSTED  wait 2 s + ",
			"attempt 3: 200\n",
			"READY, 2 GB",
			"It was sent once.",
			"cache                STANDARD_HA, 2 GB, READY",
			"Gone: get answers NOT_FOUND.",
			"attempt 3: 503 UNAVAILABLE         no retry left",
			"statuses 503 503 503")
		if n := strings.Count(out.String(), "ERROR"); n != 1 {
			t.Errorf("%d ERROR records, want 1", n)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("a line of %d columns: %s", n, line)
			}
		}
		if d := time.Since(start); d < 15*time.Second || d > 22*time.Second {
			t.Errorf("it took %v, which is not about 20 seconds", d)
		}
	})
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-live"}, {"-project", "p"}, {"-unknown"}, {"-live=maybe"}, {"cache"}, {"-live", "-project", "p", "cache"}, {""},
		{"-location", "us-east1"}, {"-live", "-project", "p", "-location", ""}} {
		var out bytes.Buffer
		err := run(t.Context(), &out, args)
		if !errors.As(err, new(usageError)) || strings.Contains(err.Error(), "\n") || out.Len() > 0 {
			t.Errorf("%v: %v, printed %q", args, err, &out)
		}
	}
	for _, arg := range []string{"-h", "-help", "--help"} {
		var out bytes.Buffer
		if err := run(t.Context(), &out, []string{arg}); err != nil || strings.Count(out.String(), "-project string") != 1 || strings.Count(strings.ToLower(out.String()), "usage") != 1 {
			t.Errorf("%s: %v, printed %q", arg, err, &out)
		}
	}
}

// TestLive runs -live against the fake, over a socket.
func TestLive(t *testing.T) {
	fake := fakeserver.Start(t, fakeserver.WithOperationTimes(fakeserver.Immediate()))
	t.Setenv("MEMORYSTORE_EMULATOR_HOST", fake.Host())
	var out bytes.Buffer
	if err := run(t.Context(), &out, []string{"-live", "-project", "p", "-location", "europe-west1"}); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "At the emulator "+fake.Host()+", project p, region europe-west1", "Nothing is left.")
}

func live(t *testing.T, out *bytes.Buffer, fake *fakeserver.Server) *job {
	p := newPrinter(out)
	client, err := memorystore.NewClient(t.Context(), option.WithHTTPClient(fake.Client()), option.WithLogger(p.logger()))
	if err != nil {
		t.Fatal(err)
	}
	return &job{Client: client, printer: p, parent: memorystore.LocationName("p", "us-central1"), name: memorystore.InstanceName("p", "us-central1", "i")}
}

// TestCleanUp interrupts a run at each of its moments. Nothing may be left.
func TestCleanUp(t *testing.T) {
	for second := range 22 {
		synctest.Test(t, func(t *testing.T) {
			fake := fakeserver.New(fakeserver.WithOperationTimes(fakeserver.After(5 * time.Second)))
			var out bytes.Buffer
			j := live(t, &out, fake)
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(second)*time.Second)
			defer cancel()
			err := j.liveJob(ctx)
			if second < 20 && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("interrupted after %d s, it ended with %v", second, err)
			}
			for in, err := range j.ListInstances(t.Context(), j.parent) {
				t.Errorf("interrupted after %d s, it left %v %v:\n%s", second, in, err, &out)
			}
			if second > 0 {
				contains(t, out.String(), "Nothing is left.")
			}
		})
	}
}

// TestCleanUpFails checks that what cannot be deleted is named.
func TestCleanUpFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeserver.New()
		fake.Inject("instances.patch", fakeserver.Fault{Status: 403})
		fake.Inject("instances.delete", fakeserver.Fault{Status: 403})
		var out bytes.Buffer
		j := live(t, &out, fake)
		if err := j.liveJob(t.Context()); !errors.Is(err, memorystore.PermissionDenied) {
			t.Errorf("it ended with %v", err)
		}
		contains(t, out.String(), "Left, and billed if it exists:\n          "+j.name+"\n")
	})
}

// TestRefused checks that a create that is refused needs no cleaning up.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeserver.New()
		fake.Inject("instances.create", fakeserver.Fault{Status: 403})
		var out bytes.Buffer
		if err := live(t, &out, fake).liveJob(t.Context()); !errors.Is(err, memorystore.PermissionDenied) {
			t.Errorf("it ended with %v", err)
		}
		if len(fake.Journal()) != 1 || strings.Contains(out.String(), "Clean up") {
			t.Errorf("%d requests:\n%s", len(fake.Journal()), &out)
		}
	})
}

func TestColors(t *testing.T) {
	p := newPrinter(new(bytes.Buffer))
	if p.colors {
		t.Error("colours for what is no terminal")
	}
}
