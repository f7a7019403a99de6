package fakeserver

import (
	"net/url"
	"strings"
)

// A route is one method of the API.
type route struct {
	method     string // Google's id, without redis.projects.
	rpc        string // the name in google.cloud.redis.v1
	verb       string
	shape      string // what kind of path it answers, see match
	template   string
	query      []string // its own parameters, camelCase
	body       *messageType
	root       string // where the body sits in the request message
	returns    *messageType
	changes    bool
	permission string
	basis
}

// routes are the 17 methods of locations, instances and operations.
var routes = []*route{
	{method: "locations.list", rpc: "google.cloud.location.Locations.ListLocations", verb: "GET", shape: "locations", template: "v1/projects/{P}/locations",
		query: []string{"filter", "pageSize", "pageToken", "extraLocationTypes"}, returns: listLocationsType, permission: "redis.locations.list", basis: documented(discovery)},
	{method: "locations.get", rpc: "google.cloud.location.Locations.GetLocation", verb: "GET", shape: "location", template: "v1/projects/{P}/locations/{L}",
		returns: locationType, permission: "redis.locations.get", basis: documented(discovery)},
	{method: "instances.list", rpc: "google.cloud.redis.v1.CloudRedis.ListInstances", verb: "GET", shape: "instances", template: "v1/projects/{P}/locations/{L}/instances",
		query: []string{"pageSize", "pageToken"}, returns: listInstancesType, permission: "redis.instances.list", basis: recorded(c7nLog)},
	{method: "instances.get", rpc: "google.cloud.redis.v1.CloudRedis.GetInstance", verb: "GET", shape: "instance", template: "v1/projects/{P}/locations/{L}/instances/{I}",
		returns: instanceType, permission: "redis.instances.get", basis: recorded(kccLog)},
	{method: "instances.getAuthString", rpc: "google.cloud.redis.v1.CloudRedis.GetInstanceAuthString", verb: "GET", shape: "authString", template: "v1/projects/{P}/locations/{L}/instances/{I}/authString",
		returns: authStringType, permission: "redis.instances.getAuthString", basis: documented(discovery)},
	{method: "instances.create", rpc: "google.cloud.redis.v1.CloudRedis.CreateInstance", verb: "POST", shape: "instances", template: "v1/projects/{P}/locations/{L}/instances",
		query: []string{"instanceId"}, body: instanceType, root: "instance", returns: operationType, changes: true, permission: "redis.instances.create", basis: recorded(kccLog)},
	{method: "instances.patch", rpc: "google.cloud.redis.v1.CloudRedis.UpdateInstance", verb: "PATCH", shape: "instance", template: "v1/projects/{P}/locations/{L}/instances/{I}",
		query: []string{"updateMask"}, body: instanceType, root: "instance", returns: operationType, changes: true, permission: "redis.instances.update", basis: recorded(kccLog)},
	{method: "instances.delete", rpc: "google.cloud.redis.v1.CloudRedis.DeleteInstance", verb: "DELETE", shape: "instance", template: "v1/projects/{P}/locations/{L}/instances/{I}",
		returns: operationType, changes: true, permission: "redis.instances.delete", basis: recorded(kccLog)},
	{method: "instances.export", rpc: "google.cloud.redis.v1.CloudRedis.ExportInstance", verb: "POST", shape: "instance:export", template: "v1/projects/{P}/locations/{L}/instances/{I}:export",
		body: exportType, returns: operationType, changes: true, permission: "redis.instances.export", basis: documented(discovery)},
	{method: "instances.import", rpc: "google.cloud.redis.v1.CloudRedis.ImportInstance", verb: "POST", shape: "instance:import", template: "v1/projects/{P}/locations/{L}/instances/{I}:import",
		body: importType, returns: operationType, changes: true, permission: "redis.instances.import", basis: documented(discovery)},
	{method: "instances.failover", rpc: "google.cloud.redis.v1.CloudRedis.FailoverInstance", verb: "POST", shape: "instance:failover", template: "v1/projects/{P}/locations/{L}/instances/{I}:failover",
		body: failoverType, returns: operationType, changes: true, permission: "redis.instances.failover", basis: documented(discovery)},
	{method: "instances.upgrade", rpc: "google.cloud.redis.v1.CloudRedis.UpgradeInstance", verb: "POST", shape: "instance:upgrade", template: "v1/projects/{P}/locations/{L}/instances/{I}:upgrade",
		body: upgradeType, returns: operationType, changes: true, permission: "redis.instances.upgrade", basis: documented(discovery)},
	{method: "instances.rescheduleMaintenance", rpc: "google.cloud.redis.v1.CloudRedis.RescheduleMaintenance", verb: "POST", shape: "instance:rescheduleMaintenance", template: "v1/projects/{P}/locations/{L}/instances/{I}:rescheduleMaintenance",
		body: rescheduleType, returns: operationType, changes: true, permission: "redis.instances.rescheduleMaintenance", basis: documented(discovery)},
	{method: "operations.list", rpc: "google.longrunning.Operations.ListOperations", verb: "GET", shape: "operations", template: "v1/projects/{P}/locations/{L}/operations",
		query: []string{"filter", "pageSize", "pageToken", "returnPartialSuccess"}, returns: listOperationsType, permission: "redis.operations.list", basis: documented(discovery)},
	{method: "operations.get", rpc: "google.longrunning.Operations.GetOperation", verb: "GET", shape: "operation", template: "v1/projects/{P}/locations/{L}/operations/{O}",
		returns: operationType, permission: "redis.operations.get", basis: recorded(kccLog)},
	{method: "operations.delete", rpc: "google.longrunning.Operations.DeleteOperation", verb: "DELETE", shape: "operation", template: "v1/projects/{P}/locations/{L}/operations/{O}",
		returns: emptyType, changes: true, permission: "redis.operations.delete", basis: documented(discovery)},
	{method: "operations.cancel", rpc: "google.longrunning.Operations.CancelOperation", verb: "POST", shape: "operation:cancel", template: "v1/projects/{P}/locations/{L}/operations/{O}:cancel",
		body: cancelType, returns: emptyType, changes: true, permission: "redis.operations.cancel", basis: documented(discovery)},
}

