package registryv1

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
)

// definitionOf returns the Definition of a custom kind of which the bundle may contain objects: a CustomResourceDefinition of the bundle
// defines the kind, and the format lists the kind's name. The format lists names without groups, so OLM installs even a Secret or a Role of
// the operator's own API group, but no objects of other custom kinds. definitionOf returns false for those, and for kinds in allowedKinds.
func (b *Bundle) definitionOf(kind schema.GroupKind) (bundle.Definition, bool) {
	if _, listed := allowedKinds[kind]; listed {
		return bundle.Definition{}, false
	}
	definition, ok := b.definitions[kind]
	return definition, ok && allowedNames[kind.Kind]
}

// allowedNames holds the names of allowedKinds without their groups, as the format lists them.
var allowedNames = func() map[string]bool {
	names := map[string]bool{}
	for kind := range allowedKinds {
		names[kind.Kind] = true
	}
	return names
}()

// scopeOf returns the scope of a kind that the bundle may contain.
func (b *Bundle) scopeOf(kind schema.GroupKind) scope {
	if definition, ok := b.definitionOf(kind); ok {
		return scope(definition.Scope != bundle.ScopeCluster)
	}
	return allowedKinds[kind]
}

// renderCustomResourceRoles renders a ClusterRole for each custom kind of which the bundle contains objects. It permits the manager to
// write these objects, because the manager's own roles cannot list their kinds. There is one ClusterRole for each kind, so that an upgrade
// to a version without the kind prunes the objects before their ClusterRole.
func renderCustomResourceRoles(r *rendering) ([]unstructured.Unstructured, error) {
	kinds := map[schema.GroupKind]bool{}
	var roles []unstructured.Unstructured
	for _, o := range r.objects {
		kind := groupKind(o)
		definition, ok := r.definitionOf(kind)
		if !ok || kinds[kind] {
			continue
		}
		kinds[kind] = true
		name := customResourceRoleName(r.meta.Package, r.opts.InstallNamespace, kind.Group, definition.Plural)
		role := newRole("ClusterRole", "", name, ruleList([]rbacv1.PolicyRule{{
			APIGroups: []string{kind.Group}, Resources: []string{definition.Plural}, Verbs: bundle.Verbs,
		}}))
		role.SetLabels(map[string]string{corev1alpha2.LabelAggregateToBundles: "true"})
		roles = append(roles, role)
	}
	return roles, nil
}
