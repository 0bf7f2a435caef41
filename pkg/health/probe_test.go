package health_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/health"
)

func parse(tb testing.TB, text string) *unstructured.Unstructured {
	tb.Helper()
	var o unstructured.Unstructured
	if err := yaml.Unmarshal([]byte(text), &o); err != nil {
		tb.Fatal(err)
	}
	return &o
}

func TestENG_D15_Probe(t *testing.T) {
	const deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: ns, name: web, generation: 2}, spec: {replicas: 3}, status: "
	const crd = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: as.b.c}, status: "
	const apiService = "{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.b.c}, status: "
	const job = "{apiVersion: batch/v1, kind: Job, metadata: {namespace: ns, name: once}, spec: {completions: 2}, status: "
	const cr = "{apiVersion: b.c/v1, kind: A, metadata: {namespace: ns, name: x, generation: 3}, status: "
	const pod = "{apiVersion: v1, kind: Pod, metadata: {namespace: ns, name: p}, status: "
	const sts = "{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: ns, name: db}, spec: {replicas: 2}, status: "
	const onDelete = "{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: ns, name: db}, spec: {replicas: 2, updateStrategy: {type: OnDelete}}, status: "
	const partitioned = "{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: ns, name: db}, spec: {replicas: 2, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}}, status: "
	const webhook = "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w}, webhooks: [{name: a.b.c, clientConfig: "
	const daemonSet = "{apiVersion: apps/v1, kind: DaemonSet, metadata: {namespace: ns, name: node, generation: 1}, status: "
	cases := map[string]struct {
		object string
		want   string // the message; empty when ready
	}{
		"a Deployment nobody looked at waits for its controller": {deployment + "{}}",
			"Deployment ns/web: its controller has not seen it yet"},
		"a Deployment whose controller is behind is not ready": {deployment + "{observedGeneration: 1, replicas: 3, updatedReplicas: 3, availableReplicas: 3}}",
			"Deployment ns/web: its controller has observed generation 1 of 2"},
		"a Deployment without available pods says how many are missing": {deployment + "{observedGeneration: 2, replicas: 3, updatedReplicas: 3}}",
			"Deployment ns/web: 0 of 3 updated replicas available"},
		"available pods of the old template do not count": {deployment + "{observedGeneration: 2, replicas: 4, updatedReplicas: 1, availableReplicas: 3}}",
			"Deployment ns/web: 0 of 3 updated replicas available"},
		"a Deployment with an old pod left is not rolled out": {deployment + "{observedGeneration: 2, replicas: 4, updatedReplicas: 3, availableReplicas: 4}}",
			"Deployment ns/web: 1 old replicas still to go"},
		"a Deployment past its deadline says so": {deployment + "{observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 1, conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded, message: ReplicaSet web-1 has timed out progressing.}]}}",
			"Deployment ns/web: 1 of 3 updated replicas available; progress deadline exceeded: ReplicaSet web-1 has timed out progressing."},
		"a Deployment past its deadline that may not create pods says why": {deployment + "{observedGeneration: 2, conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded, message: ReplicaSet web-1 has timed out progressing.}, {type: ReplicaFailure, status: 'True', message: 'pods \"web\" is forbidden: exceeded quota'}]}}",
			"Deployment ns/web: 0 of 3 updated replicas available; progress deadline exceeded: pods \"web\" is forbidden: exceeded quota"},
		"a Deployment that may not create pods says why": {deployment + "{observedGeneration: 2, conditions: [{type: ReplicaFailure, status: 'True', message: 'pods \"web\" is forbidden'}]}}",
			`Deployment ns/web: 0 of 3 updated replicas available: pods "web" is forbidden`},
		"a Deployment that is rolled out is ready":         {deployment + "{observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3}}", ""},
		"a Deployment of no replicas is ready without any": {"{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, generation: 1}, spec: {replicas: 0}, status: {observedGeneration: 1}}", ""},
		"a Deployment whose status is no number cannot be judged": {deployment + "{observedGeneration: 2, replicas: many}}",
			"Deployment ns/web: reading its state: .status.replicas accessor error: many is of the type string, expected int64"},

		"a CRD just created is not established": {crd + "{}}", "CustomResourceDefinition as.b.c: not established yet"},
		"a CRD with a taken name says which":    {crd + "{conditions: [{type: NamesAccepted, status: 'False', message: '\"as\" is already in use'}]}}", `CustomResourceDefinition as.b.c: its names are not accepted: "as" is already in use`},
		"an established CRD is ready":           {crd + "{conditions: [{type: NamesAccepted, status: 'True'}, {type: Established, status: 'True'}]}}", ""},
		"an APIService without server says why": {apiService + "{conditions: [{type: Available, status: 'False', reason: MissingEndpoints}]}}", "APIService v1.b.c: is not available: MissingEndpoints"},
		"an APIService just created waits":      {apiService + "{}}", "APIService v1.b.c: is not available"},
		"an available APIService is ready":      {apiService + "{conditions: [{type: Available, status: 'True'}]}}", ""},
		"a running Job is waited for":           {job + "{startTime: '2026-01-01T00:00:00Z', active: 1, succeeded: 1}}", "Job ns/once: 1 of 2 completions"},
		"a failed Job says why":                 {job + "{conditions: [{type: Failed, status: 'True', reason: BackoffLimitExceeded}]}}", "Job ns/once: failed: BackoffLimitExceeded"},
		"a complete Job is ready":               {job + "{conditions: [{type: Complete, status: 'True'}]}}", ""},
		"a claim without volume waits":          {"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: ns, name: c}, status: {phase: Pending}}", "PersistentVolumeClaim ns/c: is not bound but Pending"},
		"a bound claim is ready":                {"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: ns, name: c}, status: {phase: Bound}}", ""},
		"a failed Pod is not ready":             {pod + "{phase: Failed}}", "Pod ns/p: is Failed and not ready"},
		"a Pod without a node says why":         {pod + "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', message: 0/3 nodes are available}]}}", "Pod ns/p: cannot be scheduled: 0/3 nodes are available"},
		"a running and Ready Pod is ready":      {pod + "{phase: Running, conditions: [{type: Ready, status: 'True'}]}}", ""},

		"a StatefulSet nobody looked at waits for its controller":    {sts + "{}}", "StatefulSet ns/db: its controller has not seen it yet"},
		"a StatefulSet short of pods is waiting":                     {sts + "{observedGeneration: 0, replicas: 2, readyReplicas: 1, currentReplicas: 2}}", "StatefulSet ns/db: 1 of 2 replicas ready"},
		"a StatefulSet with pods of an old revision is rolling out":  {sts + "{observedGeneration: 0, replicas: 2, readyReplicas: 2, updatedReplicas: 1, currentRevision: db-1, updateRevision: db-2}}", "StatefulSet ns/db: 1 of 2 replicas updated"},
		"a StatefulSet with a pod too many is scaling down":          {sts + "{observedGeneration: 0, replicas: 3, readyReplicas: 3, updatedReplicas: 3}}", "StatefulSet ns/db: 1 replicas still to go"},
		"a StatefulSet with its pods is ready":                       {sts + "{observedGeneration: 0, replicas: 2, readyReplicas: 2, currentReplicas: 2, updatedReplicas: 2, currentRevision: db-2, updateRevision: db-2}}", ""},
		"a StatefulSet with pods that are replaced by hand is ready": {onDelete + "{observedGeneration: 0, replicas: 2, readyReplicas: 2, updatedReplicas: 0, currentRevision: db-1, updateRevision: db-2}}", ""},
		"a StatefulSet updated down to its partition is ready":       {partitioned + "{observedGeneration: 0, replicas: 2, readyReplicas: 2, updatedReplicas: 1, currentRevision: db-1, updateRevision: db-2}}", ""},
		"a DaemonSet missing on a node waits":                        {daemonSet + "{observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1}}", "DaemonSet ns/node: available on 1 of 2 nodes"},
		"a DaemonSet with an old pod is rolling out":                 {daemonSet + "{observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2}}", "DaemonSet ns/node: updated on 1 of 2 nodes"},
		"a DaemonSet nobody looked at waits for its controller":      {daemonSet + "{}}", "DaemonSet ns/node: its controller has not seen it yet"},
		"a DaemonSet on every node is ready":                         {daemonSet + "{observedGeneration: 1, desiredNumberScheduled: 1, currentNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1, numberReady: 1}}", ""},
		"a DaemonSet that fits no node is ready":                     {daemonSet + "{observedGeneration: 1, desiredNumberScheduled: 0, currentNumberScheduled: 0}}", ""},

		"a ConfigMap is ready as it exists":                   {"{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}", ""},
		"a webhook configuration without webhooks is ready":   {"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w}}", ""},
		"a webhook without a CA for its Service is not ready": {webhook + "{service: {namespace: ns, name: hook}}}]}", `ValidatingWebhookConfiguration w: webhook "a.b.c" has no CA for Service ns/hook yet: clientConfig.caBundle is empty`},
		"a webhook with an injected CA is ready":              {webhook + "{service: {namespace: ns, name: hook}, caBundle: Zm9v}}]}", ""},
		"a webhook that is called by URL needs no CA":         {webhook + "{url: 'https://example.com'}}]}", ""},
		"a custom resource without status is ready":           {"{apiVersion: b.c/v1, kind: A, metadata: {name: x}}", ""},
		"a custom resource that is not Ready says why":        {cr + "{conditions: [{type: Ready, status: 'False', reason: Broken, message: no disk}]}}", "A ns/x: no disk"},
		"a custom resource that is Ready is ready":            {cr + "{observedGeneration: 3, conditions: [{type: Ready, status: 'True'}]}}", ""},
		"a custom resource read before its change waits":      {cr + "{observedGeneration: 2, conditions: [{type: Ready, status: 'True'}]}}", "A ns/x: its controller has observed generation 2 of 3"},
		"what is being deleted is not ready":                  {"{apiVersion: v1, kind: Namespace, metadata: {name: gone, deletionTimestamp: '2026-01-01T00:00:00Z'}}", "Namespace gone: is being deleted"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := health.Probe(parse(t, c.object))
			if got.Message != c.want || got.Ready != (c.want == "") {
				t.Errorf("got ready %t, %q; want %q", got.Ready, got.Message, c.want)
			}
		})
	}
}

