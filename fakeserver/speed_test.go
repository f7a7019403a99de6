package fakeserver_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/memorystore-go/memorystore/fakeserver"
)

func BenchmarkGetInstance(b *testing.B) {
	s := fakeserver.New(fakeserver.WithJournal(100))
	create(b, s, "a", basic)
	c := s.Client()
	req, _ := http.NewRequest("GET", s.URL()+"/v1/"+parent+"/instances/a?alt=json&prettyPrint=false", nil)
	req.Header.Set("User-Agent", "x")
	req.Header.Set("X-Goog-Api-Client", "x")
	req.Header.Set("X-Goog-Request-Params", "x")
	b.ReportAllocs()
	for b.Loop() {
		resp, err := c.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		fakeserver.New()
	}
}

func BenchmarkListPage(b *testing.B) {
	s := fakeserver.New(fakeserver.WithJournal(0), fakeserver.WithInstances(seeds([]string{"us-central1"}, 1001)...))
	for b.Loop() {
		resp, err := s.Client().Get(s.URL() + "/v1/" + parent + "/instances?pageSize=100&prettyPrint=false")
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}
