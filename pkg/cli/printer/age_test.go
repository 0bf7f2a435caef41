package printer

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	now := time.Unix(1000, 0)
	for name, test := range map[string]struct {
		created time.Time
		want    string
	}{
		"in the past": {now.Add(-90 * time.Second), "90s"},
		"in the future of a clock that is behind": {now.Add(time.Minute), "0s"},
		"unknown": {time.Time{}, "<unknown>"},
	} {
		if got := Age(test.created, now); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
