package kinds

import (
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"

	configv1 "github.com/openshift/api/config/v1"
)

// openShiftKinds are the cluster-scoped kinds of config.openshift.io. Every OpenShift cluster has them, and inputs often lack their
// definitions. Options.Definitions replace them.
var openShiftKinds = map[string]Traits{
	"APIServer": HasStatus, "Authentication": HasStatus, "Build": 0, "ClusterOperator": HasStatus, "ClusterVersion": HasStatus,
	"Console": HasStatus, "DNS": HasStatus, "FeatureGate": HasStatus, "Image": HasStatus, "ImageContentPolicy": 0,
	"ImageDigestMirrorSet": HasStatus, "ImageTagMirrorSet": HasStatus, "Infrastructure": HasStatus, "Ingress": HasStatus, "Network": 0,
	"Node": HasStatus, "OAuth": HasStatus, "OperatorHub": HasStatus, "Project": HasStatus, "Proxy": HasStatus, "Scheduler": HasStatus,
}

func openShiftResources() []*Resource {
	var found []*Resource
	for name, flags := range openShiftKinds {
		kind := configv1.GroupVersion.WithKind(name)
		plural, _ := meta.UnsafeGuessKindToResource(kind)
		found = append(found, &Resource{
			GroupVersionResource: plural, Kind: name, Traits: flags | HasGeneration | RequiresVersion, Custom: true,
			schema: &openSchema{sync.OnceValues(func() (managedfields.TypeConverter, error) { return openConverter(kind) })},
		})
	}
	return found
}

// openSchema accepts every object.
type openSchema struct {
	converters func() (managedfields.TypeConverter, error)
}

func (*openSchema) normalize(object *unstructured.Unstructured) (*unstructured.Unstructured, []string, error) {
	return (&customSchema{kind: schema.GroupVersionKind{}}).normalize(object)
}

func (*openSchema) validate(*unstructured.Unstructured) field.ErrorList { return nil }

func (s *openSchema) converter() (managedfields.TypeConverter, error) { return s.converters() }
