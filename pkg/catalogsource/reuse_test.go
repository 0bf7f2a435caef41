package catalogsource

import (
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
)

func TestHRD_B2_UnchangedPackageKeepsItsMemory(t *testing.T) {
	read := func(versionOfB string) []catalog.Package {
		var builder catalog.Builder
		for pkg, version := range map[string]string{"a": "1.0.0", "b": versionOfB} {
			builder.AddPackage(pkg, "stable")
			builder.AddChannel(pkg, "stable", catalog.Entry{Name: pkg + ".v" + version})
			builder.AddBundle(pkg, catalog.Bundle{Name: pkg + ".v" + version, Version: version})
		}
		return builder.Build()
	}
	s := NewSnapshots()
	id := catalog.ID{Kind: catalog.KindClusterCatalog, Name: "c"}
	s.Set(Info{ID: id, Identity: "1"}, read("1.0.0"))
	a, b := s.For("a")[0].Package, s.For("b")[0].Package
	again := read("1.1.0")
	if again[0].IsIdentical(a) {
		t.Fatal("what was read twice is the same memory before anybody compared it")
	}
	if changed := s.Set(Info{ID: id, Identity: "2"}, again); len(changed) != 1 || changed[0] != "b" {
		t.Errorf("%v have changed, want b", changed)
	}
	if now := s.For("a")[0].Package; !now.IsIdentical(a) {
		t.Error("a has not changed and occurs twice")
	}
	if now := s.For("b")[0].Package; now.IsIdentical(b) || now.Bundles[0].Version != "1.1.0" {
		t.Errorf("b is %+v", now)
	}
	if again[0].IsIdentical(a) {
		t.Error("the reader's own list was changed")
	}
}
