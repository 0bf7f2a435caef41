package scenarios

import (
	"context"
	"regexp"
	"strings"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario"
)

var managers = operatorv1alpha1.SchemeGroupVersion.WithResource("platformoperatormanagers")

var (
	annotateCommand = regexp.MustCompile(`^kubectl annotate (\S+) (\S+)(?: -n (\S+))? ([^\s=]+)=(\S+?)( --overwrite)?$`)
	specCommand     = regexp.MustCompile(`^oc patch (\S+) (\S+) --type=(merge|json) -p '(.*)'$`)
	patchCommand    = regexp.MustCompile(`^kubectl patch (\S+) (\S+) --type merge -p "\$\(kubectl get configmap (\S+) -n (\S+) -o jsonpath='{\.data\.(\S+)}'\)"$`)
)

// commandKinds are the resources of the kinds that runCommand knows, by the kind's name in a command.
var commandKinds = map[string]schema.GroupVersionResource{
	"platformoperatormanager": managers, "configmap": corev1.SchemeGroupVersion.WithResource("configmaps"),
	"platformoperator": platformv1alpha1.SchemeGroupVersion.WithResource("platformoperators"),
	"bundledeployment": corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments"),
}

// runCommand sends, as the admin, the patch of a kubectl or oc command that a condition or a refusal names. It fails the story for other
// commands than annotate, patch with data of a ConfigMap, and patch of a spec. test/integration runs the commands themselves.
func (s *Story) runCommand(ctx context.Context, line string) {
	s.Helper()
	if parts := annotateCommand.FindStringSubmatch(line); parts != nil {
		kind, object, key, value := parts[1], types.NamespacedName{Namespace: parts[3], Name: parts[2]}, parts[4], parts[5]
		if parts[6] == "" {
			live, err := s.objects(kind, object.Namespace).Get(ctx, object.Name, metav1.GetOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			s.Expect(live.GetAnnotations()[key]).To(BeElementOf("", value), "kubectl changes no annotation without --overwrite: %s", line)
		}
		s.merge(ctx, kind, object, `{"metadata":{"annotations":{"`+key+`":"`+value+`"}}}`)
		return
	}
	if parts := specCommand.FindStringSubmatch(line); parts != nil {
		patchTypes := map[string]types.PatchType{"merge": types.MergePatchType, "json": types.JSONPatchType}
		patch := strings.ReplaceAll(parts[4], `'\''`, `'`)
		patch = strings.ReplaceAll(patch, `'"$(oc whoami)"'`, scenario.AdminUser)
		_, err := s.objects(parts[1], "").Patch(ctx, parts[2], patchTypes[parts[3]], []byte(patch), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred(), line)
		return
	}
	parts := patchCommand.FindStringSubmatch(line)
	s.Expect(parts).NotTo(BeNil(), "no command that stories know: %s", line)
	source, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(parts[4]).Get(ctx, parts[3], metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.merge(ctx, parts[1], types.NamespacedName{Name: parts[2]}, source.Data[parts[5]])
}

// merge merges a patch into an object. kind is a key of commandKinds.
func (s *Story) merge(ctx context.Context, kind string, object types.NamespacedName, patch string) {
	s.Helper()
	_, err := s.objects(kind, object.Namespace).Patch(ctx, object.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// objects returns a client for a kind, which is a key of commandKinds. namespace is "" for a cluster-scoped kind.
func (s *Story) objects(kind, namespace string) dynamic.ResourceInterface {
	s.Helper()
	resource, known := commandKinds[kind]
	s.Expect(known).To(BeTrue(), "no kind that stories know: %s", kind)
	return s.Admin.Dynamic.Resource(resource).Namespace(namespace)
}
