package object

import (
	"strings"
	"testing"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/ownership"
)

const (
	labelKeys = "core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: "
	ourLabels = "labels: {" + labelKeys + "memo}"
)

// claimOfMemo returns the claim of BundleDeployment memo. Older and younger BundleDeployments also exist, and some with the same age.
func claimOfMemo(adoption corev1alpha2.Adoption, applied ...*Set) Claim {
	created := map[string]time.Time{"memo": time.Unix(200, 0), "elder": time.Unix(100, 0), "younger": time.Unix(300, 0), "alpha": time.Unix(200, 0), "zulu": time.Unix(200, 0)}
	return Claim{
		Owner: Owner{Name: "memo", Package: "memo-package"}, Adoption: adoption, Applied: applied,
		Deployments: func(name string) (time.Time, bool) { at, ok := created[name]; return at, ok },
	}
}

func TestHRD_S2_WhatMayBecomeOfALiveObjectAndWhatIsSaid(t *testing.T) {
	const none, anything = corev1alpha2.AdoptionNone, corev1alpha2.AdoptionAny
	labelled := func(name string) string { return "labels: {" + labelKeys + name + "}" }
	manager := func(name string) string { return "platform-operators/" + name }
	cases := map[string]struct {
		kind, metadata string
		managers       []string
		adoption       corev1alpha2.Adoption
		want           ownership.Action
		refusal        string // part of it; empty when it may be applied
	}{
		"labelled as ours, and we applied it":             {"ConfigMap", ourLabels, []string{ours}, none, ownership.Ours, ""},
		"labels taken off, and we applied it":             {"ConfigMap", "labels: {}", []string{ours}, none, ownership.Ours, ""},
		"relabelled to another, and we applied it":        {"ConfigMap", labelled("elder"), []string{ours}, none, ownership.Ours, ""},
		"labelled as ours by somebody":                    {"ConfigMap", ourLabels, []string{"kubectl"}, "", ownership.Leave, `has the owner labels of BundleDeployment "memo", which neither created nor adopted it; it is not changed; delete or rename it`},
		"labelled as ours by somebody, and Any":           {"ConfigMap", ourLabels, []string{"kubectl"}, anything, ownership.Adopt, ""},
		"rukpak's":                                        {"ConfigMap", ourLabels + ", ownerReferences: [{apiVersion: core.rukpak.io/v1alpha2, kind: BundleDeployment, name: memo, uid: u}]", []string{"core"}, "", ownership.Ours, ""},
		"an older deployment's":                           {"ConfigMap", labelled("elder"), []string{manager("elder")}, "", ownership.Leave, `BundleDeployment "elder", which is older`},
		"an older deployment's, though we once had it":    {"ConfigMap", labelled("elder"), []string{ours, manager("elder")}, anything, ownership.Leave, `BundleDeployment "elder", which is older`},
		"a younger one's":                                 {"ConfigMap", labelled("younger"), []string{manager("younger")}, "", ownership.Adopt, ""},
		"a younger one's, and None":                       {"ConfigMap", labelled("younger"), []string{manager("younger")}, none, ownership.Leave, `BundleDeployment "younger", which is younger, and is not taken over while spec.adoption is None; set spec.adoption to SamePackage`},
		"labelled as a younger one's by somebody":         {"ConfigMap", labelled("younger"), []string{"kubectl"}, anything, ownership.Leave, `has the owner labels of BundleDeployment "younger"`},
		"of one of the same second that is first by name": {"ConfigMap", labelled("alpha"), []string{manager("alpha")}, "", ownership.Leave, `BundleDeployment "alpha"`},
		"of one of the same second with a later name":     {"ConfigMap", labelled("zulu"), []string{manager("zulu")}, "", ownership.Adopt, ""},
		"of one that is gone":                             {"ConfigMap", labelled("ghost"), []string{manager("ghost")}, "", ownership.Leave, `BundleDeployment "ghost", which no longer exists`},
		"of one that is gone, and Any":                    {"ConfigMap", labelled("ghost"), []string{manager("ghost")}, anything, ownership.Adopt, ""},
		"nobody's":                                        {"ConfigMap", "labels: {}", []string{"kubectl"}, "", ownership.Leave, "has no known owner"},
		"nobody's, and Any":                               {"ConfigMap", "labels: {}", []string{"kubectl"}, anything, ownership.Adopt, ""},
		"OLM's":                                           {"ConfigMap", "labels: {olm.owner: csv.v1, olm.owner.kind: ClusterServiceVersion, olm.owner.namespace: ns}", nil, "", ownership.Leave, `ClusterServiceVersion "ns/csv.v1" of OLM`},
		"OLM v1's":                                        {"ConfigMap", "labels: {olm.operatorframework.io/owner-kind: ClusterExtension, olm.operatorframework.io/owner-name: e}", nil, "", ownership.Leave, `ClusterExtension "e" of OLM v1`},
		"Helm's":                                          {"ConfigMap", "annotations: {meta.helm.sh/release-name: r, meta.helm.sh/release-namespace: ns}", nil, "", ownership.Leave, `Helm release "ns/r"`},
		"a definition kept for our package":               {"CustomResourceDefinition", "annotations: {platform.openshift.io/orphaned-from: memo-package}", []string{ours}, "", ownership.Adopt, ""},
		"a definition kept for our package, and None":     {"CustomResourceDefinition", "annotations: {platform.openshift.io/orphaned-from: memo-package}", nil, none, ownership.Leave, "set spec.adoption to SamePackage"},
		"a definition kept for another package": {"CustomResourceDefinition", "annotations: {platform.openshift.io/orphaned-from: other}", []string{ours}, "", ownership.Leave,
			`has annotation platform.openshift.io/orphaned-from, which says that it was kept when package "other" was removed; set spec.adoption to Any to take it over, or change its former owner: kubectl annotate --overwrite crd x platform.openshift.io/orphaned-from=package/memo-package`},
		"a definition kept for another package, and None":  {"CustomResourceDefinition", "annotations: {platform.openshift.io/orphaned-from: package/other}", nil, none, ownership.Leave, "orphaned-from=package/memo-package, and set spec.adoption to SamePackage"},
		"a definition kept for a deployment":               {"CustomResourceDefinition", "annotations: {platform.openshift.io/orphaned-from: bundledeployment/memo-package}", nil, "", ownership.Leave, `BundleDeployment "memo-package" was removed`},
		"the mark on anything else means nothing":          {"ConfigMap", "annotations: {platform.openshift.io/orphaned-from: memo-package}", nil, "", ownership.Leave, "has no known owner"},
		"a field manager that only begins like ours":       {"ConfigMap", ourLabels, []string{"platform-operators/"}, "", ownership.Leave, "neither created nor adopted"},
		"labels without the kind of the owner are no mark": {"ConfigMap", "labels: {core.rukpak.io/owner-name: memo}", []string{"kubectl"}, "", ownership.Leave, "has no known owner"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			version := "v1"
			if c.kind == "CustomResourceDefinition" {
				version = "apiextensions.k8s.io/v1"
			}
			live := parse(t, `{apiVersion: `+version+`, kind: `+c.kind+`, metadata: {name: x, `+c.metadata+`}}`)
			for _, manager := range c.managers {
				live = owned(live, manager, `{"f:data":{}}`)
			}
			claim := claimOfMemo(c.adoption)
			verdict := claim.Decide(KeyOf(live), live)
			text := ""
			if refusal := claim.Refusal(KeyOf(live), live, verdict); refusal != nil {
				text = refusal.Error()
			}
			if verdict.Action != c.want || (text == "") != (c.refusal == "") || !strings.Contains(text, c.refusal) {
				t.Errorf("got %+v, refusal %q", verdict, text)
			}
			if text != "" && !strings.Contains(text, c.kind+" x") {
				t.Errorf("%q does not name the object", text)
			}
			if ours := claim.Owner.Owns(live, nil); ours != (c.want == ownership.Ours) {
				t.Errorf("it is ours to remove: %v", ours)
			}
		})
	}
}

