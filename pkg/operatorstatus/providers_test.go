package operatorstatus

import (
	"strings"
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/steptest"
)

func TestHRD_M1_TheMessageNamesThePackagesThatProvideAMissingKind(t *testing.T) {
	memo := corev1alpha2.MissingKind{Group: "example.com", Version: "v1", Kind: "Memo"}
	note := corev1alpha2.MissingKind{Group: "example.com", Version: "v1", Kind: "Note"}
	for name, test := range map[string]struct {
		missing   []corev1alpha2.MissingKind
		providers map[catalog.GVK][]string
		want      string
	}{
		"no kind is missing": {nil, map[catalog.GVK][]string{catalog.GVK(memo): {"memos"}}, ""},
		"no package has it":  {[]corev1alpha2.MissingKind{memo}, nil, ""},
		"one package":        {[]corev1alpha2.MissingKind{memo}, map[catalog.GVK][]string{catalog.GVK(memo): {"memos"}}, ` Package "memos" provides kind Memo; create a PlatformOperator for it.`},
		"many packages": {[]corev1alpha2.MissingKind{memo}, map[catalog.GVK][]string{catalog.GVK(memo): {"a", "b", "c", "d"}},
			` Packages "a", "b", "c" and 1 more provide kind Memo; create a PlatformOperator for one of them.`},
		"two kinds": {[]corev1alpha2.MissingKind{memo, note}, map[catalog.GVK][]string{catalog.GVK(memo): {"memos"}, catalog.GVK(note): {"notes"}},
			` Package "memos" provides kind Memo; create a PlatformOperator for it. Package "notes" provides kind Note; create a PlatformOperator for it.`},
	} {
		t.Run(name, func(t *testing.T) {
			r := reportOf(steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=False"), steptest.Bundle("1.0.0"))
			r.in.Current.Deployment.Status.Plan = &corev1alpha2.Plan{KindsMissing: test.missing}
			r.in.Providers = test.providers
			if got := installedCondition(r).Message; !strings.HasSuffix(got, "Installed is False."+test.want) {
				t.Errorf("got %q, want it to end in %q", got, test.want)
			}
		})
	}
}
