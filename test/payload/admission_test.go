package payload

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/test/environment"
)

const (
	policyKind, bindingKind = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"

	crdDeletionPolicy  = "platform-operators-crd-deletion"
	limitsRecordPolicy = "platform-operators-limits-record"
	ownershipPolicy    = "platform-operators-ownership"
	namespacePolicy    = "platform-operators-namespace-ownership"
	deploymentsPolicy  = "platform-operators-bundledeployments"
	operatorsPolicy    = "platform-operators-platformoperators"
)

var admissionRules = []rule{
	{"admission policies are bound, fail closed, and exempt garbage collection and the CVO", admissionPolicies},
	{"HRD-U6 a policy protects exactly the payload's CRDs from deletion", crdDeletion},
	{"HRD-S3 a policy protects the ConfigMap in which the manager records limits", limitsRecord},
	{"HRD-S2 a policy protects the labels and field managers by which the manager identifies its objects", ownershipIdentity},
	{"HRD-S1 a policy protects the field managers by which the manager identifies the namespaces that it created", namespaceOwnership},
	{"ENG-A8 policies check every write of BundleDeployments and PlatformOperators", deploymentWrites},
}

const (
	isNotBeingDeleted = "!has(oldObject.metadata.deletionTimestamp)"
	isNotTheManager   = "request.userInfo.username != 'system:serviceaccount:openshift-platform-operators:platform-operators'"

	isNotTheGarbageCollector = "request.userInfo.username != 'system:serviceaccount:kube-system:generic-garbage-collector'"
)

// deletionConditions are the match conditions of policies for deletions. They exempt clients that cannot annotate an object
// first.
var deletionConditions = []string{
	isNotBeingDeleted,
	isNotTheGarbageCollector,
	"!('system:serviceaccounts:openshift-cluster-version' in request.userInfo.groups)",
}

// otherConditions are the match conditions of policies for objects that are not in the payload, by policy name.
var otherConditions = map[string][]string{
	limitsRecordPolicy: {isNotBeingDeleted, isNotTheManager, "request.userInfo.username != 'system:serviceaccount:kube-system:namespace-controller'"},
	ownershipPolicy:    {isNotTheManager},
	namespacePolicy:    {isNotTheManager},
	deploymentsPolicy:  {isNotTheManager, isNotTheGarbageCollector},
	operatorsPolicy:    {isNotTheManager, isNotTheGarbageCollector},
}

func admissionPolicies(p *payload) []string {
	bound := map[string][]admissionv1.ValidationAction{}
	violations := allTyped(p, bindingKind, func(_ object, b admissionv1.ValidatingAdmissionPolicyBinding) []string {
		bound[b.Spec.PolicyName] = append(bound[b.Spec.PolicyName], b.Spec.ValidationActions...)
		return nil
	})
	return append(violations, allTyped(p, policyKind, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (violations []string) {
		expect(&violations, slices.Equal(bound[policy.Name], []admissionv1.ValidationAction{admissionv1.Deny}), "%s: the bindings have actions %v, want one with Deny", o, bound[policy.Name])
		expect(&violations, policy.Spec.FailurePolicy != nil && *policy.Spec.FailurePolicy == admissionv1.Fail, "%s: does not fail closed", o)
		conditions, found := otherConditions[policy.Name]
		if !found {
			conditions = deletionConditions
		}
		for _, exception := range conditions {
			hasCondition := slices.ContainsFunc(policy.Spec.MatchConditions, func(c admissionv1.MatchCondition) bool { return c.Expression == exception })
			expect(&violations, hasCondition, "%s: has no condition %s", o, exception)
		}
		for _, validation := range policy.Spec.Validations {
			expect(&violations, validation.Reason != nil && validation.MessageExpression != "", "%s: a validation has no reason or no message", o)
		}
		return violations
	})...)
}

// crdDeletion checks that the policy lists every CRD, or else an accidental deletion of the CRD would delete its objects.
func crdDeletion(p *payload) []string {
	var quoted []string
	for _, crd := range p.ofKind("CustomResourceDefinition") {
		quoted = append(quoted, fmt.Sprintf("'%s'", crd.Obj.GetName()))
	}
	slices.Sort(quoted)
	return withPolicy(p, crdDeletionPolicy, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (violations []string) {
		expectCondition(&violations, o, policy, "oldObject.metadata.name in [ "+strings.Join(quoted, ", ")+"]")
		return violations
	})
}

// limitsRecord checks that the policy protects the ConfigMap of pkg/limits in the manager's namespace while the ConfigMap records
// limits.
func limitsRecord(p *payload) []string {
	return withPolicy(p, limitsRecordPolicy, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (violations []string) {
		none, err := limits.Record{}.Data()
		if err != nil {
			return []string{err.Error()}
		}
		expectCondition(&violations, o, policy, fmt.Sprintf("oldObject.metadata.name == '%s'", limits.ConfigMap))
		expectCondition(&violations, o, policy, fmt.Sprintf("oldObject.?data[?'patch'].orValue('') != '%s'", none["patch"]))
		got := policy.Spec.MatchConstraints.NamespaceSelector.MatchLabels
		want := map[string]string{corev1.LabelMetadataName: environment.Namespace}
		expect(&violations, maps.Equal(got, want), "%s: applies to namespaces %v, want %v", o, got, want)
		return violations
	})
}

