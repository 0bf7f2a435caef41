package registryv1

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

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

// Bounds of one validation error, which ends in a condition's message.
const (
	maxFindings     = 10
	maxFindingBytes = 400
)

func validate(b *Bundle) error {
	var findings []string
	for _, v := range validators {
		lines := v(b)
		sort.Strings(lines)
		findings = append(findings, lines...)
	}
	if len(findings) == 0 {
		return nil
	}
	more := len(findings) - maxFindings
	if more > 0 {
		findings = findings[:maxFindings]
	}
	for i, f := range findings {
		if len(f) > maxFindingBytes {
			findings[i] = strings.ToValidUTF8(f[:maxFindingBytes], "") + "…"
		}
	}
	text := strings.Join(findings, "; ")
	if more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return errors.New(text)
}
