package resolve

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/compat"
)

func TestDeclaredOf(t *testing.T) {
	has := func(name string, priority int, bundles ...catalog.Bundle) Catalog {
		return Catalog{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: name}, Priority: priority, Labels: map[string]string{"tier": name}, Package: &catalog.Package{Name: "quay", Bundles: bundles}}
	}
	says := func(image string, values ...string) catalog.Bundle {
		return catalog.Bundle{Name: "quay.v1.0.0", Image: image, MaxOpenShiftVersions: values}
	}
	away := has("ours", 0, says("i", `"4.20"`))
	away.Err, away.Package = errors.New("connection refused"), nil
	known := func(values ...string) compat.Statement { return compat.Statement{Known: true, Raw: values} }
	only, err := labels.Parse("tier=theirs")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		catalogs []Catalog
		selector labels.Selector
		want     compat.Statement
	}{
		"the catalog that it was chosen from says":           {[]Catalog{has("theirs", 9, says("i", `"4.30"`)), has("ours", 0, says("i", `"4.20"`))}, nil, known(`"4.20"`)},
		"that one says two things":                           {[]Catalog{has("ours", 0, says("i", `"4.20"`, `"4.21"`))}, nil, known(`"4.20"`, `"4.21"`)},
		"that one says nothing, and another does":            {[]Catalog{has("theirs", 9, says("i", `"4.30"`)), has("ours", 0, says("i"))}, nil, known()},
		"that one cannot be read, and another can":           {[]Catalog{has("theirs", 9, says("i", `"4.30"`)), away}, nil, compat.Statement{}},
		"that one is gone, the highest of the others speaks": {[]Catalog{has("low", 1, says("i", `"4.29"`)), has("theirs", 9, says("i", `"4.30"`))}, nil, known(`"4.30"`)},
		"that one has it no more, and another has":           {[]Catalog{has("theirs", 9, says("i", `"4.30"`)), has("ours", 0)}, nil, known(`"4.30"`)},
		"that one is not selected any more":                  {[]Catalog{has("theirs", 9, says("i", `"4.30"`)), away}, only, known(`"4.30"`)},
		"that one is gone, and another says nothing":         {[]Catalog{has("theirs", 9, says("i"))}, nil, compat.Statement{}},
		"that one is gone, the first other to say something": {[]Catalog{has("low", 1, says("i", `"4.29"`)), has("theirs", 9, says("i"))}, nil, known(`"4.29"`)},
		"that one is not selected any more, silence":         {[]Catalog{has("theirs", 9, says("i")), away}, only, compat.Statement{}},
		"none has it":                      {[]Catalog{has("theirs", 9), has("ours", 0)}, nil, compat.Statement{}},
		"it was built anew under its name": {[]Catalog{has("ours", 0, says("another", `"4.20"`))}, nil, compat.Statement{}},
		"there is no catalog":              {nil, nil, compat.Statement{}},
	} {
		t.Run(name, func(t *testing.T) {
			held := RunningBundle{Bundle: "quay.v1.0.0", Catalog: "ClusterCatalog/ours", SameImage: func(image string) bool { return image == "i" }}
			got := DeclaredOf(Request{Package: "quay", Selector: test.selector}, test.catalogs, held)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
