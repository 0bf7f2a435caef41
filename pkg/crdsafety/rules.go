package crdsafety

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/crdify/pkg/config"
	"sigs.k8s.io/crdify/pkg/validations"
	"sigs.k8s.io/crdify/pkg/validations/crd/scope"
	"sigs.k8s.io/crdify/pkg/validations/crd/storedversionremoval"
	"sigs.k8s.io/crdify/pkg/validations/property"
)

// Names of rules that callers or this package treat differently from others. All but RuleStoredObjects are crdify's names.
const (
	// RuleScope is the rule that the scope stays. RuleStoredVersionRemoval is the rule that each version stays in which objects may be
	// stored. The API server has both rules, so that a waiver has no effect.
	RuleScope                = "scope"
	RuleStoredVersionRemoval = "storedVersionRemoval"
	// RuleExistingFieldRemoval is the rule that fields stay. The API server removes the values of other fields from objects.
	RuleExistingFieldRemoval = "existingFieldRemoval"
	// RuleUnhandled is the rule that nothing changes for which there is no rule.
	RuleUnhandled = "unhandled"
	ruleRequired  = "required"
	// RuleStoredObjects is the rule that stored custom resources stay valid. A Validator checks it, and Check does not.
	RuleStoredObjects = "storedObjects"
)

// isWaivable reports whether a waiver for a rule can have an effect.
func isWaivable(rule string) bool { return rule != RuleScope && rule != RuleStoredVersionRemoval }

type comparator[T validations.Comparable] interface {
	validations.Validation
	validations.Comparator[T]
}

// definitionRules returns the rules for whole definitions.
func definitionRules() []comparator[apiextensionsv1.CustomResourceDefinition] {
	return enforced[apiextensionsv1.CustomResourceDefinition](&scope.Scope{}, &storedversionremoval.StoredVersionRemoval{})
}

// schemaRules returns the rules for single schemas. Each removes from both schemas what it compares.
func schemaRules() []comparator[apiextensionsv1.JSONSchemaProps] {
	return enforced[apiextensionsv1.JSONSchemaProps](
		&property.Type{},
		&property.Enum{EnumConfig: property.EnumConfig{AdditionPolicy: property.AdditionPolicyAllow}},
		&property.Required{},
		&property.Default{},
		&property.Nullable{NullableConfig: property.NullableConfig{AdditionPolicy: property.NullableAdditionPolicyAllow}},
		&property.Pattern{PatternConfig: property.PatternConfig{RemovalPolicy: property.PatternRemovalPolicyAllow}},
		&property.Maximum{}, &property.MaxItems{}, &property.MaxLength{}, &property.MaxProperties{},
		&property.Minimum{}, &property.MinItems{}, &property.MinLength{}, &property.MinProperties{},
	)
}

func enforced[T validations.Comparable](rules ...comparator[T]) []comparator[T] {
	for _, each := range rules {
		each.SetEnforcement(config.EnforcementPolicyError)
	}
	return rules
}
