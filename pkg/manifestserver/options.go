package manifestserver

import (
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

// Options configure a Server.
type Options struct {
	// Objects are the input. New copies them. Values that an API server sets (uid, resourceVersion, creationTimestamp and generation) are
	// kept, and added where they are missing. Fields that the schema does not have are pruned; see Server.InputErrors.
	Objects []*unstructured.Unstructured
	// Definitions define the custom kinds that the server serves. The server does not serve the kinds of other CustomResourceDefinitions,
	// also if these are in Objects or are created in this run. If two define the same kind, the last one applies.
	Definitions []*apiextensionsv1.CustomResourceDefinition
	// KubernetesVersion is the version that the server reports, such as "v1.36.3". Required.
	KubernetesVersion string
	// Clock is the clock for creationTimestamp, deletionTimestamp and managedFields. Required.
	Clock clock.PassiveClock
	// Seed selects the generated uids and names. Equal options and equal requests in equal order result in equal responses. A run that
	// continues with the objects of another run needs another seed. Otherwise an object that is created again may have its old uid.
	Seed string
	// NotCollected lists what the input lacks although the cluster may have it. A list of it is empty, a get of it finds nothing, and a
	// write to it is forbidden; see Server.NotCollectedReads.
	NotCollected []Scope
	// Default sets the defaults of a built-in kind, for example runtime.Scheme.Default. If it is nil, built-in kinds have no defaults.
	Default func(runtime.Object)
}

// Scope is a set of objects: those of a resource, those in a namespace, or if both fields are set, those of a resource in a namespace.
type Scope struct {
	schema.GroupResource
	// Namespace is the name of a namespace. If it is empty, the scope covers all namespaces and cluster-scoped objects.
	Namespace string
}

// contains reports whether the scope contains all objects of a resource in a namespace. An empty namespace means all namespaces.
func (s Scope) contains(resource schema.GroupResource, namespace string) bool {
	if s.GroupResource == (schema.GroupResource{}) {
		return s.Namespace != "" && s.Namespace == namespace
	}
	return s.GroupResource == resource && (s.Namespace == "" || s.Namespace == namespace)
}

// overlaps reports whether the scope contains an object of a resource in a namespace. An empty namespace means all namespaces.
func (s Scope) overlaps(r *kinds.Resource, namespace string) bool {
	return s.contains(r.GroupResource(), namespace) || namespace == "" && r.Is(kinds.Namespaced) && s.contains(r.GroupResource(), s.Namespace)
}

// InputError is the error of an object in Options.Objects that the server cannot serve.
type InputError struct {
	// Object is the element of Options.Objects.
	Object *unstructured.Unstructured
	// Err says what is wrong with the object, and what to do.
	Err error
}

// Error implements error.
func (e *InputError) Error() string {
	return fmt.Sprintf("%s %s: %v", e.Object.GroupVersionKind(), objectName(e.Object.GetNamespace(), e.Object.GetName()), e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func (o Options) validate() error {
	switch {
	case o.KubernetesVersion == "":
		return errors.New("Options.KubernetesVersion is empty; set the version of the cluster, for example v1.36.3")
	case o.Clock == nil:
		return errors.New("Options.Clock is nil; set the clock of the run")
	}
	return nil
}

func objectName(namespace, name string) string {
	if namespace == "" {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("%q", namespace+"/"+name)
}
