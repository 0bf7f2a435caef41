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

// Settled is nil when a BundleDeployment says of its present spec that it is carried out: installed, healthy, nothing under
// way, and what is active was made of the spec's source. Else the error says what it says instead.
func (e *Estate) Settled(ctx context.Context, name string) error {
	live, active, err := e.atRest(ctx, name)
	if err != nil {
		return err
	}
	if image := live.Spec.Source.Image; image != nil && active.Source != image.Ref {
		return fmt.Errorf("BundleDeployment %q has revision %d active, which was made of %q and not of %q", name, active.Number, active.Source, image.Ref)
	}
	return nil
}

// RolledBack is nil when a BundleDeployment says that its present spec failed, and that the revision before is in its place,
// installed and healthy. Else the error says what it says instead.
func (e *Estate) RolledBack(ctx context.Context, name string) error {
	live, active, err := e.atRest(ctx, name)
	if err != nil {
		return err
	}
	for _, each := range live.Status.Revisions {
		if each.State == corev1alpha2.RevisionFailed && each.FailedGeneration == live.Generation && each.Number != active.Number {
			return nil
		}
	}
	return fmt.Errorf("BundleDeployment %q says of no revision that it failed for generation %d", name, live.Generation)
}

// atRest gives a BundleDeployment that says of its present generation that nothing is under way, and its active revision.
func (e *Estate) atRest(ctx context.Context, name string) (*corev1alpha2.BundleDeployment, *store.Revision, error) {
	live, err := e.platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	if live.Status.ObservedGeneration != live.Generation {
		return nil, nil, fmt.Errorf("status of BundleDeployment %q is of generation %d, and the spec of %d", name, live.Status.ObservedGeneration, live.Generation)
	}
	if err := says(live, corev1alpha2.ConditionProgressing, metav1.ConditionFalse); err != nil {
		return nil, nil, err
	}
	for _, condition := range []string{corev1alpha2.ConditionInstalled, corev1alpha2.ConditionHealthy, corev1alpha2.ConditionUnpacked} {
		if err := says(live, condition, metav1.ConditionTrue); err != nil {
			return nil, nil, err
		}
	}
	if err := says(live, corev1alpha2.ConditionDrifted, metav1.ConditionFalse); err != nil {
		return nil, nil, err
	}
	active, err := e.active(ctx, live)
	return live, active, err
}

func says(live *corev1alpha2.BundleDeployment, condition string, want metav1.ConditionStatus) error {
	found := meta.FindStatusCondition(live.Status.Conditions, condition)
	switch {
	case found == nil:
		return fmt.Errorf("BundleDeployment %q says nothing of %s", live.Name, condition)
	case found.Status != want:
		return fmt.Errorf("BundleDeployment %q says %s=%s %s: %s", live.Name, condition, found.Status, found.Reason, found.Message)
	case found.ObservedGeneration != live.Generation:
		return fmt.Errorf("BundleDeployment %q says %s=%s of generation %d, and is at %d", live.Name, condition, found.Status, found.ObservedGeneration, live.Generation)
	}
	return nil
}

// active loads the active revision.
func (e *Estate) active(ctx context.Context, live *corev1alpha2.BundleDeployment) (*store.Revision, error) {
	owner := store.Owner{Name: live.Name, UID: live.UID}
	headers, err := e.revisions.List(ctx, owner)
	if err != nil {
		return nil, err
	}
	for _, header := range headers {
		if header.Number == live.Status.ActiveRevision {
			return e.revisions.Load(ctx, owner, header)
		}
	}
	return nil, fmt.Errorf("BundleDeployment %q says that revision %d is active, and that is not stored", live.Name, live.Status.ActiveRevision)
}

