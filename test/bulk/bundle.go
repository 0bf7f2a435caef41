// Package bulk builds bundles with any number of objects and of any size, serves them from a registry that counts requests, and deploys
// them. The benchmarks and the long tests use the package. It measures nothing.
package bulk

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Bundle describes a registry+v1 bundle. It has no cluster-scoped objects, so that it can be installed to several namespaces.
type Bundle struct {
	// Name is the name of the package, and the prefix of the objects' names.
	Name string
	// Objects is the total number of ConfigMaps, Secrets and Services. In every ten, eight are ConfigMaps, one is a Secret and one is a
	// Service.
	Objects int
	// Ballast is the number of bytes of additional files, which cannot be compressed.
	Ballast int64
}

const ballastFile = 1 << 20

// Files returns the bundle's files without its ballast.
func (b Bundle) Files() fs.FS {
	files := fstest.MapFS{}
	for name, content := range b.manifests() {
		files[name] = &fstest.MapFile{Data: []byte(content), Mode: 0o644}
	}
	return files
}

func (b Bundle) manifests() map[string]string {
	manifests := map[string]string{
		"metadata/annotations.yaml": fmt.Sprintf(annotations, b.Name),
		"manifests/csv.yaml":        fmt.Sprintf(csv, b.Name),
	}
	for i := range b.Objects {
		manifests[fmt.Sprintf("manifests/object-%05d.yaml", i)] = b.object(i)
	}
	return manifests
}

// Image builds the bundle's image. Equal bundles have equal digests.
func (b Bundle) Image() (v1.Image, error) {
	manifests := b.manifests()
	image, err := withLayer(empty.Image, func(w *tar.Writer) error {
		for _, name := range slices.Sorted(maps.Keys(manifests)) {
			if err := writeFile(w, name, int64(len(manifests[name])), strings.NewReader(manifests[name])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || b.Ballast == 0 {
		return image, err
	}
	return withLayer(image, func(w *tar.Writer) error {
		random := rand.NewChaCha8([32]byte{1})
		for left, i := b.Ballast, 0; left > 0; i++ {
			size := min(left, ballastFile)
			if err := writeFile(w, fmt.Sprintf("ballast/%04d", i), size, io.LimitReader(random, size)); err != nil {
				return err
			}
			left -= size
		}
		return nil
	})
}

// Deployment returns the name of the bundle's Deployment, which Objects does not count.
func (b Bundle) Deployment() string { return b.Name }

// ConfigMap returns the name of the i-th object. ok is false if that object is not a ConfigMap or if i is not less than Objects.
func (b Bundle) ConfigMap(i int) (name string, ok bool) {
	return b.nameOf(i), i < b.Objects && i%10 < 8
}

func (b Bundle) nameOf(i int) string { return fmt.Sprintf("%s-%05d", b.Name, i) }

func (b Bundle) object(i int) string {
	switch i % 10 {
	case 8:
		return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\nstringData:\n  number: \"%d\"\n", b.nameOf(i), i)
	case 9:
		return fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata:\n  name: %s\nspec:\n  ports:\n  - {name: any, port: 80, protocol: TCP, targetPort: 80}\n", b.nameOf(i))
	default:
		return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n  labels: {app: %s}\ndata:\n  number: \"%d\"\n  setting: %q\n", b.nameOf(i), b.Name, i, setting)
	}
}

const (
	setting     = "a value of some length, such as the ConfigMaps of real operators have, so that an object is not made of its metadata alone"
	annotations = `annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: %[1]s
  operators.operatorframework.io.bundle.channels.v1: stable
`
	csv = `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: %[1]s.v1.0.0
spec:
  displayName: %[1]s
  version: 1.0.0
  installModes:
  - {type: OwnNamespace, supported: false}
  - {type: SingleNamespace, supported: false}
  - {type: MultiNamespace, supported: false}
  - {type: AllNamespaces, supported: true}
  install:
    strategy: deployment
    spec:
      deployments:
      - name: %[1]s
        spec:
          replicas: 1
          selector: {matchLabels: {app: %[1]s}}
          template:
            metadata: {labels: {app: %[1]s}}
            spec:
              containers:
              - {name: manager, image: "samples.invalid/%[1]s:1.0.0", resources: {requests: {cpu: 1m, memory: 8Mi}}}
`
)

func withLayer(image v1.Image, write func(*tar.Writer) error) (v1.Image, error) {
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	if err := write(w); err != nil {
		return nil, fmt.Errorf("writing a layer: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("writing a layer: %w", err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content.Bytes())), nil }
	layer, err := tarball.LayerFromOpener(open)
	if err != nil {
		return nil, fmt.Errorf("writing a layer: %w", err)
	}
	return mutate.AppendLayers(image, layer)
}

func writeFile(w *tar.Writer, name string, size int64, content io.Reader) error {
	header := &tar.Header{Name: name, Mode: 0o644, Size: size, ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(w, content)
	return err
}
