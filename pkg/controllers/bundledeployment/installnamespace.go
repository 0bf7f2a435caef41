package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
)

// mayUseNamespace is a refusal when nothing may be installed in the install namespace. It is asked before anything of a revision is
// written, and reads the namespace as it is at that moment.
func (s *state) mayUseNamespace(ctx context.Context) error {
	name := s.deployment.Spec.InstallNamespace
	found, err := s.namespaceFor(ctx, apply.Owner{Name: s.deployment.Name}, name)
	if err != nil {
		return err
	}
	found.Named = s.deployment.Annotations[platformv1alpha1.AnnotationNamespaceDefaulted] == ""
	found.Installed, found.Manager = s.mayBeInstalled(), s.managerNamespace
	decision := found.Decide()
	if decision.Use != plan.NamespaceRefused {
		preexisting := found.Exists && !found.Made
		s.preexisting = &preexisting
		return nil
	}
	s.retry(permissionsPause)
	return &apply.Refusal{
		Object: apply.Key{GroupKind: schema.GroupKind{Kind: "Namespace"}, Name: name},
		Err:    errors.New(decision.Message), Remedy: decision.Remedy,
	}
}

// mayBeInstalled says whether objects of some revision may be on the cluster.
func (s *state) mayBeInstalled() bool {
	return s.active != nil || len(s.record.lost) > 0 || isInherited(s.before) || slices.ContainsFunc(s.record.revisions, (*revision).touched) ||
		meta.IsStatusConditionTrue(s.before.Status.Conditions, corev1alpha2.ConditionInstalled)
}

// withNamespaceWarning puts the warning of a namespace that the manager did not create before the others. While nothing has looked
// at the namespace, the warning stays as it is.
func (s *state) withNamespaceWarning(warnings []string) []string {
	if s.preexisting == nil {
		return warnings
	}
	all := slices.DeleteFunc(slices.Clone(warnings), func(text string) bool { return text == s.namespaceWarning(false) })
	if text := s.namespaceWarning(!*s.preexisting); text != "" {
		all = slices.Insert(all, 0, text)
	}
	return all[:min(len(all), maxWarnings)]
}

// namespaceWarning is the warning of the install namespace, by whether the manager created it; empty when there is none.
func (s *state) namespaceWarning(made bool) string {
	name := s.deployment.Spec.InstallNamespace
	decision := plan.InstallNamespace{Name: name, Exists: true, Made: made, Installed: true, Manager: s.managerNamespace}.Decide()
	if decision.Use != plan.NamespaceUsedWithWarning {
		return ""
	}
	return bounded(fmt.Sprintf("Namespace %s: %s; %s", name, decision.Message, decision.Remedy))
}