// routeTable finds a route by HTTP verb and shape.
var routeTable = func() map[[2]string]*route {
	t := make(map[[2]string]*route, len(routes))
	for _, r := range routes {
		t[[2]string{r.verb, r.shape}] = r
	}
	return t
}()

// methodIDs are the ids that Inject takes.
func methodIDs() []string {
	ids := make([]string, len(routes))
	for i, r := range routes {
		ids[i] = r.method
	}
	return ids
}

// target is the form of the name that a request of the method is about: for a create the instance's that would be made.
func (r *route) target() string {
	form := r.template[len("v1/") : strings.LastIndexByte(r.template, '}')+1]
	if r.method == "instances.create" {
		form += "/instances/{I}"
	}
	return form
}

// fits tells whether a name has a form such as projects/{P}/locations/{L}.
func fits(name, form string) bool {
	parts, want := strings.Split(name, "/"), strings.Split(form, "/")
	if len(parts) != len(want) {
		return false
	}
	for i, w := range want {
		if parts[i] != w && (w[0] != '{' || !isSegment(parts[i])) {
			return false
		}
	}
	return true
}

// A place is what a request's path names.
type place struct {
	version           string // v1 or v1beta1
	project, location string
	id                string // of the instance or operation
	name              string // the full name of the resource, or of the collection's parent
}

// match finds the method that a verb and a path ask for. The last segment's custom verb is split off at its last colon.
func match(verb string, u *url.URL) (*route, place) {
	path := u.Path
	var parts [8]string
	n, ok := 0, false
	if u.RawPath == "" {
		n, ok = split(path, &parts)
	} else if n, ok = split(u.RawPath, &parts); ok {
		for i := range n {
			s, err := url.PathUnescape(parts[i])
			if err != nil || strings.ContainsRune(s, '/') {
				return nil, place{}
			}
			parts[i] = s
		}
	}
	if !ok || n < 4 || parts[0] != "v1" && parts[0] != "v1beta1" || parts[1] != "projects" || parts[3] != "locations" {
		return nil, place{}
	}
	at := place{version: parts[0], project: parts[2], location: parts[4], id: parts[6]}
	shape := "locations"
	switch n {
	case 5:
		shape = "location"
	case 6, 7, 8:
		shape = parts[5]
		if shape != "instances" && shape != "operations" || n == 8 && (shape != "instances" || parts[7] != "authString") {
			return nil, place{}
		}
		if n == 7 {
			shape = shape[:len(shape)-1]
			if i := strings.LastIndexByte(at.id, ':'); i >= 0 {
				shape += at.id[i:]
				at.id = at.id[:i]
				if at.id == "" {
					return nil, place{}
				}
			}
		}
		if n == 8 {
			shape = "authString"
		}
	}
	r := routeTable[[2]string{verb, shape}]
	if r == nil {
		return nil, place{}
	}
	at.name = fullName(u, n, at, parts[5])
	return r, at
}

// fullName is cut out of the path where that needs no unescaping.
func fullName(u *url.URL, n int, at place, collection string) string {
	if n == 4 {
		return "projects/" + at.project
	}
	if u.RawPath == "" {
		name := u.Path[len(at.version)+2:]
		switch {
		case n == 6:
			return name[:len(name)-len(collection)-1]
		case n == 8:
			return name[:len(name)-len("/authString")]
		case n == 7:
			return name[:strings.LastIndexByte(name, '/')+1+len(at.id)]
		}
		return name
	}
	name := locationName(at.project, at.location)
	if n > 6 {
		name += "/" + collection + "/" + at.id
	}
	return name
}

// split cuts a path into at most eight segments, none of them empty.
func split(path string, parts *[8]string) (int, bool) {
	if len(path) < 2 || path[0] != '/' {
		return 0, false
	}
	path = path[1:]
	for n := range parts {
		i := strings.IndexByte(path, '/')
		if i < 0 {
			parts[n] = path
			return n + 1, path != ""
		}
		if i == 0 {
			return 0, false
		}
		parts[n], path = path[:i], path[i+1:]
	}
	return 0, false
}
