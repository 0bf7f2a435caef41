package parity

import (
	"testing"
	"testing/synctest"

	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// minRequests is the smallest permitted number of requests in the table.
const minRequests = 150

// CompareInMemory sends each sequence of the table to a new cluster in memory with these options. It fails the test for each field of a
// response that differs from the recording, unless a Difference allows it. If all responses are as expected, it also fails for each field
// of a Difference that does not occur, and if the table has fewer than minRequests requests.
func CompareInMemory(t *testing.T, options scenario.Options, differences []Difference) {
	t.Helper()
	sequences, err := Sequences()
	if err != nil {
		t.Fatal(err)
	}
	used := make([]map[string]bool, len(differences))
	for i := range used {
		used[i] = map[string]bool{}
	}
	requests := 0
	for _, sequence := range sequences {
		requests += len(sequence.Requests)
		t.Run(sequence.Name, func(t *testing.T) {
			for _, mismatch := range mismatches(t, options, sequence) {
				if !isAllowed(differences, used, mismatch) {
					t.Error(mismatch)
				}
			}
		})
	}
	if t.Failed() {
		return
	}
	for i, difference := range differences {
		for _, field := range difference.Fields {
			if !used[i][field] {
				t.Errorf("differences.yaml allows a difference at %q (%s), but the answers are equal; remove the entry", field, difference.Reason)
			}
		}
	}
	if requests < minRequests {
		t.Errorf("the table has %d requests, want at least %d", requests, minRequests)
	}
	t.Logf("%d requests", requests)
}

// isAllowed reports whether a Difference covers the mismatch. It records which fields of the differences were needed: used has a map for
// each difference, keyed by field.
func isAllowed(differences []Difference, used []map[string]bool, mismatch Mismatch) bool {
	found := false
	for i, difference := range differences {
		for _, field := range difference.Fields {
			if coversField(field, mismatch.Field) {
				used[i][field] = true
				found = true
			}
		}
	}
	return found
}

func mismatches(t *testing.T, options scenario.Options, sequence Sequence) (found []Mismatch) {
	t.Helper()
	recorded, err := Recorded(sequence.Name)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		cluster, err := scenario.Start(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Stop()
		if err := cluster.Settle(); err != nil {
			t.Fatal(err)
		}
		got, err := Send(t.Context(), sequence, func(user string) *rest.Config {
			if user == "" {
				user = scenario.AdminUser
			}
			return cluster.ClientConfig(user)
		})
		if err != nil {
			t.Fatal(err)
		}
		if found, err = Compare(sequence.Name, recorded, got); err != nil {
			t.Fatal(err)
		}
	})
	return found
}
