// Command resume starts a change in one process and waits for it in another. All that passes between them is the name
// of the operation. Both run here, against a fake of the service.
//
//	go run ./examples/resume
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/option"

	"github.com/memorystore-go/memorystore"
	"github.com/memorystore-go/memorystore/fakeserver"
)

func main() {
	if err := run(context.Background(), os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "resume:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

const usage = "usage: go run ./examples/resume, without arguments: it starts a change in one process and waits for it in another, on a fake; it takes some seconds"

var errUsage = errors.New("it takes no arguments")

func run(ctx context.Context, out io.Writer, args []string) error {
	switch {
	case len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]):
		fmt.Fprintln(out, usage)
		return nil
	case len(args) > 0:
		return fmt.Errorf("%w, and here is %q", errUsage, args[0])
	}
	fake := fakeserver.New(
		fakeserver.WithOperationTimes(fakeserver.After(4*time.Second)),
		fakeserver.WithInstances(`{"name": "projects/demo/locations/us-central1/instances/cache", "tier": "BASIC", "memorySizeGb": 1}`))
	toFake := option.WithHTTPClient(fake.Client()) // a real program leaves this out

	dir, err := os.MkdirTemp("", "resume")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	note := filepath.Join(dir, "operation")

	if err := first(ctx, out, note, toFake); err != nil {
		return fmt.Errorf("first process: %w", err)
	}
	if err := second(ctx, out, note, toFake); err != nil {
		return fmt.Errorf("second process: %w", err)
	}
	return nil
}

// first begins a change and waits for one second. The end of its context ends the waiting, not the change.
func first(ctx context.Context, out io.Writer, note string, opts ...option.ClientOption) error {
	client, err := memorystore.NewClient(ctx, opts...)
	if err != nil {
		return err
	}
	op, err := client.UpdateInstance(ctx, &memorystore.Instance{
		Name:         memorystore.InstanceName("demo", "us-central1", "cache"),
		MemorySizeGB: 2,
	}, memorystore.FieldMemorySizeGB)
	if err != nil {
		return err
	}
	// Keep the name before anything else: the change goes on whatever becomes of this process.
	if err := os.WriteFile(note, []byte(op.Name()), 0o600); err != nil {
		return err
	}
	fmt.Fprintln(out, "first process:  started the change, kept the name of its operation")

	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err = op.Wait(ctx)
	if !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the wait should have ended too early: %v", err)
	}
	fmt.Fprintln(out, "first process:  stops waiting after 1 s and ends; the change goes on")
	return nil
}

// second knows only what first wrote down.
func second(ctx context.Context, out io.Writer, note string, opts ...option.ClientOption) error {
	client, err := memorystore.NewClient(ctx, opts...)
	if err != nil {
		return err
	}
	name, err := os.ReadFile(note)
	if err != nil {
		return err
	}
	op := memorystore.Resume[memorystore.Instance](client, strings.TrimSpace(string(name)))
	for m, err := range op.Watch(ctx) {
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "second process: %s of %s, done: %t\n", m.Verb, filepath.Base(m.Target), op.Done())
	}
	instance, err := op.Result()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "second process: the instance is %s and has %d GB\n", instance.State, instance.MemorySizeGB)
	return nil
}
