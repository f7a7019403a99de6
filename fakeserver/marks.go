package fakeserver

// Mark says how much is known about one thing the fake does.
type Mark int

const (
	// Guessed: no source; a default that fits what is known.
	Guessed Mark = iota + 1
	// Documented: Google's discovery document, reference, product pages or published client source say so.
	Documented
	// Recorded: seen in a recording of, or a verbatim report about, the service. The source names the sibling
	// service where the recording is of one that shares this service's front end.
	Recorded
)

func (m Mark) String() string {
	switch m {
	case Guessed:
		return "Guessed"
	case Documented:
		return "Documented"
	case Recorded:
		return "Recorded"
	}
	return "unmarked"
}

// basis is what stands behind a table row: its mark, and where it was read.
type basis struct {
	mark   Mark
	source string
}

func recorded(source string) basis   { return basis{Recorded, source} }
func documented(source string) basis { return basis{Documented, source} }
func guessed(source string) basis    { return basis{Guessed, source} }

// Sources that many rows share.
const (
	discovery  = "discovery document redis v1, rev. 20261016"
	kccLog     = "k8s-config-connector recordings of redisinstance, 2024 and 2026"
	c7nLog     = "cloud-custodian flight recordings, 2022 and 2026"
	frontEnd   = "general behaviour of Google's API front end, no source looked up"
	noSource   = "nothing found; chosen"
	gcloudHelp = "gcloud redis help and source"
)
