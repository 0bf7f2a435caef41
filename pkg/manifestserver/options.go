package manifestserver

import (
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
)

// Options configure a Server.
type Options struct {
	// Objects are the input. New copies them; see also Release. New keeps the values that an API server sets (uid, resourceVersion,
	// creationTimestamp and generation), and adds missing ones. It prunes fields that the schema does not have; see Server.InputErrors.
	Objects []*unstructured.Unstructured
	// Done ends New with an error when it is closed; nil for never.
	Done <-chan struct{}
	// Release makes New reduce each element of Objects to its kind and name once the server has stored it, so that its memory can be freed
	// while New is running.
	Release bool
	// Definitions define the custom kinds that the server serves. The server does not serve the kinds of other CustomResourceDefinitions, even
	// if these are in Objects or a request creates them. If two define the same kind, the last one applies.
	Definitions []*apiextensionsv1.CustomResourceDefinition
	// Inferred define custom kinds whose objects the input has and whose definitions it may lack; see NotCollected. The server ignores those
	// that Definitions or the built-in kinds also have. The first list of an informer has the others, as CustomResourceDefinitions.
	Inferred []*apiextensionsv1.CustomResourceDefinition
	// KubernetesVersion is the version that the server reports, such as "v1.36.3". Required.
	KubernetesVersion string
	// Clock is the clock for creationTimestamp, deletionTimestamp and managedFields. Required.
	Clock clock.PassiveClock
	// Seed selects the generated uids and names. Equal options and equal requests in equal order result in equal responses. A run that
	// continues with the objects of another run needs another seed. Otherwise an object that is created again may have its old uid.
	Seed string
	// NotCollected lists the objects that the cluster may have and the input lacks. The server replies to a request that needs one of them
	// with an error. To the first list of an informer, it replies with the objects that the input has; see Server.NotCollected. If it has CustomResourceDefinitions, the cluster may also
	// serve other kinds than the server.
	NotCollected []Scope
	// MetadataOnly lists the elements of Objects that have only metadata. The rest of these objects counts as not collected.
	MetadataOnly []Scope
	// Cache makes New faster for an input that shares objects with the last one; nil for no cache.
	Cache *Cache
	// Default sets the defaults of a built-in kind, for example runtime.Scheme.Default. If it is nil, built-in kinds have no defaults.
	Default func(runtime.Object)
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
