package scenarios

import (
	"math/rand/v2"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// Users of generated stories. An admin sends the steps without a user.
const (
	// gitOpsUser may read and write the payload's kinds, has the verbs that admission policies check for them, and has no other rights.
	gitOpsUser = "gitops"
	// tenantUser has Kubernetes' ClusterRole edit in all namespaces. The payload has no role for tenants: they have no rights to its kinds.
	tenantUser = "tenant"
)

// permitActors returns steps that create the roles and bindings of the users.
func permitActors(kinds []*generate.Kind) (steps []story.Step, err error) {
	const group = "rbac.authorization.k8s.io"
	var rules []any
	for _, kind := range kinds {
		rules = append(rules, map[string]any{
			"apiGroups": []any{kind.Resource.Group}, "resources": []any{kind.Resource.Resource}, "verbs": []any{"get", "create", "patch", "delete"},
		})
	}
	rules = append(rules,
		map[string]any{"apiGroups": []any{"core.rukpak.io"}, "resources": []any{"provisionerclasses"}, "verbs": []any{"use", "deploy-unscoped"}},
		map[string]any{"apiGroups": []any{"core.rukpak.io"}, "resources": []any{"bundledeployments"}, "verbs": []any{"approve"}},
		map[string]any{"apiGroups": []any{""}, "resources": []any{"serviceaccounts"}, "verbs": []any{"impersonate"}},
	)
	binding := func(user, role string) map[string]any {
		return map[string]any{
			"apiVersion": group + "/v1", "kind": "ClusterRoleBinding", "metadata": map[string]any{"name": user},
			"roleRef":  map[string]any{"apiGroup": group, "kind": "ClusterRole", "name": role},
			"subjects": []any{map[string]any{"apiGroup": group, "kind": "User", "name": user}},
		}
	}
	for _, object := range []map[string]any{
		{"apiVersion": group + "/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": gitOpsUser}, "rules": rules},
		binding(gitOpsUser, gitOpsUser), binding(tenantUser, "edit"),
	} {
		step, err := newStep("create", object)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// proposeForbidden has a tenant send a request that the API server must refuse.
func proposeForbidden(random *rand.Rand) ([]story.Step, error) {
	requests := []struct {
		title, verb string
		arguments   any
	}{
		{"create a PlatformOperator", "create", map[string]any{
			"apiVersion": "platform.openshift.io/v1alpha1", "kind": "PlatformOperator", "metadata": map[string]any{"name": "notes"},
			"spec": map[string]any{"package": map[string]any{"name": "notes"}},
		}},
		{"pause an operator", "patch", map[string]any{"object": "PlatformOperator/memo", "spec": map[string]any{"paused": true}}},
		{"delete an operator", "delete", "PlatformOperator/memo"},
		{"delete a BundleDeployment", "delete", "BundleDeployment/memo"},
		{"pause a BundleDeployment", "patch", map[string]any{"object": "BundleDeployment/notes", "spec": map[string]any{"paused": true}}},
		{"permit all packages", "patch", map[string]any{
			"object": "PlatformOperatorManager/cluster", "spec": map[string]any{"allowedPackages": nil},
		}},
	}
	request := requests[random.IntN(len(requests))]
	step, err := newStep(request.verb, request.arguments)
	step.Title, step.As, step.Refused = "A tenant tries to "+request.title, tenantUser, story.MustBeRefused
	return []story.Step{step}, err
}
