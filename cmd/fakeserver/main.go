// Command fakeserver serves a fake of the Memorystore for Redis API.
//
//	go run ./cmd/fakeserver
//
// It prints where it listens and what to set for this SDK, for gcloud and for Terraform, and ends on SIGINT and
// SIGTERM.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "fakeserver: %v\n", err)
		os.Exit(2)
	}
}
