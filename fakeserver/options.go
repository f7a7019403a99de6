package fakeserver

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// An Option sets one thing about a new server.
type Option func(*config)

// config is what the options set.
type config struct {
	times       OperationTimes
	seeds       []string
	seedOps     []string
	pageSize    int
	unreachable []string
	regions     []region
	quota       Quota
	offset      time.Duration
	noDate      bool
	keepFailed  bool
	strict      bool
	journal     int // exchanges kept; 0: all, negative: none
	policy      *TokenPolicy
	disabled    []string
	logf        func(format string, args ...any)
}

func newConfig(opts []Option) config {
	c := config{times: Polls(1), regions: regions}
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("fakeserver: New: option %d of %d is nil", i+1, len(opts)))
		}
		o(&c)
	}
	for _, l := range c.unreachable { // here: WithLocations may come after WithUnreachable
		if _, ok := findRegion(c.regions, l); !ok {
			panic(fmt.Sprintf("fakeserver: WithUnreachable(%q): no such region; there are %s", l, regionIDs(c.regions)))
		}
	}
	return c
}

// WithOperationTimes sets when operations end. The default is Polls(1).
func WithOperationTimes(t OperationTimes) Option {
	if t.how == 0 || t.after < 0 || t.polls < 0 {
		panic(fmt.Sprintf("fakeserver: WithOperationTimes(%v): use Immediate, After, Polls or Realistic, and nothing negative", t))
	}
	return func(c *config) { c.times = t }
}

// WithInstances has instances from the start. Each is an Instance in JSON with its full name in "name"; it is
// checked as a create would be, what the service would fill in is filled in, and what it would assign
// ("host", "createTime", "maintenanceSchedule", …) may be given. It is READY unless "state" says otherwise; a state
// that is given stays. New panics on one that a create would refuse.
func WithInstances(json ...string) Option {
	return func(c *config) { c.seeds = append(c.seeds, json...) }
}

// WithOperations has operations from the start that no request of this server began. Each is an Operation in JSON,
// as the API prints it, with its full name in "name": any verb, target, apiVersion and times, running (it then never
// ends by itself) or done. The service itself begins some; theirs say "apiVersion": "v1internal1".
func WithOperations(json ...string) Option {
	return func(c *config) { c.seedOps = append(c.seedOps, json...) }
}

// WithPageSize caps the items of a page, whatever pageSize a request asks for. The default is 1000, as the service's.
func WithPageSize(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("fakeserver: WithPageSize(%d): at least 1", n))
	}
	return func(c *config) { c.pageSize = n }
}

// WithUnreachable makes regions (europe-west1) missing from lists over all locations (-): such a list names them in
// "unreachable", and a list of instances has the placeholder that Google documents instead of their instances.
// New panics on a region that the server does not have.
// https://docs.cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/list
func WithUnreachable(locations ...string) Option {
	return func(c *config) { c.unreachable = append(c.unreachable, locations...) }
}

// WithLocations replaces the list of Google Cloud's regions. An id that Google does not have gets the zones a, b and c.
func WithLocations(ids ...string) Option {
	for i, id := range ids {
		if !isSegment(id) || id == "-" || slices.Contains(ids[:i], id) {
			panic(fmt.Sprintf("fakeserver: WithLocations(%q): want different ids such as europe-west1", ids))
		}
	}
	return func(c *config) { c.regions = customRegions(ids) }
}

// WithQuota limits requests; see Quota. The default is no limit.
func WithQuota(q Quota) Option {
	if q.RequestsPerMinute < 0 || q.CreatesPerMinute < 0 || q.CapacityGB < 0 || q.RetryInfo < 0 {
		panic(fmt.Sprintf("fakeserver: WithQuota(%+v): nothing negative; 0 is no limit", q))
	}
	return func(c *config) { c.quota = q }
}

// WithClockOffset puts the server's clock ahead of time.Now, or behind it: its Date header and every time it makes.
func WithClockOffset(d time.Duration) Option { return func(c *config) { c.offset = d } }

// WithoutDate leaves the Date header out of every answer, which the service never does.
func WithoutDate() Option { return func(c *config) { c.noDate = true } }

// WithFailedCreatesKept leaves an instance behind when the operation that creates it fails, in state REPAIRING with
// the error in statusMessage. Both were reported of the service; the default is that nothing is left.
func WithFailedCreatesKept() Option { return func(c *config) { c.keepFailed = true } }

// WithStrict answers 501 UNIMPLEMENTED in place of a refusal whose text is guessed, and to list filters, fields= and
// X-HTTP-Method-Override, of which only guesses are known. Successes that rest on a guess, such as the verbs and states
// of some operations, are still answered: Fidelity marks them.
func WithStrict() Option { return func(c *config) { c.strict = true } }

// WithJournal keeps only the last n exchanges; 0 keeps none. The default is to keep them all.
func WithJournal(n int) Option {
	if n < 0 {
		panic(fmt.Sprintf("fakeserver: WithJournal(%d): at least 0", n))
	}
	if n == 0 {
		n = -1
	}
	return func(c *config) { c.journal = n }
}

// WithLog has one line printed per request: method, path, status. No header, body or query is printed.
func WithLog(printf func(format string, args ...any)) Option {
	return func(c *config) { c.logf = printf }
}

// WithTokens sets who may do what. Without it any token will do, and none. It panics on a policy that Check refuses.
func WithTokens(p TokenPolicy) Option {
	if err := p.Check(); err != nil {
		panic(fmt.Sprintf("fakeserver: WithTokens: %v", err))
	}
	return func(c *config) { c.policy = &p }
}

// WithServiceDisabled makes projects ones in which the API was never switched on: every request to one of them is
// refused with SERVICE_DISABLED. It panics on what no request can name as its project.
func WithServiceDisabled(projects ...string) Option {
	for _, p := range projects {
		if !isSegment(p) {
			panic(fmt.Sprintf("fakeserver: WithServiceDisabled(%q): want ids or numbers of projects, such as my-project", projects))
		}
	}
	return func(c *config) { c.disabled = append(c.disabled, projects...) }
}

// regionIDs lists regions for a message.
func regionIDs(all []region) string {
	ids := make([]string, len(all))
	for i, r := range all {
		ids[i] = r.id
	}
	return strings.Join(ids, ", ")
}

// isUnreachable tells whether a region does not answer to lists over all locations.
func (c *config) isUnreachable(location string) bool { return slices.Contains(c.unreachable, location) }
