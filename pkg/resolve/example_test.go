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
		fmt.Println(refusal.Bundle.Version, refusal.Why())
	}
	// Output:
	// version 1.1.0 of package "demo" was chosen from channel "stable" of ClusterCatalog/operators
	// 1.2.0 allows OpenShift up to 4.20, the cluster is at 4.21
	// 1.0.0 allows OpenShift up to 4.20, the cluster is at 4.21
}
