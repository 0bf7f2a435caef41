package permissions

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/bundle"
)

// The verbs that the engine uses on every resource whose objects it applies. The manager lists and watches the whole cluster. The identity
// that applies the objects uses the other verbs, in a namespace if the resource is namespaced.
var (
	clusterVerbs = []string{"list", "watch"}
	objectVerbs  = []string{"create", "delete", "get", "patch", "update"}
	allVerbs     = bundle.Verbs
)

// impersonate is the verb that the manager needs on the ServiceAccounts as which it writes.
const impersonate = "impersonate"

var serviceAccounts = schema.GroupResource{Resource: "serviceaccounts"}

// scope is a resource in a namespace, or in the whole cluster if namespace is empty.
type scope struct {
	schema.GroupResource
	namespace string
}

// includes reports whether the permissions on a resource are checked even if ClusterRoles of the set itself grant them.
func (o Options) includes(resource schema.GroupResource) bool {
	return o.Applied || slices.ContainsFunc(o.Reported, func(each corev1alpha2.MissingPermission) bool {
		return each.Group == resource.Group && each.Resource == resource.Resource
	})
}

// needs returns the verbs that are needed to apply a set, keyed by scope. It omits kinds that are neither served nor defined by the set,
// because their objects wait. It also omits kinds for which ClusterRoles of the set itself grant the permissions, unless the options
// include them.
func (c *Checker) needs(ctx context.Context, set *object.Set, options Options) map[scope][]string {
	defined := map[schema.GroupKind]*bundle.Definition{}
	for _, phase := range set.Phases() {
		for _, each := range phase.Objects {
			if each.Defines != nil {
				defined[each.Defines.Kind] = each.Defines
			}
		}
	}
	granted := set.SelfGranted()
	needs := map[scope][]string{}
	for _, phase := range set.Phases() {
		for _, each := range phase.Objects {
			if set.IsScoped() && each.IsInstallNamespace {
				continue // it exists, because the ServiceAccount is in it
			}
			resource := schema.GroupResource{Group: each.GVK.Group}
			if d := defined[each.GVK.GroupKind()]; d != nil {
				resource.Resource = d.Plural
				if len(granted[each.GVK.GroupKind()]) > 0 && !options.includes(resource) {
					if set.IsScoped() { // the ClusterRoles grant the permissions to the manager, not to the ServiceAccount
						needs[scope{resource, each.Key.Namespace}] = objectVerbs
					}
					continue
				}
			} else if found, err := c.mapper.Mapping(ctx, set.Owner().Name, each.GVK); err == nil {
				resource.Resource = found.Resource.Resource
			} else {
				continue // the object waits, or applying it fails with the same error
			}
			if each.Key.Namespace == "" {
				needs[scope{resource, ""}] = allVerbs
				continue
			}
			needs[scope{resource, each.Key.Namespace}] = objectVerbs
			if needs[scope{resource, ""}] == nil {
				needs[scope{resource, ""}] = clusterVerbs
			}
		}
	}
	return needs
}
