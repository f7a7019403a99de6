package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/spf13/cobra"
)

// settings are what the flags say.
type settings struct {
	addr        string
	allowRemote bool
	operations  string
	log         bool
	strict      bool
	fidelity    bool
	tokens      []string
	deny        []string
	disabled    []string
}

func newCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:           "fakeserver",
		Short:         "Serve a fake of the Memorystore for Redis API",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.fidelity {
				return writeFidelity(cmd.OutOrStdout(), fakeserver.Fidelity())
			}
			opts, err := s.options(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return serve(cmd.Context(), cmd.OutOrStdout(), s, opts)
		},
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	f := cmd.Flags()
	f.StringVar(&s.addr, "addr", "127.0.0.1:8085", "address to listen on; port 0 takes a free one")
	f.BoolVar(&s.allowRemote, "allow-remote", false, "allow an address that other machines can reach")
	f.StringVar(&s.operations, "operations", "3s", "when operations end: immediate, a duration, polls:N or realistic")
	f.BoolVar(&s.log, "log", false, "print one line per request")
	f.BoolVar(&s.strict, "strict", false, "answer 501 where only a guess stands behind the answer")
	f.BoolVar(&s.fidelity, "fidelity", false, "print what is known of each answer, and how, and end")
	f.StringArrayVar(&s.tokens, "token", nil, "a bearer token to accept, TOKEN or TOKEN=PERMISSION,...; any other is answered 401; may be repeated")
	f.StringSliceVar(&s.deny, "deny", nil, "permissions that nobody has, such as redis.instances.delete")
	f.StringSliceVar(&s.disabled, "disabled-project", nil, "projects in which the API was never switched on")
	return cmd
}

// journalled is how many exchanges a server that may run for days remembers.
const journalled = 1000

// options checks the flags and turns them into the fake's options.
func (s settings) options(log io.Writer) ([]fakeserver.Option, error) {
	if err := checkAddress(s.addr, s.allowRemote); err != nil {
		return nil, err
	}
	times, err := parseTimes(s.operations)
	if err != nil {
		return nil, err
	}
	opts := []fakeserver.Option{fakeserver.WithOperationTimes(times), fakeserver.WithJournal(journalled)}
	if s.strict {
		opts = append(opts, fakeserver.WithStrict())
	}
	if len(s.disabled) > 0 {
		opts = append(opts, fakeserver.WithServiceDisabled(s.disabled...))
	}
	policy, err := parseTokens(s.tokens, s.deny)
	if err != nil {
		return nil, err
	}
	opts = append(opts, fakeserver.WithTokens(policy))
	if s.log {
		opts = append(opts, fakeserver.WithLog(func(format string, args ...any) {
			fmt.Fprintf(log, time.Now().Format("15:04:05.000 ")+format+"\n", args...)
		}))
	}
	return opts, nil
}

// checkAddress refuses one that is not the loopback interface's, unless that is allowed.
func checkAddress(addr string, allowRemote bool) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("--addr %s: want HOST:PORT", addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("--addr %s: the port must be 0 to 65535", addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !allowRemote {
		return fmt.Errorf("--addr %s: other machines could reach it; say --allow-remote if they may", addr)
	}
	return nil
}

func parseTimes(s string) (fakeserver.OperationTimes, error) {
	switch s {
	case "immediate":
		return fakeserver.Immediate(), nil
	case "realistic":
		return fakeserver.Realistic(), nil
	}
	if n, ok := strings.CutPrefix(s, "polls:"); ok {
		if polls, err := strconv.Atoi(n); err == nil && polls >= 0 {
			return fakeserver.Polls(polls), nil
		}
	} else if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return fakeserver.After(d), nil
	}
	return fakeserver.OperationTimes{}, fmt.Errorf("--operations %s: want immediate, a duration such as 3s, polls:N or realistic", s)
}

// parseTokens makes the policy of --token and --deny. A token without permissions has them all.
func parseTokens(tokens, deny []string) (fakeserver.TokenPolicy, error) {
	p := fakeserver.TokenPolicy{Deny: deny}
	for _, t := range tokens {
		token, permissions, limited := strings.Cut(t, "=")
		if token == "" {
			return p, errors.New("--token: want TOKEN or TOKEN=PERMISSION[,PERMISSION]")
		}
		if p.Tokens == nil {
			p.Tokens = map[string][]string{}
		}
		p.Tokens[token] = []string{"*"}
		if limited {
			p.Tokens[token] = strings.Split(permissions, ",")
		}
	}
	return p, nil
}

const (
	greeting = `A fake of the Memorystore for Redis API is listening on %[1]s

  This SDK:   export MEMORYSTORE_EMULATOR_HOST=%[2]s
  gcloud:     export CLOUDSDK_API_ENDPOINT_OVERRIDES_REDIS=%[1]s/ CLOUDSDK_AUTH_DISABLE_CREDENTIALS=true
  Terraform:  export GOOGLE_REDIS_CUSTOM_ENDPOINT=%[1]s/v1/ GOOGLE_OAUTH_ACCESS_TOKEN=any

Any project will do, and %[3]s. Ctrl-C ends it; nothing is kept.
`
	patience = 2 * time.Second // for requests under way when it ends
)

// serve runs a fake until the context ends.
func serve(ctx context.Context, out io.Writer, set settings, opts []fakeserver.Option) error {
	s := fakeserver.New(opts...)
	if err := s.Listen(set.addr); err != nil {
		return err
	}
	tokens := "any token"
	if len(set.tokens) > 0 {
		tokens = "the tokens you gave"
	}
	fmt.Fprintf(out, greeting, s.URL(), s.Host(), tokens)
	<-ctx.Done()
	ending, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Shutdown(ending); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
