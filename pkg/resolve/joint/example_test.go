package joint_test

import (
	"fmt"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/joint"
)

func ExampleCache_ResolveAll() {
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
	state := resolve.ClusterState{Catalogs: func(pkg string) []resolve.Catalog {
		for i := range packages {
			if packages[i].Name == pkg {
				return []resolve.Catalog{{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "operators"}, Package: &packages[i]}}
			}
		}
		return nil
	}}

	decisions := new(joint.Cache).ResolveAll([]resolve.Request{
		{Operator: "certs", Package: "certs"},
		{Operator: "database", Package: "database"},
		{Operator: "other-certs", Package: "other-certs"},
	}, state)
	fmt.Println(decisions["database"].Message)
	fmt.Println(decisions["other-certs"].Conflicts[0].Version, decisions["other-certs"].Conflicts[0].Why())
	// Output:
	// version 3.0.0 of package "database" was chosen from channel "stable" of ClusterCatalog/operators
	// 2.0.0 provides the kind "certs.example/v1, Kind=Certificate", which PlatformOperator "certs" (package "certs") provides too, and only one may; PlatformOperator "certs" gets 1.0.0; choose versions that go together by spec.package.version of "other-certs" and "certs", or delete one of these PlatformOperators
}
