package parity

import "testing"

// TestNoTwoSequencesCleanUpTheSameObject checks that sequences delete different objects. A sequence does not wait for deletions. If
// a second sequence created the same object, it could get a 409.
func TestNoTwoSequencesCleanUpTheSameObject(t *testing.T) {
	sequences, err := Sequences()
	if err != nil {
		t.Fatal(err)
	}
	sequenceByPath := map[string]string{}
	for _, sequence := range sequences {
		for _, path := range sequence.Cleanup {
			if other := sequenceByPath[path]; other != "" {
				t.Errorf("%s and %s both clean up %s; give the objects different names", other, sequence.Name, path)
			}
			sequenceByPath[path] = sequence.Name
		}
	}
	if len(sequenceByPath) == 0 {
		t.Error("no sequence has objects to clean up")
	}
}
