package e2e

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// keystone is the name of a package that is installed with the cluster. Its first version never becomes ready.
const keystone = "keystone"

var _ = Describe("a cluster that is being installed with platform operators", Ordered, func() {
	var admin *story.Admin
	BeforeAll(func(ctx context.Context) {
		admin = start(ctx, environment.Options{
			OpenShiftVersion: story.ClusterVersion, WithoutManager: true,
			Samples: []samples.Operator{{Package: keystone, Version: "1.0.0", NeverReady: true}, {Package: keystone, Version: "1.1.0"}},
		})
		installing(ctx, admin)
	})

	// Promise CLU-P10: A PlatformOperator that is created before the manager runs is accepted, and installed when the manager runs.
	It("[CLU-P10] accepts PlatformOperators before the manager runs, and installs them when it does", func(ctx context.Context) {
		Expect(admin.Create(ctx, keystone, "1.0.x")).To(Succeed())
		Expect(admin.Environment.Manager.Start()).To(Succeed())
		Eventually(func(ctx context.Context) (string, error) {
			operator, err := admin.Operator(ctx, keystone)
			if err != nil || operator.Status.Installed == nil {
				return "", err
			}
			return operator.Status.Installed.Version, nil
		}).WithContext(ctx).WithTimeout(time.Minute).Should(Equal("1.0.0"))
	})

	It("waits for them: the ClusterOperator is not Available and names them", func(ctx context.Context) {
		waiting := func(ctx context.Context) error {
			condition, err := admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionFalse)
			if err == nil && !strings.Contains(condition.Message, keystone) {
				return fmt.Errorf("the message does not name %q: %s", keystone, condition.Message)
			}
			return err
		}
		Eventually(waiting).WithContext(ctx).WithTimeout(time.Minute).Should(Succeed())
		Consistently(waiting).WithContext(ctx).WithTimeout(2 * time.Second).Should(Succeed())
	})

	It("becomes Available when they are ready", func(ctx context.Context) {
		Expect(admin.Limit(ctx, keystone, "1.1.x")).To(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(keystone, "1.1.0").WithTimeout(time.Minute).Should(Succeed())
		Eventually(func(ctx context.Context) error {
			_, err := admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionTrue)
			return err
		}).WithContext(ctx).WithTimeout(time.Minute).Should(Succeed())
	})
})

// installing changes the ClusterVersion's history so that no update is completed, as during the cluster's installation.
func installing(ctx context.Context, admin *story.Admin) {
	GinkgoHelper()
	client := admin.Config.ConfigV1().ClusterVersions()
	version, err := client.Get(ctx, "version", metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	for i := range version.Status.History {
		version.Status.History[i].State = configv1.PartialUpdate
		version.Status.History[i].CompletionTime = nil
	}
	_, err = client.UpdateStatus(ctx, version, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
}
