package memorystore

import (
	"context"
	"iter"
)

type locationsPage struct {
	Locations     []Location `json:"locations"`
	NextPageToken string     `json:"nextPageToken"`
}

func (p *locationsPage) items() []Location     { return p.Locations }
func (p *locationsPage) next() string          { return p.NextPageToken }
func (p *locationsPage) unreachable() []string { return nil }
func (p *locationsPage) unnamed() string       { return firstUnnamed(p.Locations) }

// ListLocations returns the regions in which project, projects/PROJECT, can have instances.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations/list
func (c *Client) ListLocations(ctx context.Context, project string, opts ...ListOption) iter.Seq2[*Location, error] {
	return list[Location, locationsPage](ctx, c, &call{name: "ListLocations", method: "GET", path: project + "/locations",
		resource: project, params: "name", invalid: checkProject(project)}, opts, keep)
}

// GetLocation returns one region, projects/PROJECT/locations/REGION, with its zones.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations/get
func (c *Client) GetLocation(ctx context.Context, name string) (*Location, error) {
	return get[Location](ctx, c, reading("GetLocation", name, checkLocation(name)))
}
