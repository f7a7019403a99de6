package fakeserver

import "strings"

// An updatable is a field that an update may name.
type updatable struct {
	field  *field
	atOnce bool // shows when the update is accepted, not when its operation ends
	basis
}

// updatables are the paths of an update mask. The documented path redisConfig is not one of them: the service
// refuses it.
var updatables = []updatable{
	{fDisplayName, true, recorded(kccLog)},
	{fLabels, true, recorded(c7nLog)},
	{fMemorySizeGB, false, recorded(kccLog)},
	{fRedisConfigs, false, documented(gcloudHelp + ", google-api-go-client#1983")},
	{fAuthEnabled, false, documented(gcloudHelp)},
	{fMaintenancePolicy, false, documented(gcloudHelp)},
	{fPersistenceConfig, false, documented(gcloudHelp)},
	{fReplicaCount, false, documented(discovery)},
	{fReadReplicasMode, false, documented(gcloudHelp)},
	{fSecondaryIPRange, false, recorded(kccLog)},
	{fMaintenanceVersion, false, documented(gcloudHelp)},
}

var (
	textMaskEmpty = define(text{key: "mask-empty", code: codeInvalidArgument, form: backend,
		message: "Update mask is empty", field: "update_mask", description: "Invalid value: ", basis: recorded("k8s-config-connector#392")})
	textMaskPath = define(text{key: "mask-path", code: codeInvalidArgument, form: backend,
		message: "Invalid option '%[1]s': '%[1]s' cannot be updated on existing instances.",
		field:   "update_mask.paths.%[2]d", description: "Invalid value: %[1]s", basis: recorded("google-api-go-client#1983, for redis_config")})
	textMaskPathOther = define(text{key: "mask-path-other", code: codeInvalidArgument, form: backend, message: textMaskPath.message,
		field: textMaskPath.field, description: textMaskPath.description, basis: guessed("what is recorded of redis_config, with the path")})
)

// A mask is the fields of one update, each once.
type mask []updatable

func (m mask) has(f *field) bool {
	for _, u := range m {
		if u.field == f {
			return true
		}
	}
	return false
}

// parseMask reads updateMask: paths in camelCase or snake_case, separated by commas. One bad path refuses it all.
func parseMask(s string) (mask, *problem) {
	var m mask
	for i, path := range strings.Split(s, ",") {
		path = strings.TrimSpace(path)
		if path == "" {
			if strings.Trim(s, ", ") == "" {
				return nil, textMaskEmpty.because()
			}
			continue
		}
		u, ok := findUpdatable(path)
		if !ok {
			if snakeCase(path) == "redis_config" {
				return nil, textMaskPath.because(snakeCase(path), i)
			}
			return nil, textMaskPathOther.because(snakeCase(path), i)
		}
		if !m.has(u.field) {
			m = append(m, u)
		}
	}
	return m, nil
}

func findUpdatable(path string) (updatable, bool) {
	for _, u := range updatables {
		if u.field.json == path || u.field.snake == path {
			return u, true
		}
	}
	return updatable{}, false
}
