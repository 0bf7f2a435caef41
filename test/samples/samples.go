// Package samples writes small sample operators: folders of registry+v1 and plain+v0 bundles, and file-based catalogs that contain the
// bundles. The layout is that of published bundles and catalogs. The demo, the integration tests and the benchmarks use the package. The
// manager reads the operators only from registries and catalog servers, not from the folders.
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

// NeverReadyLabel is the label of pods that never become ready on the local cluster's simulated nodes.
const NeverReadyLabel = "localcluster.test/never-ready"

// Operator is one version of one sample operator.
type Operator struct {
	// Package is the name of the operator's package. The bundle's name is "<Package>.v<Version>", or "<Package>-v<Version>-<Release>" if
	// Release is set.
	Package string
	// Version is the bundle's semantic version.
	Version string
	// MaxOpenShiftVersion is the raw JSON value of the olm.maxOpenShiftVersion property, for example `"4.21"`. If it is empty, the
	// bundle has no such property.
	MaxOpenShiftVersion string
	// FileProperties are additional properties in the bundle's metadata/properties.yaml. The catalog does not contain them.
	FileProperties []Property
	// MinKubeVersion is the CSV's minKubeVersion. If it is empty, the CSV does not have the field.
	MinKubeVersion string
	// NeverReady is true if the operator's pods never become ready.
	NeverReady bool
	// SingleNamespaceOnly is true if the operator can watch only one namespace, which the admin must configure.
	SingleNamespaceOnly bool
	// NoBundle is true if the catalog contains the operator, but no bundle is written. The operator's image cannot be pulled.
	NoBundle bool
	// CatalogSaysNothing is true if the catalog lacks the CSV's metadata, as old catalogs do.
	CatalogSaysNothing bool
	// ExtraConfigMap is the name of an additional ConfigMap, so that versions can have different objects. If it is empty, none is added.
	ExtraConfigMap string
	// Release is the release field of the olm.package property. If it is empty, the property does not have the field. All releases of
	// a version have the same bundle folder.
	Release string
	// Channels are the operator's channels. Without any, the operator is in "stable" only.
	Channels []string
	// Replaces is the version that this version replaces in its channels, even if the catalog lacks that version. If Replaces is empty and
	// NoReplaces is false, this version replaces the preceding operator of each channel, in the order of Write's arguments.
	Replaces string
	// NoReplaces is true if the version replaces no other version when Replaces is empty. To serve the catalog over gRPC, the newest
	// version must then skip the others, because a channel with two heads cannot be served.
	NoReplaces bool
	// Skips are the versions that this version skips in its channels. SkipRange is the skipRange of its entries there.
	Skips     []string
	SkipRange string
	// CreatedAt is the CSV's annotation createdAt. If it is empty, the CSV does not have the annotation.
	CreatedAt string
	// OwnsAPIService is true if the operator provides an aggregated API.
	OwnsAPIService bool
	// Plain is true if the bundle contains plain manifests (plain+v0), with its package and version in metadata/properties.yaml.
	Plain bool
	// Properties are additional properties of the bundle in the catalog; see Provides, RequiresKind and RequiresPackage.
	Properties []Property
}

// Name returns the bundle's name.
func (o Operator) Name() string {
	if o.Release != "" { // operator-registry demands this form
		return fmt.Sprintf("%s-v%s-%s", o.Package, o.Version, o.Release)
	}
	return fmt.Sprintf("%s.v%s", o.Package, o.Version)
}

// Format returns the format of the operator's bundle.
func (o Operator) Format() string {
	if o.Plain {
		return corev1alpha2.FormatPlainV0
	}
	return corev1alpha2.FormatRegistryV1
}

// Tag returns the version as an image tag, in which "-" replaces "+".
func (o Operator) Tag() string { return strings.ReplaceAll(o.Version, "+", "-") }

// Kind returns the kind of the operator's custom resource.
func (o Operator) Kind() string { return kindOf(o.Package) }

// Plural returns the plural resource name of the operator's custom resource.
func (o Operator) Plural() string {
	if strings.HasSuffix(o.Package, "s") {
		return o.Package + "es"
	}
	return o.Package + "s"
}

// Write writes, below root, "bundles/<package>/<version>" for every operator and "catalog/<package>/catalog.yaml" for every
// package. The default channel is "stable", or the first channel of the package if no operator is in "stable". Write replaces the
// catalogs of these packages. It keeps the bundles of other versions, as a registry does.
func Write(root string, operators ...Operator) error { return WritePackages(root, nil, operators...) }

// WritePackages writes operators as Write does, with the additional content of their packages. It also writes packages without operators;
// they have no channels, and a catalog does not list them over gRPC.
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

// kindOf returns the kind for a package name, such as "BeaconOperator" for "beacon-operator".
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
