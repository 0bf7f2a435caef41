package platformoperator

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// deprecatedCondition says what the catalog tells those who run what is installed.
func deprecatedCondition(installed *platformv1alpha1.InstalledBundle, told resolve.Deprecation) metav1.Condition {
	if !told.Known {
		return isUnknown(platformv1alpha1.ReasonCatalogUnavailable, "No selected catalog that can be read has the package.")
	}
	var parts []string
	for _, each := range []struct{ what, name, message string }{
		{"package", told.PackageName, told.Package},
		{"channel", told.ChannelName, told.Channel},
		{"bundle", told.BundleName, told.Bundle},
	} {
		if each.message != "" {
			parts = append(parts, fmt.Sprintf("%s %q is deprecated: %s", each.what, each.name, bounded(trimStop(each.message), 512)))
		}
	}
	if len(parts) > 0 {
		text := strings.Join(parts, "; ")
		return isTrue(platformv1alpha1.ReasonDeprecated, strings.ToUpper(text[:1])+text[1:]+".")
	}
	if installed == nil {
		return isFalse(platformv1alpha1.ReasonNotDeprecated, "Nothing is installed, and the package is not deprecated.")
	}
	return isFalse(platformv1alpha1.ReasonNotDeprecated, fmt.Sprintf("Neither the package nor channel %q nor %s is deprecated.", installed.Channel, installed.Bundle))
}

// deprecation is what the catalogs tell of what is installed, or of the package alone before anything is.
func deprecation(request resolve.Request, offers []resolve.Catalog, installed *platformv1alpha1.InstalledBundle) resolve.Deprecation {
	if installed == nil {
		return resolve.DeprecationOf(request, offers, "", "")
	}
	return resolve.DeprecationOf(request, offers, installed.Bundle, installed.Channel)
}
