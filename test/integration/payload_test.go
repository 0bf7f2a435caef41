package integration

import (
	"context"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/platform-operators/test/cvo"
	"github.com/openshift/platform-operators/test/environment"
)

// withoutPolicyTypes is a manifest of a kind that the CVO merges generically. It lacks a field for which the API server has a default.
const withoutPolicyTypes = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: incomplete
  namespace: default
  annotations:
    include.release.openshift.io/self-managed-high-availability: "true"
spec:
  podSelector: {}
  ingress: []
`

// applyManifests applies a folder of manifests as the CVO does, and returns the writes as text.
func applyManifests(ctx context.Context, dir string) []string {
	GinkgoHelper()
	writes, err := cvo.Apply(ctx, env.Admin, dir)
	Expect(err).NotTo(HaveOccurred())
	var said []string
	for _, write := range writes {
		said = append(said, write.String())
	}
	return said
}

var _ = Describe("the payload's manifests", func() {
	// Promise CLU-P2: When the manifests are merged a second time as the CVO merges them, nothing is written. One write restores an
	// edited object.
	It("[CLU-P2] need no write when the cluster-version operator merges them again", func(ctx context.Context) {
		manifests := filepath.Join(env.Root, "manifests")
		applyManifests(ctx, manifests) // a ClusterOperator that the manager has created again lacks the CVO's annotations
		Expect(applyManifests(ctx, manifests)).To(BeEmpty())

		By("reverting an edit with one write, and writing nothing the next time")
		services := admin.Kubernetes.CoreV1().Services(environment.Namespace)
		_, err := services.Patch(ctx, "metrics", types.MergePatchType, []byte(`{"spec":{"selector":{"app":"somebody-else"}}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(applyManifests(ctx, manifests)).To(ConsistOf(And(HavePrefix("update "), ContainSubstring("metrics"), HaveSuffix(" spec"))))
		Expect(applyManifests(ctx, manifests)).To(BeEmpty())

		By("writing each time if a manifest lacks a field with a default")
		incomplete := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(incomplete, "0000_50_incomplete.yaml"), []byte(withoutPolicyTypes), 0o600)).To(Succeed())
		DeferCleanup(func(ctx context.Context) {
			Expect(admin.Kubernetes.NetworkingV1().NetworkPolicies("default").Delete(ctx, "incomplete", metav1.DeleteOptions{})).To(Succeed())
		})
		Expect(applyManifests(ctx, incomplete)).To(ConsistOf(HavePrefix("create ")))
		Expect(applyManifests(ctx, incomplete)).To(ConsistOf(And(HavePrefix("update "), HaveSuffix(" spec"))))
		Expect(applyManifests(ctx, incomplete)).To(ConsistOf(And(HavePrefix("update "), HaveSuffix(" spec"))))
	})
})
