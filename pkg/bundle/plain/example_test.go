package plain_test

import (
	"fmt"
	"testing/fstest"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/plain"
)

func Example() {
	content := fstest.MapFS{
		"manifests/all.yaml":       {Data: []byte("{apiVersion: v1, kind: Service, metadata: {name: lamp}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: lamp, namespace: elsewhere}, data: {text: '{{ kept }}'}}\n")},
		"metadata/properties.yaml": {Data: []byte("properties:\n- {type: olm.package, value: {packageName: lamp, version: 1.2.3}}\n- {type: olm.maxOpenShiftVersion, value: \"4.21\"}\n")},
	}
	lamp, err := plain.Load(content)
	if err != nil {
		fmt.Println(err)
		return
	}
	objects, err := lamp.Render(bundle.Options{InstallNamespace: "lamp-system"})
	fmt.Println(lamp.Metadata().Name, lamp.Metadata().MaxOpenShiftVersions, err)
	for _, o := range objects {
		fmt.Println(o.GetKind(), o.GetNamespace(), o.Object["data"])
	}
	// Output:
	// lamp.v1.2.3 ["4.21"] <nil>
	// ConfigMap elsewhere map[text:{{ kept }}]
	// Service lamp-system <nil>
}
