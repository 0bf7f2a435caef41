package registryv1

import "github.com/openshift/platform-operators/pkg/bundle"

// validator is one family of rules: it returns a line for each finding, naming file or object and the remedy.
type validator func(b *Bundle) []string

// validators is the list of families, one file each, in the order in which their findings are told.
var validators = [...]validator{
	validatePackageName,
	validateNames,
	validateStrategy,
	validateInstallModes,
	validateDeploymentNames,
	validateDeploymentDuplicates,
	validateKinds,
	validateMetadata,
	validateDuplicates,
	validateCRDs,
	validateOwnedCRDs,
	validateAPIServices,
	validateWebhookFields,
	validateWebhookNames,
	validateWebhookDuplicates,
	validateWebhookDeployments,
	validateWebhookPorts,
	validateWebhookRules,
	validateConversionModes,
	validateConversionOwned,
	validateConversionDuplicates,
}

func validate(b *Bundle) error {
	var findings bundle.Findings
	for _, v := range validators {
		findings.Add(v(b))
	}
	return findings.Err()
}
