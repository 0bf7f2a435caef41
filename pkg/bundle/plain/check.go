package plain

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// job is the kind of what runs once.
var job = schema.GroupKind{Group: "batch", Kind: "Job"}

// apiServices is the group of aggregated APIs.
const apiServices = "apiregistration.k8s.io"

// check finds what no API server would take, what would be taken for something else, and what cannot be kept as it was installed.
func (b *Bundle) check() []string {
	var findings []string
	for _, o := range b.objects {
		findings = append(findings, bundle.CheckMetadata(o)...)
		findings = append(findings, bundle.CheckCRD(o)...)
		findings = append(findings, checkKind(o)...)
		if namespace := o.GetNamespace(); namespace != "" && len(utilvalidation.IsDNS1123Label(namespace)) > 0 {
			findings = append(findings, fmt.Sprintf("%s: the namespace %s cannot be: %s", o, truncate.Quote(namespace), strings.Join(utilvalidation.IsDNS1123Label(namespace), ", ")))
		}
	}
	return findings
}

// checkKind refuses what is not installed, whatever its author wants.
func checkKind(o bundle.Object) []string {
	switch kind := groupKind(o); {
	case kind.Group == apiServices:
		// As in the other format: an aggregated API that does not answer is an API of the cluster that fails, for everybody.
		return []string{fmt.Sprintf("%s: aggregated APIs (APIServices) are not installed; remove it", o)}
	case kind == job && hasTTL(o):
		return []string{fmt.Sprintf("%s: with spec.ttlSecondsAfterFinished it deletes itself when it is done, and would be put back, and so run again, each time; leave the field out", o)}
	}
	return nil
}

// hasTTL tells whether the object is deleted some time after it is done; a null, which means never, was stripped before.
func hasTTL(o bundle.Object) bool {
	_, has, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "ttlSecondsAfterFinished")
	return has
}
