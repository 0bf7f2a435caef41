package bundledeployment

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revision"
)

// checkNamespace returns a refusal if the bundle must not be installed in the install namespace. It reads the current namespace, and sets
// preexisting if the namespace may be used.
func (s *reconciliation) checkNamespace(ctx context.Context) error {
	name := s.deployment.Spec.InstallNamespace
	found, err := s.c.checker.InstallNamespace(ctx, apply.Owner{Name: s.deployment.Name}, name)
	if err != nil {
		return err
	}
	known := s.knownNamespace()
	found.Named, found.Installed, found.InstalledUID, found.Manager = known.Named, known.Installed, known.InstalledUID, known.Manager
	found.Deployment, found.OwnedByOperator = known.Deployment, known.OwnedByOperator
	decision := found.Decide()
	if decision.Use != plan.NamespaceRefused {
		preexisting := found.Exists && !found.Created
		s.preexisting = &preexisting
		return nil
	}
	return &apply.Refusal{
		Object: apply.Key{GroupKind: schema.GroupKind{Kind: "Namespace"}, Name: name},
		Err:    errors.New(decision.Message), Remedy: decision.Remedy,
	}
}

// knownNamespace returns what is known about the install namespace without reading it.
func (s *reconciliation) knownNamespace() plan.InstallNamespace {
	return plan.InstallNamespace{
		Name: s.deployment.Spec.InstallNamespace, Manager: s.c.managerNamespace,
		Named:     s.deployment.Annotations[platformv1alpha1.AnnotationNamespaceDefaulted] == "",
		Installed: s.wasInstalled(), InstalledUID: types.UID(s.before.Status.InstallNamespaceUID),
		Deployment: s.deployment.Name, OwnedByOperator: ownership.IsOfPlatformOperator(s.deployment),
	}
}

// wasInstalled reports whether any revision has ever been completely applied. Before that, the install namespace may not have existed when
// the installation started. A lost revision counts if its rollout has begun, which it does not in a namespace that is refused.
func (s *reconciliation) wasInstalled() bool {
	hasBegun := func(lost corev1alpha2.Revision) bool { return lost.StartedTime != nil }
	return s.machine.Active() != nil || slices.ContainsFunc(s.memory.history.Lost, hasBegun) || revision.IsInherited(s.before) ||
		meta.IsStatusConditionTrue(s.before.Status.Conditions, corev1alpha2.ConditionInstalled)
}

// withNamespaceWarning adds the warning about a namespace that the manager did not create, or removes it. If this sync has not read the
// namespace, it returns the warnings unchanged.
func (s *reconciliation) withNamespaceWarning(warnings []string) []string {
	if s.preexisting == nil {
		return warnings
	}
	return revision.WithNamespaceWarning(warnings, plan.InstallNamespace{
		Name: s.deployment.Spec.InstallNamespace, Created: !*s.preexisting, Manager: s.c.managerNamespace,
	})
}
