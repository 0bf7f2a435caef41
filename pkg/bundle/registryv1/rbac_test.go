package registryv1_test

import (
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// grants returns the permissions that bindings grant to each account, such as "account namespace: verbs resources". It fails the test for a
// binding whose role or account does not exist.
func grants(t *testing.T, objects []unstructured.Unstructured) []string {
	t.Helper()
	rules := map[string][]rbacv1.PolicyRule{}
	accounts := map[string]bool{"install-ns/default": true}
	for _, o := range objects {
		switch o.GetKind() {
		case "Role", "ClusterRole":
			var role rbacv1.ClusterRole
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &role); err != nil {
				t.Fatal(err)
			}
			rules[o.GetKind()+o.GetNamespace()+"/"+o.GetName()] = role.Rules
		case "ServiceAccount":
			accounts[o.GetNamespace()+"/"+o.GetName()] = true
		}
	}
	var lines []string
	for _, o := range objects {
		if !strings.HasSuffix(o.GetKind(), "RoleBinding") {
			continue
		}
		var binding rbacv1.RoleBinding
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &binding); err != nil {
			t.Fatal(err)
		}
		granted, ok := rules[binding.RoleRef.Kind+o.GetNamespace()+"/"+binding.RoleRef.Name]
		if !ok || binding.RoleRef.APIGroup != rbacv1.GroupName {
			t.Errorf("%s %q binds %v, which is not rendered", o.GetKind(), o.GetName(), binding.RoleRef)
		}
		for _, s := range binding.Subjects {
			if !accounts[s.Namespace+"/"+s.Name] {
				t.Errorf("%s %q: account %s/%s is not rendered", o.GetKind(), o.GetName(), s.Namespace, s.Name)
			}
			for _, r := range granted {
				where := o.GetNamespace()
				if where == "" {
					where = "everywhere"
				}
				lines = append(lines, fmt.Sprintf("%s %s: %s %s", s.Name, where, strings.Join(r.Verbs, ","), strings.Join(append(r.Resources, r.NonResourceURLs...), ",")))
			}
		}
	}
	return lines
}

// Promise ENG-F4: A registry+v1 bundle gets its permissions cluster-wide for AllNamespaces, with the right to list namespaces, else in
// the watched and install namespaces. Role names have at most 63 characters and stay the same across versions.
func TestENG_F4_Permissions(t *testing.T) {
	t.Run("are promoted for all namespaces, with the right to list those", func(t *testing.T) {
		got := grants(t, render(t, load(t, sample(inModes("AllNamespaces")))))
		want := []string{
			"default everywhere: get secrets", "default everywhere: get,list,watch namespaces",
			"sample everywhere: get pods", "sample everywhere: get,list,watch namespaces", "sample everywhere: get nodes",
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("are for the watched namespaces and the own one, without that right", func(t *testing.T) {
		objects := renderWith(t, load(t, sample(inModes("MultiNamespace"))), bundle.Options{Config: watching("two,one")})
		want := []string{
			"sample everywhere: get nodes",
			"default install-ns: get secrets", "sample install-ns: get pods",
			"default one: get secrets", "sample one: get pods",
			"default two: get secrets", "sample two: get pods",
		}
		if diff := gocmp.Diff(want, grants(t, objects)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("are in the own namespace once when it is watched", func(t *testing.T) {
		want := []string{"sample everywhere: get nodes", "default install-ns: get secrets", "sample install-ns: get pods"}
		if diff := gocmp.Diff(want, grants(t, render(t, load(t, sample(inModes("OwnNamespace")))))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("never make the default account", func(t *testing.T) {
		for _, mode := range []string{"AllNamespaces", "OwnNamespace"} {
			for _, o := range render(t, load(t, sample(inModes(mode)))) {
				if o.GetKind() == "ServiceAccount" && o.GetName() == "default" {
					t.Errorf("for %s it is made", mode)
				}
			}
		}
	})
	t.Run("keep their names across versions, and those fit", testRoleNames)
}

// testRoleNames checks that role names do not change: an upgrade would delete and recreate a renamed role, and the running version would
// lose its permissions in between.
func testRoleNames(t *testing.T) {
	names := func(version, account, mode string) []string {
		text := strings.NewReplacer("1.2.3", version, "serviceAccountName: sample", "serviceAccountName: "+account).Replace(inModes(mode)["manifests/csv.yaml"])
		var names []string
		for _, o := range render(t, load(t, sample(map[string]string{"manifests/csv.yaml": text}))) {
			if strings.Contains(o.GetKind(), "Role") {
				names = append(names, o.GetKind()+" "+o.GetName())
				if len(o.GetName()) > 63 {
					t.Errorf("%s %q has %d characters", o.GetKind(), o.GetName(), len(o.GetName()))
				}
			}
		}
		return names
	}
	long := strings.Repeat("long-", 40) + "name"
	for _, mode := range []string{"AllNamespaces", "OwnNamespace"} {
		for _, account := range []string{"sample", long} {
			old, next := names("1.2.3", account, mode), names("1.3.0", account, mode)
			if diff := gocmp.Diff(old, next); diff != "" || len(old) < 4 {
				t.Errorf("account %q: roles are renamed by an upgrade (-old +next):\n%s", account, diff)
			}
		}
		one, two := names("1.2.3", long+"1", mode), names("1.2.3", long+"2", mode)
		if gocmp.Equal(one, two) {
			t.Errorf("two accounts that differ behind the cut share %v", one)
		}
	}
}
