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
)

func TestENG_P2_HoldingOf(t *testing.T) {
	const ours, theirs = "platform-operators/memo", "platform-operators/other"
	labelled := func(name string) string {
		return `labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: ` + name + `}`
	}
	cases := map[string]struct {
		kind, metadata string
		managers       []string
		mine, orphaned bool
		holder         string // part of it
	}{
		"labelled as ours":                         {"ConfigMap", labelled("memo"), []string{ours}, true, false, ""},
		"labels taken off, and we applied it":      {"ConfigMap", "labels: {}", []string{ours}, true, false, ""},
		"relabelled to another, and we applied it": {"ConfigMap", labelled("other"), []string{ours}, true, false, ""},
		"another deployment's":                     {"ConfigMap", labelled("other"), []string{theirs}, false, false, `BundleDeployment "other"`},
		"another's, though we once had it":         {"ConfigMap", labelled("other"), []string{ours, theirs}, false, false, `BundleDeployment "other"`},
		"nobody's":                                 {"ConfigMap", "labels: {}", []string{"kubectl"}, false, false, "nobody"},
		"OLM's":                                    {"ConfigMap", "labels: {olm.owner: csv.v1, olm.owner.kind: ClusterServiceVersion, olm.owner.namespace: ns}", nil, false, false, `ClusterServiceVersion "ns/csv.v1" of OLM`},
		"OLM v1's":                                 {"ConfigMap", "labels: {olm.operatorframework.io/owner-kind: ClusterExtension, olm.operatorframework.io/owner-name: e}", nil, false, false, `ClusterExtension "e" of OLM v1`},
		"Helm's":                                   {"ConfigMap", "annotations: {meta.helm.sh/release-name: r, meta.helm.sh/release-namespace: ns}", nil, false, false, `Helm release "ns/r"`},
		"a definition kept for our package":        {"CustomResourceDefinition", "annotations: {platform.openshift.io/orphaned-from: memo-package}", nil, false, true, ""},
		"a definition kept for another package":    {"CustomResourceDefinition", "annotations: {platform.openshift.io/orphaned-from: other}", []string{ours}, false, false, `package "other"`},
		"the mark on anything else means nothing":  {"ConfigMap", "annotations: {platform.openshift.io/orphaned-from: memo-package}", nil, false, false, "nobody"},
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
			got := holdingOf(live, Owner{Name: "memo", Package: "memo-package"})
			if got.mine != c.mine || got.orphaned != c.orphaned || !strings.Contains(got.holder, c.holder) || (got.holder == "") != (c.holder == "") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestENG_P2_ClaimOf(t *testing.T) {
	const none, same, anything = corev1alpha2.AdoptionNone, corev1alpha2.AdoptionSamePackage, corev1alpha2.AdoptionAny
	ages := map[string]time.Time{"memo": time.Unix(200, 0), "elder": time.Unix(100, 0), "younger": time.Unix(300, 0), "alpha": time.Unix(200, 0), "zulu": time.Unix(200, 0)}
	created := func(name string) (time.Time, bool) { at, ok := ages[name]; return at, ok }
	nobodys := holding{holder: "it belongs to nobody who left a mark"}
	theirs := func(name string) holding {
		return holding{deployment: name, holder: fmt.Sprintf("it belongs to BundleDeployment %q", name)}
	}
	cases := map[string]struct {
		held     holding
		adoption corev1alpha2.Adoption
		take     bool
		refusal  string // part of it; empty when it may be applied
	}{
		"the owner's is nothing to take":                     {holding{mine: true}, none, false, ""},
		"what the package left behind is taken up":           {holding{orphaned: true}, same, true, ""},
		"also when nothing is said":                          {holding{orphaned: true}, "", true, ""},
		"but not with None":                                  {holding{orphaned: true}, none, false, "set spec.adoption to SamePackage"},
		"nobody's is refused":                                {nobodys, same, false, "it belongs to nobody who left a mark"},
		"nobody's is refused with None":                      {nobodys, none, false, "it belongs to nobody"},
		"nobody's is taken over with Any":                    {nobodys, anything, true, ""},
		"an older deployment keeps what it has":              {theirs("elder"), same, false, `BundleDeployment "elder", which is older`},
		"even from Any":                                      {theirs("elder"), anything, false, `BundleDeployment "elder", which is older`},
		"a younger one has to give it up":                    {theirs("younger"), same, true, ""},
		"even to None":                                       {theirs("younger"), none, true, ""},
		"of the same second, the first by name keeps it":     {theirs("alpha"), same, false, `BundleDeployment "alpha"`},
		"of the same second, a later name has to give it up": {theirs("zulu"), same, true, ""},
		"a deployment that is gone is named":                 {theirs("ghost"), same, false, `BundleDeployment "ghost", which does not exist any more`},
		"and what it had can be taken over with Any":         {theirs("ghost"), anything, true, ""},
	}
	key := Key{schema.GroupKind{Kind: "ConfigMap"}, "memo", "a"}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := claimOf(key, c.held, Owner{Name: "memo"}, c.adoption, created)
			text := ""
			if got.refusal != nil {
				text = got.refusal.Error()
			}
			if got.take != c.take || (text == "") != (c.refusal == "") || !strings.Contains(text, c.refusal) {
				t.Errorf("got take %t, refusal %q", got.take, text)
			}
			if text != "" && !strings.Contains(text, "ConfigMap memo/a") {
				t.Errorf("%q does not name the object", text)
			}
		})
	}
}

func TestADeploymentThatIsGoneTakesNothingFromOthers(t *testing.T) {
	created := func(name string) (time.Time, bool) { return time.Unix(100, 0), name == "other" }
	key := Key{schema.GroupKind{Kind: "ConfigMap"}, "memo", "a"}
	if got := claimOf(key, holding{deployment: "other"}, Owner{Name: "memo"}, "", created); got.take {
		t.Error("one whose finalizer was taken off in the middle of a sync counts as the oldest of all")
	}
}

// Whatever two deployments there are, exactly one of them is let have an object that the other has.
func TestENG_P2_OneOfTwoDeploymentsAlwaysWins(t *testing.T) {
	key := Key{schema.GroupKind{Kind: "ConfigMap"}, "memo", "a"}
	ages := map[string]time.Time{"a": time.Unix(1, 0), "b": time.Unix(1, 0), "c": time.Unix(2, 0), "d": time.Unix(0, 0)}
	created := func(name string) (time.Time, bool) { at, ok := ages[name]; return at, ok }
	for one := range ages {
		for other := range ages {
			if one == other {
				continue
			}
			first := claimOf(key, holding{deployment: other}, Owner{Name: one}, "", created)
			second := claimOf(key, holding{deployment: one}, Owner{Name: other}, "", created)
			if first.take == second.take {
				t.Errorf("%q takes from %q: %t, and the other way round: %t", one, other, first.take, second.take)
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
