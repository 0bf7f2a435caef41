package applyconfiguration

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/scenario/builtin"
)

const podSpec = `{containers: [{name: a, image: a, env: [{name: NS, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}, {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]}],
	initContainers: [{name: b, image: b, env: [{name: NS, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}],
	volumes: [{name: a, projected: {sources: [{serviceAccountToken: {path: token}}, {downwardAPI: {items: [{path: a, fieldRef: {fieldPath: metadata.name}}]}}]}},
		{name: b, downwardAPI: {items: [{path: a, fieldRef: {fieldPath: metadata.name}}]}}]}`

const podTemplate = `selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: ` + podSpec + `}`

// declared are objects without the defaults in fields that server-side apply replaces as a whole, by resource.
var declared = map[schema.GroupVersionResource]string{
	{Version: "v1", Resource: "pods"}:                       `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}, spec: ` + podSpec + `}`,
	{Group: "apps", Version: "v1", Resource: "deployments"}: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: b}, spec: {` + podTemplate + `}}`,
	{Group: "apps", Version: "v1", Resource: "daemonsets"}:  `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a, namespace: b}, spec: {` + podTemplate + `}}`,
	{Group: "apps", Version: "v1", Resource: "statefulsets"}: `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a, namespace: b}, spec: {serviceName: a, ` + podTemplate + `,
		volumeClaimTemplates: [{metadata: {name: c}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}}`,
	{Group: "batch", Version: "v1", Resource: "cronjobs"}: `{apiVersion: batch/v1, kind: CronJob, metadata: {name: a, namespace: b},
		spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: ` + podSpec + `}}}}}`,
	{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"}: `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a, namespace: b},
		spec: {podSelector: {}, ingress: [{ports: [{port: 80}]}], egress: [{ports: [{port: 80}]}]}}`,
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"}: `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a, namespace: b},
		roleRef: {kind: Role, name: a}, subjects: [{kind: User, name: a}, {kind: ServiceAccount, name: a, namespace: b}]}`,
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}: `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a},
		webhooks: [{name: a.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: "https://a"}, rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}]}`,
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations"}: `{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: a},
		webhooks: [{name: a.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: "https://a"}, rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}]}`,
}

// applyTo applies an object to a server with objects and defaults, and returns the stored object and the mutation.
func applyTo(t *testing.T, resource schema.GroupVersionResource, text string, defaults func(runtime.Object), objects ...*unstructured.Unstructured) (*unstructured.Unstructured, manifestserver.Mutation) {
	t.Helper()
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "b"}}}
	server, err := manifestserver.New(manifestserver.Options{Objects: append(objects, namespace), KubernetesVersion: "v1.36.3", Clock: frozenClock{now: noon}, Default: defaults})
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(&rest.Config{Host: host, Transport: server})
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	stored, err := client.Resource(resource).Namespace(object.GetNamespace()).Apply(context.Background(), "a", object, metav1.ApplyOptions{FieldManager: "m"})
	if err != nil {
		t.Fatal(err)
	}
	mutations, err := server.Mutations()
	if err != nil {
		t.Fatal(err)
	}
	return stored, mutations[len(mutations)-1]
}

func TestAnApplyOfWhatIsStoredChangesNothing(t *testing.T) {
	for resource, text := range declared {
		t.Run(resource.Resource, func(t *testing.T) {
			stored, _ := applyTo(t, resource, text, builtin.NewScheme().Default)
			if _, again := applyTo(t, resource, text, setDefaults, stored); !again.Unchanged {
				t.Errorf("the same apply changes the object:\n%v\n%v", stored.Object, again.Object.Object)
			}
			if _, again := applyTo(t, resource, text, nil, stored); again.Unchanged {
				t.Error("the object tests nothing: without defaults, the apply changes nothing, either")
			}
		})
	}
}
