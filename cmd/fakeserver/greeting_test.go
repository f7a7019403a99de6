package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the greeting says for a shell sets up clients that the policy lets in, whatever the token looks like.
func TestGreetingTokens(t *testing.T) {
	for _, token := range []string{"good", "ya29.a-b_c", "a'b$c;d", `back\slash"`} {
		s := settings{addr: "127.0.0.1:8085", tokens: []string{token + "=redis.*", "other"}}
		text := s.greeting("127.0.0.1:8085")
		assert.NotContains(t, text, "MEMORYSTORE_EMULATOR_HOST", "it sends no token")
		assert.NotContains(t, text, "CREDENTIALS=true")
		assert.Contains(t, text, `option.WithEndpoint("http://127.0.0.1:8085/")`)
		assert.Contains(t, text, "no token but the 2 you gave; the lines have the first.")

		_, script, found := strings.Cut(text, "gcloud:")
		require.True(t, found)
		script, _, found = strings.Cut(script, "\n\n")
		require.True(t, found)
		script = strings.Replace(script, "Terraform:", "", 1)
		cmd := exec.Command("sh", "-ec", script+`
			cat "$CLOUDSDK_AUTH_ACCESS_TOKEN_FILE"
			printf '%s\n' "$GOOGLE_OAUTH_ACCESS_TOKEN" "$CLOUDSDK_AUTH_DISABLE_CREDENTIALS" "$CLOUDSDK_API_ENDPOINT_OVERRIDES_REDIS" "$GOOGLE_REDIS_CUSTOM_ENDPOINT"`)
		cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, []string{token, token, "false", "http://127.0.0.1:8085/", "http://127.0.0.1:8085/v1/"}, strings.Split(strings.TrimSpace(string(out)), "\n"))
	}
	assert.Contains(t, settings{addr: "127.0.0.1:1", tokens: []string{"a"}}.greeting("127.0.0.1:1"), "Any project will do, and no token but the one you gave.")
	assert.Contains(t, settings{addr: "127.0.0.1:1", disabled: []string{"a,b", "c"}}.greeting("127.0.0.1:1"), "Any project but a, b, c will do, and any token.")
}

// Nobody can send anything to 0.0.0.0 or ::.
func TestGreetingRemote(t *testing.T) {
	name, err := os.Hostname()
	require.NoError(t, err)
	for _, addr := range []string{"0.0.0.0:8997", ":8997", "[::]:8997"} {
		text := settings{addr: addr}.greeting("127.0.0.1:8997")
		assert.Contains(t, text, "listening on http://127.0.0.1:8997\nOther machines reach it at http://"+name+":8997 ")
		assert.NotRegexp(t, regexp.MustCompile(`0\.0\.0\.0|\[::\]`), text)
	}
	assert.NotContains(t, settings{addr: "10.0.0.1:8997"}.greeting("10.0.0.1:8997"), "Other machines")
}
