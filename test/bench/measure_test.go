package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for name, tc := range map[string]struct {
		values []float64
		want   float64
	}{
		"of nothing is zero":                           {nil, 0},
		"of one value is that value":                   {[]float64{3}, 3},
		"of an odd number is the middle, in any order": {[]float64{9, 1, 4}, 4},
		"of an even number is between the middle two":  {[]float64{10, 1, 2, 4}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			if got := median(tc.values); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestMedianDoesNotSortItsInput(t *testing.T) {
	values := []float64{3, 1, 2}
	median(values)
	if values[0] != 3 {
		t.Errorf("the values were sorted in place: %v", values)
	}
}

func TestRepeats(t *testing.T) {
	for name, tc := range map[string]struct {
		once time.Duration
		want int
	}{
		"what takes long runs once a sample":               {time.Second, 1},
		"what takes just a sample's time runs once":        {shortestSample, 1},
		"what is a bit shorter runs twice":                 {shortestSample - 1, 2},
		"what is short runs until a sample is long enough": {shortestSample / 100, 100},
		"what takes no time that can be seen is bounded":   {0, maxRepeats},
		"what takes a nanosecond is bounded":               {1, maxRepeats},
	} {
		t.Run(name, func(t *testing.T) {
			if got := repeatsFor(tc.once); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestMeasureAlternatelyOrder(t *testing.T) {
	var order strings.Builder
	slow := func(name string) subject {
		return subject{name, func() error {
			order.WriteString(name)
			for start := time.Now(); time.Since(start) < shortestSample; { // long enough to run once a sample
			}
			return nil
		}}
	}
	costs, err := measureAlternately(3, slow("A"), slow("B"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := order.String(), "AB"+"ABABAB"; got != want {
		t.Errorf("got order %s, want %s", got, want)
	}
	for i, c := range costs {
		if c.time < shortestSample {
			t.Errorf("subject %d: measured %s, but it runs for %s", i, c.time, shortestSample)
		}
	}
}

// kept has the slices that a test allocates, so that the compiler allocates them on the heap.
var kept [][]byte

func TestCostIsOfOneRun(t *testing.T) {
	c, err := sample(func() error {
		kept = [][]byte{make([]byte, 1<<20)}
		return nil
	}, 50)
	if err != nil {
		t.Fatal(err)
	}
	if c.bytes < 1<<20 || c.bytes > 1<<20+1<<16 {
		t.Errorf("got %.0f bytes, want a MiB and a little", c.bytes)
	}
	if c.allocations < 2 || c.allocations > 20 {
		t.Errorf("got %.1f allocations, want 2 and a few of the runtime's", c.allocations)
	}
}

func TestMeasureLiveAlternately(t *testing.T) {
	live, err := measureLiveAlternately(3,
		func() ([]byte, error) {
			garbage := make([]byte, 8<<20)
			kept = [][]byte{garbage}
			kept = nil
			return make([]byte, 1<<20), nil
		},
		func() ([]byte, error) { return make([]byte, 4<<20), nil })
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1 << 20, 4 << 20} {
		if live[i] < want*0.9 || live[i] > want*1.2 {
			t.Errorf("maker %d: got %.0f bytes, want about %.0f", i, live[i], want)
		}
	}
}

func TestErrorsNameTheSubject(t *testing.T) {
	fault := errors.New("the fault")
	for name, failAt := range map[string]int{"at its first run": 1, "in a sample": 2} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			_, err := measureAlternately(2, subject{"the subject", func() error {
				if runs++; runs >= failAt {
					return fault
				}
				return nil
			}})
			if !errors.Is(err, fault) || !strings.Contains(err.Error(), "the subject") {
				t.Errorf("got %v", err)
			}
		})
	}
}
