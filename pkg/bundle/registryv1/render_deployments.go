package registryv1

import (
	"fmt"
	"maps"
	"slices"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// What OLM v0 tells an operator's pods about their surroundings.
const (
	targetNamespacesAnnotation  = "olm.targetNamespaces"
	operatorNamespaceAnnotation = "olm.operatorNamespace"
	operatorConditionNameEnv    = "OPERATOR_CONDITION_NAME"
	// allNamespaces is how "every namespace" is written in olm.targetNamespaces.
	allNamespaces = ""
)

// renderDeployments makes the strategy's Deployments. They go through the typed API, which drops fields that Kubernetes does
// not know, as OLM v0 does: server-side apply would refuse the whole object because of one.
func renderDeployments(b *Bundle, opts Options) ([]unstructured.Unstructured, error) {
	specs := b.csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs
	objects := make([]unstructured.Unstructured, 0, len(specs))
	for i := range specs {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(deployment(b, &specs[i], opts))
		if err != nil {
			return nil, fmt.Errorf("converting deployment %q: %w", specs[i].Name, err)
		}
		delete(content, "status")
		dropNulls(content)
		objects = append(objects, unstructured.Unstructured{Object: content})
	}
	return objects, nil
}

func deployment(b *Bundle, from *v1alpha1.StrategyDeploymentSpec, opts Options) *appsv1.Deployment {
	d := &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: opts.InstallNamespace, Name: from.Name, Labels: from.Label},
		Spec:       from.Spec,
	}
	// Nobody rolls back by ReplicaSet here, and ten old ones for each operator cost memory everywhere.
	d.Spec.RevisionHistoryLimit = ptr.To[int32](1)
	d.Spec.Template.Annotations = podAnnotations(b, from, opts)
	d.Spec.Template.Spec.Containers = withEnv(from.Spec.Template.Spec.Containers, corev1.EnvVar{Name: operatorConditionNameEnv, Value: b.meta.Name})
	return d
}

// podAnnotations are the template's own, then the ClusterServiceVersion's, then what names the watched namespaces: operators
// read the last through the downward API.
func podAnnotations(b *Bundle, from *v1alpha1.StrategyDeploymentSpec, opts Options) map[string]string {
	annotations := make(map[string]string, len(from.Spec.Template.Annotations)+len(b.csv.Annotations)+2)
	maps.Copy(annotations, from.Spec.Template.Annotations)
	maps.Copy(annotations, b.csv.Annotations)
	annotations[targetNamespacesAnnotation] = allNamespaces
	annotations[operatorNamespaceAnnotation] = opts.InstallNamespace
	return annotations
}

// withEnv returns copies of the containers that have the variable, in the place of one of that name or at the end.
func withEnv(containers []corev1.Container, v corev1.EnvVar) []corev1.Container {
	out := make([]corev1.Container, len(containers))
	for i, c := range containers {
		at := slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == v.Name })
		c.Env = slices.Clone(c.Env)
		if at < 0 {
			c.Env = append(c.Env, v)
		} else {
			c.Env[at] = v
		}
		out[i] = c
	}
	return out
}
