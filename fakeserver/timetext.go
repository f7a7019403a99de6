package fakeserver

import (
	"strconv"
	"time"
)

// appendTime prints RFC 3339 in UTC with a fixed number of fraction digits, or with 0, 3, 6 or 9 as needed.
func appendTime(b []byte, t time.Time, digits int) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	b = appendPadded(b, year, 4)
	b = append(b, '-')
	b = appendPadded(b, int(month), 2)
	b = append(b, '-')
	b = appendPadded(b, day, 2)
	b = append(b, 'T')
	b = appendPadded(b, hour, 2)
	b = append(b, ':')
	b = appendPadded(b, minute, 2)
	b = append(b, ':')
	b = appendPadded(b, second, 2)
	b = appendFraction(b, t.Nanosecond(), digits)
	return append(b, 'Z')
}

func appendFraction(b []byte, nanos, digits int) []byte {
	if digits == 0 {
		switch {
		case nanos == 0:
			return b
		case nanos%1e6 == 0:
			digits = 3
		case nanos%1e3 == 0:
			digits = 6
		default:
			digits = 9
		}
	}
	for range 9 - digits {
		nanos /= 10
	}
	b = append(b, '.')
	return appendPadded(b, nanos, digits)
}

func appendDuration(b []byte, d time.Duration) []byte {
	if d < 0 {
		b = append(b, '-')
		d = -d
	}
	b = strconv.AppendInt(b, int64(d/time.Second), 10)
	b = appendFraction(b, int(d%time.Second), 0)
	return append(b, 's')
}

func appendPadded(b []byte, n, width int) []byte {
	var digits [20]byte
	i := len(digits)
	for ; width > 0 || n > 0; width-- {
		i--
		digits[i] = byte('0' + n%10)
		n /= 10
	}
	return append(b, digits[i:]...)
}
