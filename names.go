package memorystore

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Version is the version of this SDK.
const Version = "0.1.0"

// AllLocations stands for every region of a project, in the parent of a list only.
const AllLocations = "-"

// InstanceName returns projects/PROJECT/locations/LOCATION/instances/ID.
func InstanceName(project, location, id string) string {
	return LocationName(project, location) + "/instances/" + id
}

// LocationName returns projects/PROJECT/locations/LOCATION.
func LocationName(project, location string) string {
	return "projects/" + project + "/locations/" + location
}

// A Field is a field of an Instance that UpdateInstance can change.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.instances/patch
type Field string

// The paths that the service accepts in an update mask. Google's page names redisConfig, which the service
// refuses; redisConfigs works.
const (
	FieldAuthEnabled        Field = "authEnabled"
	FieldDisplayName        Field = "displayName"
	FieldLabels             Field = "labels"
	FieldMaintenancePolicy  Field = "maintenancePolicy"
	FieldMaintenanceVersion Field = "maintenanceVersion"
	FieldMemorySizeGB       Field = "memorySizeGb"
	FieldPersistenceConfig  Field = "persistenceConfig"
	FieldReadReplicasMode   Field = "readReplicasMode"
	FieldRedisConfigs       Field = "redisConfigs"
	FieldReplicaCount       Field = "replicaCount"
	FieldSecondaryIPRange   Field = "secondaryIpRange"
)

// fieldValues reads from an instance what an update of each field sends.
var fieldValues = map[Field]func(*Instance) any{
	FieldAuthEnabled:        func(in *Instance) any { return in.AuthEnabled },
	FieldDisplayName:        func(in *Instance) any { return in.DisplayName },
	FieldLabels:             func(in *Instance) any { return in.Labels },
	FieldMaintenancePolicy:  func(in *Instance) any { return in.MaintenancePolicy },
	FieldMaintenanceVersion: func(in *Instance) any { return in.MaintenanceVersion },
	FieldMemorySizeGB:       func(in *Instance) any { return in.MemorySizeGB },
	FieldPersistenceConfig:  func(in *Instance) any { return in.PersistenceConfig },
	FieldReadReplicasMode:   func(in *Instance) any { return in.ReadReplicasMode },
	FieldRedisConfigs:       func(in *Instance) any { return in.RedisConfigs },
	FieldReplicaCount:       func(in *Instance) any { return in.ReplicaCount },
	FieldSecondaryIPRange:   func(in *Instance) any { return in.SecondaryIPRange },
}

// checkFields refuses an update that the service would refuse, or one that says nothing.
func checkFields(fields []Field) error {
	if len(fields) == 0 {
		return errors.New("an update must name the fields to change, such as FieldLabels")
	}
	for i, f := range fields {
		switch {
		case f == "redisVersion":
			return errors.New("redisVersion is changed by UpgradeInstance, not by an update")
		case fieldValues[f] == nil:
			return fmt.Errorf("field %q cannot be updated; fields that can: %s", f, updatable())
		case slices.Contains(fields[:i], f):
			return fmt.Errorf("field %q is named twice", f)
		}
	}
	return nil
}

func updatable() string {
	names := make([]string, 0, len(fieldValues))
	for f := range fieldValues {
		names = append(names, string(f))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

const (
	instancePattern  = "projects/PROJECT/locations/LOCATION/instances/ID"
	locationPattern  = "projects/PROJECT/locations/LOCATION"
	operationPattern = "projects/PROJECT/locations/LOCATION/operations/OPERATION"
	projectPattern   = "projects/PROJECT"
)

var instanceID = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$`)

func checkInstance(name string) error {
	if err := checkName(name, instancePattern); err != nil {
		return err
	}
	if id := lastPart(name); !instanceID.MatchString(id) {
		return fmt.Errorf("instance id %q: an id has 1 to 40 lowercase letters, digits or hyphens, starts with a letter "+
			"and ends with a letter or digit", id)
	}
	return nil
}

func checkLocation(name string) error  { return checkName(name, locationPattern) }
func checkOperation(name string) error { return checkName(name, operationPattern) }
func checkProject(name string) error   { return checkName(name, projectPattern) }

// checkParent is checkLocation for a list, which may be of all locations.
func checkParent(name string) error {
	project, ok := strings.CutSuffix(name, "/locations/"+AllLocations)
	if ok {
		return checkName(project+"/locations/all", locationPattern)
	}
	return checkLocation(name)
}

// checkName holds name against a pattern whose capital parts stand for any value that is safe in a URL.
func checkName(name, pattern string) error {
	want := strings.Split(pattern, "/")
	got := strings.Split(name, "/")
	if len(got) != len(want) {
		return fmt.Errorf("name %.200q must have the form %s", name, pattern)
	}
	for i, part := range got {
		if i%2 == 0 {
			if part != want[i] {
				return fmt.Errorf("name %.200q must have the form %s", name, pattern)
			}
			continue
		}
		if err := checkPart(part, want[i]); err != nil {
			return fmt.Errorf("name %.200q: %w", name, err)
		}
	}
	return nil
}

func checkPart(part, what string) error {
	what = strings.ToLower(what)
	switch {
	case part == "":
		return fmt.Errorf("its %s is empty", what)
	case utf8.RuneCountInString(part) > 128:
		return fmt.Errorf("its %s has %d characters, more than 128", what, utf8.RuneCountInString(part))
	case part == "." || part == "..":
		return fmt.Errorf("its %s must not be %q", what, part)
	case what == "location" && part == AllLocations:
		return errors.New(`its location is "-", which stands for all locations in lists only`)
	case what != "project" && strings.Contains(part, ":"):
		return fmt.Errorf("its %s must not hold \":\"", what)
	case strings.ContainsAny(part, `/?#%\`) || strings.ContainsFunc(part, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar }):
		return fmt.Errorf("its %s must not hold \"/\", \"?\", \"#\", \"%%\", \"\\\", spaces or control characters", what)
	}
	return nil
}

// lastPart returns what stands behind the last slash: the id in a name.
func lastPart(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// parentOf returns the location of an instance or operation.
func parentOf(name string) string {
	parts := strings.SplitN(name, "/", 5)
	return strings.Join(parts[:min(4, len(parts))], "/")
}
