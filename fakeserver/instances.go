package fakeserver

import (
	"slices"
)

// find is the instance that a call's path names.
func (w *world) find(c *call) (*instance, *problem) {
	if in := w.instances[c.name]; in != nil {
		return in, nil
	}
	if _, bad := w.region(c); bad != nil {
		return nil, bad
	}
	return nil, textNotFound.because(c.name).about(c.name)
}

func getInstance(w *world, c *call) (*message, *problem) {
	in, bad := w.find(c)
	if bad != nil {
		return nil, bad
	}
	return in.view(c.now), nil
}

func getAuthString(w *world, c *call) (*message, *problem) {
	in, bad := w.find(c)
	if bad != nil {
		return nil, bad
	}
	if in.shown.num(fState) == stateCreating {
		return newValue(authStringType), nil
	}
	return build(authStringType, fAuthString, in.auth), nil
}

// placeholderMessage stands in a list for a region that does not answer. The documentation also names a status
// ERROR, which the schema cannot say.
const placeholderMessage = "location not available for ListInstances"

func listInstances(w *world, c *call) (*message, *problem) {
	size, bad := c.pageSize(w.pageSize)
	if bad != nil {
		return nil, bad
	}
	after, bad := c.after()
	if bad != nil {
		return nil, bad
	}
	shelves, missing, bad := w.listed(c)
	if bad != nil {
		return nil, bad
	}
	var all []listedInstance
	for _, s := range shelves {
		for _, in := range s.instances {
			all = append(all, listedInstance{in.name, in})
		}
	}
	for _, location := range missing {
		all = append(all, listedInstance{location + "/instances/-", nil})
	}
	if len(missing) > 0 || len(shelves) > 1 {
		slices.SortFunc(all, func(a, b listedInstance) int { return compare(a.name, b.name) })
	}
	page, more := paginate(all, func(l listedInstance) string { return l.name }, after, size)
	views := make([]*message, len(page))
	for i, l := range page {
		if l.in == nil {
			views[i] = build(instanceType, fName, l.name, fStatusMessage, placeholderMessage)
		} else {
			views[i] = l.in.view(c.now)
		}
	}
	answer := build(listInstancesType, fInstancesPage, views, fInstancesMissing, missing)
	if more != "" {
		answer.set(fInstancesNext, c.token(more))
	}
	return answer, nil
}

// A listedInstance is one entry of a list: an instance, or the placeholder of a region that does not answer.
type listedInstance struct {
	name string
	in   *instance
}
