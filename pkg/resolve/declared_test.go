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
		"its catalog has a value":                           {[]Catalog{has("theirs", 9, says("i", `"4.30"`)), has("ours", 0, says("i", `"4.20"`))}, nil, known(`"4.20"`)},
		"its catalog has two values":                        {[]Catalog{has("ours", 0, says("i", `"4.20"`, `"4.21"`))}, nil, known(`"4.20"`, `"4.21"`)},
		"its catalog has no value, another has one":         {[]Catalog{has("theirs", 9, says("i", `"4.30"`)), has("ours", 0, says("i"))}, nil, known()},
		"its catalog is unreadable":                         {[]Catalog{has("theirs", 9, says("i", `"4.30"`)), away}, nil, compat.Statement{}},
		"its catalog is gone: the highest priority counts":  {[]Catalog{has("low", 1, says("i", `"4.29"`)), has("theirs", 9, says("i", `"4.30"`))}, nil, known(`"4.30"`)},
		"its catalog no longer has it, another has":         {[]Catalog{has("theirs", 9, says("i", `"4.30"`)), has("ours", 0)}, nil, known(`"4.30"`)},
		"its catalog is not selected":                       {[]Catalog{has("theirs", 9, says("i", `"4.30"`)), away}, only, known(`"4.30"`)},
		"its catalog is gone, another has no value":         {[]Catalog{has("theirs", 9, says("i"))}, nil, compat.Statement{}},
		"its catalog is gone: the first value counts":       {[]Catalog{has("low", 1, says("i", `"4.29"`)), has("theirs", 9, says("i"))}, nil, known(`"4.29"`)},
		"its catalog is not selected, others have no value": {[]Catalog{has("theirs", 9, says("i")), away}, only, compat.Statement{}},
		"no catalog has it":                                 {[]Catalog{has("theirs", 9), has("ours", 0)}, nil, compat.Statement{}},
		"the catalog has another image of that name":        {[]Catalog{has("ours", 0, says("another", `"4.20"`))}, nil, compat.Statement{}},
		"no catalog": {nil, nil, compat.Statement{}},
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
