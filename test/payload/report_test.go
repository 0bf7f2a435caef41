package payload

import (
	"regexp"
	"slices"

	configv1 "github.com/openshift/api/config/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
)

var reportRules = []rule{
	{"the ClusterOperator lists the objects for must-gather", clusterOperator},
}

var lowerCasePlural = regexp.MustCompile(`^[a-z]+s$`)

func clusterOperator(p *payload) []string {
	return allTyped(p, "ClusterOperator", func(o object, co configv1.ClusterOperator) (violations []string) {
		expect(&violations, co.Name == "platform-operators-aggregated", "%s: has another name", o)
		spec, found := o.Obj.Object["spec"].(map[string]any)
		expect(&violations, found && len(spec) == 0, "%s: spec must be present and empty", o)
		expect(&violations, len(co.Status.Conditions) == 0, "%s: only the manager writes conditions", o)
		for _, reference := range co.Status.RelatedObjects {
			expect(&violations, lowerCasePlural.MatchString(reference.Resource), "%s: related object %v has a resource that is no lower-case plural", o, reference)
		}
		for _, want := range []configv1.ObjectReference{
			{Resource: "namespaces", Name: namespace},
			{Group: operatorv1alpha1.GroupName, Resource: "platformoperatormanagers", Name: operatorv1alpha1.PlatformOperatorManagerName},
			{Group: "platform.openshift.io", Resource: "platformoperators"},
			{Group: "core.rukpak.io", Resource: "bundledeployments"},
		} {
			expect(&violations, slices.Contains(co.Status.RelatedObjects, want), "%s: %v is not among the related objects", o, want)
		}
		return violations
	})
}
