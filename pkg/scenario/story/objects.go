package story

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// client reads and writes objects of all kinds with the permissions of one user.
type client struct {
	dynamic dynamic.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper
}

// client returns the client of a user. An empty user means scenario.AdminUser.
func (r *Runner) client(user string) (*client, error) {
	if user == "" {
		user = scenario.AdminUser
	}
	if existing, found := r.clients[user]; found {
		return existing, nil
	}
	config := r.Cluster.StepClientConfig(user)
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	created := &client{dynamic: dynamicClient, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoveryClient))}
	if r.clients == nil {
		r.clients = map[string]*client{}
	}
	r.clients[user] = created
	return created, nil
}

// resource returns the dynamic client for a kind, and whether the kind is namespaced. It ignores the namespace of cluster-scoped kinds.
func (c *client) resource(kind schema.GroupKind, namespace string) (of dynamic.ResourceInterface, isNamespaced bool, err error) {
	mapping, err := c.mapper.RESTMapping(kind)
	if meta.IsNoMatchError(err) {
		c.mapper.Reset() // the kind may be newer than the cached discovery
		mapping, err = c.mapper.RESTMapping(kind)
	}
	if err != nil {
		return nil, false, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return c.dynamic.Resource(mapping.Resource), false, nil
	}
	return c.dynamic.Resource(mapping.Resource).Namespace(namespace), true, nil
}

// resourceOf returns the dynamic client for an object that a step writes. It returns an error if the kind is namespaced and the object has
// no namespace.
func (c *client) resourceOf(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	resource, isNamespaced, err := c.resource(object.GroupVersionKind().GroupKind(), object.GetNamespace())
	if err == nil && isNamespaced && object.GetNamespace() == "" {
		return nil, fmt.Errorf("%q has no namespace; write metadata.namespace", object.GetKind()+"/"+object.GetName())
	}
	return resource, err
}

// object returns the dynamic client and the key of an object. name is Kind/name or Kind/namespace/name.
func (r *Runner) object(user, name string) (dynamic.ResourceInterface, types.NamespacedName, error) {
	parts := strings.Split(name, "/")
	if len(parts) < 2 || len(parts) > 3 || slices.Contains(parts, "") {
		return nil, types.NamespacedName{}, fmt.Errorf("%q is not Kind/name or Kind/namespace/name", name)
	}
	client, err := r.client(user)
	if err != nil {
		return nil, types.NamespacedName{}, err
	}
	key := types.NamespacedName{Name: parts[len(parts)-1]}
	if len(parts) == 3 {
		key.Namespace = parts[1]
	}
	kind, err := client.kind(parts[0])
	if err != nil {
		return nil, key, err
	}
	resource, isNamespaced, err := client.resource(kind, key.Namespace)
	switch {
	case err != nil:
		return nil, key, err
	case isNamespaced && key.Namespace == "":
		return nil, key, fmt.Errorf("%q has no namespace; write Kind/namespace/name", name)
	case !isNamespaced && key.Namespace != "":
		return nil, key, fmt.Errorf("%q has a namespace, and its kind has none; write Kind/name", name)
	}
	return resource, key, nil
}

// kind returns the kind for its name in a story, Kind or Kind.group. It returns an error if no group or several groups have the Kind.
func (c *client) kind(name string) (schema.GroupKind, error) {
	kind := schema.ParseGroupKind(name)
	if kind.Group != "" {
		return kind, nil
	}
	found, err := c.search(name)
	if err == nil && len(found) == 0 {
		c.mapper.Reset()
		found, err = c.search(name)
	}
	switch {
	case err != nil:
		return kind, err
	case len(found) == 0:
		return kind, fmt.Errorf("kind %q is not served; create its CustomResourceDefinition in an earlier step, or correct the name", name)
	case len(found) > 1:
		return kind, fmt.Errorf("kind %q is served by several groups; write one of %v", name, found)
	}
	return found[0], nil
}

