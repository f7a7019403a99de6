package main

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain lets the test binary be the command itself.
func TestMain(m *testing.M) {
	if os.Getenv("FAKESERVER_IS_COMMAND") == "1" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "FAKESERVER_IS_COMMAND=1")
	return cmd
}

func TestServesAndEnds(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := command("--addr", "127.0.0.1:0", "--operations", "immediate", "--log")
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		var log bytes.Buffer
		cmd.Stderr = &log
		require.NoError(t, cmd.Start())

		var text strings.Builder
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			text.WriteString(lines.Text() + "\n")
			if strings.HasPrefix(lines.Text(), "Any project will do, and any token.") {
				break
			}
		}
		found := regexp.MustCompile(`listening on http://(127\.0\.0\.1:\d+)`).FindStringSubmatch(text.String())
		require.NotNil(t, found, text.String())
		host := found[1]
		assert.Contains(t, text.String(), "export MEMORYSTORE_EMULATOR_HOST="+host+"\n")
		assert.Contains(t, text.String(), "export CLOUDSDK_API_ENDPOINT_OVERRIDES_REDIS=http://"+host+"/ CLOUDSDK_AUTH_DISABLE_CREDENTIALS=true\n")
		assert.Contains(t, text.String(), "export GOOGLE_REDIS_CUSTOM_ENDPOINT=http://"+host+"/v1/ GOOGLE_OAUTH_ACCESS_TOKEN=any\n")

		resp, err := http.Get("http://" + host + "/v1/projects/p/locations/us-central1/instances")
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, 200, resp.StatusCode)

		require.NoError(t, cmd.Process.Signal(signal))
		require.NoError(t, cmd.Wait(), "%v", signal)
		assert.Regexp(t, `^\d\d:\d\d:\d\d\.\d{3} instances.list GET /v1/projects/p/locations/us-central1/instances 200\n$`, log.String())
	}
}

func TestBadFlags(t *testing.T) {
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"--addr", "0.0.0.0:0"}, "--allow-remote"},
		{[]string{"--addr", ":0"}, "--allow-remote"},
		{[]string{"--addr", "127.0.0.1"}, "want HOST:PORT"},
		{[]string{"--addr", "127.0.0.1:99999"}, "0 to 65535"},
		{[]string{"--operations", "soon"}, "want immediate"},
		{[]string{"--operations", "polls:-1"}, "want immediate"},
		{[]string{"--operations", "-3s"}, "want immediate"},
		{[]string{"--no-such-flag"}, "no-such-flag"},
		{[]string{"--token", "=redis.instances.get"}, "want TOKEN"},
		{[]string{"--no-such-flag"}, "--help lists"},
		{[]string{"--addr", ""}, `--addr "": want HOST:PORT`},
		{[]string{"extra"}, `it takes no arguments, and here is "extra"`},
		{[]string{"-addr", "127.0.0.1:0"}, "flags have two dashes: --addr"},
		{[]string{"-operations=3s"}, "flags have two dashes: --operations"},
		{[]string{"-help"}, "flags have two dashes: --help"},
		{[]string{"-x"}, "unknown shorthand flag: 'x'"},
		{[]string{"--operations", ""}, `--operations "": want immediate`},
		{[]string{"--operations", "99999999h"}, "too long; at most 2562047 hours"},
		{[]string{"--operations", "polls:99999999999999999999"}, "too many"},
		{[]string{"--deny", "foo"}, `--deny: no permission "foo"; there are redis.instances.create, `},
		{[]string{"--deny", ""}, `--deny: no permission ""`},
		{[]string{"--deny", "redis.instances.get,"}, `--deny: no permission ""`},
		{[]string{"--token", "a=redis.instances.bogus"}, `--token "a": no permission "redis.instances.bogus"`},
		{[]string{"--token", "a="}, `--token "a": no permission ""`},
		{[]string{"--token", ""}, "want TOKEN"},
		{[]string{"--token", "a b"}, `--token "a b": no request can carry it`},
		{[]string{"--token", "a", "--token", "a=*"}, `--token "a" is there twice`},
		{[]string{"--disabled-project", ""}, `--disabled-project: "" is no id`},
		{[]string{"--disabled-project", "a,projects/b"}, `--disabled-project: "projects/b" is no id`},
		{[]string{"--fidelity", "--deny", "foo"}, "--deny"},
	} {
		var stdout, out bytes.Buffer
		cmd := command(tt.args...)
		cmd.Stdout, cmd.Stderr = &stdout, &out
		err := cmd.Run()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%v", tt.args)
		assert.Empty(t, stdout.String())
		assert.Equal(t, 2, exit.ExitCode())
		assert.Contains(t, out.String(), tt.says)
		assert.Equal(t, 1, strings.Count(out.String(), "\n"), "one line: %q", out.String())
	}
}

func TestFidelity(t *testing.T) {
	out, err := command("--fidelity").Output()
	require.NoError(t, err)
	text := string(out)
	assert.Regexp(t, `^\d+ facts: \d+ recorded from the service, \d+ documented by Google, \d+ guessed\.\n`, text)
	assert.Contains(t, text, "\n## method\n")
	assert.Contains(t, text, "| busy | FAILED_PRECONDITION: Unable to %s due to ongoing operations. Please wait until instance is in READY state. | Recorded | airflow pull 11735")
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "|") {
			assert.Equal(t, 5, strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"), line)
		}
	}
}

func TestPolicy(t *testing.T) {
	cmd := command("--addr", "127.0.0.1:0", "--strict", "--token", "admin", "--token", "viewer=redis.instances.get,redis.instances.list", "--deny", "redis.instances.create", "--disabled-project", "off")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		assert.NoError(t, cmd.Wait())
	})
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	url := strings.Fields(lines.Text())[len(strings.Fields(lines.Text()))-1]
	for _, tt := range []struct {
		token, method, path string
		status              int
	}{
		{"", "GET", "p/locations/us-central1/instances", 401},
		{"viewer", "GET", "p/locations/us-central1/instances", 200},
		{"viewer", "GET", "p/locations/us-central1/operations", 403},
		{"admin", "GET", "p/locations/us-central1/operations", 200},
		{"admin", "POST", "p/locations/us-central1/instances?instanceId=a", 403},
		{"admin", "GET", "off/locations/us-central1/instances", 403},
		{"admin", "GET", "p/locations/us-central1/operations?filter=done=true", 501},
	} {
		req, err := http.NewRequest(tt.method, url+"/v1/projects/"+tt.path, nil)
		require.NoError(t, err)
		if tt.token != "" {
			req.Header.Set("Authorization", "Bearer "+tt.token)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, tt.status, resp.StatusCode, "%+v", tt)
	}
}
