package fakeserver

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// How a resource's full name is put together.

func locationName(project, location string) string {
	return "projects/" + project + "/locations/" + location
}

// splitName takes projects/P/locations/L/instances/I (or …/operations/O) apart.
func splitName(name string) (project, location, collection, id string, ok bool) {
	s := strings.Split(name, "/")
	if len(s) != 6 || s[0] != "projects" || s[2] != "locations" || s[4] != "instances" && s[4] != "operations" {
		return "", "", "", "", false
	}
	return s[1], s[3], s[4], s[5], s[1] != "" && s[3] != "" && s[5] != ""
}

// isSegment tells what can stand between two slashes of a name.
func isSegment(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '/' || r == 0x7f })
}

// isInstanceID tells an id the service takes: 1 to 40 of a-z, 0-9 and hyphen, a letter first, no hyphen last.
func isInstanceID(id string) bool {
	if len(id) < 1 || len(id) > 40 || id[0] < 'a' || id[0] > 'z' || id[len(id)-1] == '-' {
		return false
	}
	for i := range len(id) {
		if c := id[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
			return false
		}
	}
	return true
}

func compare(a, b string) int { return strings.Compare(a, b) }

// projectNumber makes a project's twelve-digit number out of its id.
func projectNumber(project string) string {
	if strings.Trim(project, "0123456789") == "" {
		return project
	}
	h := fnv.New64a()
	h.Write([]byte(project))
	return strconv.FormatUint(100_000_000_000+h.Sum64()%900_000_000_000, 10)
}
