package invariants

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario"
)

var (
	deploymentResource  = schema.GroupResource{Group: corev1alpha2.GroupName, Resource: "bundledeployments"}
	classResource       = schema.GroupResource{Group: corev1alpha2.GroupName, Resource: "provisionerclasses"}
	operatorResource    = schema.GroupResource{Group: platformv1alpha1.GroupName, Resource: "platformoperators"}
	definitionResource  = schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}
	secretResource      = schema.GroupResource{Resource: "secrets"}
	configMapResource   = schema.GroupResource{Resource: "configmaps"}
	clusterRoleResource = schema.GroupResource{Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}
)

// Cluster is a view of a cluster's objects in the manager's API types.
type Cluster struct {
	*scenario.View
	state *ruleState
}

// ruleState is what the rules store about one cluster between calls.
type ruleState struct {
	// deployments and operators cache decoded objects, keyed by UID.
	deployments map[types.UID]*corev1alpha2.BundleDeployment
	operators   map[types.UID]*platformv1alpha1.PlatformOperator
	// revisions caches decoded revisions, keyed by the UID of the revision's index Secret.
	revisions map[types.UID]*revision
	// resources caches the resources of kinds.
	resources map[schema.GroupKind]schema.GroupResource
	// applied contains the objects that revisions have listed, for each BundleDeployment that exists or existed.
	applied map[owner]map[key]bool
}

// owner is a BundleDeployment that exists or existed.
type owner struct {
	name string
	uid  types.UID
}

func newRuleState() *ruleState {
	return &ruleState{
		deployments: map[types.UID]*corev1alpha2.BundleDeployment{}, operators: map[types.UID]*platformv1alpha1.PlatformOperator{},
		revisions: map[types.UID]*revision{}, resources: map[schema.GroupKind]schema.GroupResource{}, applied: map[owner]map[key]bool{},
	}
}

// delayed returns the cluster as it was observationDelay ago. The manager has seen this state, but perhaps no later one.
func (c *Cluster) delayed() *Cluster { return &Cluster{View: c.Ago(observationDelay), state: c.state} }

// Deployments returns the BundleDeployments. Callers must not modify them.
func (c *Cluster) Deployments() []*corev1alpha2.BundleDeployment {
	found := c.List(deploymentResource, "")
	deployments := make([]*corev1alpha2.BundleDeployment, 0, len(found))
	for _, each := range found {
		deployments = append(deployments, c.deployment(each))
	}
	return deployments
}

// Deployment returns a BundleDeployment, or nil if it does not exist. Callers must not modify it.
func (c *Cluster) Deployment(name string) *corev1alpha2.BundleDeployment {
	if found := c.Get(deploymentResource, "", name); found != nil {
		return c.deployment(found)
	}
	return nil
}

func (c *Cluster) deployment(found *unstructured.Unstructured) *corev1alpha2.BundleDeployment {
	if known := c.state.deployments[found.GetUID()]; known != nil && known.ResourceVersion == found.GetResourceVersion() {
		return known
	}
	decoded := &corev1alpha2.BundleDeployment{}
	decode(found, decoded)
	c.state.deployments[found.GetUID()] = decoded
	return decoded
}

// Operators returns the PlatformOperators. Callers must not modify them.
func (c *Cluster) Operators() []*platformv1alpha1.PlatformOperator {
	found := c.List(operatorResource, "")
	operators := make([]*platformv1alpha1.PlatformOperator, 0, len(found))
	for _, each := range found {
		operators = append(operators, c.operator(each))
	}
	return operators
}

// Operator returns a PlatformOperator, or nil if it does not exist. Callers must not modify it.
func (c *Cluster) Operator(name string) *platformv1alpha1.PlatformOperator {
	if found := c.Get(operatorResource, "", name); found != nil {
		return c.operator(found)
	}
	return nil
}

func (c *Cluster) operator(found *unstructured.Unstructured) *platformv1alpha1.PlatformOperator {
	if known := c.state.operators[found.GetUID()]; known != nil && known.ResourceVersion == found.GetResourceVersion() {
		return known
	}
	decoded := &platformv1alpha1.PlatformOperator{}
	decode(found, decoded)
	c.state.operators[found.GetUID()] = decoded
	return decoded
}

