package cvo

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestMergeIsByKind(t *testing.T) {
	for name, test := range map[string]struct{ live, manifest, want string }{
		"labels and annotations are added, none is removed": {
			`{kind: Namespace, metadata: {labels: {a: theirs, b: theirs}}, spec: {finalizers: [kubernetes]}}`,
			`{kind: Namespace, metadata: {labels: {a: ours}, annotations: {c: ours}}}`,
			`{kind: Namespace, metadata: {labels: {a: ours, b: theirs}, annotations: {c: ours}}, spec: {finalizers: [kubernetes]}}`,
		},
		"a ConfigMap's other keys stay": {
			`{kind: ConfigMap, data: {a: theirs, b: theirs}}`,
			`{kind: ConfigMap, data: {a: ours}}`,
			`{kind: ConfigMap, data: {a: ours, b: theirs}}`,
		},
		"a Role's rules are replaced": {
			`{kind: Role, rules: [{verbs: [get]}, {verbs: [delete]}]}`,
			`{kind: Role, rules: [{verbs: [get]}]}`,
			`{kind: Role, rules: [{verbs: [get]}]}`,
		},
		"an aggregated ClusterRole's rules are left to who gathers them": {
			`{kind: ClusterRole, aggregationRule: {x: 1}, rules: [{verbs: [get]}]}`,
			`{kind: ClusterRole, aggregationRule: {x: 2}}`,
			`{kind: ClusterRole, aggregationRule: {x: 2}, rules: [{verbs: [get]}]}`,
		},
		"a Service keeps its address, its ports are the manifest's": {
			`{kind: Service, spec: {clusterIP: 10.0.0.1, selector: {app: theirs}, ports: [{name: a, port: 1, nodePort: 3}, {name: b, port: 2}]}}`,
			`{kind: Service, spec: {selector: {app: ours}, ports: [{name: a, port: 8}]}}`,
			`{kind: Service, spec: {clusterIP: 10.0.0.1, selector: {app: ours}, ports: [{name: a, port: 8, nodePort: 3}]}}`,
		},
		"a Deployment is scaled back, extra containers and arguments go, what the CVO never updates stays": {
			`{kind: Deployment, spec: {replicas: 3, paused: true, template: {metadata: {annotations: {theirs: x}}, spec: {tolerations: [{key: theirs}], nodeSelector: {theirs: x},
				containers: [{name: a, args: [x], imagePullPolicy: Always, command: [y]}, {name: b}]}}}}`,
			`{kind: Deployment, spec: {template: {spec: {tolerations: [{key: ours}], nodeSelector: {ours: x}, containers: [{name: a, args: [z], imagePullPolicy: IfNotPresent}]}}}}`,
			`{kind: Deployment, spec: {replicas: 1, paused: true, template: {metadata: {annotations: {theirs: x}}, spec: {tolerations: [{key: theirs}, {key: ours}], nodeSelector: {theirs: x, ours: x},
				containers: [{name: a, args: [z], imagePullPolicy: Always}]}}}}`,
		},
		"any other kind has its top-level fields replaced whole, defaults of the API server with them": {
			`{kind: Other, spec: {ours: 1, defaulted: 2}, extra: 1, status: {x: 1}}`,
			`{kind: Other, spec: {ours: 1}, status: {x: 2}}`,
			`{kind: Other, spec: {ours: 1}, extra: 1, status: {x: 1}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			live, manifest := parse(t, test.live), parse(t, test.manifest)
			before := live.DeepCopy()
			if diff := cmp.Diff(parse(t, test.want).Object, merge(live, manifest).Object); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before.Object, live.Object); diff != "" {
				t.Errorf("what is live was changed in memory:\n%s", diff)
			}
			again := merge(parse(t, test.want), manifest)
			if changed := changedFields(parse(t, test.want), again); len(changed) > 0 {
				t.Errorf("the second merge changes %v", changed)
			}
		})
	}
}

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	// As in an object from the API server, integers are int64.
	data, err := object.MarshalJSON()
	if err == nil {
		err = object.UnmarshalJSON(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return object
}

func TestChangedFields(t *testing.T) {
	for name, test := range map[string]struct {
		live, merged string
		want         []string
	}{
		"nothing":              {`{kind: Role, rules: [{verbs: [get]}]}`, `{kind: Role, rules: [{verbs: [get]}]}`, nil},
		"another value":        {`{kind: Role, rules: [{verbs: [get]}]}`, `{kind: Role, rules: [{verbs: [list]}]}`, []string{"rules"}},
		"an added label":       {`{kind: Role, metadata: {}}`, `{kind: Role, metadata: {labels: {a: ours}}}`, []string{"metadata.labels"}},
		"a removed field":      {`{kind: ClusterRole, aggregationRule: {a: b}}`, `{kind: ClusterRole}`, []string{"aggregationRule"}},
		"a removed empty list": {`{kind: Role, rules: []}`, `{kind: Role}`, nil},
		"an added empty map":   {`{kind: ConfigMap}`, `{kind: ConfigMap, data: {}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, changedFields(parse(t, test.live), parse(t, test.merged))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
