package registryv1

import (
	"fmt"
	"strings"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// validatePackageName checks the package name, from which names and labels of other objects are derived. Load has checked that it is not
// empty.
func validatePackageName(b *Bundle) []string {
	if problems := utilvalidation.IsDNS1123Subdomain(b.meta.Package); len(problems) > 0 {
		return []string{fmt.Sprintf("%s: package name %q: %s", bundle.AnnotationsFile, b.meta.Package, strings.Join(problems, ", "))}
	}
	return nil
}
