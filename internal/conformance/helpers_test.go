package conformance

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/require"
)

const (
	project = "projects/p"
	region  = project + "/locations/us-central1"
	cache   = region + "/instances/cache"
)

// scheduled is an instance whose maintenance is planned, so that it can be rescheduled.
const scheduled = `{"name":"` + cache + `","tier":"STANDARD_HA","memorySizeGb":5,"authEnabled":true,` +
	`"createTime":"2026-04-27T18:11:56.906271382Z","reservedIpRange":"10.1.2.0/29","host":"10.1.2.4",` +
	`"maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":"SUNDAY","startTime":{"hours":3}}]},` +
	`"maintenanceSchedule":{"startTime":"2099-01-04T03:00:00Z","endTime":"2099-01-04T04:00:00Z","scheduleDeadlineTime":"2099-01-11T03:00:00Z"}}`

// requests are what a fake was asked from the n-th exchange on: Google's id of the method, the query, the body.
func requests(t *testing.T, fake *fakeserver.Server, n int) []string {
	t.Helper()
	var all []string
	for _, e := range fake.Journal()[n:] {
		q, err := url.QueryUnescape(e.Query)
		require.NoError(t, err)
		var body bytes.Buffer // compact: protojson puts blanks where it likes
		if e.Body != "" {
			require.NoError(t, json.Compact(&body, []byte(e.Body)))
		}
		all = append(all, strings.TrimSpace(strings.Join([]string{e.Method, "?" + q, body.String()}, " ")))
	}
	return all
}
