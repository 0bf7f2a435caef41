package bundle

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/truncate"
	"github.com/openshift/platform-operators/pkg/unpack"
)

const (
	// maxMessage is the maximum length of condition messages and Events, in bytes.
	maxMessage = 1024
	// maxPackage and maxVersion are the maximum lengths in the schema, in bytes. Longer values are truncated, because the API server would
	// reject the whole status. Such values are invalid in any case.
	maxPackage, maxVersion = 253, 128
)

// condition holds the phase of a Bundle and the fields of its condition Unpacked.
type condition struct {
	phase   corev1alpha2.BundlePhase
	status  metav1.ConditionStatus
	reason  string
	message string
}

// unknownClass returns the condition for a Bundle whose class does not exist, or names a provisioner that this manager does not have. A
// Bundle is immutable, so using a different class requires a new Bundle.
func unknownClass(bundle *corev1alpha2.Bundle, class *corev1alpha2.ProvisionerClass) condition {
	problem, first := fmt.Sprintf("No provisioner class %q on this cluster: nothing is unpacked until there is one", bundle.Spec.ProvisionerClassName), "Create it, or delete"
	if class != nil {
		problem, first = revision.UnknownProvisioner(class), "Delete"
	}
	return condition{corev1alpha2.BundlePending, metav1.ConditionUnknown, corev1alpha2.ReasonProvisionerNotFound, fmt.Sprintf(
		"%s. %s the Bundle and create it again with spec.provisionerClassName %q for %s bundles, or %q for %s bundles.", problem, first,
		corev1alpha2.ProvisionerClassRegistry, corev1alpha2.FormatRegistryV1, corev1alpha2.ProvisionerClassPlain, corev1alpha2.FormatPlainV0)}
}

func unpacking(source string) condition {
	return condition{corev1alpha2.BundleUnpacking, metav1.ConditionUnknown, corev1alpha2.ReasonUnpacking,
		fmt.Sprintf("Fetching and unpacking %s.", source)}
}

func unreadable(err error) condition {
	return condition{corev1alpha2.BundleFailing, metav1.ConditionFalse, corev1alpha2.ReasonUnpackFailed, fmt.Sprintf("%v.", err)}
}

func notAllowed(problem error) condition {
	return condition{corev1alpha2.BundleFailing, metav1.ConditionFalse, corev1alpha2.ReasonNotAllowed, fmt.Sprintf("%v.", problem)}
}

func unpacked(found *unpack.Inspection) condition {
	return condition{corev1alpha2.BundleUnpacked, metav1.ConditionTrue, corev1alpha2.ReasonUnpackSuccessful,
		fmt.Sprintf("The content was read from %s.", cmp.Or(found.Mirror, found.Pinned.Reference))}
}

// report sets the phase and the condition Unpacked in a Bundle's status.
func report(bundle *corev1alpha2.Bundle, now metav1.Time, is condition) {
	bundle.Status.ObservedGeneration = bundle.Generation
	bundle.Status.Phase = is.phase
	meta.SetStatusCondition(&bundle.Status.Conditions, metav1.Condition{
		Type: corev1alpha2.ConditionUnpacked, Status: is.status, Reason: is.reason, Message: bounded(is.message),
		ObservedGeneration: bundle.Generation, LastTransitionTime: now,
	})
}

// recordResult sets the result of a fetch in a Bundle's status. It truncates a package name or version that exceeds the schema's limit.
func recordResult(bundle *corev1alpha2.Bundle, from source.Source, found *unpack.Inspection) {
	resolved := from.At(found.Pinned.Reference).Spec()
	status := &bundle.Status
	status.ResolvedSource = &resolved
	status.Mirror, status.Digest = found.Mirror, found.Pinned.Digest
	status.Format = found.Format
	status.Package = cut(found.Metadata.Package, maxPackage)
	status.Version = cut(found.Metadata.Version, maxVersion)
	status.Objects = int32(found.Objects)
	status.Bytes = found.Bytes
}

func cut(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "")
}

// bounded converts a text to one line of at most maxMessage bytes.
func bounded(text string) string {
	return truncate.OneLine(text, maxMessage)
}
