package revision

import (
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/bundle"
)

func TestMetadataFitsTheStatus(t *testing.T) {
	long := strings.Repeat("9", 1000)
	got := MetadataOf(bundle.Metadata{Name: "memo.v1", Version: "1.0.0-" + long, MinKubeVersion: long, MaxOpenShiftVersions: []string{long, "1", "2", "3", "4"}})
	if len(got.Version) > 128 || len(got.MinKubeVersion) > 128 || len(got.MaxOpenShiftVersions) > 4 || len(got.MaxOpenShiftVersions[0]) > 128 {
		t.Errorf("recorded %+v, which the schema refuses, and the whole status with it", got)
	}
	if len(got.MaxOpenShiftVersions) < 2 {
		t.Error("that there was more than one value has to be seen")
	}
}
