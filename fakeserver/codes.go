package fakeserver

// A code is a canonical status: its name, its number in google.rpc, the HTTP status it travels under.
type code struct {
	name   string
	number int32
	http   int
}

// The canonical codes (google/rpc/code.proto).
var (
	codeCancelled          = &code{"CANCELLED", 1, 499}
	codeUnknown            = &code{"UNKNOWN", 2, 500}
	codeInvalidArgument    = &code{"INVALID_ARGUMENT", 3, 400}
	codeDeadlineExceeded   = &code{"DEADLINE_EXCEEDED", 4, 504}
	codeNotFound           = &code{"NOT_FOUND", 5, 404}
	codeAlreadyExists      = &code{"ALREADY_EXISTS", 6, 409}
	codePermissionDenied   = &code{"PERMISSION_DENIED", 7, 403}
	codeResourceExhausted  = &code{"RESOURCE_EXHAUSTED", 8, 429}
	codeFailedPrecondition = &code{"FAILED_PRECONDITION", 9, 400}
	codeAborted            = &code{"ABORTED", 10, 409}
	codeOutOfRange         = &code{"OUT_OF_RANGE", 11, 400}
	codeUnimplemented      = &code{"UNIMPLEMENTED", 12, 501}
	codeInternal           = &code{"INTERNAL", 13, 500}
	codeUnavailable        = &code{"UNAVAILABLE", 14, 503}
	codeDataLoss           = &code{"DATA_LOSS", 15, 500}
	codeUnauthenticated    = &code{"UNAUTHENTICATED", 16, 401}
)

// codes are all of them.
var codes = []*code{codeCancelled, codeUnknown, codeInvalidArgument, codeDeadlineExceeded, codeNotFound, codeAlreadyExists, codePermissionDenied,
	codeResourceExhausted, codeFailedPrecondition, codeAborted, codeOutOfRange, codeUnimplemented, codeInternal, codeUnavailable, codeDataLoss, codeUnauthenticated}

// isCode tells the number of a canonical code.
func isCode(number int) bool {
	for _, c := range codes {
		if int(c.number) == number {
			return true
		}
	}
	return false
}

// codeOfStatus is the canonical name that goes with an HTTP status when nothing more is known.
func codeOfStatus(status int) *code {
	switch status {
	case 400:
		return codeInvalidArgument
	case 401:
		return codeUnauthenticated
	case 403:
		return codePermissionDenied
	case 404:
		return codeNotFound
	case 409:
		return codeAlreadyExists
	case 412:
		return codeFailedPrecondition
	case 416:
		return codeOutOfRange
	case 429:
		return codeResourceExhausted
	case 499:
		return codeCancelled
	case 500:
		return codeInternal
	case 501:
		return codeUnimplemented
	case 503:
		return codeUnavailable
	case 504:
		return codeDeadlineExceeded
	}
	return codeUnknown
}
