package main

import (
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"

	"github.com/openshift/platform-operators/test/bulk"
)

// plannedFields is the number of values of a ConfigMap, and of a Secret, in a bundle that part "plan" plans.
const plannedFields = 20

// plannedBundle returns the files of a bundle with some number of objects, mixed like those of a bulk.Bundle. Each of the objects' values,
// ports and labels differs between two versions.
func plannedBundle(objects, version int) (fs.FS, error) {
	const name = "planned"
	files := fstest.MapFS{}
	empty := bulk.Bundle{Name: name}.Files()
	for _, each := range []string{"metadata/annotations.yaml", "manifests/csv.yaml"} {
		content, err := fs.ReadFile(empty, each)
		if err != nil {
			return nil, fmt.Errorf("reading the files of a bundle without objects: %w", err)
		}
		files[each] = &fstest.MapFile{Data: content, Mode: 0o644}
	}
	for i := range objects {
		files[fmt.Sprintf("manifests/object-%05d.yaml", i)] = &fstest.MapFile{Data: []byte(plannedObject(name, i, version)), Mode: 0o644}
	}
	return files, nil
}

func plannedObject(prefix string, i, version int) string {
	metadata := fmt.Sprintf("metadata:\n  name: %s-%05d\n  labels: {app: %s, version: v%d}\n", prefix, i, prefix, version)
	var text strings.Builder
	switch i % 10 {
	case 8:
		text.WriteString("apiVersion: v1\nkind: Secret\n" + metadata + "stringData:\n")
	case 9:
		text.WriteString("apiVersion: v1\nkind: Service\n" + metadata + "spec:\n  ports:\n")
		for field := range plannedFields {
			fmt.Fprintf(&text, "  - {name: port-%02d, port: %d, protocol: TCP, targetPort: %d}\n", field, field+1, version*1000+field)
		}
		return text.String()
	default:
		text.WriteString("apiVersion: v1\nkind: ConfigMap\n" + metadata + "data:\n")
	}
	for field := range plannedFields {
		fmt.Fprintf(&text, "  field-%02d: \"a value of object %d in version %d\"\n", field, i, version)
	}
	return text.String()
}
