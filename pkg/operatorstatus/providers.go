package operatorstatus

import (
	"fmt"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
)

const (
	// maxAdvisedKinds is the maximum number of missing kinds for which a message names packages, and maxAdvisedPackages the maximum number
	// of packages for each.
	maxAdvisedKinds, maxAdvisedPackages = 2, 3
)

// providerAdvice returns sentences that name the packages that provide the kinds that the BundleDeployment lacks. Each sentence begins with
// a space. The result is empty if no kind is missing, or if no catalog has such a package.
func (r *report) providerAdvice() string {
	deployment := r.in.Current.Deployment
	if deployment == nil || deployment.Status.Plan == nil {
		return ""
	}
	var text strings.Builder
	advised := 0
	for _, kind := range deployment.Status.Plan.KindsMissing {
		packages := r.in.Providers[catalog.GVK(kind)]
		if len(packages) == 0 || advised == maxAdvisedKinds {
			continue
		}
		advised++
		verb, remedy := "provides", "create a PlatformOperator for it"
		if len(packages) > 1 {
			verb, remedy = "provide", "create a PlatformOperator for one of them"
		}
		fmt.Fprintf(&text, " %s %s kind %s; %s.", named("Package", packages), verb, kind.Kind, remedy)
	}
	return text.String()
}

// named returns a noun with the first names in quotes, such as `Packages "a" and "b"`.
func named(noun string, names []string) string {
	quoted := make([]string, 0, len(names))
	for _, name := range names[:min(len(names), maxAdvisedPackages)] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	if more := len(names) - maxAdvisedPackages; more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	if len(quoted) == 1 {
		return noun + " " + quoted[0]
	}
	last := len(quoted) - 1
	return noun + "s " + strings.Join(quoted[:last], ", ") + " and " + quoted[last]
}
