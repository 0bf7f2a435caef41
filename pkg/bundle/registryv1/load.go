package registryv1

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
)

// The name of the format, and the annotations of a ClusterServiceVersion that are metadata of its bundle.
const (
	mediaType = "registry+v1"

	csvProperties         = "olm.properties"
	csvSuggestedNamespace = "operatorframework.io/suggested-namespace"
)

// Bundle is a valid registry+v1 bundle. It is immutable and safe for concurrent use.
type Bundle struct {
	meta    bundle.Metadata
	csvFile string
	// csvReadAs is set if the ClusterServiceVersion has an unexpected apiVersion. It is the part of messages, after the name of the file,
	// that says which apiVersion the manifest has and as which it was read.
	csvReadAs string
	csv       *v1alpha1.ClusterServiceVersion
	// objects are all manifests except the ClusterServiceVersion, without fields that only servers write.
	objects []bundle.Object
	// definitions are the Definitions of the CustomResourceDefinitions among the objects, keyed by the kind that they define.
	definitions map[schema.GroupKind]bundle.Definition
}

// Metadata returns the metadata that the bundle declares.
func (b *Bundle) Metadata() bundle.Metadata {
	m := b.meta
	m.MaxOpenShiftVersions = append([]string(nil), m.MaxOpenShiftVersions...)
	m.Warnings = append([]string(nil), m.Warnings...)
	return m
}

// Manifests returns the number of objects in the bundle's manifests. It includes the ClusterServiceVersion, but not identical duplicates.
func (b *Bundle) Manifests() int { return len(b.objects) + 1 }

// Load reads and validates a bundle with metadata/ and manifests/ at the root of fsys. An error names the file, the object and the fix. It
// lists all findings of the validation, up to ten.
func Load(fsys fs.FS) (*Bundle, error) {
	annotations, err := loadAnnotations(fsys)
	if err != nil {
		return nil, err
	}
	objects, err := bundle.ReadObjects(fsys, bundle.ManifestsDir(annotations))
	if err != nil {
		return nil, err
	}
	b := &Bundle{meta: bundle.Metadata{Package: annotations[bundle.AnnotationPackage]}}
	if err := b.splitCSV(objects); err != nil {
		return nil, fmt.Errorf("loading bundle of package %q: %w", b.meta.Package, err)
	}
	if err := b.loadMetadata(fsys); err != nil {
		return nil, fmt.Errorf("loading bundle %q: %w", b.csv.Name, b.explainCSV(err))
	}
	if err := validate(b); err != nil {
		return nil, fmt.Errorf("validating bundle %q: %w", b.csv.Name, b.explainCSV(err))
	}
	b.warnOfReplacedServices()
	return b, nil
}

func loadAnnotations(fsys fs.FS) (map[string]string, error) {
	annotations, err := bundle.LoadAnnotations(fsys, mediaType)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, explainAbsence(fsys)
	}
	if err != nil {
		return nil, err
	}
	if annotations[bundle.AnnotationPackage] == "" {
		return nil, fmt.Errorf("reading %q: annotation %q is missing; add it with the package's name",
			bundle.AnnotationsFile, bundle.AnnotationPackage)
	}
	return annotations, nil
}

// explainAbsence returns the error for a bundle without metadata/annotations.yaml. If the bundle has manifests and none is a
// ClusterServiceVersion, that is a *bundle.FormatError, because the bundle is in the format plain+v0, which needs no metadata.
func explainAbsence(fsys fs.FS) error {
	objects, err := bundle.ReadObjects(fsys, bundle.ManifestsDir(nil))
	if err == nil && len(objects) > 0 && !slices.ContainsFunc(objects, (&Bundle{definitions: bundle.DefinitionsIn(objects)}).isCSV) {
		return &bundle.FormatError{Actual: corev1alpha2.FormatPlainV0, Expected: mediaType, File: bundle.AnnotationsFile, Undeclared: true}
	}
	return missingAnnotationsError{}
}

// missingAnnotationsError reports that metadata/annotations.yaml does not exist. It wraps fs.ErrNotExist.
type missingAnnotationsError struct{}

func (missingAnnotationsError) Error() string {
	return fmt.Sprintf("reading %q: the file does not exist; add it with the package's name under %q",
		bundle.AnnotationsFile, bundle.AnnotationPackage)
}

func (missingAnnotationsError) Unwrap() error { return fs.ErrNotExist }

// splitCSV separates the ClusterServiceVersion from the other objects, and removes server fields, nulls and identical duplicates from the
// other objects. It is an error if there is not exactly one ClusterServiceVersion.
func (b *Bundle) splitCSV(objects []bundle.Object) error {
	var csv bundle.Object
	b.definitions = bundle.DefinitionsIn(objects)
	seen := uniqueObjects{}
	for _, o := range objects {
		if !b.isCSV(o) {
			bundle.StripServerFields(o)
			_, isCustomResource := b.definitionOf(groupKind(o))
			bundle.StripNulls(o, bundle.IsCRD(o) || isCustomResource)
			if !seen.isDuplicate(o) {
				b.objects = append(b.objects, o)
			}
			continue
		}
		if csv.Object != nil {
			return fmt.Errorf("two ClusterServiceVersions, %q in %s and %q in %s; remove one",
				csv.GetName(), csv.File, o.GetName(), o.File)
		}
		csv = o
	}
	if csv.Object == nil {
		return errors.New("no manifest is a ClusterServiceVersion; add one")
	}
	return b.setCSV(csv)
}

// uniqueObjects holds the first object of each kind and name, keyed by the kind and the name.
type uniqueObjects map[[2]string]bundle.Object

// isDuplicate reports whether o is identical to the first object with the same kind and name. Such duplicates exist because generators
// write the same manifest to two files. If o is the first such object, isDuplicate stores it and returns false. validateDuplicates reports
// objects that differ.
func (k uniqueObjects) isDuplicate(o bundle.Object) bool {
	id := [2]string{groupKind(o).String(), o.GetName()}
	if first, ok := k[id]; ok {
		return equality.Semantic.DeepEqual(first.Object, o.Object)
	}
	k[id] = o
	return false
}

func (b *Bundle) loadMetadata(fsys fs.FS) error {
	var annotated []bundle.Property
	properties, err := bundle.LoadProperties(fsys)
	if err != nil {
		return err
	}
	if text, has := b.csv.Annotations[csvProperties]; has {
		if annotated, err = bundle.ParsePropertiesAnnotation(text); err != nil {
			return fmt.Errorf("reading annotation %q of %s: %w; it must be a JSON list of {type, value}", csvProperties, b.csvFile, err)
		}
	}
	b.meta.Name = b.csv.Name
	b.meta.Version = b.csv.Spec.Version.String()
	b.meta.SuggestedNamespace = b.csv.Annotations[csvSuggestedNamespace]
	b.meta.MinKubeVersion = b.csv.Spec.MinKubeVersion
	b.meta.MaxOpenShiftVersions = bundle.MaxOpenShiftVersions(properties, annotated)
	return nil
}
