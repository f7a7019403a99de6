package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"regexp"
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
		Use:   "fakeserver",
		Short: "Serve a fake of the Memorystore for Redis API",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("it takes no arguments, and here is %q; --help lists the flags", args[0])
			}
			return nil
		},
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts, err := s.options(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if s.fidelity {
				return writeFidelity(cmd.OutOrStdout(), fakeserver.Fidelity())
			}
			return serve(cmd.Context(), cmd.OutOrStdout(), s, opts)
		},
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.SetFlagErrorFunc(explain)
	f := cmd.Flags()
	f.StringVar(&s.addr, "addr", "127.0.0.1:8085", "address to listen on; port 0 takes a free one")
	f.BoolVar(&s.allowRemote, "allow-remote", false, "allow an address that other machines can reach")
	f.StringVar(&s.operations, "operations", "3s", "when operations end: immediate, a duration, polls:N or realistic")
	f.BoolVar(&s.log, "log", false, "print one line per request")
	f.BoolVar(&s.strict, "strict", false, "answer 501 where only a guess stands behind the answer")
	f.BoolVar(&s.fidelity, "fidelity", false, "print what is known of each answer, and how, and end")
	f.StringArrayVar(&s.tokens, "token", nil, "a bearer token to accept, TOKEN or TOKEN=PERMISSION,...; any other is answered 401; may be repeated")
	// Not StringSliceVar: to that an empty value is no value, and is not seen to be a mistake.
	f.StringArrayVar(&s.deny, "deny", nil, "`permissions` that nobody has, such as redis.instances.delete,redis.operations.*; may be repeated")
	f.StringArrayVar(&s.disabled, "disabled-project", nil, "`projects` in which the API was never switched on, with commas between them; may be repeated")
	return cmd
}

// explain adds to what is wrong with a flag what may have been meant.
func explain(cmd *cobra.Command, err error) error {
	var unknown interface{ GetSpecifiedShortnames() string }
	if errors.As(err, &unknown) {
		// The flags have one short name, -h, so "-help" is taken for -h and what is left of it.
		name, _, _ := strings.Cut(unknown.GetSpecifiedShortnames(), "=")
		for _, long := range []string{name, "h" + name, "he" + name} {
			if name != "" && cmd.Flags().Lookup(long) != nil {
				return fmt.Errorf("flags have two dashes: --%s", long)
			}
		}
	}
	return fmt.Errorf("%w; --help lists the flags", err)
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
	for _, p := range split(s.disabled) {
		if p == "" || strings.ContainsFunc(p, func(r rune) bool { return r <= ' ' || r == '/' || r == 0x7f }) {
			return nil, fmt.Errorf("--disabled-project: %q is no id or number of a project, such as my-project", p)
		}
		opts = append(opts, fakeserver.WithServiceDisabled(p))
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
		return fmt.Errorf("--addr %q: want HOST:PORT", addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("--addr %q: the port must be 0 to 65535", addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !allowRemote {
		return fmt.Errorf("--addr %q: other machines could reach it; say --allow-remote if they may", addr)
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
		polls, err := strconv.Atoi(n)
		if err == nil && polls >= 0 {
			return fakeserver.Polls(polls), nil
		}
		if errors.Is(err, strconv.ErrRange) {
			return fakeserver.OperationTimes{}, fmt.Errorf("--operations %q: that is too many; at most polls:%d", s, math.MaxInt)
		}
	} else if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return fakeserver.After(d), nil
	} else if err != nil && duration.MatchString(s) {
		return fakeserver.OperationTimes{}, fmt.Errorf("--operations %q: that is too long; at most %d hours", s, math.MaxInt64/time.Hour)
	}
	return fakeserver.OperationTimes{}, fmt.Errorf("--operations %q: want immediate, a duration such as 3s, polls:N or realistic", s)
}

// duration is what time.ParseDuration takes if it is not too long; it does not say which of the two was wrong.
var duration = regexp.MustCompile(`^(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$`)

// split takes lists with commas apart.
func split(lists []string) (items []string) {
	for _, l := range lists {
		items = append(items, strings.Split(l, ",")...)
	}
	return items
}

// parseTokens makes the policy of --token and --deny. A token without permissions has them all.
func parseTokens(tokens, deny []string) (fakeserver.TokenPolicy, error) {
	p := fakeserver.TokenPolicy{Deny: split(deny)}
	for _, t := range tokens {
		token, permissions, limited := strings.Cut(t, "=")
		if token == "" {
			return p, errors.New("--token: want TOKEN or TOKEN=PERMISSION[,PERMISSION]")
		}
		if _, twice := p.Tokens[token]; twice {
			return p, fmt.Errorf("--token %q is there twice", token)
		}
		if p.Tokens == nil {
			p.Tokens = map[string][]string{}
		}
		p.Tokens[token] = []string{"*"}
		if limited {
			p.Tokens[token] = strings.Split(permissions, ",")
		}
	}
	if err := p.Check(); err != nil {
		return p, fmt.Errorf("--%w", err) // it begins with the part that is wrong, which is called as its flag is
	}
	return p, nil
}

const patience = 2 * time.Second // for requests under way when it ends

// serve runs a fake until the context ends.
func serve(ctx context.Context, out io.Writer, set settings, opts []fakeserver.Option) error {
	s := fakeserver.New(opts...)
	if err := s.Listen(set.addr); err != nil {
		return err
	}
	fmt.Fprint(out, set.greeting(s.Host()))
	<-ctx.Done()
	ending, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Shutdown(ending); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
