package fakeserver

import (
	"regexp"
	"slices"
	"unicode/utf8"
)

// What a maintenance policy and a maintenance version must be.
var (
	textWindows = define(text{key: "maintenance-windows", code: codeInvalidArgument, form: backend,
		message: "Exactly one weekly maintenance window must be specified.", field: "instance.maintenance_policy.weekly_maintenance_window", description: "Invalid value: %d windows", basis: guessed("the rule is documented, the sentence is chosen")})
	textWindow = define(text{key: "maintenance-window", code: codeInvalidArgument, form: backend,
		message: "Invalid maintenance window: %[1]s.", field: "instance.maintenance_policy.weekly_maintenance_window", description: "Invalid value: %[2]s", basis: guessed(noSource)})
	textDescription = define(text{key: "maintenance-description", code: codeInvalidArgument, form: backend,
		message: "The description of the maintenance policy must not exceed 512 characters.", field: "instance.maintenance_policy.description", description: "Invalid value: %d characters", basis: guessed("the bound and the code are documented, the sentence is chosen")})
	textMaintenanceVersion = define(text{key: "maintenance-version", code: codeInvalidArgument, form: backend,
		message: "Maintenance version %[1]s is not available for the instance.", field: "instance.maintenance_version", description: "Invalid value: %[1]s", basis: guessed("the rule is documented, the sentence is chosen")})
)

var versionPattern = regexp.MustCompile(`^\d{8}_\d{2}_\d{2}$`)

func checkPolicy(c *change) *problem {
	policy := c.after.sub(fMaintenancePolicy)
	if policy == nil {
		return nil
	}
	if n := utf8.RuneCountInString(policy.str(fPolicyDescription)); n > 512 {
		return textDescription.because(n)
	}
	windows := policy.list(fPolicyWindows)
	if len(windows) != 1 {
		return textWindows.because(len(windows))
	}
	start := windows[0].sub(fWindowStart)
	hour := start.num(fHours)
	switch {
	case windows[0].num(fWindowDay) == 0:
		return textWindow.because("a day must be specified", "DAY_OF_WEEK_UNSPECIFIED")
	case hour < 0 || hour > 23:
		return textWindow.because("hours must be between 0 and 23", decimal(int(hour)))
	case outOf(start.num(fMinutes), 59) || outOf(start.num(fSeconds), 59) || outOf(start.num(fNanos), 999_999_999):
		return textWindow.because("the start time is out of range", "start_time")
	}
	return nil
}

func outOf(n, most int32) bool { return n < 0 || n > most }

func checkVersionUpdate(c *change) *problem {
	v := c.after.str(fMaintenanceVersion)
	if v == "current_default" || v == c.before.str(fMaintenanceVersion) || slices.Contains(c.before.strings(fAvailableVersions), v) {
		return nil
	}
	return textMaintenanceVersion.because(v)
}
