package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/store"
)

// CheckInstalled returns nil if the status reports that the current spec is installed, healthy, not drifted and not progressing, and the
// active revision has the spec's image. Otherwise it returns an error with the first difference.
func (in *Inspector) CheckInstalled(ctx context.Context, name string) error {
	live, active, err := in.convergedDeployment(ctx, name)
	if err != nil {
		return err
	}
	if image := live.Spec.Source.Image; image != nil && active.Source != image.Ref {
		return fmt.Errorf("BundleDeployment %q has revision %d active, whose image is %q, want %q", name, active.Number, active.Source, image.Ref)
	}
	return nil
}

// CheckRolledBack returns nil if the status reports that the current spec failed and another revision is active, installed and healthy.
// Otherwise it returns an error with the first difference.
func (in *Inspector) CheckRolledBack(ctx context.Context, name string) error {
	live, active, err := in.convergedDeployment(ctx, name)
	if err != nil {
		return err
	}
	for _, each := range live.Status.Revisions {
		if each.State == corev1alpha2.RevisionFailed && each.FailedGeneration == live.Generation && each.Number != active.Number {
			return nil
		}
	}
	return fmt.Errorf("BundleDeployment %q has no revision that failed for generation %d", name, live.Generation)
}

// convergedDeployment returns a BundleDeployment and its active revision. It returns an error unless the conditions, for the current
// generation, say that the BundleDeployment is unpacked, installed, healthy, not drifted and not progressing.
func (in *Inspector) convergedDeployment(ctx context.Context, name string) (*corev1alpha2.BundleDeployment, *store.Revision, error) {
	live, err := in.platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	if live.Status.ObservedGeneration != live.Generation {
		return nil, nil, fmt.Errorf("status of BundleDeployment %q is for generation %d, and the spec has generation %d", name, live.Status.ObservedGeneration, live.Generation)
	}
	if err := checkCondition(live, corev1alpha2.ConditionProgressing, metav1.ConditionFalse); err != nil {
		return nil, nil, err
	}
	for _, condition := range []string{corev1alpha2.ConditionInstalled, corev1alpha2.ConditionHealthy, corev1alpha2.ConditionUnpacked} {
		if err := checkCondition(live, condition, metav1.ConditionTrue); err != nil {
			return nil, nil, err
		}
	}
	if err := checkCondition(live, corev1alpha2.ConditionDrifted, metav1.ConditionFalse); err != nil {
		return nil, nil, err
	}
	active, err := in.active(ctx, live)
	return live, active, err
}

func checkCondition(live *corev1alpha2.BundleDeployment, condition string, want metav1.ConditionStatus) error {
	found := meta.FindStatusCondition(live.Status.Conditions, condition)
	switch {
	case found == nil:
		return fmt.Errorf("BundleDeployment %q has no condition %s", live.Name, condition)
	case found.Status != want:
		return fmt.Errorf("BundleDeployment %q has %s=%s %s: %s", live.Name, condition, found.Status, found.Reason, found.Message)
	case found.ObservedGeneration != live.Generation:
		return fmt.Errorf("BundleDeployment %q has %s=%s for generation %d, and the spec has generation %d", live.Name, condition, found.Status, found.ObservedGeneration, live.Generation)
	}
	return nil
}

// active loads the active revision from the cluster. It returns an error if the revision is not stored.
func (in *Inspector) active(ctx context.Context, live *corev1alpha2.BundleDeployment) (*store.Revision, error) {
	owner := store.Owner{Name: live.Name, UID: live.UID}
	headers, err := in.revisions.List(ctx, owner)
	if err != nil {
		return nil, err
	}
	for _, header := range headers {
		if header.Number == live.Status.ActiveRevision {
			return in.revisions.Load(ctx, owner, header)
		}
	}
	return nil, fmt.Errorf("revision %[2]d of BundleDeployment %[1]q is active in the status, and is not stored", live.Name, live.Status.ActiveRevision)
}

