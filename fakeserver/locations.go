package fakeserver

import "slices"

// locationOf is a region as one project sees it.
func (r region) locationOf(project string) *message {
	return build(locationType, fLocName, locationName(project, r.id), fLocID, r.id, fLocDisplayName, r.city,
		fLocLabels, pairs("cloud.googleapis.com/region", r.id),
		fLocMetadata, build(locationMetadataType, fAvailableZones, r.zoneNames()))
}

func listLocations(w *world, c *call) (*message, *problem) {
	size, bad := c.pageSize(w.pageSize)
	if bad != nil {
		return nil, bad
	}
	after, bad := c.after()
	if bad != nil {
		return nil, bad
	}
	f, bad := parseFilter(c.query.get("filter"), func(path string) bool {
		return path == "name" || path == "displayName" || path == "locationId"
	})
	if bad != nil {
		return nil, bad
	}
	if bad := w.guessing(guessFilter); bad != nil && len(f) > 0 {
		return nil, bad
	}
	var all []*message
	for _, r := range w.regions {
		m := r.locationOf(c.project)
		if f.matches(func(path string) string { return m.str(locationType.field(path)) }) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *message) int { return compare(a.str(fLocName), b.str(fLocName)) })
	page, more := paginate(all, func(m *message) string { return m.str(fLocName) }, after, size)
	answer := build(listLocationsType, fLocationsPage, page)
	if more != "" {
		answer.set(fLocationsNext, c.token(more))
	}
	return answer, nil
}

func getLocation(w *world, c *call) (*message, *problem) {
	r, bad := w.region(c)
	if bad != nil {
		return nil, bad
	}
	return r.locationOf(c.project), nil
}

// region finds the region that a call's path names. A zone, and one that does not exist, is forbidden.
func (w *world) region(c *call) (region, *problem) {
	r, ok := findRegion(w.regions, c.location)
	if !ok {
		return r, textLocation.because(c.location)
	}
	return r, nil
}
