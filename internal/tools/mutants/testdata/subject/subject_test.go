package subject

import "testing"

func TestDouble(t *testing.T) {
	if got := double(4); got != 8 {
		t.Error(got)
	}
}

func TestFails(t *testing.T) { t.Error("as it should") }
