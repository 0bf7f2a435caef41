package revision

import (
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/bundle"
)

func TestMetadataOf(t *testing.T) {
	long := strings.Repeat("9", 1000)
	got := MetadataOf(bundle.Metadata{Name: "memo.v1", Version: "1.0.0-" + long, MinKubeVersion: long, MaxOpenShiftVersions: []string{long, "1", "2", "3", "4"}})
	if len(got.Version) > 128 || len(got.MinKubeVersion) > 128 || len(got.MaxOpenShiftVersions) > 4 || len(got.MaxOpenShiftVersions[0]) > 128 {
		t.Errorf("MetadataOf returned %+v, which the schema rejects with the whole status", got)
	}
	if len(got.MaxOpenShiftVersions) < 2 {
		t.Error("several values of maxOpenShiftVersion were reduced to one")
	}
}
