package declaredresources

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/bindata"
	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// maxNotes is the maximum number of notes about one directory, and maxNote the maximum length of a note in bytes.
const maxNotes, maxNote = 20, 400

// directory is an input directory of apply-configuration, and the Declaration that is made from it.
type directory struct {
	*Declaration
	served *served
	// deployments, bundles, operators and classes are the objects of these kinds. operators and classes are keyed by name.
	deployments []*corev1alpha2.BundleDeployment
	operators   map[string]*platformv1alpha1.PlatformOperator
	bundles     []*corev1alpha2.Bundle
	classes     map[string]*corev1alpha2.ProvisionerClass
	// revisions are the Secrets that store revisions.
	revisions []corev1.Secret
	// labeled are the objects with the owner label of a BundleDeployment, keyed by its name.
	labeled map[string][]*unstructured.Unstructured
}

// FromDirectory returns the objects that apply-configuration reads and writes for an input directory. It returns an error that names the
// file if an object cannot be read. Notes names the revisions that cannot be decoded.
func FromDirectory(ctx context.Context, dir string) (*Declaration, error) {
	root, err := os.OpenRoot(dir) // so that no symbolic link leads out of the directory
	if err != nil {
		return nil, fmt.Errorf("opening the input directory: %w", err)
	}
	defer func() { _ = root.Close() }() // only a handle
	d, err := readDirectory(root.FS())
	if err == nil {
		err = d.addDeployments(ctx, root.FS())
	}
	if err != nil {
		return nil, fmt.Errorf("reading the input directory %s: %w", dir, err)
	}
	return d.Declaration, nil
}

// readDirectory reads the objects of a directory, and declares them. It does not declare the objects of BundleDeployments.
func readDirectory(files fs.FS) (*directory, error) {
	input, err := mustgather.Read(files, nil)
	if err != nil {
		return nil, err
	}
	d := &directory{
		Declaration: newDeclaration(), operators: map[string]*platformv1alpha1.PlatformOperator{}, classes: map[string]*corev1alpha2.ProvisionerClass{},
		labeled: map[string][]*unstructured.Unstructured{},
	}
	if d.served, err = newServed(); err != nil {
		return nil, err
	}
	if err := d.addShipped(); err != nil {
		return nil, err
	}
	if scopes := len(input.NotCollected.Resources) + len(input.NotCollected.Namespaces); scopes > 0 {
		d.note("Incomplete: not-collected.yaml lists %d resources and namespaces, whose objects the directory lacks.", scopes)
	}
	for _, each := range input.Objects {
		if err := d.add(each); err != nil {
			return nil, fmt.Errorf("%s: %w", each.File, err)
		}
	}
	return d, nil
}

// note adds a note of one line. It does nothing if there are already maxNotes.
func (d *directory) note(format string, args ...any) {
	if len(d.notes) < maxNotes {
		d.notes = append(d.notes, truncate.OneLine(fmt.Sprintf(format, args...), maxNote))
	}
}

// addShipped adds the kinds and the ProvisionerClasses that every cluster with the manager has.
func (d *directory) addShipped() error {
	shipped, err := bindata.Definitions()
	if err != nil {
		return err
	}
	for _, each := range shipped {
		d.served.define(bundle.Definition{
			Kind: schema.GroupKind{Group: each.Spec.Group, Kind: each.Spec.Names.Kind}, Plural: each.Spec.Names.Plural, Scope: string(each.Spec.Scope),
		})
	}
	for _, shipped := range []func() (*corev1alpha2.ProvisionerClass, error){bindata.RegistryClass, bindata.PlainClass} {
		class, err := shipped()
		if err != nil {
			return err
		}
		d.classes[class.Name] = class
	}
	return nil
}

// add declares an object of the directory, and keeps it if a later step needs it.
func (d *directory) add(object mustgather.Object) error {
	name := object.GetName()
	switch object.Resource.GroupResource() {
	case platformOperators.GroupResource():
		d.write(platformOperators, "", name)
		d.write(bundleDeployments, "", name) // which the manager creates
		return keep(object, func(read *platformv1alpha1.PlatformOperator) { d.operators[name] = read })
	case bundleDeployments.GroupResource():
		d.write(bundleDeployments, "", name)
		return keep(object, func(read *corev1alpha2.BundleDeployment) { d.deployments = append(d.deployments, read) })
	case bundles.GroupResource():
		d.write(bundles, "", name)
		return keep(object, func(read *corev1alpha2.Bundle) { d.bundles = append(d.bundles, read) })
	case provisionerClasses.GroupResource():
		return keep(object, func(read *corev1alpha2.ProvisionerClass) { d.classes[name] = read })
	case definitions.GroupResource():
		d.served.define(bundle.DefinitionOf(object.Unstructured))
	case secrets.GroupResource():
		if err := d.addSecret(object); err != nil {
			return err
		}
	}
	if owner := ownership.MarksOf(object.Unstructured).Label; owner != "" {
		d.labeled[owner] = append(d.labeled[owner], object.Unstructured)
		d.write(object.Resource, object.GetNamespace(), name)
		for _, called := range health.Services(object.Unstructured) {
			d.read(services, called.Namespace, called.Name)
		}
	}
	return nil
}

// addSecret declares and keeps a Secret that stores a revision.
func (d *directory) addSecret(object mustgather.Object) error {
	if object.GetNamespace() != Namespace || object.GetLabels()[store.LabelDeployment] == "" {
		return nil
	}
	d.write(secrets, Namespace, object.GetName())
	if object.IsElided() {
		d.note("Incomplete: %s is a Secret without values, so the objects of the revision are not known.", object.File)
		return nil
	}
	return keep(object, func(read *corev1.Secret) { d.revisions = append(d.revisions, *read) })
}

// keep converts an object and passes it to a function.
func keep[T any](object mustgather.Object, to func(*T)) error {
	read := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, read); err != nil {
		return err
	}
	to(read)
	return nil
}
