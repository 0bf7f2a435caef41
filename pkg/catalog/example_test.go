package catalog_test

import (
	"fmt"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
)

func ExampleRead() {
	stream := strings.NewReader(`
{"schema": "olm.package", "name": "demo", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "demo", "name": "stable", "entries": [{"name": "demo.v1.0.0"}]}
{"schema": "olm.bundle", "package": "demo", "name": "demo.v1.0.0", "image": "registry.example/demo@sha256:0a", "properties": [
  {"type": "olm.package", "value": {"packageName": "demo", "version": "1.0.0"}},
  {"type": "olm.maxOpenShiftVersion", "value": 4.20}]}
{"schema": "olm.package", "name": "another"}
`)
	packages, err := catalog.Read(stream, func(pkg string) bool { return pkg == "demo" })
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range packages {
		channel, _ := p.Channel(p.DefaultChannel)
		for _, entry := range channel.Entries {
			bundle, _ := p.Bundle(entry.Name)
			fmt.Println(p.Name, channel.Name, bundle.Version, bundle.MaxOpenShiftVersions)
		}
	}
	// Output: demo stable 1.0.0 [4.20]
}

func ExampleBuilder() {
	var builder catalog.Builder
	builder.AddChannel("demo", "stable", catalog.Entry{Name: "demo.v1.1.0", Replaces: "demo.v1.0.0"})
	bundle := catalog.Bundle{Name: "demo.v1.1.0", Image: "registry.example/demo@sha256:0b"}
	if err := bundle.AddProperty("olm.package", []byte(`{"packageName":"demo","version":"1.1.0"}`)); err != nil {
		fmt.Println(err)
		return
	}
	builder.AddBundle("demo", bundle)
	builder.AddPackage("demo", "stable")
	for _, p := range builder.Build() {
		fmt.Println(p.Name, p.DefaultChannel, p.Bundles[0].Version)
	}
	// Output: demo stable 1.1.0
}
