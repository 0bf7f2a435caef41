package apply

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/ownership"
)

const (
	labelKeys = "core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: "
	ourLabels = "labels: {" + labelKeys + "memo}"
)

// memoBesideOthers is a worker for BundleDeployment memo beside an elder and a younger one.
func memoBesideOthers(adoption corev1alpha2.Adoption, applied ...*Set) worker {
	ages := map[string]time.Time{"memo": time.Unix(200, 0), "elder": time.Unix(100, 0), "younger": time.Unix(300, 0), "alpha": time.Unix(200, 0), "zulu": time.Unix(200, 0)}
	engine := &Engine{deployments: func(name string) (time.Time, bool) { at, ok := ages[name]; return at, ok }}
	return worker{Engine: engine, owner: Owner{Name: "memo", Package: "memo-package"}, options: Options{Adoption: adoption, Applied: applied}}
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
		"labelled as ours, and we applied it":              {"ConfigMap", ourLabels, []string{ours}, none, ownership.Ours, ""},
		"labels taken off, and we applied it":              {"ConfigMap", "labels: {}", []string{ours}, none, ownership.Ours, ""},
		"relabelled to another, and we applied it":         {"ConfigMap", labelled("elder"), []string{ours}, none, ownership.Ours, ""},
		"labelled as ours by somebody":                     {"ConfigMap", ourLabels, []string{"kubectl"}, "", ownership.Leave, `it has the owner labels of BundleDeployment "memo", which neither created nor adopted it; it is left alone; delete or rename it`},
		"labelled as ours by somebody, and Any":            {"ConfigMap", ourLabels, []string{"kubectl"}, anything, ownership.Adopt, ""},
		"rukpak's":                                         {"ConfigMap", ourLabels + ", ownerReferences: [{apiVersion: core.rukpak.io/v1alpha2, kind: BundleDeployment, name: memo, uid: u}]", []string{"core"}, "", ownership.Ours, ""},
		"an older deployment's":                            {"ConfigMap", labelled("elder"), []string{manager("elder")}, "", ownership.Leave, `BundleDeployment "elder", which is older`},
		"an older deployment's, though we once had it":     {"ConfigMap", labelled("elder"), []string{ours, manager("elder")}, anything, ownership.Leave, `BundleDeployment "elder", which is older`},
		"a younger one's":                                  {"ConfigMap", labelled("younger"), []string{manager("younger")}, "", ownership.Adopt, ""},
		"a younger one's, and None":                        {"ConfigMap", labelled("younger"), []string{manager("younger")}, none, ownership.Leave, `BundleDeployment "younger", which is younger, and spec.adoption None takes over nothing; set spec.adoption to SamePackage`},
		"labelled as a younger one's by somebody":          {"ConfigMap", labelled("younger"), []string{"kubectl"}, anything, ownership.Leave, `it has the owner labels of BundleDeployment "younger"`},
		"of one of the same second that is first by name":  {"ConfigMap", labelled("alpha"), []string{manager("alpha")}, "", ownership.Leave, `BundleDeployment "alpha"`},
		"of one of the same second with a later name":      {"ConfigMap", labelled("zulu"), []string{manager("zulu")}, "", ownership.Adopt, ""},
		"of one that is gone":                              {"ConfigMap", labelled("ghost"), []string{manager("ghost")}, "", ownership.Leave, `BundleDeployment "ghost", which does not exist any more`},
		"of one that is gone, and Any":                     {"ConfigMap", labelled("ghost"), []string{manager("ghost")}, anything, ownership.Adopt, ""},
		"nobody's":                                         {"ConfigMap", "labels: {}", []string{"kubectl"}, "", ownership.Leave, "it belongs to nobody who left a mark"},
		"nobody's, and Any":                                {"ConfigMap", "labels: {}", []string{"kubectl"}, anything, ownership.Adopt, ""},
		"OLM's":                                            {"ConfigMap", "labels: {olm.owner: csv.v1, olm.owner.kind: ClusterServiceVersion, olm.owner.namespace: ns}", nil, "", ownership.Leave, `ClusterServiceVersion "ns/csv.v1" of OLM`},
		"OLM v1's":                                         {"ConfigMap", "labels: {olm.operatorframework.io/owner-kind: ClusterExtension, olm.operatorframework.io/owner-name: e}", nil, "", ownership.Leave, `ClusterExtension "e" of OLM v1`},
		"Helm's":                                           {"ConfigMap", "annotations: {meta.helm.sh/release-name: r, meta.helm.sh/release-namespace: ns}", nil, "", ownership.Leave, `Helm release "ns/r"`},
		"a definition kept for our package":                {"CustomResourceDefinition", "annotations: {platform.openshift.io/orphaned-from: memo-package}", []string{ours}, "", ownership.Adopt, ""},
		"a definition kept for our package, and None":      {"CustomResourceDefinition", "annotations: {platform.openshift.io/orphaned-from: memo-package}", nil, none, ownership.Leave, "set spec.adoption to SamePackage"},
		"a definition kept for another package":            {"CustomResourceDefinition", "annotations: {platform.openshift.io/orphaned-from: other}", []string{ours}, "", ownership.Leave, `package "other"`},
		"the mark on anything else means nothing":          {"ConfigMap", "annotations: {platform.openshift.io/orphaned-from: memo-package}", nil, "", ownership.Leave, "nobody"},
		"a field manager that only begins like ours":       {"ConfigMap", ourLabels, []string{"platform-operators/"}, "", ownership.Leave, "neither created nor adopted"},
		"labels without the kind of the owner are no mark": {"ConfigMap", "labels: {core.rukpak.io/owner-name: memo}", []string{"kubectl"}, "", ownership.Leave, "nobody"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			version := "v1"
			if c.kind == "CustomResourceDefinition" {
				version = "apiextensions.k8s.io/v1"
			}
			live := object(t, `{apiVersion: `+version+`, kind: `+c.kind+`, metadata: {name: x, `+c.metadata+`}}`)
			for _, manager := range c.managers {
				live = owned(live, manager, `{"f:data":{}}`)
			}
			w := memoBesideOthers(c.adoption)
			verdict := w.verdictOn(keyOf(live), live)
			text := ""
			if refusal := refusalOf(keyOf(live), live, verdict, w.owner); refusal != nil {
				text = refusal.Error()
			}
			if verdict.Action != c.want || (text == "") != (c.refusal == "") || !strings.Contains(text, c.refusal) {
				t.Errorf("got %+v, refusal %q", verdict, text)
			}
			if text != "" && !strings.Contains(text, c.kind+" x") {
				t.Errorf("%q does not name the object", text)
			}
			if ours := w.owner.isOurs(live, nil); ours != (c.want == ownership.Ours) {
				t.Errorf("it is ours to remove: %v", ours)
			}
		})
	}
}

