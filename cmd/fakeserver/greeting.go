package main

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
)

const (
	openLines = `
  This SDK:   export MEMORYSTORE_EMULATOR_HOST=%[1]s
  gcloud:     export CLOUDSDK_API_ENDPOINT_OVERRIDES_REDIS=http://%[1]s/ CLOUDSDK_AUTH_DISABLE_CREDENTIALS=true
  Terraform:  export GOOGLE_REDIS_CUSTOM_ENDPOINT=http://%[1]s/v1/ GOOGLE_OAUTH_ACCESS_TOKEN=any

`
	// The SDK's variable stands for a fake without credentials. gcloud reads a token from a file alone.
	tokenLines = `
  This SDK:   option.WithEndpoint("http://%[1]s/"),
              option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: %[2]q}))
  gcloud:     echo %[3]s >fakeserver.token
              export CLOUDSDK_API_ENDPOINT_OVERRIDES_REDIS=http://%[1]s/ CLOUDSDK_AUTH_DISABLE_CREDENTIALS=false
              export CLOUDSDK_AUTH_ACCESS_TOKEN_FILE="$PWD/fakeserver.token"
  Terraform:  export GOOGLE_REDIS_CUSTOM_ENDPOINT=http://%[1]s/v1/ GOOGLE_OAUTH_ACCESS_TOKEN=%[3]s

`
)

// greeting says where the fake listens, and how a client is set up that the policy lets in.
func (s settings) greeting(host string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "A fake of the Memorystore for Redis API is listening on http://%s\n", host)
	if remote := s.remote(host); remote != "" {
		fmt.Fprintf(&b, "Other machines reach it at http://%s (this machine's host name; if they do not know it, its\n"+
			"IP address): put that in place of %s on them.\n", remote, host)
	}
	tokens := "any token"
	if len(s.tokens) == 0 {
		fmt.Fprintf(&b, openLines, host)
	} else {
		token, _, _ := strings.Cut(s.tokens[0], "=")
		fmt.Fprintf(&b, tokenLines, host, token, shellWord(token))
		tokens = "no token but the one you gave"
		if n := len(s.tokens); n > 1 {
			tokens = fmt.Sprintf("no token but the %d you gave; the lines have the first", n)
		}
	}
	projects := "Any project will do"
	if len(s.disabled) > 0 {
		projects = "Any project but " + strings.Join(split(s.disabled), ", ") + " will do"
	}
	fmt.Fprintf(&b, "%s, and %s. Ctrl-C ends it; nothing is kept.\n", projects, tokens)
	return b.String()
}

// remote is the address that other machines use when the fake listens on all addresses, else empty.
func (s settings) remote(host string) string {
	asked, _, err := net.SplitHostPort(s.addr)
	if ip := net.ParseIP(asked); err != nil || asked != "" && !ip.IsUnspecified() {
		return ""
	}
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		return ""
	}
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = "HOST"
	}
	return net.JoinHostPort(name, port)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-]+$`)

// shellWord quotes a word for a shell if that is needed.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
