package fakeserver

import (
	"regexp"
	"slices"
	"time"
)

var (
	textURI = define(text{key: "gcs-uri", code: codeInvalidArgument, form: backend,
		message: "Invalid Cloud Storage URI: '%[1]s'.", field: "%[2]s", description: "Invalid value: %[1]s", basis: guessed("the form is documented, the sentence is chosen")})
	textFailoverTier = define(text{key: "failover-basic", code: codeFailedPrecondition, form: backend,
		message: "Failover is only supported for STANDARD_HA instances.", basis: guessed("the rule is documented, the sentence is chosen")})
	textUpgrade = define(text{key: "upgrade-version", code: codeInvalidArgument, form: backend,
		message: "Instance can only be upgraded to a version newer than %[1]s.", field: "redis_version", description: "Invalid value: %[2]s", basis: guessed("the rule is documented, the sentence is chosen")})
	textNoSchedule = define(text{key: "no-maintenance", code: codeFailedPrecondition, form: backend,
		message: "There is no maintenance scheduled for the instance.", basis: guessed(noSource)})
	textReschedule = define(text{key: "reschedule", code: codeInvalidArgument, form: backend,
		message: "%[1]s", field: "%[2]s", description: "Invalid value: %[3]s", basis: guessed("the limits are documented, the sentences are chosen")})
	textRescheduleOften = define(text{key: "reschedule-often", code: codeFailedPrecondition, form: backend,
		message: "Maintenance can be rescheduled at most two times.", basis: guessed("the limit is documented, the sentence is chosen")})
)

var uriPattern = regexp.MustCompile(`^gs://[a-z0-9][-a-z0-9_.]{1,220}[a-z0-9]/[^\r\n]+$`)

// prepare finds the instance of a verb and reads its request.
func (w *world) prepare(c *call) (*instance, *message, *problem) {
	in, bad := w.find(c)
	if bad != nil {
		return nil, nil, bad
	}
	asked, bad := c.read()
	return in, asked, bad
}

// work begins an operation that shows as a state and stores something when it succeeds.
func (w *world) work(in *instance, c *call, verb string, state int32, effect func(m *message, now time.Time)) *message {
	c.acted = true
	in.setState(state)
	o := &operation{verb: verb, version: c.version}
	o.succeed = func(now time.Time) *message {
		m := in.shown.clone()
		m.set(fState, stateReady)
		if effect != nil {
			effect(m, now)
		}
		in.shown = m
		return in.view(now)
	}
	o.fail = func(*message) { in.setState(stateReady) }
	w.begin(o, in, verb, c.now)
	return o.view()
}

func deleteInstance(w *world, c *call) (*message, *problem) {
	in, bad := w.find(c)
	if bad != nil {
		return nil, bad
	}
	if bad := in.ready("delete"); bad != nil {
		return nil, bad
	}
	c.acted = true
	before := in.shown.num(fState)
	in.setState(stateDeleting)
	o := &operation{verb: "delete", version: c.version}
	o.succeed = func(time.Time) *message {
		w.remove(in)
		return newValue(emptyType)
	}
	o.fail = func(*message) { in.setState(before) }
	w.begin(o, in, "delete", c.now)
	return o.view(), nil
}

func exportInstance(w *world, c *call) (*message, *problem) {
	in, asked, bad := w.prepare(c)
	if bad != nil {
		return nil, bad
	}
	if uri := asked.sub(fOutputConfig).sub(fGCSDestination).str(fDestinationURI); !uriPattern.MatchString(uri) {
		return nil, textURI.because(uri, "output_config.gcs_destination.uri")
	}
	if bad := in.ready("export"); bad != nil {
		return nil, bad
	}
	return w.work(in, c, "export", stateUpdating, nil), nil
}

func importInstance(w *world, c *call) (*message, *problem) {
	in, asked, bad := w.prepare(c)
	if bad != nil {
		return nil, bad
	}
	if uri := asked.sub(fInputConfig).sub(fGCSSource).str(fSourceURI); !uriPattern.MatchString(uri) {
		return nil, textURI.because(uri, "input_config.gcs_source.uri")
	}
	if bad := in.ready("import"); bad != nil {
		return nil, bad
	}
	return w.work(in, c, "import", stateImporting, nil), nil
}

