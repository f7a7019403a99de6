package fakeserver

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"
)

// An instance is what the fake keeps of one.
type instance struct {
	name, parent string
	shown        *message   // as it was last stored; view shows it
	running      *operation // the one change it may have
	auth         string     // the AUTH string; empty when AUTH is off
	network      string     // key of the network its addresses come from
	blocks       []netip.Prefix
	ca           *authority // of one with in-transit encryption
	rescheduled  int        // how often maintenance was put off
	firstPlanned time.Time  // when maintenance was planned before that
}

// setState stores another state.
func (in *instance) setState(state int32) {
	m := in.shown.clone()
	m.set(fState, state)
	in.shown = m
}

// view is the instance as an answer shows it at a moment.
func (in *instance) view(now time.Time) *message {
	m := in.shown
	if m.num(fState) == stateCreating {
		m = m.clone()
		for _, f := range []*field{fHost, fReadEndpoint, fReadEndpointPort, fServerCACerts} {
			m.clear(f)
		}
	}
	if p := m.sub(fPersistenceConfig); p.num(fPersistenceMode) == persistenceRDB {
		m = m.clone()
		p = p.clone()
		p.set(fNextSnapshotTime, nextSnapshot(p, now))
		m.set(fPersistenceConfig, p)
	}
	return m
}

// snapshotPeriods are the lengths of the enum's values.
var snapshotPeriods = map[string]time.Duration{
	"ONE_HOUR": time.Hour, "SIX_HOURS": 6 * time.Hour, "TWELVE_HOURS": 12 * time.Hour, "TWENTY_FOUR_HOURS": 24 * time.Hour,
}

// nextSnapshot is the first moment after now that lies whole periods after the start.
func nextSnapshot(p *message, now time.Time) time.Time {
	period := snapshotPeriods[p.name(fSnapshotPeriod)]
	start := p.when(fSnapshotStartTime)
	if start.After(now) || period == 0 {
		return start
	}
	return start.Add((now.Sub(start)/period + 1) * period)
}

// An operation is one change of an instance, running or done.
type operation struct {
	name, parent, target, verb string
	version                    string // of the API that began it
	number                     int    // in the order they began
	created, ended             time.Time
	done                       bool
	cancelRequested            bool
	statusDetail               string

	times    OperationTimes
	span     time.Duration // of paceRealistic
	polls    int           // operations.get so far
	held     bool
	released time.Time // when it was last let go; it ends no earlier

	of      *instance
	succeed func(now time.Time) *message // carries the change out and returns the response
	fail    func(failure *message)       // takes back what was shown of it
	failing *message                     // the google.rpc.Status it will end with
	result  *message                     // the response or the Status, once it is done
}

// due tells when the operation ends, if it does by now.
func (o *operation) due(now time.Time) (time.Time, bool) {
	if o.held {
		return time.Time{}, false
	}
	end := now
	switch o.times.how {
	case paceImmediate:
		end = o.created
	case paceAfter:
		end = o.created.Add(o.times.after)
	case paceRealistic:
		end = o.created.Add(o.span)
	default:
		if o.polls < o.times.polls {
			return time.Time{}, false
		}
	}
	if end.Before(o.released) {
		end = o.released
	}
	return end, !end.After(now)
}

// view is the operation as an answer shows it.
func (o *operation) view() *message {
	meta := build(metadataType, fOpCreateTime, o.created, fOpTarget, o.target, fOpVerb, o.verb,
		fOpStatusDetail, o.statusDetail, fOpCancel, o.cancelRequested, fOpAPIVersion, o.version)
	m := build(operationType, fOpName, o.name, fOpMetadata, meta, fOpDone, o.done)
	if o.done {
		meta.set(fOpEndTime, o.ended)
		if o.result.typ == statusType {
			m.set(fOpError, o.result)
		} else {
			m.set(fOpResponse, o.result)
		}
	}
	return m
}

// operationID is operation-<ms>-<µs in hex>-<8 hex>-<8 hex>: the moment it began, twice, and chance.
func operationID(now time.Time) string {
	return fmt.Sprintf("operation-%013d-%013x-%08x-%08x", now.UnixMilli(), now.UnixMicro(), rand.Uint32(), rand.Uint32())
}

func status(c int32, sentence string) *message {
	return build(statusType, fStatusCode, c, fStatusText, sentence)
}
