package fakeserver_test

import (
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
)

func TestEveryFactIsMarked(t *testing.T) {
	seen := map[string]bool{}
	marks := map[fakeserver.Mark]int{}
	kinds := map[string]int{}
	for _, f := range fakeserver.Fidelity() {
		at := f.Kind + " " + f.Key
		assert.Contains(t, []fakeserver.Mark{fakeserver.Recorded, fakeserver.Documented, fakeserver.Guessed}, f.Mark, at)
		assert.NotEmpty(t, f.Source, at)
		assert.NotEmpty(t, f.About, at)
		if f.Mark == fakeserver.Recorded { // a source that says so itself is none
			assert.NotRegexp(t, "guess|analogy|chosen", f.Source, at)
		}
		assert.False(t, seen[at], "twice: %s", at)
		seen[at] = true
		marks[f.Mark]++
		kinds[f.Kind]++
	}
	assert.Equal(t, 17, kinds["method"])
	for _, kind := range []string{"field", "enum", "rule", "text", "update path", "redis parameter", "default", "address", "duration", "quota", "behaviour"} {
		assert.NotZero(t, kinds[kind], kind)
	}
	t.Logf("%d facts: %d recorded, %d documented, %d guessed", len(seen), marks[fakeserver.Recorded], marks[fakeserver.Documented], marks[fakeserver.Guessed])
}

// A strict server refuses with 501 what it could only guess, and nothing else.
func TestStrict(t *testing.T) {
	loose, strict := fakeserver.New(), fakeserver.New(fakeserver.WithStrict())
	for _, s := range []*fakeserver.Server{loose, strict} {
		create(t, s, "a", basic)
	}
	for _, tt := range []struct {
		method, path, body string
		loose              int
		guess              bool
	}{
		{"GET", "/instances/a", "", 200, false},
		{"GET", "/instances/none", "", 404, false},
		{"POST", "/instances?instanceId=a", basic, 409, false},
		{"POST", "/instances?instanceId=-", basic, 400, false},
		{"POST", "/instances?instanceId=b", `{"tier":"BASIC","memorySizeGb":0}`, 400, true},
		{"POST", "/instances?instanceId=b", `{"tier":"BASIC","memorySizeGb":1,"redisConfigs":{"x":"y"}}`, 400, true},
		{"PATCH", "/instances/a?updateMask=", "", 400, false},
		{"PATCH", "/instances/a?updateMask=redisConfig", "{}", 400, false},
		{"PATCH", "/instances/a?updateMask=tier", "{}", 400, true},
		{"POST", "/instances/a:failover", "", 400, true},
		{"GET", "/operations?filter=done=true", "", 200, true},
		{"GET", "/operations?filter=%3F", "", 400, true},
		{"GET", "/instances/a?fields=name", "", 200, true},
		{"GET", "/instances/a?nope=1", "", 400, true},
	} {
		status, _ := ask(t, loose, tt.method, "/v1/"+parent+tt.path, tt.body)
		assert.Equal(t, tt.loose, status, "%s %s", tt.method, tt.path)
		want := tt.loose
		if tt.guess {
			want = 501
		}
		status, o := ask(t, strict, tt.method, "/v1/"+parent+tt.path, tt.body)
		assert.Equal(t, want, status, "%s %s", tt.method, tt.path)
		if tt.guess {
			assert.Contains(t, errorOf(t, o)["message"], "a guess")
		}
	}
}