func failoverInstance(w *world, c *call) (*message, *problem) {
	in, asked, bad := w.prepare(c)
	if bad != nil {
		return nil, bad
	}
	if n := asked.num(fDataProtectionMode); dataProtectionEnum.names[n] == "" {
		return nil, textEnum.because("data_protection_mode", n)
	}
	if in.shown.num(fTier) != tierStandard {
		return nil, textFailoverTier.because()
	}
	if bad := in.ready("failover"); bad != nil {
		return nil, bad
	}
	return w.work(in, c, "failover", stateFailingOver, func(m *message, _ time.Time) {
		to := m.str(fLocationID)
		if m.str(fCurrentLocationID) == to {
			to = m.str(fAlternativeLocationID)
		}
		m.set(fCurrentLocationID, to)
	}), nil
}

func upgradeInstance(w *world, c *call) (*message, *problem) {
	in, asked, bad := w.prepare(c)
	if bad != nil {
		return nil, bad
	}
	current, to := in.shown.str(fRedisVersion), asked.str(fUpgradeVersion)
	switch {
	case !slices.Contains(redisVersions, to):
		return nil, textVersion.because(to)
	case atLeast(current, to):
		return nil, textUpgrade.because(current, to)
	}
	if bad := in.ready("upgrade"); bad != nil {
		return nil, bad
	}
	return w.work(in, c, "upgrade", stateUpdating, func(m *message, _ time.Time) { m.set(fRedisVersion, to) }), nil
}

func rescheduleMaintenance(w *world, c *call) (*message, *problem) {
	in, asked, bad := w.prepare(c)
	if bad != nil {
		return nil, bad
	}
	to, bad := in.replanned(asked, c.now)
	if bad != nil {
		return nil, bad
	}
	if bad := in.ready("reschedule"); bad != nil {
		return nil, bad
	}
	first, now := in.shown.sub(fMaintenanceSchedule).when(fScheduleStart), asked.num(fRescheduleType) == rescheduleImmediate
	return w.work(in, c, "rescheduleMaintenance", stateUpdating, func(m *message, _ time.Time) {
		if in.rescheduled == 0 {
			in.firstPlanned = first
		}
		in.rescheduled++ // a try that failed has put nothing off
		if now {         // the maintenance was done, and none is planned any more
			m.clear(fMaintenanceSchedule)
			return
		}
		s := m.sub(fMaintenanceSchedule).clone()
		s.set(fScheduleStart, to)
		s.set(fScheduleEnd, to.Add(time.Hour))
		m.set(fMaintenanceSchedule, s)
	}), nil
}

// The documented limits of putting maintenance off.
const (
	maxReschedules = 2
	maxPutOff      = 7 * 24 * time.Hour
	tooLate        = time.Hour
)

// replanned is when the maintenance would be instead.
func (in *instance) replanned(asked *message, now time.Time) (time.Time, *problem) {
	schedule := in.shown.sub(fMaintenanceSchedule)
	if schedule == nil {
		return time.Time{}, textNoSchedule.because()
	}
	planned := schedule.when(fScheduleStart)
	first := planned
	if in.rescheduled > 0 {
		first = in.firstPlanned
	}
	to := now
	switch kind := asked.num(fRescheduleType); kind {
	case rescheduleImmediate:
		return to, nil
	case rescheduleNext:
		to = planned.Add(7 * 24 * time.Hour)
	case rescheduleSpecific:
		to = asked.when(fScheduleTime)
		if to.IsZero() {
			return to, textReschedule.because("A schedule time is required for SPECIFIC_TIME.", "schedule_time", "")
		}
	default:
		return to, textReschedule.because("A reschedule type must be specified.", "reschedule_type", enumOrNumber(rescheduleEnum, kind))
	}
	shown := string(appendTime(nil, to, 0))
	deadline := schedule.when(fScheduleDeadline)
	switch {
	case in.rescheduled >= maxReschedules:
		return to, textRescheduleOften.because()
	case planned.Sub(now) < tooLate:
		return to, textReschedule.because("Maintenance cannot be rescheduled within one hour of its start.", "schedule_time", shown)
	case to.Before(now):
		return to, textReschedule.because("The schedule time must be in the future.", "schedule_time", shown)
	case to.After(first.Add(maxPutOff)), !deadline.IsZero() && to.After(deadline):
		return to, textReschedule.because("Maintenance can be put off by at most one week.", "schedule_time", shown)
	}
	return to, nil
}
