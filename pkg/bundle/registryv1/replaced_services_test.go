package registryv1_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

const serviceYAML = "{apiVersion: v1, kind: Service, metadata: {name: sample-service, labels: {app: sample}}, spec: {ports: [{port: 8080, name: other}], selector: {app: other}}}"

// Promise HRD-F3: If a manifest is a Service with the name of the one that is rendered for webhooks, the rendered one takes its place, as
// in OLM v0, and status has a warning that names the manifest.
func TestHRD_F3_TheServiceOfWebhooksReplacesAManifest(t *testing.T) {
	webhooks := map[string]string{"manifests/csv.yaml": withWebhooks(validating)}
	for _, by := range []bundle.CertificateProvider{bundle.ServiceCA, bundle.CertManager} {
		want := renderWith(t, load(t, sample(webhooks)), bundle.Options{Certificates: by})
		b := load(t, sample(map[string]string{"manifests/csv.yaml": webhooks["manifests/csv.yaml"], "manifests/service.yaml": serviceYAML}))
		if diff := gocmp.Diff(string(renderedJSON(want)), string(renderedJSON(renderWith(t, b, bundle.Options{Certificates: by})))); diff != "" {
			t.Errorf("with certificates by %s (-want +got):\n%s", by, diff)
		}
		warning := `manifests/service.yaml: Service "sample-service" is replaced by the Service of the webhooks of deployment "sample", which has this name; rename the Service in the manifest to keep both`
		if diff := gocmp.Diff([]string{warning}, b.Metadata().Warnings); diff != "" {
			t.Errorf("warnings (-want +got):\n%s", diff)
		}
	}
}

func TestHRD_F3_OtherServicesStay(t *testing.T) {
	own := strings.Replace(serviceYAML, "apiVersion: v1", "apiVersion: example.com/v1", 1)
	cases := map[string]struct {
		files map[string]string
		want  string
	}{
		"without webhooks": {map[string]string{"manifests/service.yaml": serviceYAML}, "v1"},
		"of another name":  {map[string]string{"manifests/csv.yaml": withWebhooks(validating), "manifests/service.yaml": strings.Replace(serviceYAML, "sample-service", "other", 1)}, "v1"},
		"of the operator's own group": {map[string]string{"manifests/csv.yaml": withWebhooks(validating), "manifests/service.yaml": own, "manifests/own.yaml": ownKind("Service", "Namespaced")},
			"example.com/v1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := load(t, sample(c.files))
			found := 0
			for _, o := range find(render(t, b), c.want, "Service") {
				if o.GetLabels()["app"] == "sample" {
					found++
				}
			}
			if found != 1 || len(b.Metadata().Warnings) > 0 {
				t.Errorf("the Service is there %d times, with warnings %q; want once, and none", found, b.Metadata().Warnings)
			}
		})
	}
}

func TestHRD_F3_RealBundlesRenderTheSameWithManifestsOfTheirServices(t *testing.T) {
	replaced := 0
	for _, dir := range realBundles(t) {
		if strings.HasPrefix(realOutcomes()[dir], "refused: ") {
			continue
		}
		b, err := registryv1.Load(os.DirFS(dir))
		if err != nil || !b.RequiresCertificates() {
			continue
		}
		_, objects, err := renderInSomeMode(b, bundle.ServiceCA)
		if err != nil {
			t.Fatal(err)
		}
		files := changed(t, dir, func(csv string) string { return csv })
		for _, o := range find(objects, "v1", "Service") {
			if o.GetAnnotations()["service.beta.openshift.io/serving-cert-secret-name"] == o.GetName()+"-cert" && strings.HasSuffix(o.GetName(), "-service") {
				replaced++
				files["manifests/zz-"+o.GetName()+".yaml"] = &fstest.MapFile{Data: []byte(strings.Replace(serviceYAML, "sample-service", o.GetName(), 1))}
			}
		}
		if got := outcome(files, bundle.ServiceCA); got != realOutcomes()[dir] {
			t.Errorf("%s: got %s, want %s", shortName(dir), got, realOutcomes()[dir])
		}
	}
	if replaced < 30 {
		t.Errorf("only %d Services were replaced", replaced)
	}
}
