package builtin

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// emptySelector selects all objects.
var emptySelector metav1.LabelSelector

func defaultWebhook(failure **admissionregistrationv1.FailurePolicyType, match **admissionregistrationv1.MatchPolicyType, timeout **int32,
	config *admissionregistrationv1.WebhookClientConfig, rules []admissionregistrationv1.RuleWithOperations) {
	setPointer(failure, admissionregistrationv1.Fail)
	setPointer(match, admissionregistrationv1.Equivalent)
	setPointer(timeout, 10)
	if config.Service != nil {
		setPointer(&config.Service.Port, 443)
	}
	for i := range rules {
		setPointer(&rules[i].Scope, admissionregistrationv1.AllScopes)
	}
}

func defaultMatch(match *admissionregistrationv1.MatchResources) {
	if match == nil {
		return
	}
	setPointer(&match.MatchPolicy, admissionregistrationv1.Equivalent)
	setPointer(&match.NamespaceSelector, emptySelector)
	setPointer(&match.ObjectSelector, emptySelector)
	for _, rules := range [][]admissionregistrationv1.NamedRuleWithOperations{match.ResourceRules, match.ExcludeResourceRules} {
		for i := range rules {
			setPointer(&rules[i].Scope, admissionregistrationv1.AllScopes)
		}
	}
}
