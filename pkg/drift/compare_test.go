package drift

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	parsed := &unstructured.Unstructured{}
	if err := parsed.UnmarshalJSON(encoded); err != nil {
		t.Fatalf("reading %s: %v", text, err)
	}
	return parsed
}

func owned(live *unstructured.Unstructured, manager, fields string) *unstructured.Unstructured {
	live.SetManagedFields(append(live.GetManagedFields(), metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)},
	}))
	return live
}

const (
	service = `{apiVersion: v1, kind: Service, metadata: {name: s, namespace: n, labels: {app: memo}},
		spec: {selector: {app: memo}, ports: [{port: 80, name: web}]}}`
	serviceFields = `{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:selector":{},"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:name":{}}}}}`
)

func TestFieldsThatAreAsDeclared(t *testing.T) {
	cases := map[string]struct {
		declared, live, fields string
		trust                  Trust
		want                   bool
	}{
		"as it was written, with defaults and additions beside it": {
			declared: service, fields: serviceFields, want: true,
			live: `{apiVersion: v1, kind: Service, metadata: {name: s, namespace: n, uid: u, labels: {app: memo, users: own}},
				spec: {selector: {app: memo}, clusterIP: 10.0.0.1, ports: [{port: 80, protocol: TCP, name: web, targetPort: 80}, {port: 81, protocol: TCP}]}}`,
		},
		"a key added to a map that is owned as a whole": {
			declared: service, fields: serviceFields,
			live: `{apiVersion: v1, kind: Service, metadata: {labels: {app: memo}},
				spec: {selector: {app: memo, evil: x}, ports: [{port: 80, protocol: TCP, name: web}]}}`,
		},
		"a declared label removed": {
			declared: service, fields: `{"f:spec":{"f:selector":{},"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:name":{}}}}}`,
			live: `{apiVersion: v1, kind: Service, metadata: {}, spec: {selector: {app: memo}, ports: [{port: 80, protocol: TCP, name: web}]}}`,
		},
		"a field of a list's element changed": {
			declared: service, fields: serviceFields,
			live: `{apiVersion: v1, kind: Service, metadata: {labels: {app: memo}}, spec: {selector: {app: memo}, ports: [{port: 80, protocol: TCP, name: evil}]}}`,
		},
		"a list's element removed": {
			declared: service, fields: serviceFields,
			live: `{apiVersion: v1, kind: Service, metadata: {labels: {app: memo}}, spec: {selector: {app: memo}, ports: [{port: 81, protocol: TCP, name: web}]}}`,
		},
		"a field with the declared value that somebody took over": {
			declared: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: x, b: y}}`, fields: `{"f:data":{".":{},"f:b":{}}}`,
			live: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: x, b: y}}`,
		},
		"the only key of a merged map edited, though the object is known to have been ours": {
			declared: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: x}}`, fields: `{"f:data":{}}`, trust: WrittenBefore,
			live: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: evil}}`,
		},
		"a map that is owned as a whole and was filled up by defaults": {
			declared: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {fieldRef: {fieldPath: a}}}`, fields: `{"f:spec":{"f:fieldRef":{}}}`, trust: WrittenBefore, want: true,
			live: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {fieldRef: {apiVersion: v1, fieldPath: a}}}`,
		},
		"nothing is owned at all": {
			declared: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: x}}`, fields: "",
			live: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: x}}`,
		},
		"a value in the API server's own writing, not known to be ours": {
			declared: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {cpu: 1000m}}`, fields: `{"f:spec":{"f:cpu":{}}}`,
			live: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {cpu: "1"}}`,
		},
		"a value in the API server's own writing, known to be ours": {
			declared: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {cpu: 1000m}}`, fields: `{"f:spec":{"f:cpu":{}}}`, trust: WrittenBefore, want: true,
			live: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {cpu: "1"}}`,
		},
		"an edited field, though the object is known to have been ours": {
			declared: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {cpu: 1000m, image: a}}`, fields: `{"f:spec":{"f:cpu":{}}}`, trust: WrittenBefore,
			live: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {cpu: "1", image: evil}}`,
		},
		"an empty map that was filled up by defaults": {
			declared: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {securityContext: {}}}`, fields: `{"f:spec":{"f:securityContext":{}}}`, want: true,
			live: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {securityContext: {runAsNonRoot: true}}}`,
		},
		"an empty map that was replaced by something else": {
			declared: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {emptyDir: {}}}`, fields: `{"f:spec":{}}`, trust: WrittenBefore,
			live: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {configMap: {name: evil}}}`,
		},
		"numbers, whatever decoded them": {
			declared: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {replicas: 1, share: 0.5}}`, fields: `{"f:spec":{"f:replicas":{},"f:share":{}}}`, want: true,
			live: `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {replicas: 1.0, share: 0.5}}`,
		},
		"a set of values": {
			declared: `{apiVersion: v1, kind: X, metadata: {name: c, finalizers: [a]}}`, fields: `{"f:metadata":{"f:finalizers":{".":{},"v:\"a\"":{}}}}`, want: true,
			live: `{apiVersion: v1, kind: X, metadata: {name: c, finalizers: [b, a]}}`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			live := object(t, c.live)
			if c.fields != "" {
				live = owned(live, "platform-operators/memo", c.fields)
			}
			live = owned(live, "kubectl", `{"f:metadata":{"f:labels":{"f:users":{}}}}`)
			compare := Comparison{Manager: "platform-operators/memo", Trust: c.trust}
			if found := compare.Differences(object(t, c.declared), live); (len(found) == 0) != c.want {
				t.Errorf("as declared: %v, want %v: %v", len(found) == 0, c.want, found)
			}
		})
	}
}

func FuzzComparisonNeverPanics(f *testing.F) {
	f.Add([]byte(`{"f:spec":{"f:ports":{"k:{\"port\":80}":{".":{}}}}}`), []byte(`{"spec":{"ports":[{"port":80}]}}`))
	f.Add([]byte(`{"f:spec":{"v:1":{},"i:0":{}}}`), []byte(`{"spec":[1,null,{}]}`))
	f.Fuzz(func(t *testing.T, fields, content []byte) {
		live := &unstructured.Unstructured{}
		if err := live.UnmarshalJSON(append([]byte(`{"apiVersion":"v1","kind":"X","content":`), append(content, '}')...)); err != nil {
			return
		}
		declared := live.DeepCopy()
		live = owned(live, "m", string(fields))
		_ = Comparison{Manager: "m"}.Differences(declared, live)
		_ = Comparison{Manager: "m", Trust: WrittenBefore}.Differences(declared, live)
		other := Comparison{Manager: "other", Ignored: map[string]bool{"/content/spec": true}}
		added := other.Additions(declared, live)
		_, _ = other.Without(added, declared, live)
		_ = other.WithLive(declared, live)
	})
}
