package scenarios

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/decisions"
	"github.com/openshift/platform-operators/test/samples"
)

// recordedDecisions returns the decisions in the statuses of the recorded objects, as text.
func (s *Story) recordedDecisions(r *recording) string {
	s.Helper()
	var all strings.Builder
	for _, kind := range []struct {
		name string
		new  func() any
	}{
		{"PlatformOperator", func() any { return &platformv1alpha1.PlatformOperator{} }},
		{"BundleDeployment", func() any { return &corev1alpha2.BundleDeployment{} }},
		{"ClusterOperator", func() any { return &configv1.ClusterOperator{} }},
	} {
		for _, each := range r.objects {
			if each.GetKind() != kind.name {
				continue
			}
			object := kind.new()
			s.must(runtime.DefaultUnstructuredConverter.FromUnstructured(each.Object, object))
			all.WriteString(decisions.Describe(object))
		}
	}
	return all.String()
}

// liveDecisions returns the decisions in the statuses of the cluster's objects, as text.
func (s *Story) liveDecisions(ctx context.Context) string {
	s.Helper()
	all, err := decisions.DescribeCluster(ctx, s.Platform, s.Config)
	s.must(err)
	return all
}

// checkOperands fails the story if an object that the former manager applied is missing, differs from the recording, or was created again.
func (s *Story) checkOperands(ctx context.Context, r *recording) {
	s.Helper()
	checked := 0
	for _, recorded := range slices.Concat(r.definitions, r.objects) {
		if recorded.GetLabels()[corev1alpha2.LabelOwnerName] == "" {
			continue
		}
		checked++
		resource, _ := meta.UnsafeGuessKindToResource(recorded.GroupVersionKind())
		live, err := s.Dynamic.Resource(resource).Namespace(recorded.GetNamespace()).Get(ctx, recorded.GetName(), metav1.GetOptions{})
		if err != nil {
			s.Errorf("%s %s: %v", recorded.GetKind(), recorded.GetName(), err)
			continue
		}
		if diff := cmp.Diff(decisions.WithoutServerFields(recorded), decisions.WithoutServerFields(live)); diff != "" {
			s.Errorf("%s %s, -recorded +now:\n%s", recorded.GetKind(), recorded.GetName(), diff)
		}
	}
	if checked < 40 {
		s.Errorf("%d operands were compared, want at least 40", checked)
	}
}

// TestHRD_C9_WhatTheManagerOfC02a7afWrote starts from testdata/c02a7af, a cluster that the manager of commit c02a7af managed.
//
// Promise HRD-C9: When a manager takes over a cluster from an earlier one, or hands it back, no operand changes, and deadlines, holds,
// reasons and the gate's verdict stay.
func TestHRD_C9_WhatTheManagerOfC02a7afWrote(t *testing.T) {
	recorded, err := readRecording("testdata/c02a7af")
	if err != nil {
		t.Fatal(err)
	}
	runStoryFrom(t, "is taken over by this manager: no operand changes, and every decision stays", Origin{Offer: recorded.offer, Recording: recorded}, func(ctx context.Context, s *Story) {
		s.Settle()
		before := s.recordedDecisions(recorded)
		s.StartManager()
		s.Settle()
		time.Sleep(5 * time.Minute)
		s.checkOperands(ctx, recorded)
		if diff := cmp.Diff(before, s.liveDecisions(ctx)); diff != "" {
			s.Errorf("-recorded +now:\n%s", diff)
		}

		s.By("waiting for the deadline that began under the former manager")
		installing, err := s.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, "installing", metav1.GetOptions{})
		s.must(err)
		deadline := installing.Status.Revisions[0].StartedTime.Add(corev1alpha2.DefaultProgressDeadlineSeconds * time.Second)
		time.Sleep(time.Until(deadline.Add(-time.Minute)))
		s.Expect(s.conditionOf(ctx, "installing", corev1alpha2.ConditionProgressing)).To(HavePrefix("True RollingOut"))
		time.Sleep(2 * time.Minute)
		s.Expect(s.conditionOf(ctx, "installing", corev1alpha2.ConditionProgressing)).To(HavePrefix("False DeadlineExceeded"))
		s.checkOperands(ctx, recorded)

		s.By("deleting the custom resource that blocks a removal")
		resource := schema.GroupVersionResource{Group: samples.Group, Version: "v1", Resource: "removings"}
		s.Expect(s.Dynamic.Resource(resource).Namespace("default").Delete(ctx, "users", metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(func() error {
			_, err := s.Operator(ctx, "removing")
			return err
		}).Should(beNotFound())
	})
}
