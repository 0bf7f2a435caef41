package integration

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/signing"
)

// signed attaches a signature to an image, under the name of its repository.
func signed(how signing.Attachment, signer signing.Signer, pinned string) {
	GinkgoHelper()
	image, err := name.NewDigest(pinned, name.Insecure)
	Expect(err).NotTo(HaveOccurred())
	signature, err := signer.Sign(image.Context().Name(), image.DigestStr())
	Expect(err).NotTo(HaveOccurred())
	Expect(signing.Attach(image, how, []signing.Signature{signature})).To(Succeed())
}

// requiring returns the policy that a key has signed an image, and that a log has recorded the signature, unless it is nil.
func requiring(key signing.Key, log *signing.Log) configv1.ImageSigstoreVerificationPolicy {
	GinkgoHelper()
	public, err := key.Public()
	Expect(err).NotTo(HaveOccurred())
	root := configv1.ImagePolicyPublicKeyRootOfTrust{KeyData: public}
	if log != nil {
		root.RekorKeyData, err = log.Public()
		Expect(err).NotTo(HaveOccurred())
	}
	return configv1.ImageSigstoreVerificationPolicy{
		RootOfTrust:    configv1.PolicyRootOfTrust{PolicyType: configv1.PublicKeyRootOfTrust, PublicKey: &root},
		SignedIdentity: &configv1.PolicyIdentity{MatchPolicy: configv1.IdentityMatchPolicyMatchRepository},
	}
}

// imageConfigEvents returns the messages of the Events that say what is invalid in the image configuration.
func imageConfigEvents(ctx context.Context) (messages []string, err error) {
	found, err := admin.Kubernetes.CoreV1().Events(environment.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: "reason=" + operatorv1alpha1.EventImageConfigInvalid,
	})
	if err != nil {
		return nil, err
	}
	for _, event := range found.Items {
		messages = append(messages, event.Message)
	}
	return messages, nil
}

var _ = Describe("a cluster with image policies", func() {
	It("ENG-S12 installs what the policies of the cluster and of the namespace accept, and names the policy that refuses", func(ctx context.Context) {
		const name, other = "seal", "stamp"
		registry := startRegistry(false)
		push := func(pkg string) string {
			GinkgoHelper()
			return pushModified(ctx, registry, samples.Operator{Package: pkg, Version: "1.0.0"}, func(string) {})
		}
		team, err := signing.NewKey()
		Expect(err).NotTo(HaveOccurred())
		tenant, err := signing.NewKey()
		Expect(err).NotTo(HaveOccurred())
		log, err := signing.NewLog(time.Now())
		Expect(err).NotTo(HaveOccurred())
		policies := admin.Config.ConfigV1().ClusterImagePolicies()
		policy := configv1.ClusterImagePolicy{ObjectMeta: metav1.ObjectMeta{Name: "team"}, Spec: configv1.ClusterImagePolicySpec{
			Scopes: []configv1.ImageScope{configv1.ImageScope(registry.Host() + "/bundles/" + name)}, Policy: requiring(team, log),
		}}
		_, err = policies.Create(ctx, &policy, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(policies.Delete, policy.Name, metav1.DeleteOptions{})
		// retry makes the manager retry at once, by a change that concerns no image.
		retry := func(scope string) {
			GinkgoHelper()
			_, err := policies.Patch(ctx, policy.Name, types.JSONPatchType, fmt.Appendf(nil, `[{"op":"add","path":"/spec/scopes/-","value":%q}]`, scope), metav1.PatchOptions{})
			Expect(err).NotTo(HaveOccurred())
		}

		By("refusing an image without a signature, and one whose signature is in no log")
		pinned := push(name)
		createDeploymentWith(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(pinned) })
		expectUnpacked(ctx, name, "False UnpackFailed", `the image does not satisfy ClusterImagePolicy "team": it has no signature`)
		signed(signing.ByTag, signing.Signer{Key: team}, pinned)
		retry("one.example")
		expectUnpacked(ctx, name, "False UnpackFailed", `ClusterImagePolicy "team": missing dev.sigstore.cosign/bundle`)

		By("installing it when a referrer has a signature that is in the log")
		signed(signing.ByReferrer, signing.Signer{Key: team, Log: log}, pinned)
		retry("two.example")
		expectDeploymentCondition(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")

		By("applying the ImagePolicies of the namespace")
		createNamespace(ctx, other)
		ofNamespace := configv1.ImagePolicy{ObjectMeta: metav1.ObjectMeta{Name: "tenant"}, Spec: configv1.ImagePolicySpec{
			Scopes: []configv1.ImageScope{configv1.ImageScope(registry.Host())}, Policy: requiring(tenant, nil),
		}}
		_, err = admin.Config.ConfigV1().ImagePolicies(other).Create(ctx, &ofNamespace, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		pinned = push(other)
		signed(signing.ByTag, signing.Signer{Key: team}, pinned)
		createDeploymentWith(ctx, other, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(pinned) })
		expectUnpacked(ctx, other, "False UnpackFailed", `the image does not satisfy ImagePolicy "stamp/tenant": `)

		By("pulling nothing while the policy cannot be read")
		withKey := func(key []byte) []byte {
			return fmt.Appendf(nil, `[{"op":"replace","path":"/spec/policy/rootOfTrust/publicKey/keyData","value":%q}]`, base64.StdEncoding.EncodeToString(key))
		}
		patch := func(key []byte) {
			GinkgoHelper()
			_, err := admin.Config.ConfigV1().ImagePolicies(other).Patch(ctx, "tenant", types.JSONPatchType, withKey(key), metav1.PatchOptions{})
			Expect(err).NotTo(HaveOccurred())
		}
		noKey := []byte("-----BEGIN PUBLIC KEY-----\nTm90IGEga2V5LCBidXQgYXMgbG9uZyBhcyBvbmUgdGhhdCBpcyB0aGVyZQ==\n-----END PUBLIC KEY-----\n")
		patch(noKey)
		expectUnpacked(ctx, other, "False UnpackFailed", `ImagePolicy "stamp/tenant" is invalid: spec.policy.rootOfTrust.publicKey.keyData has a public key that cannot be read`)

		By("reporting an invalid ClusterImagePolicy by an Event")
		_, err = policies.Patch(ctx, policy.Name, types.JSONPatchType, withKey(noKey), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(imageConfigEvents).WithContext(ctx).Should(ContainElement(ContainSubstring(`ClusterImagePolicy "team" is invalid: `)))
		public, err := team.Public()
		Expect(err).NotTo(HaveOccurred())
		patch(public)
		expectDeploymentCondition(ctx, other, corev1alpha2.ConditionProgressing, "AsExpected")
	})
})
