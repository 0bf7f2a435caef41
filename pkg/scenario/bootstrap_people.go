package scenario

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Verbs of the user-facing roles, separated by spaces.
const (
	readVerbs  = "get list watch"
	writeVerbs = "create delete deletecollection patch update"
)

// userFacingRoles returns kube-apiserver's ClusterRoles admin, edit and view, and the ClusterRoles that they aggregate. To grant access to
// its own kinds, an operator creates ClusterRoles with the aggregation labels.
func userFacingRoles() []rbacv1.ClusterRole {
	const prefix = "rbac.authorization.k8s.io/aggregate-to-"
	aggregated := func(name, into string) rbacv1.ClusterRole {
		role := rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, AggregationRule: &rbacv1.AggregationRule{
			ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: map[string]string{prefix + name: "true"}}},
		}}
		if into != "" {
			role.Labels = map[string]string{prefix + into: "true"}
		}
		return role
	}
	part := func(of string, rules []rbacv1.PolicyRule) rbacv1.ClusterRole {
		return rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "system:aggregate-to-" + of, Labels: map[string]string{prefix + of: "true"}}, Rules: rules}
	}
	return []rbacv1.ClusterRole{
		aggregated("admin", ""), aggregated("edit", "admin"), aggregated("view", "edit"),
		part("admin", adminRules()), part("edit", editRules()), part("view", viewRules()),
	}
}

// rule returns a PolicyRule with sorted lists. Each argument is a list separated by spaces. The group "core" stands for the core API group,
// "".
func rule(verbs, groups, resources string) rbacv1.PolicyRule {
	sorted := func(text string) []string { return slices.Sorted(slices.Values(strings.Fields(text))) }
	rule := rbacv1.PolicyRule{Verbs: sorted(verbs), APIGroups: sorted(groups), Resources: sorted(resources)}
	if i := slices.Index(rule.APIGroups, "core"); i >= 0 {
		rule.APIGroups[i] = ""
		slices.Sort(rule.APIGroups)
	}
	return rule
}

func adminRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("create", "authorization.k8s.io", "localsubjectaccessreviews"),
		rule(readVerbs+" "+writeVerbs, "rbac.authorization.k8s.io", "roles rolebindings"),
	}
}

func editRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule(readVerbs, "core", "pods/attach pods/proxy pods/exec pods/portforward secrets services/proxy"),
		rule("impersonate", "core", "serviceaccounts"),
		rule(writeVerbs, "core", "pods pods/attach pods/proxy pods/exec pods/portforward"),
		rule("create", "core", "pods/eviction"),
		rule(writeVerbs, "core", "replicationcontrollers replicationcontrollers/scale serviceaccounts services services/proxy persistentvolumeclaims configmaps secrets"),
		rule("create", "core", "serviceaccounts/token"),
		rule(writeVerbs, "core events.k8s.io", "events"),
		rule(writeVerbs, "apps", "statefulsets statefulsets/scale daemonsets deployments deployments/scale deployments/rollback replicasets replicasets/scale"),
		rule(writeVerbs, "autoscaling", "horizontalpodautoscalers"),
		rule(writeVerbs, "batch", "jobs cronjobs"),
		rule(writeVerbs, "extensions", `daemonsets deployments deployments/scale deployments/rollback ingresses replicasets replicasets/scale
			replicationcontrollers/scale networkpolicies`),
		rule(writeVerbs, "policy", "poddisruptionbudgets"),
		rule(writeVerbs, "networking.k8s.io", "networkpolicies ingresses"),
		rule(readVerbs+" "+writeVerbs, "coordination.k8s.io", "leases"),
		rule(writeVerbs, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
	}
}

func viewRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule(readVerbs, "core", `pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status endpoints
			persistentvolumeclaims persistentvolumeclaims/status configmaps`),
		rule(readVerbs, "core", `limitranges resourcequotas bindings pods/status resourcequotas/status namespaces/status
			replicationcontrollers/status pods/log`),
		rule(readVerbs, "core", "namespaces"),
		rule(readVerbs, "core events.k8s.io", "events"),
		rule(readVerbs, "discovery.k8s.io", "endpointslices"),
		rule(readVerbs, "apps", `controllerrevisions statefulsets statefulsets/status statefulsets/scale daemonsets daemonsets/status deployments
			deployments/status deployments/scale replicasets replicasets/status replicasets/scale`),
		rule(readVerbs, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
		rule(readVerbs, "batch", "jobs cronjobs cronjobs/status jobs/status"),
		rule(readVerbs, "extensions", `daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status
			replicasets replicasets/scale replicasets/status replicationcontrollers/scale networkpolicies`),
		rule(readVerbs, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
		rule(readVerbs, "networking.k8s.io", "networkpolicies ingresses ingresses/status"),
		rule(readVerbs, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
	}
}
