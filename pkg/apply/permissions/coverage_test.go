package permissions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/rulesreview"
)

// account is an identity with rules in namespace memo and in the whole cluster. It may do what extra lists, such as "escalate clusterroles".
type account struct {
	rules []rbacv1.PolicyRule
	extra []string
}

func (a account) identity() identity.Identity {
	client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())
	client.PrependReactor("create", rulesreview.Resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		var rules []any
		for _, each := range a.rules {
			rules = append(rules, map[string]any{"verbs": anyOf(each.Verbs), "apiGroups": anyOf(each.APIGroups), "resources": anyOf(each.Resources), "resourceNames": anyOf(each.ResourceNames)})
		}
		return true, &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"resourceRules": rules}}}, nil
	})
	client.PrependReactor("create", accessReviews.Resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		create, _ := action.(clienttesting.CreateAction)
		review, _ := create.GetObject().(*unstructured.Unstructured)
		attributes, _, err := unstructured.NestedStringMap(review.Object, "spec", "resourceAttributes")
		allowed := slices.Contains(a.extra, attributes["verb"]+" "+attributes["resource"]) || slices.Contains(a.extra, attributes["verb"]+" "+attributes["resource"]+" "+attributes["name"])
		return true, &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"allowed": allowed}}}, err
	})
	return identity.Identity{Name: "system:serviceaccount:memo:deployer", Dynamic: client}
}

func anyOf(list []string) []any {
	result := []any{}
	for _, each := range list {
		result = append(result, each)
	}
	return result
}

// Roles and bindings as YAML.
const (
	podReader   = `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: pods, namespace: memo}, rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]}`
	bindsReader = `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: pods, namespace: memo}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: pods}}`
	bindsView   = `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: view, namespace: memo}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}}`
	bindsNobody = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: none}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: none}}`
	aggregated  = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: all}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}}`
	urls        = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: urls}, rules: [{nonResourceURLs: [/metrics], verbs: [get]}]}`
	oneSecret   = `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: secret, namespace: memo}, rules: [{apiGroups: [""], resources: [secrets], resourceNames: [a, b], verbs: [get]}]}`
)

var getPods = rbacv1.PolicyRule{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}

func TestENG_P7_WhatRolesAndBindingsGrant(t *testing.T) {
	for name, c := range map[string]struct {
		account account
		objects []string
		// want are the missing permissions, each as "verbs resource names urls namespace".
		want []string
	}{
		"a role that is covered":                           {account{rules: []rbacv1.PolicyRule{{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}}}}, []string{podReader, bindsReader}, nil},
		"a role that is not covered, and its binding":      {account{}, []string{podReader, bindsReader}, []string{"get,list pods memo"}},
		"a role that is partly covered":                    {account{rules: []rbacv1.PolicyRule{getPods}}, []string{podReader}, []string{"list pods memo"}},
		"who may escalate":                                 {account{extra: []string{"escalate roles"}}, []string{podReader}, nil},
		"who may escalate, and not bind":                   {account{extra: []string{"escalate roles"}}, []string{podReader, bindsReader}, []string{"bind roles pods memo"}},
		"who may escalate this role, and bind it":          {account{extra: []string{"escalate roles pods", "bind roles pods"}}, []string{podReader, bindsReader}, nil},
		"a binding of a live role that is covered":         {account{rules: []rbacv1.PolicyRule{getPods}}, []string{bindsView}, nil},
		"a binding of a live role that is not covered":     {account{}, []string{bindsView}, []string{"bind clusterroles view memo"}},
		"a binding of a live role, and the right to do so": {account{extra: []string{"bind clusterroles view"}}, []string{bindsView}, nil},
		"a binding of no role":                             {account{rules: []rbacv1.PolicyRule{getPods}}, []string{bindsNobody}, []string{"bind clusterroles none"}},
		"a role into which others are aggregated":          {account{rules: []rbacv1.PolicyRule{getPods}}, []string{aggregated}, []string{"* *", "* *"}},
		"a URL":                       {account{}, []string{urls}, []string{"get /metrics"}},
		"single objects":              {account{}, []string{oneSecret}, []string{"get secrets a memo", "get secrets b memo"}},
		"a role with malformed rules": {account{}, []string{`{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: a, namespace: memo}, rules: all}`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			view := &unstructured.Unstructured{}
			parse(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: view}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`, view)
			checker := newMemo(t, &judge{may: func(string, string, string) bool { return true }}).checker
			checker.manager.Dynamic = dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), view)
			found, err := checker.missingGrants(t.Context(), c.account.identity(), setOf(t, c.objects...))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, each := range found.permissions("deployer") {
				got = append(got, strings.Join(slices.DeleteFunc([]string{strings.Join(each.Verbs, ","), each.Resource, strings.Join(each.ResourceNames, ","),
					strings.Join(each.NonResourceURLs, ","), each.Namespace}, func(text string) bool { return text == "" }), " "))
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRulesWithTooManyCombinationsAreRefused checks that a role with a thousand verbs, resources and names does not take minutes to compare.
func TestRulesWithTooManyCombinationsAreRefused(t *testing.T) {
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprint("x", i))
	}
	list, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	role := fmt.Sprintf(`{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: many, namespace: memo}, rules: [{apiGroups: [""], resources: %[1]s, resourceNames: %[1]s, verbs: %[1]s}]}`, list)
	checker := newMemo(t, &judge{may: func(string, string, string) bool { return true }}).checker
	_, err = checker.missingGrants(t.Context(), account{}.identity(), setOf(t, role))
	if !object.IsRefusal(err) || !strings.Contains(err.Error(), "more than 100000 combinations") {
		t.Errorf("error %v", err)
	}
}

func TestENG_P7_VerbsOfOnePermissionAreBounded(t *testing.T) {
	missing := missingRules{}
	for i := range 40 {
		missing.add("memo", rbacv1.PolicyRule{Verbs: []string{fmt.Sprintf("verb%02d", i)}, APIGroups: []string{""}, Resources: []string{"pods"}})
	}
	var counts []int
	for _, each := range missing.permissions("deployer") {
		counts = append(counts, len(each.Verbs))
	}
	if !slices.Equal(counts, []int{16, 16, 8}) {
		t.Errorf("verbs in the entries: %v", counts)
	}
}

func TestNotPermittedNamesTheServiceAccount(t *testing.T) {
	err := NotPermitted("memo", "memo-ns", []corev1alpha2.MissingPermission{
		{Verbs: []string{"bind"}, Group: rbacv1.GroupName, Resource: "clusterroles", ResourceNames: []string{"view"}, Namespace: "memo-ns", ServiceAccountName: "deployer"},
	})
	want := `ServiceAccount memo-ns/deployer has no permission for clusterroles.rbac.authorization.k8s.io view in namespace "memo-ns" (bind); grant it the permissions`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func parse(t *testing.T, text string, into *unstructured.Unstructured) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &into.Object); err != nil {
		t.Fatal(err)
	}
}

func setOf(t *testing.T, texts ...string) *object.Set {
	t.Helper()
	objects := make([]unstructured.Unstructured, len(texts))
	for i, text := range texts {
		parse(t, text, &objects[i])
	}
	set, err := object.NewScopedSet(object.Owner{Name: "memo"}, "memo", plan.Phases(objects))
	if err != nil {
		t.Fatal(err)
	}
	return set
}
