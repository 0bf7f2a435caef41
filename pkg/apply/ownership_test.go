package apply

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestHoldingOf(t *testing.T) {
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
		"OLM's":                                    {"ConfigMap", "labels: {olm.owner: csv.v1, olm.owner.kind: ClusterServiceVersion}", nil, false, false, `ClusterServiceVersion "csv.v1" of OLM`},
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
	a, b := foreign(key("a"), "is theirs"), foreign(key("b"), "is theirs")
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
