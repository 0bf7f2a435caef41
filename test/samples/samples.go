// Package samples writes small operators of our own: folders of registry+v1 and plain+v0 bundles, and the file-based catalogs that offer
// them, in the layout of the real ones. The demo, the integration tests and the benchmarks make from it whatever set they
// need; nothing of it is read by the manager except over the wire.
package samples

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

//go:embed templates
var templates embed.FS

// NeverReadyLabel on a pod prevents that it becomes ready on the local cluster's simulated nodes.
const NeverReadyLabel = "localcluster.test/never-ready"

// Operator is one version of one sample operator.
type Operator struct {
	// Package is the package's name; the bundle's name is "<Package>.v<Version>", with a Release "<Package>-v<Version>-<Release>".
	Package string
	// Version is the bundle's semantic version.
	Version string
	// MaxOpenShiftVersion is the raw JSON value of the olm.maxOpenShiftVersion property, for example `"4.21"`; empty is none.
	MaxOpenShiftVersion string
	// FileProperties are further properties in the bundle's own metadata/properties.yaml, which the catalog does not repeat.
	FileProperties []Property
	// MinKubeVersion is the CSV's minKubeVersion; empty is none.
	MinKubeVersion string
	// NeverReady makes an operator whose pods never become ready.
	NeverReady bool
	// SingleNamespaceOnly makes an operator that watches one namespace, which has to be configured.
	SingleNamespaceOnly bool
	// NoBundle offers the operator in the catalog without writing its bundle, so that its image cannot be pulled.
	NoBundle bool
	// CatalogSaysNothing leaves the CSV's metadata out of the catalog, as old catalogs do.
	CatalogSaysNothing bool
	// ExtraConfigMap adds a ConfigMap of that name, so that versions have different objects.
	ExtraConfigMap string
	// Release is the release field of the olm.package property; empty is none. Releases of one version have one bundle folder.
	Release string
	// Channels are those that the operator is in; none is "stable" alone.
	Channels []string
	// Replaces is the version that this one replaces in its channels, whether the catalog has it or not. Without it, and
	// without NoReplaces, it is the version before it in the order given, in each channel for itself.
	Replaces string
	// NoReplaces leaves that out. A channel with two heads cannot be served over gRPC: the newest must then skip the others.
	NoReplaces bool
	// Skips are versions that this one skips in its channels, SkipRange is its skipRange there.
	Skips     []string
	SkipRange string
	// CreatedAt is the CSV's annotation; empty is none.
	CreatedAt string
	// OwnsAPIService makes an operator that provides an aggregated API.
	OwnsAPIService bool
	// Plain makes a bundle of plain manifests, plain+v0, which says its package and version in metadata/properties.yaml.
	Plain bool
	// Properties are further properties of the bundle in the catalog: see Provides, RequiresKind, RequiresPackage.
	Properties []Property
}

// Name is the bundle's name.
func (o Operator) Name() string {
	if o.Release != "" { // operator-registry demands this form
		return fmt.Sprintf("%s-v%s-%s", o.Package, o.Version, o.Release)
	}
	return fmt.Sprintf("%s.v%s", o.Package, o.Version)
}

// Format is the format of the operator's bundle.
func (o Operator) Format() string {
	if o.Plain {
		return corev1alpha2.FormatPlainV0
	}
	return corev1alpha2.FormatRegistryV1
}

// Tag is the version as an image's tag has it.
func (o Operator) Tag() string { return strings.ReplaceAll(o.Version, "+", "-") }

// Kind is the kind of the operator's custom resource.
func (o Operator) Kind() string { return kindOf(o.Package) }

// Plural is the plural of the custom resource's name.
func (o Operator) Plural() string {
	if strings.HasSuffix(o.Package, "s") {
		return o.Package + "es"
	}
	return o.Package + "s"
}

// Write writes, below root, "bundles/<package>/<version>" for every operator and "catalog/<package>/catalog.yaml" for every
// package, whose default channel is "stable", or the first one that an operator names if none is in that. What was there of
// these packages' catalogs is replaced; bundles of other versions stay, as they do in a registry.
func Write(root string, operators ...Operator) error { return WritePackages(root, nil, operators...) }

// WritePackages writes operators as Write does, and what their packages say beside them. A package without an operator is
// written too, without channels; such a one is not seen over gRPC.
func WritePackages(root string, packages []Package, operators ...Operator) error {
	byPackage := map[string][]Operator{}
	var order []string
	for _, operator := range operators {
		if _, known := byPackage[operator.Package]; !known {
			order = append(order, operator.Package)
		}
		byPackage[operator.Package] = append(byPackage[operator.Package], operator)
		if operator.NoBundle {
			continue
		}
		if err := writeBundle(filepath.Join(root, "bundles", operator.Package, operator.Version), operator); err != nil {
			return err
		}
	}
	described := map[string]Package{}
	for _, p := range packages {
		if _, known := byPackage[p.Name]; !known && described[p.Name].Name == "" {
			order = append(order, p.Name)
		}
		described[p.Name] = p
	}
	for _, name := range order {
		if err := writeCatalog(root, name, described[name], byPackage[name]); err != nil {
			return err
		}
	}
	return nil
}

func writeBundle(dir string, operator Operator) error {
	files := map[string]string{
		"crd.yaml.tmpl":         "manifests/" + operator.Package + ".crd.yaml",
		"service.yaml.tmpl":     "manifests/" + operator.Package + "-metrics.service.yaml",
		"annotations.yaml.tmpl": "metadata/annotations.yaml",
	}
	if operator.Plain {
		files["plain.yaml.tmpl"] = "manifests/" + operator.Package + ".yaml"
	} else {
		files["csv.yaml.tmpl"] = "manifests/" + operator.Package + ".clusterserviceversion.yaml"
	}
	if operator.Plain || operator.MaxOpenShiftVersion != "" || len(operator.FileProperties) > 0 {
		files["properties.yaml.tmpl"] = "metadata/properties.yaml"
	}
	if operator.ExtraConfigMap != "" {
		files["configmap.yaml.tmpl"] = "manifests/" + operator.ExtraConfigMap + ".configmap.yaml"
	}
	for name, path := range files {
		if err := execute(name, filepath.Join(dir, path), operator); err != nil {
			return err
		}
	}
	return nil
}

func execute(name, path string, data any) error {
	parsed, err := template.New(name).ParseFS(templates, "templates/"+name)
	if err != nil {
		return fmt.Errorf("reading template %q: %w", name, err)
	}
	var content bytes.Buffer
	if err := parsed.Execute(&content, data); err != nil {
		return fmt.Errorf("filling template %q: %w", name, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of %q: %w", path, err)
	}
	if err := os.WriteFile(path, content.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing sample file: %w", err)
	}
	return nil
}

// kindOf turns "beacon-operator" into "BeaconOperator".
func kindOf(name string) string {
	var kind []byte
	upper := true
	for _, c := range []byte(name) {
		switch {
		case c == '-':
			upper = true
		case upper && c >= 'a' && c <= 'z':
			kind, upper = append(kind, c-'a'+'A'), false
		default:
			kind, upper = append(kind, c), false
		}
	}
	return string(kind)
}
