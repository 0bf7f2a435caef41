package parity

import (
	"os"
	"testing"
	"testing/synctest"

	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/scenario"
)

func TestMain(m *testing.M) {
	scenario.PrepareProcess()
	os.Exit(m.Run())
}

func TestOM_9_AServerInMemoryAnswersAsARealOne(t *testing.T) {
	sequences, err := Sequences()
	if err != nil {
		t.Fatal(err)
	}
	differences, err := Differences()
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
			for _, mismatch := range mismatchesInMemory(t, sequence) {
				if !allowed(differences, used, mismatch) {
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
				t.Errorf("differences.yaml allows %q (%s), where both answer alike", field, difference.Reason)
			}
		}
	}
	if least := 150; requests < least {
		t.Errorf("the table has %d requests, not %d", requests, least)
	}
	t.Logf("%d requests", requests)
}

// allowed reports whether a difference covers a mismatch, and notes which of its fields did.
func allowed(differences []Difference, used []map[string]bool, mismatch Mismatch) bool {
	found := false
	for i, difference := range differences {
		for _, field := range difference.Fields {
			if covers(field, mismatch.Field) {
				used[i][field] = true
				found = true
			}
		}
	}
	return found
}

func mismatchesInMemory(t *testing.T, sequence Sequence) (mismatches []Mismatch) {
	t.Helper()
	recorded, err := Recorded(sequence.Name)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		cluster, err := scenario.Start(t.Context(), scenario.Options{})
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
		if mismatches, err = Compare(sequence.Name, recorded, got); err != nil {
			t.Fatal(err)
		}
	})
	return mismatches
}
