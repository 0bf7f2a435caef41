package operatorstatus

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/truncate"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// maxDeprecation is the maximum size of one quoted deprecation message, in bytes.
const maxDeprecation = 512

// deprecatedCondition returns the Deprecated condition: whether the catalogs deprecate the package, the channel or the installed bundle. It
// is Unknown if no catalog with the package can be read.
func deprecatedCondition(r *report) metav1.Condition {
	installed, deprecation := r.operator.Status.Installed, r.deprecation()
	if !deprecation.Known && r.isFirstReading() {
		return isUnknown(platformv1alpha1.ReasonCatalogUnavailable, r.firstReadingMessage())
	}
	if !deprecation.Known {
		return isUnknown(platformv1alpha1.ReasonCatalogUnavailable, "It is not known whether the operator is deprecated, because none of the selected catalogs that can be read contains the package.")
	}
	var parts []string
	for _, each := range []struct{ what, name, message string }{
		{"package", deprecation.PackageName, deprecation.Package},
		{"channel", deprecation.ChannelName, deprecation.Channel},
		{"bundle", deprecation.BundleName, deprecation.Bundle},
	} {
		if each.message != "" {
			parts = append(parts, fmt.Sprintf("%s %q is deprecated: %s", each.what, each.name, truncate.Cut(upgradestep.TrimStop(each.message), maxDeprecation)))
		}
	}
	if len(parts) > 0 {
		return isTrue(platformv1alpha1.ReasonDeprecated, capitalized(strings.Join(parts, "; "))+".")
	}
	if installed == nil {
		return isFalse(platformv1alpha1.ReasonNotDeprecated, "Nothing is installed, and the package is not deprecated.")
	}
	return isFalse(platformv1alpha1.ReasonNotDeprecated, fmt.Sprintf("Neither the package nor channel %q nor %s is deprecated.", installed.Channel, installed.Bundle))
}

// deprecation returns the catalogs' deprecations of the bundle that was installed before this sync, or only those of the package if no
// bundle was installed. It returns the zero value if no catalog was read.
func (r *report) deprecation() resolve.Deprecation {
	catalogs, installed := r.in.Catalogs, r.in.Operator.Status.Installed
	if catalogs == nil {
		return resolve.Deprecation{}
	}
	if installed == nil {
		return resolve.DeprecationOf(catalogs.Request, catalogs.Catalogs, "", "")
	}
	return resolve.DeprecationOf(catalogs.Request, catalogs.Catalogs, installed.Bundle, installed.Channel)
}

// capitalized returns a sentence with a capital first letter. It does not change the path of a field, such as spec.package.
func capitalized(sentence string) string {
	if first, _, _ := strings.Cut(sentence, " "); sentence == "" || strings.Contains(first, ".") {
		return sentence
	}
	return strings.ToUpper(sentence[:1]) + sentence[1:]
}