// CheckComplete checks that the objects in the cluster are those of the active revision, that they have the owner labels, and that they are
// as declared. It accepts objects that the manager adds, and objects that controllers create from other objects. It reports objects that
// were applied without labels, objects that are being deleted, and stored revisions that the status does not list.
//
// It returns the identities of the objects without a problem, even if it returns an error about other objects. In the identities, "<name>"
// replaces the BundleDeployment's name, so that callers can compare two BundleDeployments.
func (in *Inspector) CheckComplete(ctx context.Context, name string) ([]string, error) {
	live, err := in.platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	active, err := in.active(ctx, live)
	if err != nil {
		return nil, err
	}
	found, err := in.OwnedObjects(ctx, name)
	if err != nil {
		return nil, err
	}
	expected := map[string]bool{identity("", "Namespace", "", live.Spec.InstallNamespace): true}
	for i := range active.Objects {
		expected[identityOf(&active.Objects[i])] = true
	}
	var complete []string
	var errs []error
	for _, object := range found {
		key := object.String()
		switch {
		case object.HasOwnerLabels && object.Derived && !expected[key]:
		case !object.HasOwnerLabels:
			errs = append(errs, fmt.Errorf("%s was applied for BundleDeployment %q and has no owner labels", key, name))
		case object.Deleting:
			errs = append(errs, fmt.Errorf("%s is being deleted", key))
		case !expected[key] && key != identity("rbac.authorization.k8s.io", "ClusterRole", "", "platform-operators:"+name+":custom-resources"):
			errs = append(errs, fmt.Errorf("%s is an orphan: it has the labels of BundleDeployment %q, and revision %d does not contain it", key, name, active.Number))
		default:
			complete = append(complete, strings.ReplaceAll(key, name, "<name>"))
		}
		delete(expected, key)
	}
	for key := range expected {
		errs = append(errs, fmt.Errorf("%s is missing, or has no owner labels", key))
	}
	slices.Sort(complete)
	return complete, errors.Join(append(errs, in.checkDeclaredContent(ctx, active), in.checkStoredRevisions(ctx, live))...)
}

// checkDeclaredContent checks that the existing objects of a revision have their declared fields. CheckComplete reports missing objects.
func (in *Inspector) checkDeclaredContent(ctx context.Context, revision *store.Revision) error {
	targets, err := in.targets(revision)
	if err != nil {
		return err
	}
	var errs []error
	for _, each := range targets {
		found, err := each.resource.Get(ctx, each.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		if path := firstDifference(each.declared.Object, found.Object); path != "" {
			errs = append(errs, fmt.Errorf("%s differs from revision %d at %s", each.identity, revision.Number, path))
		}
	}
	return errors.Join(errs...)
}

func identityOf(object *unstructured.Unstructured) string {
	return identity(object.GroupVersionKind().Group, object.GetKind(), object.GetNamespace(), object.GetName())
}

// checkStoredRevisions returns an error for each stored revision that the status does not list.
func (in *Inspector) checkStoredRevisions(ctx context.Context, live *corev1alpha2.BundleDeployment) error {
	listed := map[string]bool{}
	for _, each := range live.Status.Revisions {
		listed[fmt.Sprint(each.Number)] = true
	}
	secrets, err := in.kubernetes.CoreV1().Secrets(in.namespace).List(ctx, metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + live.Name})
	if err != nil {
		return err
	}
	var errs []error
	for i := range secrets.Items {
		if number := secrets.Items[i].Labels[store.LabelNumber]; !listed[number] {
			errs = append(errs, fmt.Errorf("a part of revision %s is stored in Secret %q, and the status does not list the revision", number, secrets.Items[i].Name))
		}
	}
	return errors.Join(errs...)
}

// CheckRemoved returns an error unless a BundleDeployment, its stored revisions, and all objects that were labeled or applied for it are
// gone. It accepts namespaces that are being deleted. It also accepts CustomResourceDefinitions that the removal kept: they have an
// annotation and no owner labels.
func (in *Inspector) CheckRemoved(ctx context.Context, name string) error {
	live, err := in.platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		return errors.Join(fmt.Errorf("BundleDeployment %q still exists", name), checkCondition(live, corev1alpha2.ConditionProgressing, metav1.ConditionFalse))
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	found, err := in.OwnedObjects(ctx, name)
	if err != nil {
		return err
	}
	var errs []error
	for _, object := range found {
		kept := object.Kind == "CustomResourceDefinition" && object.OrphanedFrom != "" && !object.HasOwnerLabels
		terminating := object.Kind == "Namespace" && object.Deleting
		if !kept && !terminating {
			errs = append(errs, fmt.Errorf("%s of BundleDeployment %q is not removed", object, name))
		}
	}
	secrets, err := in.kubernetes.CoreV1().Secrets(in.namespace).List(ctx, metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + name})
	if err != nil {
		return err
	}
	for i := range secrets.Items {
		errs = append(errs, fmt.Errorf("stored revision %q of BundleDeployment %q is not removed", secrets.Items[i].Name, name))
	}
	return errors.Join(errs...)
}
