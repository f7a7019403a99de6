package scale_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/api/option"

	"github.com/memorystore-go/memorystore"
	"github.com/memorystore-go/memorystore/fakeserver"

	scale "github.com/memorystore-go/memorystore/examples/test-your-code"
)

const (
	shop  = "projects/p/locations/us-central1/instances/shop"
	cart  = "projects/p/locations/us-central1/instances/cart"
	other = "projects/p/locations/us-central1/instances/other"
)

var instances = fakeserver.WithInstances(
	`{"name": "`+shop+`", "tier": "BASIC", "memorySizeGb": 1, "labels": {"team": "web"}}`,
	`{"name": "`+cart+`", "tier": "BASIC", "memorySizeGb": 8, "labels": {"team": "web"}}`,
	`{"name": "`+other+`", "tier": "BASIC", "memorySizeGb": 1, "labels": {"team": "ads"}}`)

// The plain case, over a socket. Start closes the fake when the test ends. A program under test finds it by itself when
// MEMORYSTORE_EMULATOR_HOST is set.
func TestScale(t *testing.T) {
	fake := fakeserver.Start(t, instances)
	t.Setenv("MEMORYSTORE_EMULATOR_HOST", fake.Host())
	client, err := memorystore.NewClient(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	changed, err := scale.Label(t.Context(), client, "p", "team", "web", 5)
	if err != nil || !slices.Equal(changed, []string{shop}) {
		t.Errorf("changed %v, %v", changed, err)
	}
	if in, err := client.GetInstance(t.Context(), shop); err != nil || in.MemorySizeGB != 5 {
		t.Errorf("got %+v, %v", in, err)
	}
}

// inBubble runs a test in virtual time: no wait takes any time, and each lasts exactly what it would. Client goes
// straight into the fake, because a bubble's clock stands still while a socket is open.
func inBubble(t *testing.T, test func(t *testing.T, fake *fakeserver.Server, client *memorystore.Client)) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeserver.New(instances, fakeserver.WithOperationTimes(fakeserver.Realistic()))
		client, err := memorystore.NewClient(t.Context(), option.WithHTTPClient(fake.Client()))
		if err != nil {
			t.Fatal(err)
		}
		test(t, fake, client)
		for _, fault := range fake.Unspent() {
			t.Errorf("a fault did not happen: %s", fault)
		}
	})
}

// The service is down for a while. A resize takes about ten minutes, as at Google.
func TestOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, fake *fakeserver.Server, client *memorystore.Client) {
		fake.Inject("instances.patch", fakeserver.Fault{Status: 503, Times: 3}, fakeserver.Fault{Status: 429, RetryAfter: "30"})
		start := time.Now()
		changed, err := scale.Label(t.Context(), client, "p", "team", "web", 5)
		if err != nil || !slices.Equal(changed, []string{shop}) {
			t.Errorf("changed %v, %v", changed, err)
		}
		// 1 + 2 + 4 s and up to a second each, then the 30 s that the service asked for, then the resize.
		if d := time.Since(start); d < 10*time.Minute || d > 12*time.Minute {
			t.Errorf("it took %v", d)
		}
	})
}

// The service resizes the instance, and the answer is lost. The change must be made once.
func TestLostAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, fake *fakeserver.Server, client *memorystore.Client) {
		fake.Inject("instances.patch", fakeserver.Fault{Status: 503, AfterWork: true})
		changed, err := scale.Label(t.Context(), client, "p", "team", "web", 5)
		if err != nil || !slices.Equal(changed, []string{shop}) {
			t.Errorf("changed %v, %v", changed, err)
		}
		made := 0
		for _, x := range fake.Journal() {
			if x.HTTPMethod == http.MethodPatch && x.Acted {
				made++
			}
		}
		if made != 1 {
			t.Errorf("the change was made %d times", made)
		}
	})
}

// The service accepts the change, and fails at it.
func TestOperationFails(t *testing.T) {
	inBubble(t, func(t *testing.T, fake *fakeserver.Server, client *memorystore.Client) {
		const resourceExhausted = 8
		fake.Operations().Fail(shop, resourceExhausted, "Out of capacity.")
		changed, err := scale.Label(t.Context(), client, "p", "team", "web", 5)
		if len(changed) != 0 || !errors.Is(err, memorystore.ResourceExhausted) {
			t.Errorf("changed %v, %v", changed, err)
		}
	})
}

// A region does not answer. The others are scaled all the same, and the caller learns of it.
func TestUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeserver.New(instances, fakeserver.WithUnreachable("asia-east1"))
		client, err := memorystore.NewClient(t.Context(), option.WithHTTPClient(fake.Client()))
		if err != nil {
			t.Fatal(err)
		}
		changed, err := scale.Label(t.Context(), client, "p", "team", "web", 5)
		missing, ok := errors.AsType[*memorystore.UnreachableError](err)
		if !slices.Equal(changed, []string{shop}) || !ok || !slices.Equal(missing.Locations, []string{"asia-east1"}) {
			t.Errorf("changed %v, %v", changed, err)
		}
	})
}
