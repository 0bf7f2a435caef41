package stories

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/test/faults"
	"github.com/openshift/platform-operators/test/samples"
)

// TestTheRegistryInTrouble installs while the registry fails; nothing of a half-read image may be seen afterwards.
func TestTheRegistryInTrouble(t *testing.T) {
	_, h := needs(t, "long")
	blobs := func(r faults.Request) bool { return strings.Contains(r.Path, "/blobs/") }
	for i, each := range []struct {
		name  string
		fault faults.Fault
	}{
		{"500 to anything", faults.Fault{On: faults.Below("/v2/"), Do: faults.Refuse(500, "InternalError", 0)}},
		{"429 to anything", faults.Fault{On: faults.Below("/v2/"), Do: faults.Refuse(429, "TooManyRequests", 1)}},
		{"connections reset", faults.Fault{On: faults.Below("/v2/"), Times: 3, Do: faults.Reset()}},
		{"a layer that ends in the middle", faults.Fault{On: blobs, Nth: 2, Do: faults.Cut(50)}},
		{"a slow layer", faults.Fault{On: blobs, Times: 2, Do: faults.Delay(3*time.Second, faults.Pass())}},
	} {
		t.Run(each.name, func(t *testing.T) {
			// A version that has not been read before: content is kept.
			fresh := samples.Operator{Package: fmt.Sprintf("fetched-%d", i), Version: "1.0.0"}
			if err := errors.Join(samples.Write(h.env.SamplesDir, fresh), h.env.Publish(t.Context())); err != nil {
				t.Fatal(err)
			}
			ref := h.ref(t, fresh)
			h.cleared(t, fresh.Package)
			injection := h.registry.Inject(each.fault)
			witness := h.estate.Witness(t.Context(), fresh.Package)
			err := errors.Join(h.create(t.Context(), fresh.Package, ref), h.until(t.Context(), h.installed(fresh.Package)), witness.Stop())
			if err != nil {
				t.Fatal(err)
			}
			if len(injection.Struck()) == 0 {
				t.Error("the fault has not happened")
			}
		})
	}
}
