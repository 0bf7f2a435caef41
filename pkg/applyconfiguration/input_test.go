package applyconfiguration

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// now is the time of the runs.
const now = "2026-03-04T05:06:07Z"

// The input of a cluster with one PlatformOperator, by path. The catalog has one version of package "memo".
const (
	managerFile  = "cluster-scoped-resources/operator.openshift.io/platformoperatormanagers/cluster.yaml"
	operatorFile = "cluster-scoped-resources/platform.openshift.io/platformoperators/memo.yaml"
	catalogFile  = "cluster-scoped-resources/olm.operatorframework.io/clustercatalogs/main.yaml"
	contentFile  = "content/catalogs/ClusterCatalog/main/memo/catalog.yaml"
)

func sampleInput() map[string]string {
	return map[string]string{
		"cluster-scoped-resources/config.openshift.io/clusteroperators/kube-apiserver.yaml": `{apiVersion: config.openshift.io/v1, kind: ClusterOperator, metadata: {name: kube-apiserver, uid: o1, resourceVersion: "4"},
			status: {versions: [{name: raw-internal, version: 4.21.0}, {name: kube-apiserver, version: 1.34.2}]}}`,
		"namespaces/openshift-platform-operators/openshift-platform-operators.yaml": `{apiVersion: v1, kind: Namespace, metadata: {name: openshift-platform-operators, uid: n1, resourceVersion: "5"}}`,
		managerFile: `{apiVersion: operator.openshift.io/v1alpha1, kind: PlatformOperatorManager, metadata: {name: cluster, uid: m1, resourceVersion: "10", generation: 1,
			creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {managementState: Managed, logLevel: Normal, operatorLogLevel: Normal}}`,
		operatorFile: `{apiVersion: platform.openshift.io/v1alpha1, kind: PlatformOperator, metadata: {name: memo, uid: p1, resourceVersion: "11", generation: 1, finalizers: [platform.openshift.io/removal],
			creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {package: {name: memo}}}`,
		"cluster-scoped-resources/apiextensions.k8s.io/customresourcedefinitions/clustercatalogs.olm.operatorframework.io.yaml": `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clustercatalogs.olm.operatorframework.io, uid: c1, resourceVersion: "12"}
spec:
  group: olm.operatorframework.io
  scope: Cluster
  names: {kind: ClusterCatalog, listKind: ClusterCatalogList, plural: clustercatalogs, singular: clustercatalog}
  versions:
  - {name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
status:
  acceptedNames: {kind: ClusterCatalog, listKind: ClusterCatalogList, plural: clustercatalogs, singular: clustercatalog}
  storedVersions: [v1]
  conditions: [{type: Established, status: "True", reason: InitialNamesAccepted, lastTransitionTime: "2026-01-01T00:00:00Z"}]
`,
		catalogFile: `{apiVersion: olm.operatorframework.io/v1, kind: ClusterCatalog, metadata: {name: main, uid: k1, resourceVersion: "13", generation: 1},
			spec: {source: {type: Image, image: {ref: "samples.invalid/catalog:latest"}}}, status: {urls: {base: "https://catalogd.invalid/catalogs/main"},
			resolvedSource: {type: Image, image: {ref: "samples.invalid/catalog@sha256:0000000000000000000000000000000000000000000000000000000000000001"}},
			conditions: [{type: Serving, status: "True", reason: Available, message: serving, lastTransitionTime: "2026-01-01T00:00:00Z"}]}}`,
		contentFile: `
schema: olm.package
name: memo
defaultChannel: stable
---
schema: olm.channel
package: memo
name: stable
entries: [{name: memo.v1.0.0}]
---
schema: olm.bundle
package: memo
name: memo.v1.0.0
image: samples.invalid/memo@sha256:0000000000000000000000000000000000000000000000000000000000000002
properties:
- {type: olm.package, value: {packageName: memo, version: 1.0.0}}
`,
	}
}

// write writes files into a new directory and returns its path.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runOn runs all controllers on input files, and returns the files of the output and the error.
func runOn(t *testing.T, files map[string]string, change func(*Options)) (map[string]string, error) {
	t.Helper()
	options := Options{InputDir: write(t, files), OutputDir: filepath.Join(t.TempDir(), "output"), Controllers: []string{"*"}, Now: now, Timeout: time.Minute}
	if change != nil {
		change(&options)
	}
	err := Run(t.Context(), options)
	return read(t, options.OutputDir), err
}

// read returns the files below a directory, by their paths. It returns nothing if the directory does not exist.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if _, err := os.Stat(dir); err != nil {
		return files
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// with returns the sample input with some files replaced, or without those whose content is "".
func with(changed map[string]string) map[string]string {
	files := sampleInput()
	maps.Copy(files, changed)
	maps.DeleteFunc(files, func(_, content string) bool { return content == "" })
	return files
}

// mutated returns the paths of the bodies of mutations, without the hash of the content in their names.
func mutated(files map[string]string) (paths []string) {
	for name := range files {
		if folder, file := filepath.Split(name); strings.Contains(file, "-body-") {
			_, object, _ := strings.Cut(file, "-body-")
			paths = append(paths, folder+object)
		}
	}
	slices.Sort(paths)
	return paths
}
