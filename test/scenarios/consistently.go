package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

const (
	// probePrefix is the prefix of the names of objects that proveReconciling creates. It makes the names sort last. If two
	// PlatformOperators were created in the same second, the one whose name sorts first holds the package.
	probePrefix = "zz-probe"
	// probeTimeout is the maximum time that the manager may take to reconcile a probe. probePolling is the time between two checks of a
	// probe.
	probeTimeout = 30 * time.Second
	probePolling = 100 * time.Millisecond
)

// Invariant is an assertion that a value keeps matching for a duration, while the manager reconciles. Story.Consistently returns it.
type Invariant struct {
	story     *Story
	actual    any
	intervals []any
	configure []func(gomega.AsyncAssertion) gomega.AsyncAssertion
}

// Consistently returns an assertion like gomega's Consistently, which also fails if the manager does not reconcile: without a working
// manager, an unchanged value proves nothing. After the duration, the manager must reconcile probes, and the assertion checks the value
// once more.
func (s *Story) Consistently(actual any, intervals ...any) *Invariant {
	return &Invariant{story: s, actual: actual, intervals: intervals}
}

func (i *Invariant) with(configure func(gomega.AsyncAssertion) gomega.AsyncAssertion) *Invariant {
	i.configure = append(i.configure, configure)
	return i
}

// WithContext sets the context, as gomega's AsyncAssertion.WithContext does.
func (i *Invariant) WithContext(ctx context.Context) *Invariant {
	return i.with(func(a gomega.AsyncAssertion) gomega.AsyncAssertion { return a.WithContext(ctx) })
}

// WithArguments sets the arguments of the asserted function, as gomega's AsyncAssertion.WithArguments does.
func (i *Invariant) WithArguments(arguments ...any) *Invariant {
	return i.with(func(a gomega.AsyncAssertion) gomega.AsyncAssertion { return a.WithArguments(arguments...) })
}

// WithTimeout sets the duration for which the value must match, as gomega's AsyncAssertion.WithTimeout does.
func (i *Invariant) WithTimeout(timeout time.Duration) *Invariant {
	return i.with(func(a gomega.AsyncAssertion) gomega.AsyncAssertion { return a.WithTimeout(timeout) })
}

// WithPolling sets the interval between checks, as gomega's AsyncAssertion.WithPolling does.
func (i *Invariant) WithPolling(interval time.Duration) *Invariant {
	return i.with(func(a gomega.AsyncAssertion) gomega.AsyncAssertion { return a.WithPolling(interval) })
}

// Should fails the story unless the value matches until the end, and the manager reconciles.
func (i *Invariant) Should(matcher gomega.OmegaMatcher, description ...any) {
	i.story.Helper()
	i.assertion().Should(matcher, description...)
	i.story.proveReconciling(i.story.Context())
	i.assertion().WithTimeout(probePolling).Should(matcher, description...)
}

// ShouldNot fails the story if the value matches, or if the manager does not reconcile.
func (i *Invariant) ShouldNot(matcher gomega.OmegaMatcher, description ...any) {
	i.story.Helper()
	i.Should(gomega.Not(matcher), description...)
}

func (i *Invariant) assertion() gomega.AsyncAssertion {
	assertion := i.story.WithT.Consistently(i.actual, i.intervals...)
	for _, configure := range i.configure {
		assertion = configure(assertion)
	}
	return assertion
}

// proveReconciling fails the story unless the manager runs and reconciles probes. The probes are a new BundleDeployment and, for each
// package that a PlatformOperator names, a second PlatformOperator, which makes the manager reconcile the first one again. They install
// nothing, and proveReconciling removes them.
func (s *Story) proveReconciling(ctx context.Context) {
	s.Helper()
	s.Expect(s.Manager).NotTo(gomega.BeNil(), "no manager runs")
	s.Expect(s.Manager.IsRunning()).To(gomega.BeTrue(), "the manager ended by itself")
	operators := s.createOperatorProbes(ctx)
	deployments := s.Platform.CoreV1alpha2().BundleDeployments()
	_, err := deployments.Create(ctx, &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: probePrefix}, Spec: corev1alpha2.BundleDeploymentSpec{
		InstallNamespace: probePrefix, ProvisionerClassName: probePrefix, // a class that does not exist
		Source: corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: "samples.invalid/probe:1"}},
	}}, metav1.CreateOptions{})
	s.Expect(err).NotTo(gomega.HaveOccurred())

	s.eventuallyProbed(ctx, "BundleDeployment", func(g gomega.Gomega, ctx context.Context) {
		live, err := deployments.Get(ctx, probePrefix, metav1.GetOptions{})
		g.Expect(err).NotTo(gomega.HaveOccurred())
		g.Expect(meta.FindStatusCondition(live.Status.Conditions, corev1alpha2.ConditionProgressing)).NotTo(gomega.BeNil())
	})
	s.Expect(deployments.Delete(ctx, probePrefix, metav1.DeleteOptions{})).To(gomega.Succeed())
	s.eventuallyProbed(ctx, "BundleDeployment", func(g gomega.Gomega, ctx context.Context) {
		_, err := deployments.Get(ctx, probePrefix, metav1.GetOptions{})
		g.Expect(err).To(beNotFound())
	})
	s.removeOperatorProbes(ctx, operators)
}

// createOperatorProbes creates a paused PlatformOperator for each package that a PlatformOperator names, and returns their names.
func (s *Story) createOperatorProbes(ctx context.Context) []string {
	s.Helper()
	client := s.Platform.PlatformV1alpha1().PlatformOperators()
	found, err := client.List(ctx, metav1.ListOptions{})
	s.Expect(err).NotTo(gomega.HaveOccurred())
	names, packages := []string{}, map[string]bool{}
	for _, operator := range found.Items {
		pkg := operator.Spec.Package.Name
		if packages[pkg] {
			continue
		}
		packages[pkg] = true
		probe := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", probePrefix, len(names))},
			Spec: platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: pkg}, Paused: true}}
		_, err := client.Create(ctx, probe, metav1.CreateOptions{})
		s.Expect(err).NotTo(gomega.HaveOccurred())
		names = append(names, probe.Name)
	}
	return names
}

// removeOperatorProbes waits until each of these PlatformOperators is refused, and removes it.
func (s *Story) removeOperatorProbes(ctx context.Context, names []string) {
	s.Helper()
	client := s.Platform.PlatformV1alpha1().PlatformOperators()
	for _, name := range names {
		s.eventuallyProbed(ctx, "PlatformOperator", func(g gomega.Gomega, ctx context.Context) {
			live, err := client.Get(ctx, name, metav1.GetOptions{})
			g.Expect(err).NotTo(gomega.HaveOccurred())
			installed := meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionInstalled)
			g.Expect(installed).To(gomega.HaveField("Reason", platformv1alpha1.ReasonValidationFailed))
		})
		s.Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(gomega.Succeed())
		s.eventuallyProbed(ctx, "PlatformOperator", func(g gomega.Gomega, ctx context.Context) {
			_, err := client.Get(ctx, name, metav1.GetOptions{})
			g.Expect(err).To(beNotFound())
		})
	}
}

func (s *Story) eventuallyProbed(ctx context.Context, kind string, check func(g gomega.Gomega, ctx context.Context)) {
	s.Helper()
	s.Eventually(check).WithContext(ctx).WithTimeout(probeTimeout).WithPolling(probePolling).Should(gomega.Succeed(),
		"the manager does not reconcile a new "+kind+", so an unchanged state proves nothing")
}

func beNotFound() gomega.OmegaMatcher { return gomega.Satisfy(apierrors.IsNotFound) }
