package parity

import "testing"

// A sequence does not wait until its objects are deleted. The next one that creates an object of the same name would get a 409.
func TestNoTwoSequencesCleanUpTheSameObject(t *testing.T) {
	sequences, err := Sequences()
	if err != nil {
		t.Fatal(err)
	}
	cleaner := map[string]string{}
	for _, sequence := range sequences {
		for _, path := range sequence.Cleanup {
			if other := cleaner[path]; other != "" {
				t.Errorf("%s and %s both clean up %s; give the objects different names", other, sequence.Name, path)
			}
			cleaner[path] = sequence.Name
		}
	}
	if len(cleaner) == 0 {
		t.Error("no sequence cleans anything up")
	}
}
