package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/samples"
)

// bringer serves a catalog of one package that brings a kind, as catalogd with its endpoint for parts of catalogs does, and counts
// how often it was asked for the bundles of all packages.
type bringer struct {
	pkg    string
	gvk    catalog.GVK
	passes atomic.Int64
}

func (b *bringer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if query.Get("schema") == "olm.bundle" && query.Get("package") == "" {
		b.passes.Add(1)
	}
	for _, blob := range []map[string]any{
		{"schema": "olm.package", "name": b.pkg, "defaultChannel": "stable"},
		{"schema": "olm.channel", "package": b.pkg, "name": "stable", "entries": []any{map[string]any{"name": b.pkg + ".v1.0.0"}}},
		{"schema": "olm.bundle", "package": b.pkg, "name": b.pkg + ".v1.0.0", "image": "bringer.invalid/" + b.pkg, "properties": []any{
			map[string]any{"type": "olm.package", "value": map[string]any{"packageName": b.pkg, "version": "1.0.0"}},
			map[string]any{"type": "olm.gvk", "value": map[string]any{"group": b.gvk.Group, "version": b.gvk.Version, "kind": b.gvk.Kind}},
		}},
	} {
		matches := true
		for _, field := range []string{"schema", "package", "name"} {
			matches = matches && (query.Get(field) == "" || blob[field] == query.Get(field))
		}
		if matches {
			if err := json.NewEncoder(w).Encode(blob); err != nil {
				return // the client is gone
			}
		}
	}
}

var _ = Describe("what a bundle needs and brings", func() {
	It("UPG-R2 is accepted, refused, or named together with who could provide it, and nothing is installed that nobody asked for", func(ctx context.Context) {
		flour := catalog.GVK{Group: "needs.example.com", Version: "v1", Kind: "Flour"}
		Expect(admin.Publish(ctx,
			samples.Operator{Package: "aggregating", Version: "1.0.0", OwnsAPIService: true},
			samples.Operator{Package: "confined", Version: "1.0.0", SingleNamespaceOnly: true},
			samples.Operator{Package: "flourless", Version: "1.0.0", Properties: []samples.Property{samples.RequiresKind(flour)}},
			samples.Operator{Package: "millless", Version: "1.0.0", Properties: []samples.Property{samples.RequiresPackage("mill", ">=2.0.0")}},
			samples.Operator{Package: "mill", Version: "2.0.0", Properties: []samples.Property{samples.Provides(flour)}},
			samples.Operator{Package: "granary", Version: "1.0.0", Properties: []samples.Property{samples.Provides(flour)}},
		)).To(Succeed())
		withWebhooks(ctx, samples.Operator{Package: "hooking", Version: "1.0.0"})

		By("bringing webhooks: accepted")
		create(ctx, "hooking", "")
		Eventually(func(ctx context.Context) (string, error) {
			operator, err := admin.Operator(ctx, "hooking")
			if err != nil || operator.Status.Target == nil {
				return "", err
			}
			return operator.Status.Target.Version, nil
		}).WithContext(ctx).Should(Equal("1.0.0"))
		Eventually(func(ctx context.Context) error {
			_, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, "hooking", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())

		By("bringing an APIService: refused")
		create(ctx, "aggregating", "")
		refusedWith(ctx, "aggregating", platformv1alpha1.ReasonValidationFailed, "1.0.0 brings aggregated APIs")

		By("not watching all namespaces: refused until it is told which to watch, with one that it can")
		create(ctx, "confined", "")
		refusedWith(ctx, "confined", platformv1alpha1.ReasonValidationFailed, "1.0.0 supports the install modes", "spec.install.config.watchNamespace")
		_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, "confined", types.MergePatchType,
			[]byte(`{"spec":{"install":{"config":{"watchNamespace":"default"}}}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(admin.Installed).WithContext(ctx).WithArguments("confined", "1.0.0").Should(Succeed())

		By("needing a kind: refused, and named are the packages of all trusted catalogs that bring it")
		cellar := &bringer{pkg: "cellar", gvk: flour}
		clusterCatalog(ctx, "cellars", env.Catalog.HandleCatalog("cellars", cellar))
		stranger := otherCatalog(samples.Operator{Package: "smuggler", Version: "1.0.0", Properties: []samples.Property{samples.Provides(flour)}})
		catalogSource(ctx, "default", "untrusted", stranger.GRPCAddress(), "READY")
		create(ctx, "flourless", "")
		refusedWith(ctx, "flourless", platformv1alpha1.ReasonValidationFailed, `needs kind "needs.example.com/v1, Kind=Flour"`,
			`create a PlatformOperator for one of the packages "cellar", "granary", "mill"`)
		Expect(cellar.passes.Load()).To(BeEquivalentTo(1), "once a content")

		By("needing a package: refused, and that is named")
		create(ctx, "millless", "")
		refusedWith(ctx, "millless", platformv1alpha1.ReasonValidationFailed, `needs package "mill" in ">=2.0.0"`, `create a PlatformOperator for package "mill"`)

		By("installing nothing that nobody asked for")
		Consistently(func(ctx context.Context) error {
			for _, name := range []string{"cellar", "granary", "mill", "smuggler"} {
				_, operator := admin.Operator(ctx, name)
				_, deployment := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
				if ignoreNotFound(operator) != nil || operator == nil || ignoreNotFound(deployment) != nil || deployment == nil {
					return fmt.Errorf("%q is there: %w, %w", name, operator, deployment)
				}
			}
			return nil
		}, "2s").WithContext(ctx).Should(Succeed())
		operator, err := admin.Operator(ctx, "flourless")
		Expect(err).NotTo(HaveOccurred())
		for _, condition := range operator.Status.Conditions {
			Expect(condition.Message).NotTo(ContainSubstring("smuggler"), "no catalog that is not trusted has a say")
		}

		By("hearing of it when a catalog goes")
		Expect(admin.Dynamic.Resource(clusterCatalogs).Delete(ctx, "cellars", metav1.DeleteOptions{})).To(Succeed())
		refusedWith(ctx, "flourless", platformv1alpha1.ReasonValidationFailed, `create a PlatformOperator for one of the packages "granary", "mill"`)

		By("being satisfied by what is installed")
		create(ctx, "mill", "")
		for name, version := range map[string]string{"mill": "2.0.0", "flourless": "1.0.0", "millless": "1.0.0"} {
			Eventually(admin.Installed).WithContext(ctx).WithArguments(name, version).Should(Succeed())
		}
		Expect(cellar.passes.Load()).To(BeEquivalentTo(1))
	})
})
