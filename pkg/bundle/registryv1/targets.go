package registryv1

import (
	"fmt"
	"slices"
	"strings"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// allNamespaces is the value that means all namespaces in a list of target namespaces and in olm.targetNamespaces.
const allNamespaces = ""

// maxTargets is the maximum number of namespaces that one operator watches by name. Each gets a role and a binding for every account.
const maxTargets = 100

// watchNamespacePath is the path of the namespaces to watch in a BundleDeployment.
const watchNamespacePath = configPath + ".watchNamespace"

// installModes are all install modes, in the order in which messages list them.
var installModes = [...]v1alpha1.InstallModeType{
	v1alpha1.InstallModeTypeAllNamespaces, v1alpha1.InstallModeTypeOwnNamespace, v1alpha1.InstallModeTypeSingleNamespace, v1alpha1.InstallModeTypeMultiNamespace,
}

// targetNamespaces returns the namespaces that the operator watches, sorted; [allNamespaces] for all of them. text is the watchNamespace of
// the configuration; empty for the default of the bundle. It is an error if the bundle does not support the required install mode.
func (b *Bundle) targetNamespaces(installNamespace, text string) ([]string, error) {
	if text == "" {
		return b.defaultTargets(installNamespace)
	}
	targets, err := splitNamespaces(text)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", watchNamespacePath, truncate.Quote(text), err)
	}
	if required := b.unsupportedMode(targets, installNamespace); required != "" {
		return nil, fmt.Errorf("%s %s requires install mode %s, which the operator does not support; supported modes: %s; %s",
			watchNamespacePath, truncate.Quote(text), required, b.supportedModes(), b.remedy(installNamespace))
	}
	return targets, nil
}

func (b *Bundle) defaultTargets(installNamespace string) ([]string, error) {
	switch {
	case b.supports(v1alpha1.InstallModeTypeAllNamespaces):
		return []string{allNamespaces}, nil
	case b.supports(v1alpha1.InstallModeTypeOwnNamespace):
		return []string{installNamespace}, nil
	}
	return nil, fmt.Errorf("%s is required: the operator supports neither AllNamespaces nor OwnNamespace; supported modes: %s; %s",
		watchNamespacePath, b.supportedModes(), b.remedy(installNamespace))
}

func splitNamespaces(text string) ([]string, error) {
	targets := strings.Split(text, ",")
	if len(targets) > maxTargets {
		return nil, fmt.Errorf("it has %d namespaces, but at most %d are allowed", len(targets), maxTargets)
	}
	seen := map[string]bool{}
	for _, ns := range targets {
		if problems := utilvalidation.IsDNS1123Label(ns); len(problems) > 0 {
			return nil, fmt.Errorf("%s is not a namespace name: %s; use one name, or several separated by commas without spaces",
				truncate.Quote(ns), strings.Join(problems, ", "))
		}
		if seen[ns] {
			return nil, fmt.Errorf("namespace %q occurs twice; remove one", ns)
		}
		seen[ns] = true
	}
	slices.Sort(targets)
	return targets, nil
}

// unsupportedMode returns the install mode that the targets require and the bundle does not support; empty if there is none. As in OLM v0,
// targets that include the install namespace require OwnNamespace.
func (b *Bundle) unsupportedMode(targets []string, installNamespace string) v1alpha1.InstallModeType {
	var required []v1alpha1.InstallModeType
	own := slices.Contains(targets, installNamespace)
	if own {
		required = append(required, v1alpha1.InstallModeTypeOwnNamespace)
	}
	switch {
	case len(targets) > 1:
		required = append(required, v1alpha1.InstallModeTypeMultiNamespace)
	case !own:
		required = append(required, v1alpha1.InstallModeTypeSingleNamespace)
	}
	for _, mode := range required {
		if !b.supports(mode) {
			return mode
		}
	}
	return ""
}

// remedy returns the end of a message: the valid values of watchNamespace, simplest first.
func (b *Bundle) remedy(installNamespace string) string {
	var ways []string
	switch {
	case b.supports(v1alpha1.InstallModeTypeAllNamespaces):
		ways = append(ways, "remove the field to watch all namespaces")
	case b.supports(v1alpha1.InstallModeTypeOwnNamespace):
		ways = append(ways, fmt.Sprintf("remove the field to watch the install namespace %q", installNamespace))
	}
	if b.supports(v1alpha1.InstallModeTypeSingleNamespace) {
		ways = append(ways, "set it to one namespace other than the install namespace")
	}
	if b.supports(v1alpha1.InstallModeTypeMultiNamespace) {
		other := ""
		if !b.supports(v1alpha1.InstallModeTypeOwnNamespace) {
			other = " other than the install namespace"
		}
		ways = append(ways, "set it to several namespaces"+other+", separated by commas")
	}
	return strings.Join(ways, ", or ")
}

func (b *Bundle) supports(mode v1alpha1.InstallModeType) bool {
	return slices.Contains(b.csv.Spec.InstallModes, v1alpha1.InstallMode{Type: mode, Supported: true})
}

// supportedModes returns the bundle's install modes for messages, such as "OwnNamespace, SingleNamespace". It returns "none" if there are
// none.
func (b *Bundle) supportedModes() string {
	var names []string
	for _, mode := range installModes {
		if b.supports(mode) {
			names = append(names, string(mode))
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}
