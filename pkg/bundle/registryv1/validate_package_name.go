package registryv1

import (
	"fmt"
	"strings"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// validatePackageName checks the name that other objects' names and labels are made of; that there is one is checked before.
func validatePackageName(b *Bundle) []string {
	if problems := utilvalidation.IsDNS1123Subdomain(b.meta.Package); len(problems) > 0 {
		return []string{fmt.Sprintf("%s: package name %q: %s", bundle.AnnotationsFile, b.meta.Package, strings.Join(problems, ", "))}
	}
	return nil
}
