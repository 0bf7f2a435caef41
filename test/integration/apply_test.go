package integration

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/test/steady"
)

// createDeploymentIn creates a BundleDeployment of an image with more fields in its spec, in YAML, and deletes it after the spec.
func createDeploymentIn(ctx context.Context, name, namespace, ref, more string) {
	GinkgoHelper()
	manifest := deployment(name, fmt.Sprintf("{installNamespace: %s, provisionerClassName: core-rukpak-io-registry, source: {type: image, image: {ref: %q}}, %s}", namespace, ref, more))
	_, err := admin.Dynamic.Resource(bundleDeployments).Create(ctx, parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(deleteDeploymentAndWait, name)
}

func createNamespace(ctx context.Context, name string) {
	GinkgoHelper()
	_, err := admin.Kubernetes.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) {
		Expect(ignoreNotFound(admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
	})
}

func configMapText(name, content string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {from: %s}}", name, content)
}

// newEngineThat returns an engine that calls changed with the owner of an object when a watch reports a change. The engine ends with the
// spec.
func newEngineThat(ctx context.Context, changed func(owner string)) *apply.Engine {
	GinkgoHelper()
	config := rest.CopyConfig(env.Admin)
	// Nobody but the manager's ServiceAccount may use its field managers on namespaces.
	config.Impersonate = rest.ImpersonationConfig{UserName: steady.ManagersUser, Groups: []string{user.SystemPrivilegedGroup}}
	config.WarningHandlerWithContext = apply.WarningHandler()
	client, err := dynamic.NewForConfig(config)
	Expect(err).NotTo(HaveOccurred())
	metadataClient, err := metadata.NewForConfig(config)
	Expect(err).NotTo(HaveOccurred())
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(env.Admin)
	Expect(err).NotTo(HaveOccurred())
	lifetime, end := context.WithCancel(context.WithoutCancel(ctx))
	DeferCleanup(end)
	engine, err := apply.New(lifetime, apply.Config{
		Dynamic: client, Metadata: metadataClient, Discovery: memory.NewMemCacheClient(discoveryClient), Clock: clock.RealClock{},
		Changed:  changed,
		Deployed: func(string) (time.Time, bool) { return time.Time{}, false },
		Tasks:    &background.Tasks{},
	})
	Expect(err).NotTo(HaveOccurred())
	return engine
}
