package platformoperator

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// namedNamespace is the install namespace that the spec names; empty when it names none.
func namedNamespace(operator *platformv1alpha1.PlatformOperator) string {
	if operator.Spec.Install == nil {
		return ""
	}
	return operator.Spec.Install.Namespace
}

// installNamespace is where a missing operator goes: the spec's namespace, else where it was, else the author's, else the package's.
func installNamespace(operator *platformv1alpha1.PlatformOperator, decision resolve.Decision) string {
	if named := namedNamespace(operator); named != "" {
		return named
	}
	if before := namespaceBefore(operator.Status); before != "" {
		return before
	}
	if decision.Chosen != nil && decision.Chosen.Bundle.SuggestedNamespace != "" {
		return decision.Chosen.Bundle.SuggestedNamespace
	}
	return operator.Spec.Package.Name + "-system"
}

// namespaceDefaulted says that nobody chose the namespace of a missing operator. Where it was before, it may go again.
func namespaceDefaulted(operator *platformv1alpha1.PlatformOperator) bool {
	return namedNamespace(operator) == "" && namespaceBefore(operator.Status) == ""
}

// inOtherNamespace says that the BundleDeployment has another install namespace than the spec names.
func (s *state) inOtherNamespace() bool {
	named := namedNamespace(s.operator)
	return s.deployment != nil && named != "" && s.deployment.Spec.InstallNamespace != named
}

// mayMoveNamespace says that the spec names another install namespace than the BundleDeployment has, and that nothing is installed yet which
// a move could harm.
func (s *state) mayMoveNamespace() bool {
	return s.inOtherNamespace() && s.deployment.DeletionTimestamp == nil && !s.operator.Spec.Paused &&
		s.operator.Status.Installed == nil && !everReady(s.deployment, s.began) && !applied(s.deployment)
}

// moveNamespace deletes a BundleDeployment, whose install namespace is immutable; it is created again when it is gone. One that
// has changed since it was read, and may be installed by now, is left.
func (s *state) moveNamespace(ctx context.Context) error {
	preconditions := metav1.NewUIDPreconditions(string(s.deployment.UID))
	preconditions.ResourceVersion = &s.deployment.ResourceVersion
	err := s.deploymentClient.Delete(ctx, s.deployment.Name, metav1.DeleteOptions{Preconditions: preconditions})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // its event comes
	}
	if err != nil {
		return fmt.Errorf("deleting its BundleDeployment, to install it in namespace %q: %w", namedNamespace(s.operator), err)
	}
	s.event(corev1.EventTypeNormal, platformv1alpha1.EventRemovalStarted,
		"Removing the unfinished installation of PlatformOperator %q in namespace %q, to install it in namespace %q",
		s.operator.Name, s.deployment.Spec.InstallNamespace, namedNamespace(s.operator))
	return nil
}

// namespaceNotes says that the operator is not where the spec has it, and stays where it is.
func (s *state) namespaceNotes() []string {
	if !s.inOtherNamespace() || s.mayMoveNamespace() || s.deployment.DeletionTimestamp != nil {
		return nil
	}
	return []string{fmt.Sprintf(
		"spec.install.namespace %q has no effect: the operator stays in namespace %q. To move it, delete the PlatformOperator and create it again.",
		namedNamespace(s.operator), s.deployment.Spec.InstallNamespace)}
}
