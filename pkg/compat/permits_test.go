package compat

import (
	"strings"
	"testing"
)

// HRD-G3. 4.23 and 5.0 are the same release, which a maximum of the 4.x series is compared with by its 4.x name. 5.1 has no other.
//
// Promise HRD-G3: The gate compares a maximum of 4.y with the 4.x name of the next minor version where it has one, and treats 4.23 and
// 5.0 as one release. The text names both.
func TestHRD_G3_MaximumIsComparedWithTheNextMinorVersion(t *testing.T) {
	maxima := []string{"4.21", "4.22", "4.23", "4.24", "4.25", "4.30", "4.99", "5.0", "5.1", "5.2", "6.0"}
	for cluster, permits := range map[string]string{
		"4.20.0": "4.21 4.22 4.23 4.24 4.25 4.30 4.99 5.0 5.1 5.2 6.0",
		"4.21.0": "4.22 4.23 4.24 4.25 4.30 4.99 5.0 5.1 5.2 6.0",
		"4.22.0": "4.23 4.24 4.25 4.30 4.99 5.0 5.1 5.2 6.0", // the next is 4.23, which is 5.0
		"4.23.0": "5.1 5.2 6.0",
		"5.0.0":  "5.1 5.2 6.0",
		"4.24.0": "4.25 4.30 4.99 5.1 5.2 6.0", // no such version is planned; 4.23 and 5.0 are lower
		"4.29.0": "4.30 4.99 5.1 5.2 6.0",
		"5.1.0":  "5.2 6.0",
		"5.2.0":  "6.0",
	} {
		t.Run(cluster, func(t *testing.T) {
			for _, most := range maxima {
				verdict, err := Evaluate(cluster, declaring(most), noon)
				if err != nil {
					t.Fatal(err)
				}
				want := strings.Contains(" "+permits+" ", " "+most+" ")
				if verdict.Upgradeable != want {
					t.Errorf("a maximum of %s: %t, want %t: %s", most, verdict.Upgradeable, want, verdict.Message)
				}
				current, err := ParseClusterVersion(cluster)
				if err != nil {
					t.Fatal(err)
				}
				if reach := NewLookAhead(current, declaring(most)); (reach.Now > 0) != want {
					t.Errorf("a maximum of %s: the look-ahead is %d steps, and the verdict %t", most, reach.Now, want)
				}
			}
		})
	}
}

func TestHRD_G3_MaximumPermitsWhatItsOtherNamePermits(t *testing.T) {
	for major := range uint64(7) {
		for minor := range uint64(40) {
			other := Minor{major, minor}
			if last4.Permits(other) != first5.Permits(other) || other.Permits(last4) != other.Permits(first5) {
				t.Errorf("4.23 and 5.0 differ towards %s", other)
			}
		}
	}
}

func TestHRD_G3_MessageHasBothNamesOfARelease(t *testing.T) {
	for _, test := range []struct{ cluster, most, words string }{
		{"4.22.0", "4.24", "1 PlatformOperator permits OpenShift 4.23 (the same release as 5.0)"},
		{"4.22.0", "4.22", "1 PlatformOperator blocks OpenShift 4.23 (the same release as 5.0):\n- a 1.0.0 allows at most 4.22: "},
		{"4.23.0", "4.23", "1 PlatformOperator blocks OpenShift 5.1:\n- a 1.0.0 allows at most 4.23 (the same release as 5.0): "},
		{"4.23.0", "5.0", "allows at most 5.0 (the same release as 4.23): "},
		{"5.0.0", "4.23", "allows at most 4.23 (the same release as 5.0): "},
		{"4.24.0", "4.23", "1 PlatformOperator blocks OpenShift 4.25:\n- a 1.0.0 allows at most 4.23 (the same release as 5.0): "},
		{"4.21.0", "4.22", "After that, 1 PlatformOperator will block OpenShift 4.23 (the same release as 5.0)"},
	} {
		verdict, err := Evaluate(test.cluster, declaring(test.most), noon)
		if err != nil || !strings.Contains(verdict.Message, test.words) {
			t.Errorf("cluster %s, maximum %s, %v: it says\n%s\nand not\n%s", test.cluster, test.most, err, verdict.Message, test.words)
		}
	}
}
