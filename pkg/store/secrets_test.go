package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func TestSecretsAreDecoded(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	client := fake.NewClientset().CoreV1().Secrets("ns")
	revisions := NewRevisions(client)
	large := revisionOf(10, configMap("a", noise(1<<20)), configMap("b", noise(1<<20)))
	for _, each := range []*Revision{large, revisionOf(9, configMap("a", "x"))} {
		if err := revisions.Save(t.Context(), owner, each); err != nil {
			t.Fatal(err)
		}
	}
	if err := revisions.Save(t.Context(), Owner{Name: "memo", UID: "former"}, revisionOf(3, configMap("a", "x"))); err != nil {
		t.Fatal(err)
	}
	list, err := client.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}

	decoded, damaged := Decode(list.Items, owner)
	if len(decoded) != 2 || len(damaged) != 0 || decoded[0].Number != 9 || decoded[1].Number != 10 {
		t.Fatalf("decoded %d revisions, %v", len(decoded), damaged)
	}
	if diff := cmp.Diff(large, decoded[1]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	parts, err := Parts(large.Objects)
	if err != nil || parts < 2 || parts != decoded[1].Header.Parts {
		t.Errorf("%d parts, %v; stored in %d", parts, err, decoded[1].Header.Parts)
	}
	for _, name := range SecretNames("memo", 10, parts) {
		if _, err := client.Get(t.Context(), name, metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
	}

	for name, damage := range map[string]func(*corev1.Secret) bool{
		"Secret \"revision.memo.r10.p0\" is missing": func(secret *corev1.Secret) bool { return secret.Name != "revision.memo.r10.p0" },
		"it is not what was saved": func(secret *corev1.Secret) bool {
			if secret.Name == "revision.memo.r10.p1" {
				secret.Data[keyObject] = secret.Data[keyObject][1:]
			}
			return true
		},
	} {
		var kept []corev1.Secret
		for i := range list.Items {
			if secret := list.Items[i].DeepCopy(); damage(secret) {
				kept = append(kept, *secret)
			}
		}
		decoded, damaged := Decode(kept, owner)
		if len(decoded) != 1 || len(damaged) != 1 || !strings.Contains(damaged[0].Error(), name) || !strings.Contains(damaged[0].Error(), "revision 10") {
			t.Errorf("%s: decoded %d revisions, %v", name, len(decoded), damaged)
		}
	}
}
