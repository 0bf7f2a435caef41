package declaredresources

import (
	"cmp"
	"context"
	"io/fs"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/store"
)

// addDeployments declares the objects of the BundleDeployments.
func (d *directory) addDeployments(ctx context.Context, files fs.FS) error {
	contents, remove, err := newContents(files, d.bundles, d.classes)
	if err != nil {
		return err
	}
	defer remove()
	for _, each := range d.bundles {
		d.readPullSecret(each.Spec.Source, Namespace)
	}
	for _, each := range d.deployments {
		if err := d.addDeployment(ctx, contents, each); err != nil {
			return err
		}
	}
	return nil
}

// readPullSecret declares the pull secret of a source, in the namespace of the Secrets that the source names.
func (d *directory) readPullSecret(source corev1alpha2.BundleSource, namespace string) {
	if source.Image != nil {
		d.read(secrets, namespace, source.Image.PullSecret)
	}
}

// addDeployment declares the objects of one BundleDeployment: those of its revisions, and the Secrets that store them.
func (d *directory) addDeployment(ctx context.Context, contents *contents, deployment *corev1alpha2.BundleDeployment) error {
	d.readPullSecret(deployment.Spec.Source, cmp.Or(corev1alpha2.SecretNamespace(deployment.Spec), Namespace))
	d.write(namespaces, "", deployment.Spec.InstallNamespace)
	stored, damaged := store.Decode(d.revisions, store.Owner{Name: deployment.Name, UID: deployment.UID})
	for _, err := range damaged {
		d.note("Incomplete: %v.", err)
	}
	var resolved []string
	var all [][]unstructured.Unstructured
	parts := 0
	for _, each := range stored {
		resolved = append(resolved, each.Resolved)
		all = append(all, each.Objects)
		parts = max(parts, each.Parts)
	}
	if image := deployment.Status.ResolvedSource; image != nil && image.Image != nil {
		resolved = append(resolved, image.Image.Ref)
	}
	slices.Sort(resolved)
	rendered, err := contents.render(ctx, deployment, slices.Compact(resolved))
	if err != nil {
		return err
	}
	for _, each := range rendered {
		if needed, err := store.Parts(each); err == nil { // else the manager cannot store it
			parts = max(parts, needed)
		}
	}
	d.writeSecrets(deployment, stored, parts)
	d.addSets(deployment, append(all, rendered...))
	return nil
}

// writeSecrets declares the Secrets of revisions that the manager may store: the next one, and those in the status that are lost. parts is the
// maximum number of their parts; 0 if there is nothing to store.
func (d *directory) writeSecrets(deployment *corev1alpha2.BundleDeployment, stored []*store.Revision, parts int) {
	if parts == 0 {
		return
	}
	last := deployment.Status.ActiveRevision
	for _, each := range stored {
		last = max(last, each.Number)
	}
	var numbers []int64
	for _, each := range deployment.Status.Revisions {
		numbers = append(numbers, each.Number)
		last = max(last, each.Number)
	}
	for _, number := range append(numbers, last+1) {
		for _, name := range store.SecretNames(deployment.Name, number, parts) {
			d.write(secrets, Namespace, name)
		}
	}
}

// addSets declares the objects of revisions.
func (d *directory) addSets(deployment *corev1alpha2.BundleDeployment, revisions [][]unstructured.Unstructured) {
	var sets []*apply.Set
	for _, objects := range revisions {
		set, err := apply.NewSet(apply.Owner{Name: deployment.Name}, deployment.Spec.InstallNamespace, plan.Phases(objects))
		if err != nil {
			d.note("Incomplete: the objects of a revision of BundleDeployment %q: %v.", deployment.Name, err)
			continue
		}
		sets = append(sets, set)
	}
	for _, set := range sets {
		for _, phase := range set.Phases() {
			for _, each := range phase.Objects {
				if each.Defines != nil {
					d.served.define(*each.Defines) // before its custom resources are looked up
				}
			}
		}
	}
	for _, set := range sets {
		d.addSet(set)
	}
	d.addRemovals(deployment, sets)
}

// addSet declares the objects of a revision, and what the manager reads because of them.
func (d *directory) addSet(set *apply.Set) {
	for _, phase := range set.Phases() {
		for _, each := range phase.Objects {
			resource, isServed := d.served.resourceOf(each.GVK)
			if !isServed {
				continue
			}
			d.write(resource, each.Key.Namespace, each.Key.Name)
			d.read(namespaces, "", each.Key.Namespace)
			d.readAll(resource, "", ownedByBundleDeployments())
			for _, called := range health.Services(each.Object()) {
				d.read(services, called.Namespace, called.Name)
			}
		}
	}
}

func ownedByBundleDeployments() map[string]string {
	return map[string]string{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment}
}
