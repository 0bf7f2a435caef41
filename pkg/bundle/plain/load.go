package plain

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
)

// mediaType is the name of the format.
const mediaType = corev1alpha2.FormatPlainV0

// Bundle is a valid plain+v0 bundle. It is immutable and safe for concurrent use.
type Bundle struct {
	meta bundle.Metadata
	// objects are the manifests without duplicates and without fields that only servers write.
	objects []bundle.Object
	// ownScopes are the scopes of the kinds that the bundle's CustomResourceDefinitions define.
	ownScopes map[schema.GroupKind]scope
}

// Metadata returns the metadata that the bundle declares. It is empty for a bundle without metadata.
func (b *Bundle) Metadata() bundle.Metadata {
	m := b.meta
	m.MaxOpenShiftVersions = slices.Clone(m.MaxOpenShiftVersions)
	m.Warnings = slices.Clone(m.Warnings)
	return m
}

// Manifests returns the number of objects in the bundle's manifests, without identical duplicates.
func (b *Bundle) Manifests() int { return len(b.objects) }

// Load reads and validates a bundle with manifests/ and optional metadata/ at the root of fsys. An error names the file, the object and the
// fix. It lists all findings of the validation, up to ten. The error for a bundle of a different format is a *bundle.FormatError.
func Load(fsys fs.FS) (*Bundle, error) {
	annotations, err := bundle.LoadAnnotations(fsys, mediaType)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	b := &Bundle{}
	if b.meta, err = loadMetadata(fsys, annotations); err != nil {
		return nil, err
	}
	dir := bundle.ManifestsDir(annotations)
	objects, err := bundle.ReadObjects(fsys, dir)
	if err != nil {
		return nil, err
	}
	if len(objects) == 0 {
		return nil, fmt.Errorf("reading directory %q: it has no objects; a plain+v0 bundle must have at least one", dir)
	}
	b.ownScopes = definedScopes(objects)
	var findings bundle.Findings
	findings.Add(b.add(objects))
	findings.Add(b.check())
	if err := findings.Err(); err != nil {
		return nil, fmt.Errorf("validating %s: %w", b, err)
	}
	b.warnOfOLM()
	return b, nil
}

// String names the bundle in messages.
func (b *Bundle) String() string {
	switch {
	case b.meta.Name != "":
		return fmt.Sprintf("bundle %q", b.meta.Name)
	case b.meta.Package != "":
		return fmt.Sprintf("bundle of package %q", b.meta.Package)
	}
	return "bundle without a name"
}

// add adds the objects without the fields that only servers write. Identical duplicates are added once; duplicates that differ are a
// finding.
func (b *Bundle) add(objects []bundle.Object) []string {
	var findings []string
	reported := map[identity]bool{}
	first := make(map[identity]bundle.Object, len(objects))
	for _, o := range objects {
		bundle.StripServerFields(o)
		bundle.StripNulls(o, bundle.IsCRD(o) || b.isCustomResource(o))
		id := b.identify(o)
		before, twice := first[id]
		switch {
		case id.kind.Empty(): // the apiVersion is invalid, which check reports
			b.objects = append(b.objects, o)
		case !twice:
			first[id] = o
			b.objects = append(b.objects, o)
		case !reported[id] && !equality.Semantic.DeepEqual(before.Object, o.Object):
			reported[id] = true
			findings = append(findings, fmt.Sprintf("%s is defined twice, in %s and in %s; remove one", strings.TrimPrefix(o.String(), o.File+": "), before.File, o.File))
		}
	}
	return findings
}

// identity identifies an object. The namespace is empty for a cluster-scoped object, and for an object that goes to the install namespace
// because its manifest names none.
type identity struct {
	kind            schema.GroupKind
	namespace, name string
}

func (b *Bundle) identify(o bundle.Object) identity {
	id := identityOf(&o.Unstructured)
	if b.scopeOf(id.kind) == cluster {
		id.namespace = ""
	}
	return id
}

func identityOf(o *unstructured.Unstructured) identity {
	return identity{kind: o.GroupVersionKind().GroupKind(), namespace: o.GetNamespace(), name: o.GetName()}
}

func (i identity) compare(j identity) int {
	return cmp.Or(cmp.Compare(i.kind.Group, j.kind.Group), cmp.Compare(i.kind.Kind, j.kind.Kind), cmp.Compare(i.namespace, j.namespace), cmp.Compare(i.name, j.name))
}
