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
			if strings.HasPrefix(lines.Text(), "Any project") {
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
		{[]string{"extra"}, "unknown command"},
	} {
		out, err := command(tt.args...).CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%v", tt.args)
		assert.Equal(t, 2, exit.ExitCode())
		assert.Contains(t, string(out), tt.says)
		assert.Equal(t, 1, strings.Count(string(out), "\n"), "one line: %q", out)
	}
}