// ownershipIdentity checks that the policy selects objects by the owner label, and that its variables have the owner labels and
// field managers of the API. Without the selector, the API server would evaluate the policy for every write in the cluster.
func ownershipIdentity(p *payload) []string {
	return withPolicy(p, ownershipPolicy, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (violations []string) {
		got := policy.Spec.MatchConstraints.ObjectSelector.MatchLabels
		want := map[string]string{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment}
		expect(&violations, maps.Equal(got, want), "%s: applies to objects with labels %v, want %v", o, got, want)
		expressions := ""
		for _, variable := range policy.Spec.Variables {
			expressions += variable.Expression + "\n"
		}
		for _, identifier := range []string{corev1alpha2.FieldManagerPrefix, corev1alpha2.LabelOwnerKind, corev1alpha2.LabelOwnerName, corev1alpha2.GroupName + "/", corev1alpha2.OwnerKindBundleDeployment} {
			expect(&violations, strings.Contains(expressions, "'"+identifier+"'"), "%s: no variable has '%s'", o, identifier)
		}
		return violations
	})
}

// namespaceOwnership checks that the policy applies to every namespace, with or without labels, and that only the manager is exempt.
func namespaceOwnership(p *payload) []string {
	return withPolicy(p, namespacePolicy, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (violations []string) {
		match := policy.Spec.MatchConstraints
		expect(&violations, isEmpty(match.ObjectSelector) && isEmpty(match.NamespaceSelector), "%s: a selector excludes namespaces", o)
		var resources []string
		var operations []admissionv1.OperationType
		for _, rule := range match.ResourceRules {
			resources, operations = append(resources, rule.Resources...), append(operations, rule.Operations...)
		}
		want := []string{"namespaces"}
		expect(&violations, slices.Equal(resources, want), "%s: applies to resources %v, want %v", o, resources, want)
		writes := []admissionv1.OperationType{admissionv1.Create, admissionv1.Update}
		expect(&violations, slices.Equal(operations, writes), "%s: applies to operations %v, want %v", o, operations, writes)
		expect(&violations, len(policy.Spec.MatchConditions) == 1, "%s: exempts others than the manager", o)
		for _, variable := range policy.Spec.Variables {
			if variable.Name != "requested" {
				hasPrefix := strings.Contains(variable.Expression, "'"+corev1alpha2.FieldManagerPrefix+"'")
				expect(&violations, hasPrefix, "%s: variable %s does not have '%s'", o, variable.Name, corev1alpha2.FieldManagerPrefix)
			}
		}
		return violations
	})
}

// deploymentWrites checks that the policies for BundleDeployments and PlatformOperators apply to all objects and operations, that they exempt
// the manager and the garbage collector only, and that they check each verb.
func deploymentWrites(p *payload) (violations []string) {
	for name, resource := range map[string]string{deploymentsPolicy: "bundledeployments", operatorsPolicy: "platformoperators"} {
		violations = append(violations, withPolicy(p, name, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (violations []string) {
			match := policy.Spec.MatchConstraints
			expect(&violations, isEmpty(match.ObjectSelector) && isEmpty(match.NamespaceSelector), "%s: a selector excludes objects", o)
			writes := []admissionv1.OperationType{admissionv1.Create, admissionv1.Update, admissionv1.Delete}
			appliesToAll := len(match.ResourceRules) == 1 && slices.Equal(match.ResourceRules[0].Resources, []string{resource}) && slices.Equal(match.ResourceRules[0].Operations, writes)
			expect(&violations, appliesToAll, "%s: applies to %v, want %v of %s", o, match.ResourceRules, writes, resource)
			names := []string{}
			for _, condition := range policy.Spec.MatchConditions {
				names = append(names, condition.Name)
			}
			want := []string{"is-not-the-manager", "is-not-the-garbage-collector", "is-a-change"}
			expect(&violations, slices.Equal(names, want), "%s: has conditions %v, want %v", o, names, want)
			expressions := ""
			for _, validation := range policy.Spec.Validations {
				expressions += validation.Expression + "\n"
			}
			for _, verb := range []string{"use", "impersonate", "deploy-unscoped", "approve"} {
				expect(&violations, strings.Contains(expressions, ".check('"+verb+"').allowed()"), "%s: does not check verb %s", o, verb)
			}
			return violations
		})...)
	}
	return violations
}

func isEmpty(selector *metav1.LabelSelector) bool {
	return len(selector.MatchLabels)+len(selector.MatchExpressions) == 0
}

// withPolicy calls check with the policy of this name and returns its violations. It returns a violation if there is no such
// policy, or if the policy has no selectors.
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

func expectCondition(violations *[]string, o object, policy admissionv1.ValidatingAdmissionPolicy, want string) {
	has := slices.ContainsFunc(policy.Spec.MatchConditions, func(c admissionv1.MatchCondition) bool { return c.Expression == want })
	expect(violations, has, "%s: no condition is %s", o, want)
}

// policyDefaults checks that a policy has all defaults; see explicitDefaults.
func policyDefaults(p *payload) []string {
	return allTyped(p, policyKind, func(o object, policy admissionv1.ValidatingAdmissionPolicy) (violations []string) {
		match := policy.Spec.MatchConstraints
		expect(&violations, policy.Spec.FailurePolicy != nil && match != nil && match.MatchPolicy != nil && match.NamespaceSelector != nil && match.ObjectSelector != nil,
			"%s: spec.failurePolicy, or a field of spec.matchConstraints, is not set", o)
		if match != nil {
			for _, rule := range match.ResourceRules {
				expect(&violations, rule.Scope != nil, "%s: a rule's scope is not set", o)
			}
		}
		return violations
	})
}
