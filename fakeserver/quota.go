package fakeserver

import "time"

// A Quota limits what one project may do; a limit of 0 is none. Google documents 3,000 requests and 30 creations a
// minute, and 1,024 GB in a region: https://docs.cloud.google.com/memorystore/docs/redis/quotas
type Quota struct {
	RequestsPerMinute int // beyond it requests are answered 429
	CreatesPerMinute  int // beyond it instances.create is answered 429
	CapacityGB        int // per region; beyond it the operation that creates or grows fails with code 8

	// RetryAfter is the Retry-After header of a 429 and RetryInfo its google.rpc.RetryInfo detail. The service was
	// never seen to send either; both are off by default.
	RetryAfter string
	RetryInfo  time.Duration
}

// A ledger counts what each project did in the current minute.
type ledger struct {
	minute   time.Time
	requests map[string]int
	creates  map[string]int
}

// A rate is one of the service's limits per minute and the names it is refused under.
type rate struct {
	metric, limit string // in the sentence
	name, id      string // in the detail
	basis
}

var (
	requestRate = rate{"Requests", "Requests per minute", "redis.googleapis.com/default_requests", "DefaultRequestsPerMinutePerProject", guessed("the metric's name was not found")}
	createRate  = rate{"Create requests", "Create requests per minute", "redis.googleapis.com/create_requests", "CreateRequestsPerMinutePerProject", guessed("the metric's name was not found")}
)

// charge counts a request and says whether the project has used up a limit.
func (l *ledger) charge(q Quota, r *route, project string, now time.Time) *problem {
	if q.RequestsPerMinute == 0 && q.CreatesPerMinute == 0 {
		return nil
	}
	if minute := now.Truncate(time.Minute); !minute.Equal(l.minute) {
		*l = ledger{minute: minute, requests: map[string]int{}, creates: map[string]int{}}
	}
	if q.RequestsPerMinute > 0 {
		if l.requests[project] >= q.RequestsPerMinute {
			return q.exceeded(requestRate, q.RequestsPerMinute, project)
		}
		l.requests[project]++
	}
	if q.CreatesPerMinute > 0 && r.method == "instances.create" {
		if l.creates[project] >= q.CreatesPerMinute {
			return q.exceeded(createRate, q.CreatesPerMinute, project)
		}
		l.creates[project]++
	}
	return nil
}

func (q Quota) exceeded(r rate, limit int, project string) *problem {
	number := projectNumber(project)
	p := textRateQuota.because(r.metric, r.limit, number).
		with(errorInfo("RATE_LIMIT_EXCEEDED", "googleapis.com", "service", "redis.googleapis.com", "consumer", "projects/"+number,
			"quota_metric", r.name, "quota_limit", r.id, "quota_limit_value", decimal(limit), "quota_location", "global")).
		with(build(helpType, "links", []*message{build(linkType, "description", "Request a higher quota limit.",
			"url", "https://cloud.google.com/docs/quotas/help/request_increase")}))
	p.after = q.RetryAfter
	if q.RetryInfo > 0 {
		p.with(build(retryInfoType, "retryDelay", q.RetryInfo))
	}
	return p
}