// Whole is nil when exactly what the active revision has is there: every object, labeled and as it was declared; nothing else
// with the labels but what the engine adds and what controllers made of the objects; nothing that was applied without labels;
// nothing of stored revisions beside those that status tells of. What is there is given in any case, with "<name>" for the deployment's name,
// so that two deployments can be compared.
func (e *Estate) Whole(ctx context.Context, name string) ([]string, error) {
	live, err := e.platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	active, err := e.active(ctx, live)
	if err != nil {
		return nil, err
	}
	found, err := e.Everything(ctx, name)
	if err != nil {
		return nil, err
	}
	expected := map[string]bool{identity("", "Namespace", "", live.Spec.InstallNamespace): true}
	for i := range active.Objects {
		expected[identityOf(&active.Objects[i])] = true
	}
	var there []string
	var faults []error
	for _, object := range found {
		key := object.String()
		switch {
		case object.Labelled && object.Derived && !expected[key]:
		case !object.Labelled:
			faults = append(faults, fmt.Errorf("%s was applied for BundleDeployment %q and has no owner labels", key, name))
		case object.Deleting:
			faults = append(faults, fmt.Errorf("%s is being deleted", key))
		case !expected[key] && key != identity("rbac.authorization.k8s.io", "ClusterRole", "", "platform-operators:"+name+":custom-resources"):
			faults = append(faults, fmt.Errorf("%s is an orphan: it has the labels of BundleDeployment %q, and revision %d does not have it", key, name, active.Number))
		default:
			there = append(there, strings.ReplaceAll(key, name, "<name>"))
		}
		delete(expected, key)
	}
	for key := range expected {
		faults = append(faults, fmt.Errorf("%s is missing, or has no owner labels", key))
	}
	slices.Sort(there)
	return there, errors.Join(append(faults, e.asDeclared(ctx, active), e.stored(ctx, live))...)
}

// asDeclared holds the content of a revision's objects against what is there. What is missing is told by others.
func (e *Estate) asDeclared(ctx context.Context, revision *store.Revision) error {
	targets, err := e.targets(revision)
	if err != nil {
		return err
	}
	var faults []error
	for _, each := range targets {
		found, err := each.resource.Get(ctx, each.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		if path := difference(each.declared.Object, found.Object); path != "" {
			faults = append(faults, fmt.Errorf("%s is not as revision %d has it at %s", each.identity, revision.Number, path))
		}
	}
	return errors.Join(faults...)
}

func identityOf(object *unstructured.Unstructured) string {
	return identity(object.GroupVersionKind().Group, object.GetKind(), object.GetNamespace(), object.GetName())
}

// stored holds the Secrets of revisions against what status tells of.
func (e *Estate) stored(ctx context.Context, live *corev1alpha2.BundleDeployment) error {
	told := map[string]bool{}
	for _, each := range live.Status.Revisions {
		told[fmt.Sprint(each.Number)] = true
	}
	secrets, err := e.kubernetes.CoreV1().Secrets(e.namespace).List(ctx, metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + live.Name})
	if err != nil {
		return err
	}
	var faults []error
	for i := range secrets.Items {
		if number := secrets.Items[i].Labels[store.LabelNumber]; !told[number] {
			faults = append(faults, fmt.Errorf("stored in Secret %q is a part of revision %s, of which status does not tell", secrets.Items[i].Name, number))
		}
	}
	return errors.Join(faults...)
}

// Gone is nil when nothing of a BundleDeployment is left: neither itself nor a stored revision, nothing labeled or applied
// but CustomResourceDefinitions, which are kept with a mark and without labels, and namespaces that are on their way out.
func (e *Estate) Gone(ctx context.Context, name string) error {
	live, err := e.platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		return errors.Join(fmt.Errorf("BundleDeployment %q is still there", name), says(live, corev1alpha2.ConditionProgressing, metav1.ConditionFalse))
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	found, err := e.Everything(ctx, name)
	if err != nil {
		return err
	}
	var faults []error
	for _, object := range found {
		kept := object.Kind == "CustomResourceDefinition" && object.OrphanedFrom != "" && !object.Labelled
		going := object.Kind == "Namespace" && object.Deleting
		if !kept && !going {
			faults = append(faults, fmt.Errorf("%s is left of BundleDeployment %q", object, name))
		}
	}
	secrets, err := e.kubernetes.CoreV1().Secrets(e.namespace).List(ctx, metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + name})
	if err != nil {
		return err
	}
	for i := range secrets.Items {
		faults = append(faults, fmt.Errorf("stored revision %q is left of BundleDeployment %q", secrets.Items[i].Name, name))
	}
	return errors.Join(faults...)
}
