package payload

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/test/environment"
)

const (
	policyKind, bindingKind = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"

	crdDeletionPolicy  = "platform-operators-crd-deletion"
	limitsRecordPolicy = "platform-operators-limits-record"
	ownershipPolicy    = "platform-operators-ownership"
)

var admissionRules = []rule{
	{"admission policies are in force, fail closed, and except whoever cleans up", admissionPolicies},
	{"HRD-U6 a policy is about the deletion of exactly our CRDs", crdDeletion},
	{"HRD-S3 a policy is about the ConfigMap that the manager records limits in", limitsRecord},
	{"HRD-S2 a policy is about the marks by which the manager tells its objects", ownershipMarks},
}

const (
	isNotBeingDeleted = "!has(oldObject.metadata.deletionTimestamp)"
	isNotTheManager   = "request.userInfo.username != 'system:serviceaccount:openshift-platform-operators:platform-operators'"
)

// cleanUp are the conditions by which a policy about deletions leaves alone whoever cannot annotate an object first.
var cleanUp = []string{
	isNotBeingDeleted,
	"request.userInfo.username != 'system:serviceaccount:kube-system:generic-garbage-collector'",
	"!('system:serviceaccounts:openshift-cluster-version' in request.userInfo.groups)",
}

// exceptions are the conditions of policies that are about something else than objects of the payload.
var exceptions = map[string][]string{
	limitsRecordPolicy: {isNotBeingDeleted, isNotTheManager, "request.userInfo.username != 'system:serviceaccount:kube-system:namespace-controller'"},
	ownershipPolicy:    {isNotTheManager},
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
		excepting, found := exceptions[policy.Name]
		if !found {
			excepting = cleanUp
		}
		for _, exception := range excepting {
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
func crdDeletion(p *payload) []string {
	var quoted []string
	for _, crd := range p.ofKind("CustomResourceDefinition") {
		quoted = append(quoted, fmt.Sprintf("'%s'", crd.Obj.GetName()))
	}
	slices.Sort(quoted)
	return withPolicy(p, crdDeletionPolicy, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (faults []string) {
		expectCondition(&faults, o, policy, "oldObject.metadata.name in [ "+strings.Join(quoted, ", ")+"]")
		return faults
	})
}

// limitsRecord: name and content of the ConfigMap are those of pkg/limits, and the namespace is the manager's.
func limitsRecord(p *payload) []string {
	return withPolicy(p, limitsRecordPolicy, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (faults []string) {
		none, err := limits.Record{}.Data()
		if err != nil {
			return []string{err.Error()}
		}
		expectCondition(&faults, o, policy, fmt.Sprintf("oldObject.metadata.name == '%s'", limits.ConfigMap))
		expectCondition(&faults, o, policy, fmt.Sprintf("oldObject.?data[?'patch'].orValue('') != '%s'", none["patch"]))
		got := policy.Spec.MatchConstraints.NamespaceSelector.MatchLabels
		want := map[string]string{corev1.LabelMetadataName: environment.Namespace}
		expect(&faults, maps.Equal(got, want), "%s: is about namespaces %v, want %v", o, got, want)
		return faults
	})
}

// ownershipMarks: labels and field managers are those of pkg/ownership. Without the selector, the API server would evaluate the policy
// for every write of the cluster.
func ownershipMarks(p *payload) []string {
	return withPolicy(p, ownershipPolicy, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (faults []string) {
		got := policy.Spec.MatchConstraints.ObjectSelector.MatchLabels
		want := map[string]string{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment}
		expect(&faults, maps.Equal(got, want), "%s: is about objects with labels %v, want %v", o, got, want)
		expressions := ""
		for _, variable := range policy.Spec.Variables {
			expressions += variable.Expression + "\n"
		}
		for _, mark := range []string{corev1alpha2.FieldManagerPrefix, corev1alpha2.LabelOwnerKind, corev1alpha2.LabelOwnerName, corev1alpha2.GroupName + "/", corev1alpha2.OwnerKindBundleDeployment} {
			expect(&faults, strings.Contains(expressions, "'"+mark+"'"), "%s: no variable has '%s'", o, mark)
		}
		return faults
	})
}

// withPolicy checks the policy of a name.
func withPolicy(p *payload, name string, check func(object, admissionv1.ValidatingAdmissionPolicy) []string) []string {
	at := slices.IndexFunc(p.objects, func(o object) bool { return o.GVK.Kind == policyKind && o.Obj.GetName() == name })
	if at < 0 {
		return []string{"there is no policy " + name}
	}
	policy, err := typed[admissionv1.ValidatingAdmissionPolicy](p.objects[at])
	if err != nil {
		return []string{err.Error()}
	}
	if match := policy.Spec.MatchConstraints; match == nil || match.NamespaceSelector == nil || match.ObjectSelector == nil {
		return []string{"policy " + name + " has no selectors"}
	}
	return check(p.objects[at], policy)
}

func expectCondition(faults *[]string, o object, policy admissionv1.ValidatingAdmissionPolicy, want string) {
	has := slices.ContainsFunc(policy.Spec.MatchConditions, func(c admissionv1.MatchCondition) bool { return c.Expression == want })
	expect(faults, has, "%s: no condition is %s", o, want)
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
