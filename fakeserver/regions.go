package fakeserver

import "strings"

// A region is a location that instances can be made in.
type region struct {
	id, city string
	zones    []string // letters
}

// regions are Google Cloud's regions; the zones of europe-west1 and us-east1 begin with b.
// Source: https://cloud.google.com/compute/docs/regions-zones. Which of them the redis service lists was not recorded.
var regions = []region{
	{"africa-south1", "Johannesburg", letters("abc")},
	{"asia-east1", "Taiwan", letters("abc")},
	{"asia-east2", "Hong Kong", letters("abc")},
	{"asia-northeast1", "Tokyo", letters("abc")},
	{"asia-northeast2", "Osaka", letters("abc")},
	{"asia-northeast3", "Seoul", letters("abc")},
	{"asia-south1", "Mumbai", letters("abc")},
	{"asia-south2", "Delhi", letters("abc")},
	{"asia-southeast1", "Singapore", letters("abc")},
	{"asia-southeast2", "Jakarta", letters("abc")},
	{"australia-southeast1", "Sydney", letters("abc")},
	{"australia-southeast2", "Melbourne", letters("abc")},
	{"europe-central2", "Warsaw", letters("abc")},
	{"europe-north1", "Finland", letters("abc")},
	{"europe-north2", "Stockholm", letters("abc")},
	{"europe-southwest1", "Madrid", letters("abc")},
	{"europe-west1", "Belgium", letters("bcd")},
	{"europe-west10", "Berlin", letters("abc")},
	{"europe-west12", "Turin", letters("abc")},
	{"europe-west2", "London", letters("abc")},
	{"europe-west3", "Frankfurt", letters("abc")},
	{"europe-west4", "Netherlands", letters("abc")},
	{"europe-west6", "Zurich", letters("abc")},
	{"europe-west8", "Milan", letters("abc")},
	{"europe-west9", "Paris", letters("abc")},
	{"me-central1", "Doha", letters("abc")},
	{"me-central2", "Dammam", letters("abc")},
	{"me-west1", "Tel Aviv", letters("abc")},
	{"northamerica-northeast1", "Montreal", letters("abc")},
	{"northamerica-northeast2", "Toronto", letters("abc")},
	{"northamerica-south1", "Mexico", letters("abc")},
	{"southamerica-east1", "Sao Paulo", letters("abc")},
	{"southamerica-west1", "Santiago", letters("abc")},
	{"us-central1", "Iowa", letters("abcf")},
	{"us-east1", "South Carolina", letters("bcd")},
	{"us-east4", "Northern Virginia", letters("abc")},
	{"us-east5", "Columbus", letters("abc")},
	{"us-south1", "Dallas", letters("abc")},
	{"us-west1", "Oregon", letters("abc")},
	{"us-west2", "Los Angeles", letters("abc")},
	{"us-west3", "Salt Lake City", letters("abc")},
	{"us-west4", "Las Vegas", letters("abc")},
}

func letters(s string) []string { return strings.Split(s, "") }

// findRegion looks a region up by its id.
func findRegion(all []region, id string) (region, bool) {
	for _, r := range all {
		if r.id == id {
			return r, true
		}
	}
	return region{}, false
}

// customRegions makes regions of ids; one that Google does not have gets the zones a, b and c.
func customRegions(ids []string) []region {
	made := make([]region, 0, len(ids))
	for _, id := range ids {
		r, ok := findRegion(regions, id)
		if !ok {
			r = region{id, id, letters("abc")}
		}
		made = append(made, r)
	}
	return made
}

// zoneNames are the full ids of a region's zones.
func (r region) zoneNames() []string {
	names := make([]string, len(r.zones))
	for i, z := range r.zones {
		names[i] = r.id + "-" + z
	}
	return names
}

// isZone tells whether any of the regions has the zone.
func isZone(all []region, zone string) bool {
	i := strings.LastIndexByte(zone, '-')
	if i < 0 {
		return false
	}
	r, ok := findRegion(all, zone[:i])
	if !ok {
		return false
	}
	for _, z := range r.zones {
		if z == zone[i+1:] {
			return true
		}
	}
	return false
}

func (r region) hasZone(zone string) bool {
	return strings.HasPrefix(zone, r.id+"-") && isZone([]region{r}, zone)
}
