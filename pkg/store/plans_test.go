package store

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/plan"
)

// planOf returns a plan that creates a Secret with this value, and ConfigMaps with contents of these lengths.
func planOf(value string, lengths ...int) *plan.Plan {
	declare := func(kind, name, content string) plan.Object {
		return plan.Object{
			GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: kind}, Namespace: "memo", Name: name, Digest: sha256.Sum256([]byte(content)),
			Content: func() map[string]any {
				return map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name}, "data": map[string]any{"value": content}}
			},
		}
	}
	objects := []plan.Object{declare("Secret", "token", value)}
	for i, length := range lengths {
		objects = append(objects, declare("ConfigMap", fmt.Sprintf("c%d", i), strings.Repeat("x", length)))
	}
	return plan.New(plan.Input{Objects: objects, Terms: plan.Terms{InstallNamespace: "memo"}})
}

func deploymentNamed(name string) *corev1alpha2.BundleDeployment {
	return &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid-" + "1"}}
}

func TestPlansSave(t *testing.T) {
	client := fake.NewClientset()
	plans := NewPlans(client.CoreV1(), "system", bytes.NewReader(make([]byte, planKeyBytes)))
	names, err := plans.Save(t.Context(), deploymentNamed("memo"), planOf("c2VjcmV0"))
	if err != nil || !slices.Equal(names, []string{"plan-memo-1"}) {
		t.Fatalf("names %v, error %v", names, err)
	}
	stored, err := client.CoreV1().ConfigMaps("system").Get(t.Context(), "plan-memo-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text := stored.Data["plan"]
	if strings.Contains(text, "c2VjcmV0") || !strings.Contains(text, `"value":"hmac-sha256:`) || stored.OwnerReferences[0].UID != "uid-1" {
		t.Errorf("owners %v, text:\n%s", stored.OwnerReferences, text)
	}

	client.ClearActions()
	again := NewPlans(client.CoreV1(), "system", nil) // the next process, which reads the key
	if _, err := again.Save(t.Context(), deploymentNamed("memo"), planOf("c2VjcmV0")); err != nil {
		t.Fatal(err)
	}
	for _, each := range client.Actions() {
		if verb := each.GetVerb(); verb != "get" && verb != "list" {
			t.Errorf("the same plan again: %s %s", verb, each.GetResource().Resource)
		}
	}
	if _, err := again.Save(t.Context(), deploymentNamed("memo"), planOf("b3RoZXI=")); err != nil {
		t.Fatal(err)
	}
	if changed, err := client.CoreV1().ConfigMaps("system").Get(t.Context(), "plan-memo-1", metav1.GetOptions{}); err != nil || changed.Data["plan"] == text {
		t.Errorf("another value of the Secret does not change the text: %v", err)
	}
}

func TestPlansSaveSeveralParts(t *testing.T) {
	client := fake.NewClientset()
	plans := NewPlans(client.CoreV1(), "system", bytes.NewReader(make([]byte, planKeyBytes)))
	lengths := slices.Repeat([]int{50_000}, 40)
	names, err := plans.Save(t.Context(), deploymentNamed("memo"), planOf("a", lengths...))
	if err != nil || !slices.Equal(names, []string{"plan-memo-1", "plan-memo-2", "plan-memo-3"}) {
		t.Fatalf("names %v, error %v", names, err)
	}
	if _, err = plans.Save(t.Context(), deploymentNamed("another"), planOf("a")); err != nil {
		t.Fatal(err)
	}
	if names, err = plans.Save(t.Context(), deploymentNamed("memo"), planOf("a", 50_000)); err != nil || len(names) != 1 {
		t.Fatalf("names %v, error %v", names, err)
	}
	left, err := client.CoreV1().ConfigMaps("system").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(left.Items) != 2 {
		t.Errorf("%d ConfigMaps are left, want one of each BundleDeployment: %v", len(left.Items), err)
	}
}

// TestPlanPartsAreBounded checks that a plan of any size fits into the ConfigMaps, and that the text says what is omitted.
func TestPlanPartsAreBounded(t *testing.T) {
	conceal := func(string) string { return "-" }
	for name, c := range map[string]struct {
		objects, length int
		want            string
	}{
		"everything fits":               {10, 200, `{"apiVersion":"v1"`},
		"the contents do not fit":       {100, 900, "(content sha256:"},
		"not even the names of all fit": {2000, 900, "more lines, which 15 ConfigMaps cannot hold\n"},
	} {
		t.Run(name, func(t *testing.T) {
			parts := planParts(planOf("a", slices.Repeat([]int{c.length}, c.objects)...), conceal, 4000, maxPlanParts)
			for i, part := range parts {
				if limit := 4000 + 100; len(part) > limit || !strings.HasSuffix(part, "\n") {
					t.Errorf("part %d has %d bytes", i+1, len(part))
				}
			}
			if last := parts[len(parts)-1]; len(parts) > maxPlanParts || !strings.Contains(last, c.want) {
				t.Errorf("%d parts, the last is:\n%s", len(parts), last)
			}
		})
	}
}

func TestPlansWithoutAKey(t *testing.T) {
	client := fake.NewClientset()
	names, err := NewPlans(client.CoreV1(), "system", nil).Save(t.Context(), deploymentNamed("memo"), planOf("c2VjcmV0"))
	if err != nil || len(names) != 1 {
		t.Fatalf("names %v, error %v", names, err)
	}
	stored, err := client.CoreV1().ConfigMaps("system").Get(t.Context(), "plan-memo-1", metav1.GetOptions{})
	if err != nil || !strings.Contains(stored.Data["plan"], `"value":"(not shown)"`) {
		t.Errorf("error %v, text:\n%s", err, stored.Data["plan"])
	}
}

func TestENG_P7_RolesAreStoredBesideThePlan(t *testing.T) {
	client := fake.NewClientset()
	plans, of := NewPlans(client.CoreV1(), "system", bytes.NewReader(make([]byte, planKeyBytes))), deploymentNamed("memo")
	stored := func() map[string]string {
		t.Helper()
		found, err := client.CoreV1().ConfigMaps("system").List(t.Context(), metav1.ListOptions{LabelSelector: "platform.openshift.io/plan-of=memo"})
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for _, each := range found.Items {
			texts[each.Name] = each.Data["digest"] + " " + each.Data["permissions.yaml"]
		}
		return texts
	}
	plan := planOf("a")
	for _, roles := range []string{"first", "second"} {
		if err := plans.SaveRoles(t.Context(), of, plan.Digest, roles); err != nil {
			t.Fatal(err)
		}
		if _, err := plans.Save(t.Context(), of, plan); err != nil {
			t.Fatal(err)
		}
		if got := stored(); len(got) != 2 || got[RolesName("memo")] != plan.Digest+" "+roles {
			t.Errorf("got %v", got)
		}
	}
	for range 2 {
		if err := plans.SaveRoles(t.Context(), of, plan.Digest, ""); err != nil {
			t.Fatal(err)
		}
		if got := stored(); len(got) != 1 {
			t.Errorf("got %v after nothing is missing", got)
		}
	}
	if err := plans.SaveRoles(t.Context(), of, plan.Digest, strings.Repeat("x", partBytes+1)); err == nil || !strings.Contains(err.Error(), "grant those in status.plan.permissionsMissing first") {
		t.Errorf("error %v", err)
	}
}
