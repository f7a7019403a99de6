package fakeserver_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Eight goroutines create one id: one gets it. Then each adds labels, one per update, by reading and writing the
// whole map: an update that was accepted is never lost, because none is accepted while another runs.
func TestLinearizable(t *testing.T) {
	const workers, labels = 8, 5
	for round := range 20 {
		s := fakeserver.New(fakeserver.WithOperationTimes(fakeserver.Polls(1)))
		var wg sync.WaitGroup
		var mu sync.Mutex
		created := 0
		for range workers {
			wg.Go(func() {
				status, op := ask(t, s, "POST", "/v1/"+parent+"/instances?instanceId=one", basic)
				if status == 200 {
					mu.Lock()
					created++
					mu.Unlock()
					finish(t, s, op)
				} else {
					assert.Equal(t, 409, status)
				}
			})
		}
		wg.Wait()
		require.Equal(t, 1, created, "round %d", round)

		var turn sync.Mutex // the service has no etag: only who reads and writes in one turn can add to a map
		for w := range workers {
			wg.Go(func() {
				for l := range labels {
					for {
						turn.Lock()
						in := must(t, s, "GET", "/v1/"+parent+"/instances/one", "")
						all, _ := in["labels"].(object)
						body := fmt.Sprintf(`{"labels":{"w%d-l%d":"x"`, w, l)
						for k := range all {
							body += fmt.Sprintf(`,%q:"x"`, k)
						}
						status, op := ask(t, s, "PATCH", "/v1/"+parent+"/instances/one?updateMask=labels", body+"}}")
						turn.Unlock()
						if status == 200 {
							finish(t, s, op)
							break
						}
						assert.Equal(t, 400, status)
					}
				}
			})
		}
		wg.Wait()
		in := must(t, s, "GET", "/v1/"+parent+"/instances/one", "")
		require.Len(t, in["labels"], workers*labels)
	}
}
