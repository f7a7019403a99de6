package fakeserver_test

import (
	"fmt"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// panicking returns what f panics with, as text.
func panicking(t testing.TB, f func()) (said string) {
	t.Helper()
	defer func() {
		v := recover()
		require.NotNil(t, v, "it did not panic")
		said = fmt.Sprint(v)
	}()
	f()
	return ""
}

// A slip in an option would make a rule that never holds: a test would pass for the wrong reason.
func TestOptionsRefuse(t *testing.T) {
	tokens := func(token string, permissions ...string) fakeserver.TokenPolicy {
		return fakeserver.TokenPolicy{Tokens: map[string][]string{token: permissions}}
	}
	for name, tt := range map[string]struct {
		do   func()
		says []string
	}{
		"permission":        {func() { fakeserver.WithTokens(tokens("a", "redis.instance.get")) }, []string{`WithTokens: token "a": no permission "redis.instance.get"; there are redis.instances.create, `, "redis.instances.updateAuth", "redis.operations.list"}},
		"empty permission":  {func() { fakeserver.WithTokens(tokens("a", "*", "")) }, []string{`no permission ""`}},
		"pattern":           {func() { fakeserver.WithTokens(tokens("a", "redis.instance.*")) }, []string{`no permission "redis.instance.*"`}},
		"pattern inside":    {func() { fakeserver.WithTokens(tokens("a", "redis.*.get")) }, []string{`no permission "redis.*.get"`}},
		"deny":              {func() { fakeserver.WithTokens(fakeserver.TokenPolicy{Deny: []string{"redis.instances.patch"}}) }, []string{`deny: no permission "redis.instances.patch"`}},
		"no token":          {func() { fakeserver.WithTokens(tokens("", "*")) }, []string{`token "": no request can carry it`}},
		"token with a line": {func() { fakeserver.WithTokens(tokens("a\n", "*")) }, []string{`token "a\n": no request`}},
		"no project":        {func() { fakeserver.WithServiceDisabled("p", "") }, []string{`WithServiceDisabled(["p" ""])`}},
		"project by name":   {func() { fakeserver.WithServiceDisabled("projects/p") }, []string{`["projects/p"]`, "ids or numbers"}},
		"region":            {func() { fakeserver.New(fakeserver.WithUnreachable("europe-wset1")) }, []string{`WithUnreachable("europe-wset1"): no such region; there are africa-south1, `, "europe-west1,"}},
		"zone":              {func() { fakeserver.New(fakeserver.WithUnreachable("us-central1-a")) }, []string{`"us-central1-a"`}},
		"region left out":   {func() { fakeserver.New(fakeserver.WithUnreachable("us-east1"), fakeserver.WithLocations("us-west1")) }, []string{"there are us-west1"}},
		"empty location":    {func() { fakeserver.WithLocations("") }, []string{"WithLocations"}},
		"all locations":     {func() { fakeserver.WithLocations("-") }, []string{"WithLocations"}},
		"location by name":  {func() { fakeserver.WithLocations("projects/p/locations/l") }, []string{"WithLocations"}},
		"location twice":    {func() { fakeserver.WithLocations("l", "l") }, []string{"WithLocations"}},
		"quota":             {func() { fakeserver.WithQuota(fakeserver.Quota{CreatesPerMinute: -1}) }, []string{"WithQuota", "nothing negative"}},
		"journal":           {func() { fakeserver.WithJournal(-1) }, []string{"WithJournal(-1)"}},
		"page size":         {func() { fakeserver.WithPageSize(0) }, []string{"WithPageSize(0)"}},
		"times":             {func() { fakeserver.WithOperationTimes(fakeserver.OperationTimes{}) }, []string{"WithOperationTimes(unset)"}},
		"nil option":        {func() { fakeserver.New(fakeserver.WithStrict(), nil) }, []string{"New: option 2 of 2 is nil"}},
		"control":           {func() { fakeserver.New().Operations().Fail("projects/p/locations/us-cenrtal1/instances/a", 13, "") }, []string{"no region us-cenrtal1"}},
	} {
		said := panicking(t, tt.do)
		assert.Contains(t, said, "fakeserver: ", name)
		for _, s := range tt.says {
			assert.Contains(t, said, s, name)
		}
	}
	for _, ok := range []string{"*", "redis*", "redis.*", "redis.instances.*", "redis.instances.get*", "redis.instances.updateAuth", "redis.locations.get"} {
		assert.NoError(t, tokens("a", ok).Check(), ok)
	}
	fakeserver.New(fakeserver.WithUnreachable("moon1"), fakeserver.WithLocations("moon1"))
}

// A fault for a resource that no request of its method names would never happen.
func TestTargets(t *testing.T) {
	const instance, operation = parent + "/instances/a", parent + "/operations/o"
	forms := map[string]string{"locations.list": "projects/p", "locations.get": parent, "instances.list": parent, "operations.list": parent,
		"operations.get": operation, "operations.delete": operation, "operations.cancel": operation}
	for _, m := range everyMethod {
		right, ok := forms[m.method]
		if !ok {
			right = instance
		}
		for _, target := range []string{"cache", "projects/p", parent, instance, operation, "/" + right, right + "/", "v1/" + right, right + "/authString"} {
			inject := func() { fakeserver.New().Inject(m.method, fakeserver.Fault{Status: 503, Target: target}) }
			if target == right {
				inject()
				continue
			}
			assert.Contains(t, panicking(t, inject), fmt.Sprintf("no request has the Target %q; want projects/{P}", target), m.method)
		}
	}
	fakeserver.New().Inject("instances.list", fakeserver.Fault{Status: 503, Target: "projects/p/locations/-"})
}
