// Rooms makes one GetInstance and writes the coverage counters of that call alone into the directory it is given.
// layers_test.go builds it with counters and counts the files.
package main

import (
	"context"
	"io"
	"log"
	"net/http"
	"os"
	"runtime/coverage"
	"strings"

	"github.com/memorystore-go/memorystore"
	"google.golang.org/api/option"
)

type server struct{}

func (server) RoundTrip(*http.Request) (*http.Response, error) {
	const body = `{"name":"projects/p/locations/l/instances/i","state":"READY","memorySizeGb":5,"createTime":"2026-01-02T03:04:05.6789Z"}`
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func main() {
	ctx := context.Background()
	client, err := memorystore.NewClient(ctx, option.WithHTTPClient(&http.Client{Transport: server{}}))
	check(err)
	check(coverage.ClearCounters())
	_, err = client.GetInstance(ctx, "projects/p/locations/l/instances/i")
	check(err)
	check(coverage.WriteMetaDir(os.Args[1]))
	check(coverage.WriteCountersDir(os.Args[1]))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
