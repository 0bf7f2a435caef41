package plain

import (
	"fmt"
	"strings"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// check finds what no API server would take, or what would be taken for something else.
func (b *Bundle) check() []string {
	var findings []string
	for _, o := range b.objects {
		findings = append(findings, bundle.CheckMetadata(o)...)
		findings = append(findings, bundle.CheckCRD(o)...)
		if namespace := o.GetNamespace(); namespace != "" && len(utilvalidation.IsDNS1123Label(namespace)) > 0 {
			findings = append(findings, fmt.Sprintf("%s: the namespace %q cannot be: %s", o, cut(namespace), strings.Join(utilvalidation.IsDNS1123Label(namespace), ", ")))
		}
	}
	return findings
}
