package catalogs

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/platform-operators/pkg/catalog"
	cataloggrpc "github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/shell"
)

var (
	services = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	pods     = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
)

// catalogSource returns the function that reads a CatalogSource.
func (f *Finder) catalogSource(object *unstructured.Unstructured) func(context.Context) ([]catalog.Package, error) {
	address := text(object, "status", "connectionState", "address")
	return func(ctx context.Context) ([]catalog.Package, error) {
		if address == "" {
			return nil, errors.New("its status.connectionState.address is empty, so OLM does not serve it yet; look at its Pod")
		}
		client := cataloggrpc.Client{ListedOnly: true}
		named, err := serviceOf(address)
		if err != nil {
			return nil, err
		}
		if named != nil {
			target, err := f.podBehind(ctx, named)
			if err != nil {
				return nil, err
			}
			client.Dial = f.forwardTo(target)
		}
		packages, _, err := client.Read(ctx, address, nil, nil)
		return packages, err
	}
}

// target is a port of a Pod.
type target struct {
	namespace, pod string
	port           int
}

// podBehind returns a ready Pod of a Service, and the Pod's port that the Service forwards connections to.
func (f *Finder) podBehind(ctx context.Context, named *service) (target, error) {
	var found corev1.Service
	object, err := f.Connection.Dynamic.Resource(services).Namespace(named.namespace).Get(ctx, named.name, metav1.GetOptions{})
	if err := f.decode(object, err, &found, fmt.Sprintf("Service %q of namespace %q", named.name, named.namespace),
		"services -n "+named.namespace); err != nil {
		return target{}, err
	}
	if len(found.Spec.Selector) == 0 {
		return target{}, fmt.Errorf("service %q of namespace %q selects no Pods, so the catalog can be read inside the cluster only",
			named.name, named.namespace)
	}
	list, err := f.Connection.Dynamic.Resource(pods).Namespace(named.namespace).List(ctx, metav1.ListOptions{
		LabelSelector: labels.SelectorFromSet(found.Spec.Selector).String(),
	})
	if err != nil {
		return target{}, f.Connection.Explain(err, fmt.Sprintf("Pods of namespace %q", named.namespace), "list", "pods -n "+named.namespace)
	}
	for i := range list.Items {
		var pod corev1.Pod
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &pod); err != nil || !isReady(&pod) {
			continue
		}
		if port := targetPort(&found, &pod, named.port); port > 0 {
			return target{pod.Namespace, pod.Name, port}, nil
		}
	}
	return target{}, fmt.Errorf("no Pod of Service %q of namespace %q is ready: %s get pods -n %s", named.name, named.namespace,
		f.Connection.Kubectl(), shell.Quote(named.namespace))
}

// decode converts an object that was read into the typed object into. If reading failed with err, decode returns err with the object and
// the permission that the request needs.
func (f *Finder) decode(object *unstructured.Unstructured, err error, into any, text, permission string) error {
	if err != nil {
		return f.Connection.Explain(err, text, "get", permission)
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into)
}

func isReady(pod *corev1.Pod) bool {
	if pod.DeletionTimestamp != nil {
		return false
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// targetPort translates a port of a Service into the port of the Pod that the Service forwards connections to; 0 if there is none.
func targetPort(of *corev1.Service, pod *corev1.Pod, port string) int {
	for _, each := range of.Spec.Ports {
		if strconv.Itoa(int(each.Port)) != port {
			continue
		}
		switch {
		case each.TargetPort.Type == intstr.Int && each.TargetPort.IntVal == 0:
			return int(each.Port)
		case each.TargetPort.Type == intstr.Int:
			return int(each.TargetPort.IntVal)
		}
		for _, container := range pod.Spec.Containers {
			for _, named := range container.Ports {
				if named.Name == each.TargetPort.StrVal {
					return int(named.ContainerPort)
				}
			}
		}
	}
	return 0
}
