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
		if kind := groupKind(o); kind.Group == "operators.coreos.com" && kind.Kind == "ClusterServiceVersion" {
			findings = append(findings, fmt.Sprintf("%s: a ClusterServiceVersion is installed from a registry+v1 bundle; nobody would carry it out here", o))
		}
		if namespace := o.GetNamespace(); namespace != "" && len(utilvalidation.IsDNS1123Label(namespace)) > 0 {
			findings = append(findings, fmt.Sprintf("%s: the namespace %q cannot be: %s", o, cut(namespace), strings.Join(utilvalidation.IsDNS1123Label(namespace), ", ")))
		}
	}
	return findings
}
