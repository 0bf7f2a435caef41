package object

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

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
			err := WriteError("creating", key, c.err)
			if IsRefusal(err) != c.refusal || IsWait(err) != c.waiting {
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
	waiting, fault := WaitFor("waiting"), fmt.Errorf("fault")
	a, b := error(&Refusal{Object: key("a"), Err: errors.New("is theirs")}), error(&Refusal{Object: key("b"), Err: errors.New("is theirs")})
	for _, errs := range [][]error{{waiting, fault, b, nil, a}, {a, b, fault, waiting}} {
		if got := Foremost(errs); !errors.Is(got, a) {
			t.Errorf("of %v got %v", errs, got)
		}
	}
	if got := Foremost([]error{waiting, fault}); !errors.Is(got, fault) {
		t.Errorf("got %v", got)
	}
	if got := Foremost([]error{nil}); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestBoundedTextEndsWithAWholeCharacter(t *testing.T) {
	if got := Bounded("a" + strings.Repeat("ü", maxText)); !utf8.ValidString(got) {
		t.Errorf("text ends in %q", got[len(got)-6:])
	}
}

func TestHRD_U8_MissingNamespaceNamesTheRemedy(t *testing.T) {
	key := Key{schema.GroupKind{Kind: "Role"}, "nowhere", "a"}
	namespaces := schema.GroupResource{Resource: "namespaces"}
	var wait *WaitError
	if err := WriteError("creating", key, apierrors.NewNotFound(namespaces, "nowhere")); !errors.As(err, &wait) || wait.After != namespaceTime ||
		!strings.Contains(wait.Reason, `create it ("kubectl create namespace nowhere"), or correct spec.config`) {
		t.Errorf("got %v", err)
	}
	if err := WriteError("creating", key, apierrors.NewNotFound(namespaces, "other")); !errors.As(err, &wait) || wait.After != 0 {
		t.Errorf("got %v", err)
	}
}
