package image_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
)

func TestImagesAreSources(t *testing.T) {
	const pinned = "registry.example/memo@sha256:" + "abababababababababababababababababababababababababababababababab"
	minutes := int32(10)
	for name, c := range map[string]struct {
		spec corev1alpha2.ImageSource
		host string
		poll time.Duration
	}{
		"a tag":                  {corev1alpha2.ImageSource{Ref: "registry.example:5000/memo:v1"}, "registry.example:5000", 0},
		"a tag that is polled":   {corev1alpha2.ImageSource{Ref: "registry.example/memo:v1", PollIntervalMinutes: &minutes}, "registry.example", 10 * time.Minute},
		"a digest is not polled": {corev1alpha2.ImageSource{Ref: pinned, PollIntervalMinutes: &minutes}, "registry.example", 0},
		"with everything":        {corev1alpha2.ImageSource{Ref: "registry.example/memo:v1", PullSecret: "robot", InsecureSkipTLSVerify: true, CertificateData: "CA"}, "registry.example", 0},
		"no reference":           {corev1alpha2.ImageSource{Ref: "Not a reference"}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			fetcher := image.New(image.Config{})
			spec := corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &c.spec}
			opened, err := fetcher.Open(spec, source.Namespaces{})
			if err != nil || opened.Missing != "" || opened.Name != c.spec.Ref || opened.Resolved != "" || opened.PollInterval != c.poll {
				t.Fatalf("opened %+v, %v", opened, err)
			}
			if got := opened.Source.Host(); got != c.host {
				t.Errorf("waits for host %q, want %q", got, c.host)
			}
			again, err := fetcher.Open(spec, source.Namespaces{})
			if err != nil || again.Source != opened.Source {
				t.Error("the same image is another source when it is opened again, and would be fetched again")
			}
			for _, namespaces := range []source.Namespaces{{Secrets: "memo"}, {Policies: "memo"}} {
				elsewhere, err := fetcher.Open(spec, namespaces)
				if err != nil || elsewhere.Source == opened.Source || elsewhere.Image != c.spec.Ref {
					t.Errorf("the same image with the objects of another namespace is the same source: %+v", namespaces)
				}
			}
			want := c.spec
			want.Ref, want.PollIntervalMinutes = pinned, nil
			at := opened.Source.At(pinned)
			if diff := cmp.Diff(corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &want}, at.Spec()); diff != "" {
				t.Errorf("pinned (-want +got):\n%s", diff)
			}
			// A pinned reference needs no request.
			if got, err := at.Resolve(t.Context()); err != nil || got.Reference != pinned || "registry.example/memo@"+got.Digest != pinned {
				t.Errorf("resolved to %+v, %v", got, err)
			}
		})
	}
}

func TestASpecWithoutAnImageIsReportedAsMissing(t *testing.T) {
	opened, err := image.New(image.Config{}).Open(corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage}, source.Namespaces{})
	if err != nil || opened.Missing == "" || opened.Source != nil {
		t.Errorf("opened %+v, %v", opened, err)
	}
}
