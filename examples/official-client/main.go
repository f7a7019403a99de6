// Command official-client puts the retries of this SDK under Google's own client, google.golang.org/api/redis/v1. It
// makes the same calls against a fake of the service, first with that client alone, then with
// memorystore.RetryTransport below it. Each call meets the same faults both times.
//
//	go run ./examples/official-client
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/redis/v1"

	"github.com/memorystore-go/memorystore"
	"github.com/memorystore-go/memorystore/fakeserver"
)

func main() {
	if err := run(context.Background(), os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "official-client:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

const usage = "usage: go run ./examples/official-client, without arguments: it puts this SDK's retries under Google's own client, on a fake; it takes some seconds"

var errUsage = errors.New("it takes no arguments")

const name = "projects/demo/locations/us-central1/instances/cache"

func run(ctx context.Context, out io.Writer, args []string) error {
	switch {
	case len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]):
		fmt.Fprintln(out, usage)
		return nil
	case len(args) > 0:
		return fmt.Errorf("%w, and here is %q", errUsage, args[0])
	}
	fmt.Fprintln(out, "google.golang.org/api/redis/v1 alone")
	alone := func(base http.RoundTripper) http.RoundTripper { return base }
	if err := calls(ctx, out, alone); err != nil {
		return err
	}

	fmt.Fprintln(out, "\nThe same client over memorystore.RetryTransport")
	policy := memorystore.RetryPolicy{OnAttempt: func(_ context.Context, a memorystore.Attempt) {
		if a.Wait > 0 {
			fmt.Fprintf(out, "    attempt %d: %d, wait %v\n", a.Number, a.Status, a.Wait)
		}
	}}
	quiet := memorystore.WithLogger(slog.New(slog.DiscardHandler)) // OnAttempt shows what would be logged
	return calls(ctx, out, func(base http.RoundTripper) http.RoundTripper {
		return memorystore.RetryTransport(base, policy, quiet)
	})
}

func calls(ctx context.Context, out io.Writer, wrap func(http.RoundTripper) http.RoundTripper) error {
	fake := fakeserver.New(fakeserver.WithInstances(`{"name": "` + name + `", "tier": "STANDARD_HA", "memorySizeGb": 1}`))
	// At Google, wrap http.DefaultTransport and put the credentials around it, as oauth2.Transport does.
	client := &http.Client{Transport: wrap(fake.Client().Transport)}
	service, err := redis.NewService(ctx, option.WithHTTPClient(client))
	if err != nil {
		return err
	}
	instances := service.Projects.Locations.Instances

	fake.Inject("instances.get", fakeserver.Fault{Status: 503, Times: 2})
	try(out, "get, the service answers 503 twice", func() error {
		_, err := instances.Get(name).Context(ctx).Do()
		return err
	})
	fake.Inject("instances.failover", fakeserver.Fault{Status: 429})
	try(out, "failover, the service answers 429 once", func() error {
		_, err := instances.Failover(name, &redis.FailoverInstanceRequest{}).Context(ctx).Do()
		return err
	})
	// What a transport cannot do: it does not know whether the failover was made, so it does not repeat it. Client
	// asks the service.
	fake.Inject("instances.failover", fakeserver.Fault{Status: 503})
	try(out, "failover, the service answers 503 once", func() error {
		_, err := instances.Failover(name, &redis.FailoverInstanceRequest{}).Context(ctx).Do()
		return err
	})
	return nil
}

func try(out io.Writer, what string, call func() error) {
	fmt.Fprintf(out, "  %s\n", what)
	start := time.Now()
	err := call()
	if e, ok := errors.AsType[*googleapi.Error](err); ok {
		fmt.Fprintf(out, "    failed after %.1f s: %d %s\n", time.Since(start).Seconds(), e.Code, http.StatusText(e.Code))
		return
	}
	if err != nil {
		fmt.Fprintf(out, "    failed: %v\n", err)
		return
	}
	fmt.Fprintf(out, "    succeeded after %.1f s\n", time.Since(start).Seconds())
}