func TestHRD_S2_ARestoredObjectIsOursWhereARevisionThatWasAppliedListsIt(t *testing.T) {
	const configMap = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: memo, ` + ourLabels + `}}`
	const space, another = `{apiVersion: v1, kind: Namespace, metadata: {name: memo, ` + ourLabels + `}}`, `{apiVersion: v1, kind: Namespace, metadata: {name: data, ` + ourLabels + `}}`
	listing := newSet(t, *object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: memo}}`), *object(t, `{apiVersion: v1, kind: Namespace, metadata: {name: data}}`))
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
			live := owned(object(t, c.live), "restore", `{"f:data":{}}`)
			w := memoBesideOthers("", c.set)
			if got := w.verdictOn(keyOf(live), live); (got.Action == ownership.Ours) != c.want {
				t.Errorf("got %+v", got)
			}
			if got := w.owner.isOurs(live, []*Set{c.set}); got != c.want {
				t.Errorf("ours to remove: %v", got)
			}
		})
	}
}

// A crash may come after any write.
func TestHRD_S2_WhatRukpakAppliedStaysOursWhenItsReferenceIsTakenOff(t *testing.T) {
	const reference = ", ownerReferences: [{apiVersion: core.rukpak.io/v1alpha2, kind: BundleDeployment, name: memo, uid: u}, {apiVersion: v1, kind: Pod, name: x, uid: y}]"
	owner := Owner{Name: "memo"}
	for _, managers := range [][]string{{"core"}, {"core", ours}, nil} {
		live := object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: x, `+ourLabels+reference+`}}`)
		for _, each := range managers {
			live = owned(live, each, `{"f:data":{}}`)
		}
		after := untied(live, owner)
		if tied(after, owner) || len(after.GetOwnerReferences()) != 1 || !tied(live, owner) {
			t.Errorf("%v: references are %v", managers, after.GetOwnerReferences())
		}
		if !owner.isOurs(after, nil) {
			t.Errorf("%v: it is nobody's with the record %v", managers, after.GetManagedFields())
		}
		if again := untied(after, owner); len(again.GetManagedFields()) != len(after.GetManagedFields()) {
			t.Errorf("%v: a second time it is entered again", managers)
		}
	}
}

func TestADeploymentThatIsGoneTakesNothingFromOthers(t *testing.T) {
	created := deployments(func(name string) (time.Time, bool) { return time.Unix(100, 0), name == "other" })
	if got := created.standing("other", "memo"); got != ownership.Older {
		t.Errorf("one whose finalizer was taken off in the middle of a sync counts as older: the other one is %s", got)
	}
}

// Whatever two deployments there are, exactly one of them is the older one.
func TestENG_P2_OneOfTwoDeploymentsIsTheOlderOne(t *testing.T) {
	ages := map[string]time.Time{"a": time.Unix(1, 0), "b": time.Unix(1, 0), "c": time.Unix(2, 0), "d": time.Unix(0, 0)}
	created := deployments(func(name string) (time.Time, bool) { at, ok := ages[name]; return at, ok })
	for one := range ages {
		for other := range ages {
			if first, second := created.standing(other, one), created.standing(one, other); one != other && first == second {
				t.Errorf("%q is %s for %q, and the other way round", other, first, one)
			}
		}
	}
}

func TestATakeoverLeavesNoRecordOfTheDeploymentBefore(t *testing.T) {
	record := func(manager string, operation metav1.ManagedFieldsOperationType) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation}
	}
	const apply, update = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	cases := map[string]struct {
		records, want []metav1.ManagedFieldsEntry
		changed       bool
	}{
		"its record becomes the owner's": {
			[]metav1.ManagedFieldsEntry{record("platform-operators/other", update), record("kubectl", update)},
			[]metav1.ManagedFieldsEntry{record("platform-operators/memo", apply), record("kubectl", update)}, true,
		},
		"of two the first becomes the owner's": {
			[]metav1.ManagedFieldsEntry{record("platform-operators/other", apply), record("platform-operators/third", apply)},
			[]metav1.ManagedFieldsEntry{record("platform-operators/memo", apply)}, true,
		},
		"one that the owner has its own of goes": {
			[]metav1.ManagedFieldsEntry{record("platform-operators/other", apply), record("platform-operators/memo", apply)},
			[]metav1.ManagedFieldsEntry{record("platform-operators/memo", apply)}, true,
		},
		"others are left alone": {
			[]metav1.ManagedFieldsEntry{record("kubectl", update)}, []metav1.ManagedFieldsEntry{record("kubectl", update)}, false,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, changed := inherited(c.records, "platform-operators/memo")
			if diff := cmp.Diff(c.want, got); diff != "" || changed != c.changed {
				t.Errorf("changed %t (-want +got):\n%s", changed, diff)
			}
		})
	}
}

func TestWriteErrorsAreSorted(t *testing.T) {
	key := Key{schema.GroupKind{Kind: "ConfigMap"}, "memo", "a"}
	resource := schema.GroupResource{Resource: "configmaps"}
	terminating := apierrors.NewForbidden(resource, "a", errors.New("being terminated"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	cases := map[string]struct {
		err              error
		refusal, waiting bool
	}{
		"forbidden":               {apierrors.NewForbidden(resource, "a", errors.New("no")), true, false},
		"invalid":                 {apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "a", nil), true, false},
		"too large":               {apierrors.NewRequestEntityTooLargeError("limit"), true, false},
		"a terminating namespace": {terminating, false, true},
		"no such namespace":       {apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "memo"), false, true},
		"a conflict":              {apierrors.NewConflict(resource, "a", errors.New("changed")), false, false},
		"too many requests":       {apierrors.NewTooManyRequests("later", 1), false, false},
		"an internal error":       {apierrors.NewInternalError(errors.New("broken")), false, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := writeError("creating", key, c.err)
			var refusal *Refusal
			var waiting *waitingError
			if errors.As(err, &refusal) != c.refusal || errors.As(err, &waiting) != c.waiting {
				t.Errorf("got %T: %v", err, err)
			}
			if !strings.Contains(err.Error(), "ConfigMap memo/a") {
				t.Errorf("%q does not name the object", err)
			}
		})
	}
}

func TestForemostErrorIsTheOneToSeeTo(t *testing.T) {
	key := func(name string) Key { return Key{schema.GroupKind{Kind: "ConfigMap"}, "memo", name} }
	waiting, fault := waitFor("waiting"), fmt.Errorf("fault")
	a, b := error(&Refusal{Object: key("a"), Err: errors.New("is theirs")}), error(&Refusal{Object: key("b"), Err: errors.New("is theirs")})
	for _, errs := range [][]error{{waiting, fault, b, nil, a}, {a, b, fault, waiting}} {
		if got := foremost(errs); !errors.Is(got, a) {
			t.Errorf("of %v got %v", errs, got)
		}
	}
	if got := foremost([]error{waiting, fault}); !errors.Is(got, fault) {
		t.Errorf("got %v", got)
	}
	if got := foremost([]error{nil}); got != nil {
		t.Errorf("got %v", got)
	}
}
