package mustgather

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const benchObjects = 5_000

// deployment returns YAML of about 2 KiB.
func deployment(namespace, name string) string {
	text := object("apps/v1", "Deployment", namespace, name) + "spec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n"
	for i := range 4 {
		text += fmt.Sprintf("      - name: c%d\n        image: quay.io/demo/demo@sha256:%064d\n        imagePullPolicy: IfNotPresent\n"+
			"        env:\n        - name: POD\n          valueFrom:\n            fieldRef:\n              fieldPath: metadata.name\n"+
			"        ports:\n        - containerPort: %d\n          protocol: TCP\n        resources:\n          requests:\n            cpu: "+
			"10m\n            memory: 64Mi\n", i, i, 8080+i)
	}
	return text
}

func benchFiles(inLists bool) files {
	result := files{}
	for n := range benchObjects / 50 {
		namespace := fmt.Sprintf("n%d", n)
		var items []string
		for i := range 50 {
			name := fmt.Sprintf("d%d", i)
			items = append(items, deployment(namespace, name))
			if !inLists {
				result[fmt.Sprintf("namespaces/%s/apps/deployments/%s.yaml", namespace, name)] = items[i]
			}
		}
		if inLists {
			result[fmt.Sprintf("namespaces/%s/apps/deployments.yaml", namespace)] = listOf("apps/v1", "DeploymentList", items...)
		}
	}
	return result
}

func BenchmarkRead(b *testing.B) {
	for name, inLists := range map[string]bool{"files": false, "lists": true} {
		input := benchFiles(inLists)
		size := 0
		for _, content := range input {
			size += len(content)
		}
		fsys := input.fs()
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				result, err := Read(fsys, resourceOf)
				if err != nil || len(result.Objects) != benchObjects {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	input, err := Read(benchFiles(true).fs(), resourceOf)
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := Write(filepath.Join(dir, strings.Repeat("x", i+1)), input.Objects, NotCollected{}); err != nil {
			b.Fatal(err)
		}
	}
}
