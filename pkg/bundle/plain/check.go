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

// jobKind is the kind Job of group batch.
var jobKind = schema.GroupKind{Group: "batch", Kind: "Job"}

// apiServiceGroup is the group of the kind APIService.
const apiServiceGroup = "apiregistration.k8s.io"

// check returns findings for objects that an API server rejects or misinterprets, and for objects that the manager cannot keep installed.
func (b *Bundle) check() []string {
	var findings []string
	for _, o := range b.objects {
		findings = append(findings, bundle.CheckMetadata(o)...)
		findings = append(findings, bundle.CheckCRD(o)...)
		findings = append(findings, checkKind(o)...)
		if namespace := o.GetNamespace(); namespace != "" && len(utilvalidation.IsDNS1123Label(namespace)) > 0 {
			findings = append(findings, fmt.Sprintf("%s: namespace %s is invalid: %s",
				o, truncate.Quote(namespace), strings.Join(utilvalidation.IsDNS1123Label(namespace), ", ")))
		}
	}
	return findings
}

// checkKind returns a finding for an object that a bundle must not contain: an APIService, or a Job that Kubernetes deletes after it
// finishes.
func checkKind(o bundle.Object) []string {
	switch kind := groupKind(o); {
	case kind.Group == apiServiceGroup:
		// As in registry+v1: an aggregated API server that does not respond breaks an API of the cluster for all clients.
		return []string{fmt.Sprintf("%s: aggregated APIs (APIServices) are not supported; remove it", o)}
	case kind == jobKind && hasTTL(o):
		return []string{fmt.Sprintf("%s: with spec.ttlSecondsAfterFinished, Kubernetes deletes a finished Job, and the manager would create and run it again each time; remove the field", o)}
	}
	return nil
}

// hasTTL reports whether Kubernetes deletes the Job some time after it finishes. A null in the manifest means never; it was removed before.
func hasTTL(o bundle.Object) bool {
	_, has, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "ttlSecondsAfterFinished")
	return has
}
