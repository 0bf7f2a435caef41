package payload

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
)

const (
	policyKind, bindingKind = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"

	crdDeletionPolicy = "platform-operators-crd-deletion"
)

var admissionRules = []rule{
	{"admission policies are in force, fail closed, and except whoever cleans up", admissionPolicies},
	{"HRD-U6 a policy is about the deletion of exactly our CRDs", crdDeletion},
}

// exceptions are the conditions by which a policy about deletions leaves alone whoever cannot annotate an object first.
var exceptions = []string{
	"!has(oldObject.metadata.deletionTimestamp)",
	"request.userInfo.username != 'system:serviceaccount:kube-system:generic-garbage-collector'",
	"!('system:serviceaccounts:openshift-cluster-version' in request.userInfo.groups)",
}

func admissionPolicies(p *payload) []string {
	bound := map[string][]admissionv1.ValidationAction{}
	faults := allTyped(p, bindingKind, func(_ object, b admissionv1.ValidatingAdmissionPolicyBinding) []string {
		bound[b.Spec.PolicyName] = append(bound[b.Spec.PolicyName], b.Spec.ValidationActions...)
		return nil
	})
	return append(faults, allTyped(p, policyKind, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (faults []string) {
		expect(&faults, slices.Equal(bound[policy.Name], []admissionv1.ValidationAction{admissionv1.Deny}), "%s: bindings have it %v, want one that has it Deny", o, bound[policy.Name])
		expect(&faults, policy.Spec.FailurePolicy != nil && *policy.Spec.FailurePolicy == admissionv1.Fail, "%s: does not fail closed", o)
		for _, exception := range exceptions {
			excepted := slices.ContainsFunc(policy.Spec.MatchConditions, func(c admissionv1.MatchCondition) bool { return c.Expression == exception })
			expect(&faults, excepted, "%s: has no condition %s", o, exception)
		}
		for _, validation := range policy.Spec.Validations {
			expect(&faults, validation.Reason != nil && validation.MessageExpression != "", "%s: a validation has no reason or no message", o)
		}
		return faults
	})...)
}

// crdDeletion: a policy that forgot a CRD would let its objects be deleted by a slip of the hand.
func crdDeletion(p *payload) (faults []string) {
	at := slices.IndexFunc(p.objects, func(o object) bool { return o.GVK.Kind == policyKind && o.Obj.GetName() == crdDeletionPolicy })
	if at < 0 {
		return []string{"there is no policy " + crdDeletionPolicy}
	}
	policy, err := typed[admissionv1.ValidatingAdmissionPolicy](p.objects[at])
	if err != nil {
		return []string{err.Error()}
	}
	var quoted []string
	for _, crd := range p.ofKind("CustomResourceDefinition") {
		quoted = append(quoted, fmt.Sprintf("'%s'", crd.Obj.GetName()))
	}
	slices.Sort(quoted)
	want := "oldObject.metadata.name in [ " + strings.Join(quoted, ", ") + "]"
	named := slices.ContainsFunc(policy.Spec.MatchConditions, func(c admissionv1.MatchCondition) bool { return c.Expression == want })
	expect(&faults, named, "%s: no condition is %s", p.objects[at], want)
	return faults
}

// policyDefaults are those of a kind that the CVO compares as it stands.
func policyDefaults(p *payload) []string {
	return allTyped(p, policyKind, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (faults []string) {
		match := policy.Spec.MatchConstraints
		expect(&faults, policy.Spec.FailurePolicy != nil && match != nil && match.MatchPolicy != nil && match.NamespaceSelector != nil && match.ObjectSelector != nil,
			"%s: spec.failurePolicy, or a field of spec.matchConstraints, is not written out", o)
		if match != nil {
			for _, rule := range match.ResourceRules {
				expect(&faults, rule.Scope != nil, "%s: a rule's scope is not written out", o)
			}
		}
		return faults
	})
}
