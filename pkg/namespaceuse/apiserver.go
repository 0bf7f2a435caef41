package namespaceuse

import (
	"context"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/openshift/platform-operators/pkg/rulesreview"
)

const (
	// RoleName is the name of the ClusterRole that permits the manager, during a check, to list kinds that its other roles do not cover.
	RoleName = "platform-operators:namespace-check"
	// fieldManager is the field manager with which the manager applies this ClusterRole.
	fieldManager = "platform-operators"
)

var clusterRoles = rbacv1.SchemeGroupVersion.WithResource("clusterroles")

// apiServer implements cluster with the clients of a Config.
type apiServer struct{ Config }

func (a *apiServer) resources(context.Context) ([]schema.GroupVersionResource, map[string]error, error) {
	unavailable := map[string]error{}
	lists, err := discovery.ServerPreferredNamespacedResources(a.Discovery)
	groups, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, err
	}
	for version, failed := range groups {
		unavailable[version.Group] = failed
	}
	canList := discovery.SupportsAllVerbs{Verbs: []string{"list"}}
	resources, err := discovery.GroupVersionResources(discovery.FilteredBy(canList, lists))
	if err != nil {
		return nil, nil, err
	}
	var listable []schema.GroupVersionResource
	for each := range resources {
		listable = append(listable, each)
	}
	return listable, unavailable, nil
}

func (a *apiServer) list(ctx context.Context, resource schema.GroupVersionResource, namespace string, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return a.Metadata.Resource(resource).Namespace(namespace).List(ctx, options)
}

// grant applies a ClusterRole that permits the manager to list resources. Kubernetes aggregates the rules of this ClusterRole into the
// manager's role for bundles.
func (a *apiServer) grant(ctx context.Context, resources []schema.GroupVersionResource) error {
	role := &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: RoleName, Labels: map[string]string{a.RoleLabel: "true"}},
		Rules:      listRules(resources),
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(role)
	if err == nil {
		_, err = a.Dynamic.Resource(clusterRoles).Apply(ctx, RoleName, &unstructured.Unstructured{Object: content}, metav1.ApplyOptions{FieldManager: fieldManager})
	}
	if err != nil {
		return fmt.Errorf("writing ClusterRole %q, by which the manager sees whether namespaces are in use: %w", RoleName, err)
	}
	return nil
}

func (a *apiServer) permitted(ctx context.Context, resources []schema.GroupVersionResource) (bool, error) {
	rules, err := rulesreview.Ask(ctx, a.Dynamic)
	if err != nil {
		return false, fmt.Errorf("asking whether the right to list %d kinds is effective: %w", len(resources), err)
	}
	return !slices.ContainsFunc(resources, func(each schema.GroupVersionResource) bool { return !rules.Permit("list", each.GroupResource()) }), nil
}

// listRules returns, for each API group, one rule that permits listing the group's resources, in a fixed order.
func listRules(resources []schema.GroupVersionResource) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, each := range sorted(slices.Clone(resources)) {
		at := slices.IndexFunc(rules, func(rule rbacv1.PolicyRule) bool { return rule.APIGroups[0] == each.Group })
		if at < 0 {
			at = len(rules)
			rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{each.Group}, Verbs: []string{"list"}})
		}
		rules[at].Resources = append(rules[at].Resources, each.Resource)
	}
	return rules
}

// revoke deletes the ClusterRole if the manager's field manager applied it. It does nothing if the ClusterRole does not exist.
func (a *apiServer) revoke(ctx context.Context) error {
	client := a.Dynamic.Resource(clusterRoles)
	live, err := client.Get(ctx, RoleName, metav1.GetOptions{})
	if err == nil && isOurs(live) {
		err = client.Delete(ctx, RoleName, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(live.GetUID()))})
	}
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("deleting ClusterRole %q, by which the manager sees whether namespaces are in use: %w", RoleName, err)
	}
	return nil
}

func isOurs(live *unstructured.Unstructured) bool {
	return slices.ContainsFunc(live.GetManagedFields(), func(each metav1.ManagedFieldsEntry) bool {
		return each.Manager == fieldManager && each.Operation == metav1.ManagedFieldsOperationApply
	})
}
