package registryv1

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// Annotations and variables with which OLM v0 describes the environment to an operator's pods. OLM v0 also sets olm.operatorGroup, which is
// omitted here because there are no OperatorGroups.
const (
	targetNamespacesAnnotation  = "olm.targetNamespaces"
	operatorNamespaceAnnotation = "olm.operatorNamespace"
	operatorConditionNameEnv    = "OPERATOR_CONDITION_NAME"
)

// renderDeployments renders the strategy's Deployments. As in OLM v0, they are decoded to the typed API, which drops unknown fields.
// Otherwise server-side apply would reject a whole object because of one unknown field.
func renderDeployments(r *rendering) ([]unstructured.Unstructured, error) {
	specs := r.csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs
	objects := make([]unstructured.Unstructured, 0, len(specs))
	for i := range specs {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(deployment(r, &specs[i]))
		if err != nil {
			return nil, fmt.Errorf("converting deployment %q: %w", specs[i].Name, err)
		}
		delete(content, "status")
		bundle.DropNulls(content)
		objects = append(objects, unstructured.Unstructured{Object: content})
	}
	return objects, nil
}

// deployment renders one Deployment. It copies what it changes, because the bundle is shared. Later steps override earlier ones, in the
// order of OLM v0.
func deployment(r *rendering, from *v1alpha1.StrategyDeploymentSpec) *appsv1.Deployment {
	d := &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: r.opts.InstallNamespace, Name: from.Name, Labels: from.Label},
		Spec:       from.Spec,
	}
	// Operators are not rolled back to an old ReplicaSet, and ten old ReplicaSets for each operator would use memory in every cache.
	d.Spec.RevisionHistoryLimit = ptr.To[int32](1)
	d.Spec.Template.Annotations = podAnnotations(r, from)
	pod := &d.Spec.Template.Spec
	pod.Containers, pod.InitContainers = slices.Clone(pod.Containers), slices.Clone(pod.InitContainers)
	if s := r.server(from.Name); s.secret != "" {
		mountCertificates(pod, s.secret)
	}
	if c := r.config.DeploymentConfig; c != nil {
		c.applyTo(d)
	}
	name := corev1.EnvVar{Name: operatorConditionNameEnv, Value: r.meta.Name}
	for i := range pod.Containers {
		pod.Containers[i].Env = mergeEnv(pod.Containers[i].Env, []corev1.EnvVar{name})
	}
	for i := range pod.InitContainers {
		pod.InitContainers[i].Env = mergeEnv(pod.InitContainers[i].Env, nil)
	}
	return d
}

// podAnnotations returns the annotations of a Deployment's pods: those of the template, overridden by those of the ClusterServiceVersion,
// and then by the target namespaces and the install namespace. Operators read these two through the downward API.
func podAnnotations(r *rendering, from *v1alpha1.StrategyDeploymentSpec) map[string]string {
	annotations := make(map[string]string, len(from.Spec.Template.Annotations)+len(r.csv.Annotations)+2)
	maps.Copy(annotations, from.Spec.Template.Annotations)
	maps.Copy(annotations, r.csv.Annotations)
	annotations[targetNamespacesAnnotation] = strings.Join(r.targets, ",")
	annotations[operatorNamespaceAnnotation] = r.opts.InstallNamespace
	return annotations
}
