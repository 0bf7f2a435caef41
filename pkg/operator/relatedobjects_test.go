package operator

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/yaml"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
)

const systemNamespace = "openshift-platform-operators"

// Promise CLU-O8: The relatedObjects of the ClusterOperator are those of its manifest and at most 50 install namespaces, sorted, all by
// lower-case plural resource.
func TestCLU_O8_RelatedObjects(t *testing.T) {
	static := staticRelatedObjects(systemNamespace)
	t.Run("static references equal the manifest", func(t *testing.T) {
		manifest := &configv1.ClusterOperator{}
		read(t, "*_60-clusteroperator.yaml", manifest)
		if manifest.Name != ClusterOperatorName {
			t.Errorf("the manifest has name %q", manifest.Name)
		}
		if diff := cmp.Diff(static, manifest.Status.RelatedObjects); diff != "" {
			t.Errorf("code and manifest differ (-code +manifest):\n%s", diff)
		}
	})
	t.Run("dynamic references are namespaces, sorted, unique, at most 50", func(t *testing.T) {
		lister, most := deploymentsInto(t, "", "one", "one", systemNamespace), make([]string, 0, 3*maxRelatedNamespaces)
		for i := range cap(most) {
			most = append(most, fmt.Sprintf("ns-%03d", (i*7)%cap(most)))
		}
		for name, test := range map[string]struct {
			lister corelisters.BundleDeploymentLister
			want   []string
		}{
			"few":  {lister, []string{"one", systemNamespace}},
			"many": {deploymentsInto(t, most...), slices.Sorted(slices.Values(most))[:maxRelatedNamespaces]},
		} {
			set, references := installNamespaces(func() bool { return true }, test.lister)()
			var got []string
			for _, reference := range references {
				if reference.Resource != "namespaces" || reference.Group != "" || reference.Namespace != "" {
					t.Errorf("%s: %+v is not a namespace", name, reference)
				}
				got = append(got, reference.Name)
			}
			if diff := cmp.Diff(test.want, got); !set || diff != "" {
				t.Errorf("%s: set %t (-want +got):\n%s", name, set, diff)
			}
		}
	})
	// Promise HRD-T8: must-gather collects Bundles, ProvisionerClasses and all catalogs, even if the manager never starts.
	t.Run("HRD-T8 Bundles, ProvisionerClasses and catalogs", func(t *testing.T) {
		for _, want := range []configv1.ObjectReference{
			{Group: "core.rukpak.io", Resource: "bundles"}, {Group: "core.rukpak.io", Resource: "provisionerclasses"},
			{Group: "olm.operatorframework.io", Resource: "clustercatalogs"}, {Group: "operators.coreos.com", Resource: "catalogsources"},
		} {
			if !slices.Contains(static, want) {
				t.Errorf("%+v is missing", want)
			}
		}
	})
	t.Run("all references have lower-case plural resources", func(t *testing.T) {
		scopes := map[string]apiextensionsv1.ResourceScope{"namespaces.": apiextensionsv1.ClusterScoped,
			"clustercatalogs.olm.operatorframework.io": apiextensionsv1.ClusterScoped, "catalogsources.operators.coreos.com": apiextensionsv1.NamespaceScoped}
		for _, kind := range []string{"bundledeployments", "bundles", "provisionerclasses", "platformoperators", "platformoperatormanagers"} {
			crd := &apiextensionsv1.CustomResourceDefinition{}
			read(t, "*_10-"+kind+".crd.yaml", crd)
			scopes[crd.Spec.Names.Plural+"."+crd.Spec.Group] = crd.Spec.Scope
		}
		_, dynamic := installNamespaces(func() bool { return true }, deploymentsInto(t, "one"))()
		namespaces, others := 0, 0
		for _, reference := range append(dynamic, static...) {
			scope, plural := scopes[reference.Resource+"."+reference.Group]
			if !plural || !regexp.MustCompile(`^[a-z]+$`).MatchString(reference.Resource) {
				t.Errorf("%+v has no lower-case plural resource", reference)
			}
			switch {
			case reference.Resource == "namespaces" && reference.Name != "":
				namespaces++
			case scope == apiextensionsv1.ClusterScoped:
				others++
			}
		}
		if namespaces < 2 || others == 0 { // the manager's own, and an install namespace
			t.Errorf("%d namespaces and %d other references, want at least 2 and 1", namespaces, others)
		}
	})
	t.Run("a cache that has not synced removes no namespace", func(t *testing.T) {
		if set, _ := installNamespaces(func() bool { return false }, deploymentsInto(t, "one"))(); set {
			t.Error("it is used, so that a restart removes namespaces from the ClusterOperator")
		}
	})
}

// read decodes the manifest that matches a pattern. The test fails unless exactly one file matches.
func read(t *testing.T, pattern string, into any) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../manifests", pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("manifests that match %q: %q, %v; want one", pattern, files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(content, into); err != nil {
		t.Fatal(err)
	}
}

// deploymentsInto returns a lister with a BundleDeployment for each install namespace.
func deploymentsInto(t *testing.T, namespaces ...string) corelisters.BundleDeploymentLister {
	t.Helper()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	for i, namespace := range namespaces {
		deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("bd-%d", i)}}
		deployment.Spec.InstallNamespace = namespace
		if err := indexer.Add(deployment); err != nil {
			t.Fatal(err)
		}
	}
	return corelisters.NewBundleDeploymentLister(indexer)
}