// search returns the kinds with this name from all groups except events.k8s.io, because the Event of that group is the Event of the core
// group.
func (c *client) search(name string) ([]schema.GroupKind, error) {
	resource := meta.UnsafeGuessKindToResource
	plural, _ := resource(schema.GroupVersionKind{Kind: name})
	kinds, err := c.mapper.KindsFor(plural.GroupResource().WithVersion(""))
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	found := map[schema.GroupKind]bool{}
	for _, kind := range kinds {
		if kind.Kind == name && kind.Group != "events.k8s.io" {
			found[kind.GroupKind()] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b schema.GroupKind) int { return strings.Compare(a.String(), b.String()) }), err
}

// check returns an error if an object does not meet an expectation.
func (r *Runner) check(ctx context.Context, expected Expectation) error {
	resource, key, err := r.object("", expected.Object)
	if err != nil {
		return err
	}
	object, err := resource.Get(ctx, key.Name, metav1.GetOptions{})
	switch {
	case expected.Absent && apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return explainNotFound(expected.Object, err)
	case expected.Absent:
		return fmt.Errorf("%s exists, but must be absent", expected.Object)
	}
	var errs []error
	for _, conditionType := range slices.Sorted(maps.Keys(expected.Conditions)) {
		errs = append(errs, checkCondition(object, conditionType, expected.Conditions[conditionType]))
	}
	for _, path := range slices.Sorted(maps.Keys(expected.Fields)) {
		errs = append(errs, checkField(object, path, expected.Fields[path]))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", expected.Object, err)
	}
	return nil
}

// explainNotFound replaces a NotFound error with an error that contains the object's name in the story. It returns other errors unchanged.
func explainNotFound(name string, err error) error {
	if apierrors.IsNotFound(err) {
		return notFoundError{name, err}
	}
	return err
}

// notFoundError is a NotFound error that contains the object's name in the story.
type notFoundError struct {
	name string
	err  error
}

// Error implements error.
func (e notFoundError) Error() string { return e.name + " does not exist" }

// Unwrap returns the API server's error.
func (e notFoundError) Unwrap() error { return e.err }

func checkCondition(object *unstructured.Unstructured, conditionType, expected string) error {
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil {
		return err
	}
	for _, each := range conditions {
		condition, _ := each.(map[string]any)
		if condition["type"] != conditionType {
			continue
		}
		actual := fmt.Sprintf("%v/%v", condition["status"], condition["reason"])
		if !strings.Contains(expected, "/") {
			actual = fmt.Sprint(condition["status"])
		}
		if actual != expected {
			return fmt.Errorf("condition %s is %v/%v, not %s: %v", conditionType, condition["status"], condition["reason"], expected, condition["message"])
		}
		return nil
	}
	return fmt.Errorf("condition %s is not set", conditionType)
}

// checkField returns an error if a field differs from its expected value. The object that contains the field must exist even if the field
// must not, so that a misspelled path fails.
func checkField(object *unstructured.Unstructured, path string, expected any) error {
	names := strings.Split(path, ".")
	outer := names[:len(names)-1]
	found, _, err := unstructured.NestedFieldNoCopy(object.Object, outer...)
	if _, isObject := found.(map[string]any); err != nil || !isObject {
		return fmt.Errorf("%s cannot be compared: field %s does not exist or is not an object; a path cannot lead into a list", path, strings.Join(outer, "."))
	}
	actual, exists, err := unstructured.NestedFieldNoCopy(object.Object, names...)
	if err != nil {
		return err
	}
	want, err := json.Marshal(expected)
	if err != nil {
		return err
	}
	have, err := json.Marshal(actual)
	if err != nil {
		return err
	}
	if !exists && expected != nil {
		return fmt.Errorf("%s does not exist, but must be %s", path, want)
	}
	if string(want) != string(have) {
		return fmt.Errorf("%s is %s, not %s", path, have, want)
	}
	return nil
}
