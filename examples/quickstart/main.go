// Command quickstart does what one does with an instance: create it, wait for it, change it, fail it over, list it and
// delete it. It runs against a fake of the service inside this process, which answers some calls with 503 and 429.
//
//	go run ./examples/quickstart
//
// With -live it does the same at Google, without the faults. That costs money.
//
//	go run ./examples/quickstart -live -project PROJECT
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	"google.golang.org/api/option"

	"github.com/memorystore-go/memorystore"
	"github.com/memorystore-go/memorystore/fakeserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		if errors.As(err, new(usageError)) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// A usageError says in one line what is wrong with the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

func run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	live := flags.Bool("live", false, "run against Google: no faults, about 20 minutes, costs money")
	project := flags.String("project", "", "project to use with -live")
	location := flags.String("location", "us-central1", "region to use with -live")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(out, "usage: go run ./examples/quickstart [-live -project PROJECT [-location REGION]]\n\n")
		flags.SetOutput(out)
		flags.PrintDefaults()
		return nil
	case err != nil:
		return usageError(err.Error() + "; see -h")
	case flags.NArg() > 0:
		return usageError(fmt.Sprintf("%q is not a flag; see -h", flags.Arg(0)))
	case *live != (*project != ""):
		return usageError("-live and -project PROJECT belong together")
	case !*live && isSet(flags, "location"):
		return usageError("-location goes with -live")
	case *location == "":
		return usageError(`-location "": want a region such as us-central1`)
	}
	p := newPrinter(out)
	if *live {
		return runLive(ctx, p, *project, *location)
	}
	p.title("Memorystore for Redis: create, change, fail over, list, delete",
		"Against a fake of the service inside this process. Nothing leaves this machine.",
		"All waits are real. It takes about 20 seconds.")

	fake := fakeserver.New(fakeserver.WithOperationTimes(fakeserver.After(2500 * time.Millisecond)))
	client, err := memorystore.NewClient(ctx,
		option.WithHTTPClient(fake.Client()),
		option.WithLogger(p.logger()),
		memorystore.WithRetry(memorystore.RetryPolicy{OnAttempt: p.attempt}), // all else as documented
		memorystore.WithPolling(memorystore.Polling{Min: 250 * time.Millisecond}))
	if err != nil {
		return err
	}
	j := &job{Client: client, fake: fake, printer: p, parent: memorystore.LocationName("demo", "us-central1"),
		name: memorystore.InstanceName("demo", "us-central1", "cache")}
	if err := j.mainJob(ctx); err != nil {
		return err
	}
	return j.exhaust(ctx)
}

