package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/samples"
)

// provider serves a catalog of one package that provides a kind, as catalogd's query endpoint does. passes is the number of requests for
// the bundles of all packages.
type provider struct {
	pkg    string
	gvk    catalog.GVK
	passes atomic.Int64
}

// ServeHTTP implements http.Handler.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if query.Get("schema") == "olm.bundle" && query.Get("package") == "" {
		p.passes.Add(1)
	}
	for _, blob := range []map[string]any{
		{"schema": "olm.package", "name": p.pkg, "defaultChannel": "stable"},
		{"schema": "olm.channel", "package": p.pkg, "name": "stable", "entries": []any{map[string]any{"name": p.pkg + ".v1.0.0"}}},
		{"schema": "olm.bundle", "package": p.pkg, "name": p.pkg + ".v1.0.0", "image": "provider.invalid/" + p.pkg, "properties": []any{
			map[string]any{"type": "olm.package", "value": map[string]any{"packageName": p.pkg, "version": "1.0.0"}},
			map[string]any{"type": "olm.gvk", "value": map[string]any{"group": p.gvk.Group, "version": p.gvk.Version, "kind": p.gvk.Kind}},
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

// publishWithWebhooks publishes a sample operator with webhooks, and returns the reference of its bundle's image.
func (s *Story) publishWithWebhooks(ctx context.Context, operator samples.Operator) string {
	s.Helper()
	s.Expect(samples.Write(s.Environment.SamplesDir, operator)).To(Succeed())
	s.Expect(samples.AddWebhooks(s.Environment.SamplesDir, operator)).To(Succeed())
	s.Expect(s.Environment.Publish(ctx)).To(Succeed())
	ref, found := s.Environment.Catalog.Bundle(operator.Package, operator.Version)
	s.Expect(found).To(BeTrue())
	return ref
}

// hasNone returns an error if a PlatformOperator or a BundleDeployment has one of the names.
func (s *Story) hasNone(ctx context.Context, names ...string) error {
	for _, name := range names {
		_, operator := s.Admin.Operator(ctx, name)
		_, deployment := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		if ignoreNotFound(operator) != nil || operator == nil || ignoreNotFound(deployment) != nil || deployment == nil {
			return fmt.Errorf("%q is there: %w, %w", name, operator, deployment)
		}
	}
	return nil
}

// waitUntilDeployed waits until a PlatformOperator has this target version and a BundleDeployment.
func (s *Story) waitUntilDeployed(ctx context.Context, name, version string) {
	s.Helper()
	s.Eventually(func(ctx context.Context) (string, error) {
		operator, err := s.Admin.Operator(ctx, name)
		if err != nil || operator.Status.Target == nil {
			return "", err
		}
		return operator.Status.Target.Version, nil
	}).WithContext(ctx).Should(Equal(version))
	s.Eventually(func(ctx context.Context) error {
		_, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		return err
	}).WithContext(ctx).Should(Succeed())
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	// Promise UPG-R2: A bundle with webhooks is accepted, one with an APIService refused, and one without AllNamespaces needs a watch
	// namespace. A bundle whose required kind or package is missing is refused with the providers named, and none is installed unasked.
	runStory(t, "UPG-R2 requirements are accepted, refused or named with their providers, and nothing is installed unasked", defaultOperators, func(ctx context.Context, s *Story) {
		flour := catalog.GVK{Group: "needs.example.com", Version: "v1", Kind: "Flour"}
		s.Expect(s.Admin.Publish(ctx,
			samples.Operator{Package: "aggregating", Version: "1.0.0", OwnsAPIService: true},
			samples.Operator{Package: "confined", Version: "1.0.0", SingleNamespaceOnly: true},
			samples.Operator{Package: "flourless", Version: "1.0.0", Properties: []samples.Property{samples.RequiresKind(flour)}},
			samples.Operator{Package: "millless", Version: "1.0.0", Properties: []samples.Property{samples.RequiresPackage("mill", ">=2.0.0")}},
			samples.Operator{Package: "mill", Version: "2.0.0", Properties: []samples.Property{samples.Provides(flour)}},
			samples.Operator{Package: "granary", Version: "1.0.0", Properties: []samples.Property{samples.Provides(flour)}},
		)).To(Succeed())
		s.publishWithWebhooks(ctx, samples.Operator{Package: "hooking", Version: "1.0.0"})

		s.By("creating an operator with webhooks, which is accepted")
		s.create(ctx, "hooking", "")
		s.waitUntilDeployed(ctx, "hooking", "1.0.0")

		s.By("creating an operator with an APIService, which is refused")
		s.create(ctx, "aggregating", "")
		s.waitForRefusal(ctx, "aggregating", platformv1alpha1.ReasonValidationFailed, "1.0.0 declares aggregated APIs")

		s.By("creating an operator without AllNamespaces, which is refused without a watch namespace")
		s.create(ctx, "confined", "")
		s.waitForRefusal(ctx, "confined", platformv1alpha1.ReasonValidationFailed, "1.0.0 supports only the install modes", "spec.install.config.watchNamespace")
		_, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, "confined", types.MergePatchType,
			[]byte(`{"spec":{"install":{"config":{"watchNamespace":"default"}}}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("confined", "1.0.0").Should(Succeed())

		s.By("requiring a kind, which is refused with the providers of all trusted catalogs")
		cellar := &provider{pkg: "cellar", gvk: flour}
		s.clusterCatalog(ctx, "cellars", s.Environment.Catalog.HandleCatalog("cellars", cellar))
		stranger := s.otherCatalog(samples.Operator{Package: "smuggler", Version: "1.0.0", Properties: []samples.Property{samples.Provides(flour)}})
		s.catalogSource(ctx, "default", "untrusted", stranger.GRPCAddress(), "READY")
		s.create(ctx, "flourless", "")
		s.waitForRefusal(ctx, "flourless", platformv1alpha1.ReasonValidationFailed, `needs kind "needs.example.com/v1, Kind=Flour"`,
			`create a PlatformOperator for one of the packages "cellar", "granary", "mill"`)
		s.expectOnePass(cellar)

		s.By("requiring a package, which is refused with its name")
		s.create(ctx, "millless", "")
		s.waitForRefusal(ctx, "millless", platformv1alpha1.ReasonValidationFailed, `needs package "mill" in version range ">=2.0.0"`, `create a PlatformOperator for package "mill"`)

		s.By("checking that no provider is installed unasked")
		s.Consistently(s.hasNone, "1m").WithContext(ctx).WithArguments("cellar", "granary", "mill", "smuggler").Should(Succeed())
		operator, err := s.Admin.Operator(ctx, "flourless")
		s.Expect(err).NotTo(HaveOccurred())
		for _, condition := range operator.Status.Conditions {
			s.Expect(condition.Message).NotTo(ContainSubstring("smuggler"), "catalogs that are not trusted have no effect")
		}

		s.By("deleting a catalog, which changes the providers")
		s.Expect(s.Admin.Dynamic.Resource(clusterCatalogs).Delete(ctx, "cellars", metav1.DeleteOptions{})).To(Succeed())
		s.waitForRefusal(ctx, "flourless", platformv1alpha1.ReasonValidationFailed, `create a PlatformOperator for one of the packages "granary", "mill"`)

		s.By("installing a provider")
		s.create(ctx, "mill", "")
		for name, version := range map[string]string{"mill": "2.0.0", "flourless": "1.0.0", "millless": "1.0.0"} {
			s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, version).Should(Succeed())
		}
		s.expectOnePass(cellar)
	})
}

// expectOnePass fails the story if the manager has not read the content of a catalog exactly once. By rounds, it reads no catalogs.
func (s *Story) expectOnePass(catalog *provider) {
	s.Helper()
	if s.rounds == nil {
		s.Expect(catalog.passes.Load()).To(BeEquivalentTo(1), "one pass for each content")
	}
}
