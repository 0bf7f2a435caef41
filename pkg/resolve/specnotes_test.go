package resolve

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func TestHRD_U8_SettingsWithoutEffectAreNoted(t *testing.T) {
	catalogs := []Catalog{{ID: community, Package: quay(in{"stable", []string{"1.0.0"}}, in{"fast", []string{"1.1.0"}})}}
	unread := append([]Catalog{{ID: cluster, Err: errors.New("no answer")}}, catalogs...)
	const missing = `spec.package.channels names "fsat", which no selected catalog has: correct or remove it. The channels are "fast", "stable".`
	const selfCertified = "spec.upgrades.edges is SelfCertified, so every change of the version, also to an older one, is at your own risk: " +
		"remove it when the version that you want is installed."
	for name, test := range map[string]struct {
		catalogs []Catalog
		change   func(*Request)
		want     []string
	}{
		"one of two channels":                 {catalogs, func(r *Request) { r.Channels = []string{"stable", "fsat"} }, []string{missing}},
		"both channels exist":                 {catalogs, func(r *Request) { r.Channels = []string{"stable", "fast"} }, nil},
		"no channel exists, as Message says":  {catalogs, func(r *Request) { r.Channels = []string{"fsat"} }, nil},
		"a catalog is unread":                 {unread, func(r *Request) { r.Channels = []string{"stable", "fsat"} }, nil},
		"SelfCertified":                       {catalogs, func(r *Request) { r.Edges, r.InstalledVersion = platformv1alpha1.EdgesSelfCertified, "1.0.0" }, []string{selfCertified}},
		"SelfCertified for the first version": {catalogs, func(r *Request) { r.Edges = platformv1alpha1.EdgesSelfCertified }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Resolve(newRequest(test.change), test.catalogs).Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