func isSet(flags *flag.FlagSet, name string) bool {
	found := false
	flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

type job struct {
	*memorystore.Client
	*printer
	fake         *fakeserver.Server // nil: live
	parent, name string
	made         bool // the instance may exist
}

func (j *job) mainJob(ctx context.Context) error {
	j.step("Create instance %s", last(j.name))
	j.note("STANDARD_HA (two nodes), 1 GB, %s", last(j.parent))
	op, err := j.CreateInstance(ctx, &memorystore.Instance{Name: j.name, Tier: memorystore.TierStandardHA, MemorySizeGB: 1})
	e, _ := errors.AsType[*memorystore.Error](err)
	j.made = err == nil || e != nil && e.Ambiguous
	if err != nil {
		return err
	}
	instance, err := follow(ctx, j.printer, op)
	if err != nil {
		return err
	}
	j.note("%s at %s:%d, primary in %s", instance.State, instance.Host, instance.Port, instance.CurrentLocationID)

	j.step("Change its size to 2 GB")
	j.inject("instances.patch", "The service answers 503, then 429. Retries wait 2^n s + random ms.", fakeserver.Fault{Status: 503}, fakeserver.Fault{Status: 429})
	instance.MemorySizeGB = 2
	if op, err = j.UpdateInstance(ctx, instance, memorystore.FieldMemorySizeGB); err != nil {
		return err
	}
	if instance, err = follow(ctx, j.printer, op); err != nil {
		return err
	}
	j.note("%s, %d GB", instance.State, instance.MemorySizeGB)

	j.step("Fail it over to its other node")
	j.inject("instances.failover", "The service begins it, but answers 503. It must not happen twice.", fakeserver.Fault{Status: 503, AfterWork: true})
	if op, err = j.FailoverInstance(ctx, j.name, memorystore.DataProtectionModeLimitedDataLoss); err != nil {
		return err
	}
	if op.Reconciled() {
		j.note("Looked before sending it again: it is under way. It was sent once.")
	}
	if instance, err = follow(ctx, j.printer, op); err != nil {
		return err
	}
	j.note("%s, primary in %s", instance.State, instance.CurrentLocationID)

	j.step("List the instances of %s", last(j.parent))
	for in, err := range j.ListInstances(ctx, j.parent) {
		if err != nil {
			return err
		}
		j.note("%-20s %s, %d GB, %s", last(in.Name), in.Tier, in.MemorySizeGB, in.State)
	}

	j.step("Delete instance %s", last(j.name))
	deletion, err := j.DeleteInstance(ctx, j.name)
	if err != nil {
		return err
	}
	if _, err := follow(ctx, j.printer, deletion); err != nil {
		return err
	}
	_, err = j.GetInstance(ctx, j.name)
	if !errors.Is(err, memorystore.NotFound) {
		return fmt.Errorf("the instance is still there: %w", err)
	}
	j.note("Gone: get answers NOT_FOUND.")
	return nil
}

// exhaust shows how a call ends that never succeeds.
func (j *job) exhaust(ctx context.Context) error {
	j.step("List again, while the service is down")
	j.inject("instances.list", "It answers 503 each time. MaxRetries is 2 here; the default is 8.", fakeserver.Fault{Status: 503, Times: 3})
	patience := memorystore.WithRetry(memorystore.RetryPolicy{MaxRetries: 2, OnAttempt: j.attempt})
	for _, err := range j.With(patience).ListInstances(ctx, j.parent) {
		e, ok := errors.AsType[*memorystore.Error](err)
		if !ok {
			return fmt.Errorf("the service was down, yet the list ended with: %w", err)
		}
		j.note("The program gets an *Error: %s after %d attempts.", e.Code, len(e.Attempts))
	}
	j.end("Done in %.0f seconds.")
	return nil
}

// inject makes the fake fail the next calls of a method. It does nothing at Google.
func (j *job) inject(method, story string, faults ...fakeserver.Fault) {
	if j.fake != nil {
		j.fake.Inject(method, faults...)
		j.note("%s", story)
	}
}

func runLive(ctx context.Context, p *printer, project, location string) error {
	id := fmt.Sprintf("quickstart-%06x", rand.IntN(1<<24))
	where := "At Google"
	if host := os.Getenv("MEMORYSTORE_EMULATOR_HOST"); host != "" {
		where = "At the emulator " + host
	}
	p.title("Memorystore for Redis: create, change, fail over, list, delete",
		fmt.Sprintf("%s, project %s, region %s.", where, project, location),
		"No faults are injected. At Google it costs money: a STANDARD_HA instance of",
		"1, then 2 GB, for about 20 minutes. It is deleted at the end, and on Ctrl-C.")
	client, err := memorystore.NewClient(ctx, option.WithLogger(p.logger()),
		memorystore.WithRetry(memorystore.RetryPolicy{OnAttempt: p.attempt}))
	if err != nil {
		return err
	}
	return (&job{Client: client, printer: p, parent: memorystore.LocationName(project, location),
		name: memorystore.InstanceName(project, location, id)}).liveJob(ctx)
}

func (j *job) liveJob(ctx context.Context) error {
	err := j.mainJob(ctx)
	switch {
	case err == nil:
		j.end("Done in %.0f seconds. Nothing is left.")
	case j.made:
		j.cleanUp(context.WithoutCancel(ctx), err)
	}
	return err
}

// cleanUp deletes what a run that failed has left, as far as it can, and says what is left.
func (j *job) cleanUp(ctx context.Context, cause error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	defer cancel()
	j.step("Clean up")
	if errors.Is(cause, context.Canceled) {
		j.note("Interrupted.")
	} else {
		j.note("%v", cause)
	}
	j.note("A busy instance cannot be deleted: this may take minutes.")
	j.note("Ctrl-C again leaves %s.", last(j.name))
	if err := j.delete(ctx); err != nil {
		j.note("%v", err)
		j.end("Stopped after %.0f seconds. Left, and billed if it exists:")
		j.note("%s", j.name)
		return
	}
	j.end("Stopped after %.0f seconds. Nothing is left.")
}

// delete deletes the instance as soon as it is not busy any more.
func (j *job) delete(ctx context.Context) error {
	j.openLine("instance busy ")
	for {
		instance, err := j.GetInstance(ctx, j.name)
		switch {
		case errors.Is(err, memorystore.NotFound):
			return nil
		case err != nil:
			return err
		case instance.State == memorystore.StateReady:
			op, err := j.DeleteInstance(ctx, j.name)
			if err != nil {
				return err
			}
			_, err = follow(ctx, j.printer, op)
			return err
		}
		j.dot()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Second):
		}
	}
}
