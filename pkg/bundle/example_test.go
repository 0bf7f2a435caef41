package bundle_test

import (
	"fmt"
	"testing/fstest"

	"github.com/openshift/platform-operators/pkg/bundle"
)

func ExampleParseProperties() {
	properties, err := bundle.ParseProperties([]byte("properties:\n- type: olm.maxOpenShiftVersion\n  value: 4.10\n"))
	fmt.Println(bundle.MaxOpenShiftVersions(properties), err)
	// Output: [4.10] <nil>
}

func ExampleReadObjects() {
	content := fstest.MapFS{
		"manifests/b.yaml": {Data: []byte("{apiVersion: v1, kind: Secret, metadata: {name: s}}")},
		"manifests/a.yaml": {Data: []byte("{apiVersion: v1, kind: Service, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Service, metadata: {name: b}}")},
	}
	objects, err := bundle.ReadObjects(content, "manifests")
	fmt.Println(objects, err)
	// Output: [manifests/a.yaml: Service "a" manifests/a.yaml: Service "b" manifests/b.yaml: Secret "s"] <nil>
}
