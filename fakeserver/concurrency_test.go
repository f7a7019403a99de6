package fakeserver_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Eight goroutines create one id: one gets it. Then each updates the labels again and again, without any agreement.
// An update that was accepted is the only one until it ends: it shows at once, no other takes its place before its own
// end, its operation returns it, and no two operations overlap.
func TestLinearizable(t *testing.T) {
	const workers, updates = 8, 5
	for range 8 {
		s := fakeserver.New() // Polls(1): an operation ends when its owner asks for it
		var wg sync.WaitGroup
		var created, accepted atomic.Int32
		for range workers {
			wg.Go(func() {
				status, op := ask(t, s, "POST", "/v1/"+parent+"/instances?instanceId=one", basic)
				if status == 200 {
					created.Add(1)
					finish(t, s, op)
				} else {
					assert.Equal(t, 409, status)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 1, created.Load())
		for w := range workers {
			wg.Go(func() {
				for u := 0; u < updates; {
					label := fmt.Sprintf("w%d-u%d", w, u)
					status, op := ask(t, s, "PATCH", "/v1/"+parent+"/instances/one?updateMask=labels", `{"labels":{"last":"`+label+`"}}`)
					if status != 200 {
						assert.Equal(t, 400, status)
						runtime.Gosched()
						continue
					}
					u++
					accepted.Add(1)
					_, in := ask(t, s, "GET", "/v1/"+parent+"/instances/one", "")
					assert.Equal(t, "UPDATING", in["state"])
					assert.Equal(t, object{"last": label}, in["labels"])
					_, op = ask(t, s, "GET", "/v1/"+op["name"].(string), "")
					assert.Equal(t, true, op["done"])
					assert.Equal(t, object{"last": label}, op["response"].(object)["labels"])
				}
			})
		}
		wg.Wait()
		ops := must(t, s, "GET", "/v1/"+parent+"/operations", "")["operations"].([]any)
		require.Len(t, ops, 1+int(accepted.Load()))
		require.EqualValues(t, workers*updates, accepted.Load())
		ended := ""
		for _, o := range ops {
			meta := o.(object)["metadata"].(object)
			assert.GreaterOrEqual(t, meta["createTime"], ended)
			ended = meta["endTime"].(string)
		}
	}
}
