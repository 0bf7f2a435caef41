package payload

import (
	"regexp"
	"slices"

	configv1 "github.com/openshift/api/config/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
)

var reportRules = []rule{
	{"the ClusterOperator names what to look at, so that must-gather works even if the manager never starts", clusterOperator},
}

var lowerCasePlural = regexp.MustCompile(`^[a-z]+s$`)

func clusterOperator(p *payload) []string {
	return allTyped(p, "ClusterOperator", func(o object, co configv1.ClusterOperator) (faults []string) {
		expect(&faults, co.Name == "platform-operators-aggregated", "%s: has another name", o)
		spec, found := o.Obj.Object["spec"].(map[string]any)
		expect(&faults, found && len(spec) == 0, "%s: spec must be there and empty", o)
		expect(&faults, len(co.Status.Conditions) == 0, "%s: conditions are the manager's to write", o)
		for _, reference := range co.Status.RelatedObjects {
			expect(&faults, lowerCasePlural.MatchString(reference.Resource), "%s: related object %v is not of a lower-case plural resource", o, reference)
		}
		for _, want := range []configv1.ObjectReference{
			{Resource: "namespaces", Name: namespace},
			{Group: operatorv1alpha1.GroupName, Resource: "platformoperatormanagers", Name: operatorv1alpha1.PlatformOperatorManagerName},
			{Group: "platform.openshift.io", Resource: "platformoperators"},
			{Group: "core.rukpak.io", Resource: "bundledeployments"},
		} {
			expect(&faults, slices.Contains(co.Status.RelatedObjects, want), "%s: %v is not among the related objects", o, want)
		}
		return faults
	})
}