func TestServices(t *testing.T) {
	cases := map[string]struct {
		object string
		want   []health.Service
	}{
		"each Service once, in order": {`{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, webhooks: [
			{clientConfig: {service: {namespace: b, name: x}}}, {clientConfig: {url: "https://example.com"}}, {clientConfig: {service: {namespace: a, name: hook}}}, {clientConfig: {service: {namespace: b, name: x}}}]}`,
			[]health.Service{{Namespace: "b", Name: "x"}, {Namespace: "a", Name: "hook"}}},
		"webhooks that are none are passed over": {"{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, webhooks: [1, {clientConfig: 2}, {clientConfig: {service: 3}}]}", nil},
		"other kinds call nothing":               {"{apiVersion: b.c/v1, kind: A, webhooks: [{clientConfig: {service: {namespace: b, name: x}}}]}", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, health.Services(parse(t, c.object))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProbeMessageIsOneLimitedLine(t *testing.T) {
	o := parse(t, "{apiVersion: b.c/v1, kind: A, metadata: {name: x}}")
	long := "first line\nsecond\tline " + strings.Repeat("ü", 400)
	if err := unstructured.SetNestedSlice(o.Object, []any{map[string]any{"type": "Ready", "status": "False", "message": long}}, "status", "conditions"); err != nil {
		t.Fatal(err)
	}
	got := health.Probe(o).Message
	if len(got) > 256 || strings.ContainsAny(got, "\n\t\uFFFD") || !strings.HasPrefix(got, "A x: first line second line ü") || !strings.HasSuffix(got, "…") {
		t.Errorf("message of %d bytes: %q", len(got), got)
	}
}

func FuzzProbe(f *testing.F) {
	f.Add(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, status: {conditions: [1, {type: 2}], replicas: {}}}`)
	f.Add(`{apiVersion: v1, kind: Pod, metadata: {name: a}, status: {phase: [], conditions: {}}}`)
	f.Add(`{apiVersion: apps/v1, kind: StatefulSet, spec: {updateStrategy: 1}, status: {observedGeneration: 1, replicas: {}}}`)
	f.Add(`{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, webhooks: [{clientConfig: {service: {name: []}}}]}`)
	f.Add(`{apiVersion: b.c/v1, kind: A, metadata: {name: a}, status: {conditions: [{}], observedGeneration: x}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var o unstructured.Unstructured
		if yaml.Unmarshal([]byte(text), &o) != nil || o.Object == nil {
			return
		}
		health.Services(&o)
		if got := health.Probe(&o); got.Ready != (got.Message == "") {
			t.Errorf("ready %t with message %q", got.Ready, got.Message)
		}
	})
}

func ExampleProbe() {
	result := health.Probe(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"namespace": "quay", "name": "quay-operator", "generation": int64(1)},
		"spec":     map[string]any{"replicas": int64(1)},
		"status":   map[string]any{"observedGeneration": int64(1), "replicas": int64(1), "updatedReplicas": int64(1)},
	}})
	fmt.Println(result.Ready, result.Message)
	// Output: false Deployment quay/quay-operator: 0 of 1 updated replicas available
}