func TestHRD_S2_ARestoredObjectIsOursWhereARevisionThatWasAppliedListsIt(t *testing.T) {
	const configMap = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: memo, ` + ourLabels + `}}`
	const space, another = `{apiVersion: v1, kind: Namespace, metadata: {name: memo, ` + ourLabels + `}}`, `{apiVersion: v1, kind: Namespace, metadata: {name: data, ` + ourLabels + `}}`
	listing := newSet(t, *parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: memo}}`), *parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: data}}`))
	for name, c := range map[string]struct {
		live string
		set  *Set
		want bool
	}{
		"an object of the revision":                               {configMap, listing, true},
		"an object of no revision":                                {configMap, newSet(t), false},
		"a namespace of the revision":                             {another, listing, true},
		"the install namespace, which may have been there before": {space, listing, false},
	} {
		t.Run(name, func(t *testing.T) {
			live := owned(parse(t, c.live), "restore", `{"f:data":{}}`)
			claim := claimOfMemo("", c.set)
			if got := claim.Decide(KeyOf(live), live); (got.Action == ownership.Ours) != c.want {
				t.Errorf("got %+v", got)
			}
			if got := claim.Owns(live); got != c.want {
				t.Errorf("ours to remove: %v", got)
			}
		})
	}
}

func TestADeploymentThatIsGoneTakesNothingFromOthers(t *testing.T) {
	created := Deployments(func(name string) (time.Time, bool) { return time.Unix(100, 0), name == "other" })
	if got := created.standing("other", "memo"); got != ownership.Older {
		t.Errorf("one whose finalizer was taken off in the middle of a sync counts as older: the other one is %s", got)
	}
}

// TestENG_P2_OneOfTwoDeploymentsIsTheOlderOne shows that exactly one of any two BundleDeployments is the older one.
func TestENG_P2_OneOfTwoDeploymentsIsTheOlderOne(t *testing.T) {
	ages := map[string]time.Time{"a": time.Unix(1, 0), "b": time.Unix(1, 0), "c": time.Unix(2, 0), "d": time.Unix(0, 0)}
	created := Deployments(func(name string) (time.Time, bool) { at, ok := ages[name]; return at, ok })
	for one := range ages {
		for other := range ages {
			if first, second := created.standing(other, one), created.standing(one, other); one != other && first == second {
				t.Errorf("%q is %s for %q, and the other way round", other, first, one)
			}
		}
	}
}
