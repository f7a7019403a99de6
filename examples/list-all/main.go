// Command list-all prints the instances of all regions of a project, and says which regions are missing. It runs
// against a fake of the service in which one region does not answer.
//
//	go run ./examples/list-all
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"google.golang.org/api/option"

	"github.com/memorystore-go/memorystore"
	"github.com/memorystore-go/memorystore/fakeserver"
)

func main() {
	if err := run(context.Background(), os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "list-all:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

const usage = "usage: go run ./examples/list-all, without arguments: it prints the instances of all regions of a project on a fake, and says which regions are missing"

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
		fakeserver.WithInstances(
			`{"name": "projects/demo/locations/us-central1/instances/cache", "tier": "STANDARD_HA", "memorySizeGb": 5}`,
			`{"name": "projects/demo/locations/us-central1/instances/queue", "tier": "BASIC", "memorySizeGb": 1}`,
			`{"name": "projects/demo/locations/asia-east1/instances/sessions", "tier": "STANDARD_HA", "memorySizeGb": 16}`,
			`{"name": "projects/demo/locations/europe-west1/instances/unseen", "tier": "BASIC", "memorySizeGb": 1}`),
		fakeserver.WithUnreachable("europe-west1"))
	client, err := memorystore.NewClient(ctx, option.WithHTTPClient(fake.Client())) // a real program has no such option
	if err != nil {
		return err
	}
	return list(ctx, out, client, "demo")
}

func list(ctx context.Context, out io.Writer, client *memorystore.Client, project string) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "REGION\tINSTANCE\tTIER\tGB\tSTATE")
	var missing *memorystore.UnreachableError
	for in, err := range client.ListInstances(ctx, memorystore.LocationName(project, memorystore.AllLocations)) {
		if errors.As(err, &missing) {
			break // always the last item: what came before it is good
		}
		if err != nil {
			return err
		}
		parts := strings.Split(in.Name, "/")
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", parts[3], parts[5], in.Tier, in.MemorySizeGB, in.State)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if missing != nil {
		fmt.Fprintf(out, "\nNot whole: %s did not answer. What is there is not shown.\n",
			strings.Join(missing.Locations, ", "))
	}
	return nil
}
