package registryv1

import "github.com/openshift/platform-operators/pkg/bundle"

// validator checks one family of rules. It returns a line for each finding, with the file or object and the fix.
type validator func(b *Bundle) []string

// validators are all validators, one file each, in the order in which their findings are listed.
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
	validateCustomResources,
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
