// Package conformance has no code of its own. Its tests let Google's clients loose on fakeserver: the Go client of
// cloud.google.com/go/redis over REST, and gcloud. What they cannot tell from the service, a user's tests cannot either.
//
// Where gcloud is missing, and with -short, its tests are skipped; with MEMORYSTORE_REQUIRE_GCLOUD=1 they fail.
package conformance
