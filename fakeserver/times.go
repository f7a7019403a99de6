package fakeserver

import (
	"fmt"
	"time"
)

// OperationTimes says when the operations of a server end. Make one with Immediate, After, Polls or Realistic.
type OperationTimes struct {
	how   pace
	after time.Duration
	polls int
}

type pace uint8

const (
	paceImmediate pace = iota + 1
	paceAfter
	pacePolls
	paceRealistic
)

// Immediate ends every operation before its first answer, which then says done. The service does that rarely.
func Immediate() OperationTimes { return OperationTimes{how: paceImmediate} }

// After ends every operation d after it began, by time.Now.
func After(d time.Duration) OperationTimes { return OperationTimes{how: paceAfter, after: d} }

// Polls lets an operation run until it has been read with operations.get n times: the n-th answer says done.
// Nothing else moves it on. Polls(1) is the default.
func Polls(n int) OperationTimes { return OperationTimes{how: pacePolls, polls: n} }

// Realistic lets operations take as long as was measured on the service: five minutes to create, ten to resize.
func Realistic() OperationTimes { return OperationTimes{how: paceRealistic} }

// String is what the flag --operations of cmd/fakeserver takes.
func (t OperationTimes) String() string {
	switch t.how {
	case paceImmediate:
		return "immediate"
	case paceAfter:
		return t.after.String()
	case pacePolls:
		return fmt.Sprintf("polls:%d", t.polls)
	case paceRealistic:
		return "realistic"
	}
	return "unset"
}

// A measurement is how long one kind of operation takes on the service.
type measurement struct {
	work string
	d    time.Duration
	basis
}

var measurements = []measurement{
	{"create", 4*time.Minute + 57*time.Second, recorded("k8s-config-connector cassette, BASIC 16 GB, April 2024")},
	{"update", 30 * time.Second, guessed("reports of label changes say seconds to minutes")},
	{"resize", 9*time.Minute + 44*time.Second, recorded("k8s-config-connector cassette, 16 to 20 GB, April 2024")},
	{"delete", 2*time.Minute + 38*time.Second, recorded("k8s-config-connector cassette, April 2024")},
	{"import", 5 * time.Minute, documented("import and export overview: 8 GB in about five minutes")},
	{"export", 5 * time.Minute, documented("import and export overview: 8 GB in about five minutes")},
	{"failover", time.Minute, guessed(noSource)},
	{"upgrade", 5 * time.Minute, guessed(noSource)},
	{"rescheduleMaintenance", 10 * time.Second, guessed(noSource)},
	{"fail create", 28 * time.Second, recorded("terraform-provider-google#17333")},
}

func measured(work string) time.Duration {
	for _, m := range measurements {
		if m.work == work {
			return m.d
		}
	}
	return 0
}
