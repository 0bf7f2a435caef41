package rbac

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

func TestARuleAllowsWhatItNames(t *testing.T) {
	resource := func(verb, group, resource, subresource, name string) authorizer.Attributes {
		return authorizer.AttributesRecord{ResourceRequest: true, Verb: verb, APIGroup: group, Resource: resource, Subresource: subresource, Name: name}
	}
	path := func(verb, path string) authorizer.Attributes {
		return authorizer.AttributesRecord{Verb: verb, Path: path}
	}
	rule := func(verbs, groups, resources []string, names ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{Verbs: verbs, APIGroups: groups, Resources: resources, ResourceNames: names}
	}
	paths := func(urls ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{Verbs: []string{"get"}, NonResourceURLs: urls}
	}
	get, core, pods, all := []string{"get"}, []string{""}, []string{"pods"}, []string{"*"}
	for name, test := range map[string]struct {
		rule    rbacv1.PolicyRule
		request authorizer.Attributes
		want    bool
	}{
		"the very thing":                           {rule(get, core, pods), resource("get", "", "pods", "", "a"), true},
		"another verb":                             {rule(get, core, pods), resource("list", "", "pods", "", ""), false},
		"another group":                            {rule(get, core, pods), resource("get", "metrics.k8s.io", "pods", "", "a"), false},
		"another resource":                         {rule(get, core, pods), resource("get", "", "nodes", "", "a"), false},
		"everything":                               {rule(all, all, all), resource("patch", "apps", "deployments", "scale", "a"), true},
		"everything is no path":                    {rule(all, all, all), path("get", "/metrics"), false},
		"a name":                                   {rule(get, core, pods, "a", "b"), resource("get", "", "pods", "", "b"), true},
		"another name":                             {rule(get, core, pods, "a", "b"), resource("get", "", "pods", "", "c"), false},
		"a list, where names are given":            {rule([]string{"list"}, core, pods, "a"), resource("list", "", "pods", "", ""), false},
		"a subresource of the resource":            {rule(get, core, pods), resource("get", "", "pods", "log", "a"), false},
		"a subresource":                            {rule(get, core, []string{"pods/log"}), resource("get", "", "pods", "log", "a"), true},
		"a subresource of every resource":          {rule(get, core, []string{"*/log"}), resource("get", "", "pods", "log", "a"), true},
		"the resource of that":                     {rule(get, core, []string{"*/log"}), resource("get", "", "pods", "", "a"), false},
		"a path":                                   {paths("/version"), path("get", "/version"), true},
		"a path below one":                         {paths("/version"), path("get", "/version/more"), false},
		"a path below one that ends with a star":   {paths("/apis/*"), path("get", "/apis/apps/v1"), true},
		"the path above one that ends with a star": {paths("/apis/*"), path("get", "/apis"), false},
	} {
		if got := Allows(test.rule, test.request); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

func TestABindingAppliesToItsSubjects(t *testing.T) {
	account := &user.DefaultInfo{Name: "system:serviceaccount:space:account", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:space"}}
	for name, test := range map[string]struct {
		subject   rbacv1.Subject
		namespace string
		want      bool
	}{
		"the account":                                  {rbacv1.Subject{Kind: "ServiceAccount", Namespace: "space", Name: "account"}, "", true},
		"one of the name elsewhere":                    {rbacv1.Subject{Kind: "ServiceAccount", Namespace: "other", Name: "account"}, "", false},
		"the account, in the binding's namespace":      {rbacv1.Subject{Kind: "ServiceAccount", Name: "account"}, "space", true},
		"without a namespace, of a ClusterRoleBinding": {rbacv1.Subject{Kind: "ServiceAccount", Name: "account"}, "", false},
		"its user":                 {rbacv1.Subject{Kind: "User", Name: "system:serviceaccount:space:account"}, "", true},
		"its group":                {rbacv1.Subject{Kind: "Group", Name: "system:serviceaccounts:space"}, "", true},
		"a user of a group's name": {rbacv1.Subject{Kind: "User", Name: "system:serviceaccounts"}, "", false},
	} {
		if got := appliesTo([]rbacv1.Subject{{Kind: "User", Name: "nobody"}, test.subject}, account, test.namespace); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}
