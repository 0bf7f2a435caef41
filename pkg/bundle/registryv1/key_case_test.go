package registryv1_test

import (
	"encoding/json"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/catalog"
)

// otherCase writes keys of a ClusterServiceVersion as authors have written them.
var otherCase = strings.NewReplacer("  minKubeVersion:", "  MinKubeVersion:", "  installModes:", "  installmodes:", "customresourcedefinitions:", "customResourceDefinitions:",
	"webhookdefinitions:", "webhookDefinitions:", "  clusterPermissions:", "  clusterpermissions:", "serviceAccountName:", "serviceaccountName:", "sideEffects:", "SideEffects:")

// Promise HRD-F4: Keys of a ClusterServiceVersion in another case, such as MinKubeVersion, are read the same from a bundle and from its
// catalog.
func TestHRD_F4_KeysInAnotherCaseAreReadTheSameFromBundleAndCatalog(t *testing.T) {
	text := strings.Replace(withWebhooks(validating), "  install:\n", "  minKubeVersion: 1.25.0\n  install:\n", 1)
	changed := otherCase.Replace(text)
	if changed == text {
		t.Fatal("the test changes nothing")
	}
	want, got := load(t, sample(map[string]string{"manifests/csv.yaml": text})), load(t, sample(map[string]string{"manifests/csv.yaml": changed}))
	if diff := gocmp.Diff(want.Metadata(), got.Metadata()); diff != "" || got.Metadata().MinKubeVersion != "1.25.0" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	by := bundle.Options{Certificates: bundle.ServiceCA}
	if diff := gocmp.Diff(string(renderedJSON(renderWith(t, want, by))), string(renderedJSON(renderWith(t, got, by)))); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	for name, csv := range map[string]string{"of catalog.AddManifest": changed, "of olm.bundle.object": strings.Replace(changed, "\nspec:", "\nSpec:", 1)} {
		manifest, err := yaml.YAMLToJSON([]byte(csv))
		if err != nil {
			t.Fatal(err)
		}
		var listed catalog.Bundle
		property, err := json.Marshal(map[string][]byte{"data": manifest})
		if err != nil {
			t.Fatal(err)
		}
		if err := listed.AddProperty("olm.bundle.object", property); err != nil {
			t.Fatal(err)
		}
		if listed.MinKubeVersion != got.Metadata().MinKubeVersion || !listed.InstallModes["AllNamespaces"] {
			t.Errorf("%s: got minKubeVersion %q and install modes %v, want those of the bundle", name, listed.MinKubeVersion, listed.InstallModes)
		}
	}
	capital := load(t, sample(map[string]string{"manifests/csv.yaml": strings.Replace(changed, "\nspec:", "\nSpec:", 1)}))
	if diff := gocmp.Diff(want.Metadata(), capital.Metadata()); diff != "" {
		t.Errorf("with Spec (-want +got):\n%s", diff)
	}
}

func TestHRD_F4_OneFieldInSeveralSpellings(t *testing.T) {
	spelled := func(keys string) string { return csv("  install:\n", keys+"  install:\n") }
	b := load(t, sample(map[string]string{"manifests/csv.yaml": spelled("  minkubeversion: 1.1.0\n  minKubeVersion: 1.2.0\n  MINKUBEVERSION: 1.3.0\n")}))
	if got := b.Metadata().MinKubeVersion; got != "1.2.0" {
		t.Errorf("got %q, want the key in the right case to count", got)
	}
	_, err := registryv1.Load(sample(map[string]string{"manifests/csv.yaml": spelled("  minkubeversion: 1.1.0\n  MinKubeVersion: 1.3.0\n")}))
	want := `loading bundle of package "sample": decoding manifests/csv.yaml: ClusterServiceVersion "sample.v1.2.3": keys "MinKubeVersion" and "minkubeversion" are both the field minKubeVersion; remove one`
	if err == nil || err.Error() != want {
		t.Errorf("got:  %v\nwant: %s", err, want)
	}
	labels := load(t, sample(map[string]string{"manifests/csv.yaml": csv("labels: {app: sample}", "labels: {app: sample, Name: kept}")}))
	for _, o := range render(t, labels) {
		if o.GetKind() == "Deployment" && !strings.Contains(string(renderedJSON([]unstructured.Unstructured{o})), `"Name":"kept"`) {
			t.Error("the key of a map was changed")
		}
	}
}

// Version 1 of the renderer ignored such keys. Installed bundles that have them must be rendered again, which the version of the renderer
// requests.
func TestHRD_F4_KeysInAnotherCaseArePartOfTheObjectsSinceVersion2(t *testing.T) {
	objects := func(key string) string {
		text := csv("              serviceAccountName: sample\n", "              serviceAccountName: sample\n"+key)
		return string(renderedJSON(render(t, load(t, sample(map[string]string{"manifests/csv.yaml": text})))))
	}
	const field = "              priorityClassName: high\n"
	want, got := objects(field), objects(strings.Replace(field, "priority", "Priority", 1))
	if diff := gocmp.Diff(want, got); diff != "" || got == objects("") {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if version := (registryv1.Format{}).RendererVersion(); version < 2 {
		t.Errorf("version %d, so that installed bundles are not rendered again", version)
	}
}

func TestHRD_F4_RealBundlesRenderTheSameInAnotherCase(t *testing.T) {
	everyFourth(t, func(t *testing.T, dir string) {
		files := changed(t, dir, func(csv string) string {
			if otherCase.Replace(csv) == csv {
				t.Error("the test changes nothing")
			}
			return otherCase.Replace(csv)
		})
		if got := outcome(files, bundle.ServiceCA); got != realOutcomes()[dir] {
			t.Errorf("got %s, want %s", got, realOutcomes()[dir])
		}
		want, got := realBundle(t, dir), load(t, files)
		if diff := gocmp.Diff(want.Metadata(), got.Metadata()); diff != "" {
			t.Errorf("metadata (-want +got):\n%s", diff)
		}
	})
}
