// Package scale is code that someone wrote with this SDK, and the tests that they wrote for it. Read scale_test.go: it
// shows how to test what happens when the service fails, in no time and without a cloud project.
package scale

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memorystore-go/memorystore"
)

// Label gives every instance of a project that bears a label at least sizeGB. It returns the names of those that it
// changed, also when it fails on the way. Regions that do not answer are an *memorystore.UnreachableError, after the
// others are done.
func Label(ctx context.Context, client *memorystore.Client, project, key, value string, sizeGB int) ([]string, error) {
	changes := map[string]*memorystore.Operation[memorystore.Instance]{}
	var failures []error
	for in, err := range client.ListInstances(ctx, memorystore.LocationName(project, memorystore.AllLocations)) {
		if err != nil {
			failures = append(failures, err)
			break
		}
		if in.Labels[key] != value || in.MemorySizeGB >= sizeGB {
			continue
		}
		in.MemorySizeGB = sizeGB
		op, err := client.UpdateInstance(ctx, in, memorystore.FieldMemorySizeGB)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		changes[in.Name] = op // they go on side by side
	}
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if _, err := changes[name].Wait(ctx); err != nil {
			failures = append(failures, fmt.Errorf("scale %s: %w", name, err))
			continue
		}
		changed = append(changed, name)
	}
	return changed, errors.Join(failures...)
}
