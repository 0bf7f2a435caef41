package resolve_test

import (
	"fmt"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

func ExampleResolve() {
	var builder catalog.Builder
	builder.AddPackage("demo", "stable")
	for version, limit := range map[string]string{"1.0.0": `"4.20"`, "1.1.0": `"4.22"`, "1.2.0": `"4.20"`} {
		name := "demo.v" + version
		builder.AddChannel("demo", "stable", catalog.Entry{Name: name})
		builder.AddBundle("demo", catalog.Bundle{
			Name: name, Version: version, Image: "registry.example/" + name + "@sha256:0a", MaxOpenShiftVersions: []string{limit},
		})
	}
	packages := builder.Build()

	decision := resolve.Resolve(
		resolve.Request{Operator: "demo", Package: "demo", VersionRange: "1.x", ClusterVersion: "4.21.0", KubeVersion: "1.34.1"},
		[]resolve.Catalog{{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "operators"}, Package: &packages[0]}},
	)
	fmt.Println(decision.Message)
	for _, refusal := range decision.Refused {
		fmt.Println(refusal.Bundle.Version, refusal.Why)
	}
	// Output:
	// version 1.1.0 of package "demo" was chosen from channel "stable" of ClusterCatalog/operators
	// 1.2.0 allows OpenShift up to 4.20, the cluster is at 4.21
	// 1.0.0 allows OpenShift up to 4.20, the cluster is at 4.21
}

func ExampleTogether() {
	kind := catalog.GVK{Group: "certs.example", Version: "v1", Kind: "Certificate"}
	var builder catalog.Builder
	for _, bundle := range []struct {
		pkg string
		catalog.Bundle
	}{
		{"certs", catalog.Bundle{Name: "certs.v1.0.0", Version: "1.0.0", Image: "registry.example/certs@sha256:0a", ProvidedGVKs: []catalog.GVK{kind}}},
		{"other-certs", catalog.Bundle{Name: "other-certs.v2.0.0", Version: "2.0.0", Image: "registry.example/other-certs@sha256:0b", ProvidedGVKs: []catalog.GVK{kind}}},
		{"database", catalog.Bundle{Name: "database.v3.0.0", Version: "3.0.0", Image: "registry.example/database@sha256:0c", Requirements: []catalog.Requirement{{GVK: &kind}}}},
	} {
		builder.AddPackage(bundle.pkg, "stable")
		builder.AddChannel(bundle.pkg, "stable", catalog.Entry{Name: bundle.Name})
		builder.AddBundle(bundle.pkg, bundle.Bundle)
	}
	packages := builder.Build() // sorted by name
	world := resolve.World{Catalogs: func(pkg string) []resolve.Catalog {
		for i := range packages {
			if packages[i].Name == pkg {
				return []resolve.Catalog{{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "operators"}, Package: &packages[i]}}
			}
		}
		return nil
	}}

	decisions := resolve.Together([]resolve.Request{
		{Operator: "certs", Package: "certs"},
		{Operator: "database", Package: "database"},
		{Operator: "other-certs", Package: "other-certs"},
	}, world)
	fmt.Println(decisions["database"].Message)
	fmt.Println(decisions["other-certs"].Conflicts[0].Version, decisions["other-certs"].Conflicts[0].Why)
	// Output:
	// version 3.0.0 of package "database" was chosen from channel "stable" of ClusterCatalog/operators
	// 2.0.0 brings the kind "certs.example/v1, Kind=Certificate", which PlatformOperator "certs" (package "certs") brings too, and only one may; PlatformOperator "certs" gets 1.0.0; choose versions that go together by spec.package.version of "other-certs" and "certs", or delete one of these PlatformOperators
}