// operatorOf returns the PlatformOperator that controls a BundleDeployment, or nil if there is none.
func (c *Cluster) operatorOf(deployment *corev1alpha2.BundleDeployment) *platformv1alpha1.PlatformOperator {
	controller := metav1.GetControllerOf(deployment)
	if controller == nil || controller.Kind != "PlatformOperator" {
		return nil
	}
	if operator := c.Operator(controller.Name); operator != nil && operator.UID == controller.UID {
		return operator
	}
	return nil
}

// liveObject returns a live object, or nil if the object or a CustomResourceDefinition of its kind does not exist.
func (c *Cluster) liveObject(k key) *unstructured.Unstructured {
	resource, isKnown := c.resourceOf(k.GroupKind)
	if !isKnown {
		return nil
	}
	return c.Get(resource, k.Namespace, k.Name)
}

// resourceOf returns the resource of a kind. For a built-in kind, that is its plural by convention; for other kinds, the
// CustomResourceDefinition names it. The bool is false if there is no CustomResourceDefinition.
func (c *Cluster) resourceOf(kind schema.GroupKind) (schema.GroupResource, bool) {
	if known, ok := c.state.resources[kind]; ok {
		return known, true
	}
	if isBuiltin := !strings.Contains(kind.Group, ".") || strings.HasSuffix(kind.Group, ".k8s.io"); isBuiltin {
		plural, _ := meta.UnsafeGuessKindToResource(kind.WithVersion("v1"))
		c.state.resources[kind] = plural.GroupResource()
		return plural.GroupResource(), true
	}
	for _, definition := range c.List(definitionResource, "") {
		group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
		name, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
		if group == kind.Group && name == kind.Kind {
			plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
			found := schema.GroupResource{Group: group, Resource: plural}
			c.state.resources[kind] = found
			return found, true
		}
	}
	return schema.GroupResource{}, false
}

// decode converts an object to its API type. A field that the type does not have is ignored.
func decode(from *unstructured.Unstructured, to any) {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, to); err != nil {
		panic("the API server stored an object that its type cannot represent: " + err.Error())
	}
}

// condition returns the condition of a type, or a condition with an empty status if it is absent.
func condition(conditions []metav1.Condition, kind string) metav1.Condition {
	if found := meta.FindStatusCondition(conditions, kind); found != nil {
		return *found
	}
	return metav1.Condition{Type: kind}
}

// marks holds the names of BundleDeployments that appear in an object's metadata.
type marks struct {
	// label is the name in the owner labels.
	label string
	// managers are the names found in field managers.
	managers []string
	// references are the names found in owner references.
	references []string
}

func marksOf(object *unstructured.Unstructured) marks {
	var found marks
	if labels := object.GetLabels(); labels[corev1alpha2.LabelOwnerKind] == corev1alpha2.OwnerKindBundleDeployment {
		found.label = labels[corev1alpha2.LabelOwnerName]
	}
	for _, each := range object.GetManagedFields() {
		if name, isOurs := strings.CutPrefix(each.Manager, corev1alpha2.FieldManagerPrefix); isOurs && each.Subresource == "" {
			found.managers = append(found.managers, name)
		}
	}
	for _, each := range object.GetOwnerReferences() {
		if each.Kind == corev1alpha2.OwnerKindBundleDeployment {
			found.references = append(found.references, each.Name)
		}
	}
	return found
}

// owners returns the distinct names in the labels, field managers and owner references.
func (m marks) owners() []string {
	all := slices.Concat([]string{m.label}, m.managers, m.references)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(name string) bool { return name == "" })
}

// prove reports whether the marks prove that the named BundleDeployment applied the object. The proof is the owner labels together with the
// field manager. For objects that rukpak applied, it is the owner labels together with an owner reference.
func (m marks) prove(name string) bool {
	return m.label == name && (slices.Contains(m.managers, name) || slices.Contains(m.references, name))
}
