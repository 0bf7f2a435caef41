package scenarios

import (
	"math/rand/v2"
	"strings"

	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// The resources that the manager writes after a step.
const (
	writesPlatformOperators   = "platformoperators.platform.openshift.io"
	writesBundleDeployments   = "bundledeployments.core.rukpak.io"
	writesCustomResourceKinds = "customresourcedefinitions.apiextensions.k8s.io"
)

// installedResources are the resources that the manager writes when it installs package memo or notes.
var installedResources = []string{
	writesBundleDeployments, "deployments.apps", "services", "secrets", "namespaces", "serviceaccounts", writesCustomResourceKinds,
	"clusterroles.rbac.authorization.k8s.io",
}

// writtenAfter returns the resources that the manager writes after a step, or nil if the step causes no writes. A step can cause fewer
// writes, for example if its object does not exist.
func writtenAfter(step story.Step) []string {
	switch step.Verb {
	case "create":
		var object struct {
			Kind string `json:"kind"`
		}
		if step.Arguments.Into(&object) != nil {
			return nil
		}
		return writtenAfterCreation(object.Kind)
	case "apply":
		var arguments struct {
			Object struct {
				Kind string `json:"kind"`
			} `json:"object"`
		}
		if step.Arguments.Into(&arguments) != nil {
			return nil
		}
		return writtenAfterCreation(arguments.Object.Kind)
	case "patch", "delete":
		return writtenAfterChange(changedObject(step))
	case "publish":
		return []string{writesPlatformOperators, writesBundleDeployments}
	}
	return nil
}

// changedObject returns the object that a step patches or deletes, as the step names it.
func changedObject(step story.Step) string {
	var name string
	if step.Verb == "delete" {
		_ = step.Arguments.Into(&name)
		return name
	}
	arguments := map[string]any{}
	if step.Arguments.Into(&arguments) == nil {
		name, _ = arguments["object"].(string)
	}
	return name
}

func writtenAfterCreation(kind string) []string {
	switch kind {
	case "PlatformOperator":
		return append([]string{writesPlatformOperators}, installedResources...)
	case "BundleDeployment":
		return installedResources
	}
	return writtenAfterChange(kind)
}

// writtenAfterChange returns the resources that the manager writes after a change of an object. object is a name such as Service/memo/memo.
func writtenAfterChange(object string) []string {
	kind, _, _ := strings.Cut(object, "/")
	kind, _, _ = strings.Cut(kind, ".")
	switch kind {
	case "PlatformOperator":
		return []string{writesPlatformOperators, writesBundleDeployments}
	case "BundleDeployment":
		return []string{writesBundleDeployments}
	case "Bundle":
		return []string{"bundles.core.rukpak.io"}
	case "Deployment":
		return []string{"deployments.apps", writesBundleDeployments}
	case "Service":
		return []string{"services", writesBundleDeployments}
	}
	return nil
}

// proposeFault makes some requests fail that the manager sends after a step.
func proposeFault(random *rand.Rand, next story.Step) ([]story.Step, error) {
	resources := writtenAfter(next)
	if len(resources) == 0 || next.Refused == story.MustBeRefused {
		return nil, nil
	}
	effects := []map[string]any{{"code": 500}, {"code": 409}, {"code": 429}, {"lose": true}, {"loseResponse": true}, {"delay": "1m"}}
	fault := map[string]any{
		"user": managerUser, "writes": true, "resource": resources[random.IntN(len(resources))], "times": 1 + random.IntN(2),
	}
	for name, value := range effects[random.IntN(len(effects))] {
		fault[name] = value
	}
	return oneStep("fail", fault)
}
