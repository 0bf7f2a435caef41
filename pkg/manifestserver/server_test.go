package manifestserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// TestEqualRequestsHaveEqualResults sends all requests of the parity test to two servers.
func TestEqualRequestsHaveEqualResults(t *testing.T) {
	run := func(seed string) []byte {
		server := serveWith(t, manifestserver.Options{Seed: seed}, widgetW)
		c := newClient(t, server)
		var result bytes.Buffer
		encoder := json.NewEncoder(&result)
		write := func(value any) {
			if err := encoder.Encode(value); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range parityRequests {
			write(c.send(r))
		}
		write(mutations(t, server))
		write(server.Reads())
		write(must(server.Objects())(t))
		return result.Bytes()
	}
	first := run("seed")
	if second := run("seed"); !bytes.Equal(first, second) {
		t.Error(cmp.Diff(strings.Split(string(first), "\n"), strings.Split(string(second), "\n")))
	}
	if bytes.Equal(first, run("another seed")) {
		t.Error("another seed has the same results")
	}
	if wall := []byte(`"20` + clocktesting.NewFakePassiveClock(now).Now().Format("06-01-02")); !bytes.Contains(first, wall) {
		t.Error("the results do not have the time of the clock")
	}
}

func TestTheInputKeepsItsValuesAndGetsMissingOnes(t *testing.T) {
	input := `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: a, uid: u, resourceVersion: "100", generation: 7, creationTimestamp: "2020-01-01T00:00:00Z"}, spec: {size: 1, color: blue}}`
	server := serve(t, input, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: a}}`)
	c := newClient(t, server)
	kept, completed := c.get(widgets+"/w"), c.get(configMaps+"/c")
	if kept.GetUID() != "u" || kept.GetResourceVersion() != "100" || kept.GetGeneration() != 7 || kept.GetCreationTimestamp().Year() != 2020 {
		t.Errorf("got %v", kept.Object)
	}
	if completed.GetUID() == "" || completed.GetResourceVersion() != "101" || !completed.GetCreationTimestamp().Time.Equal(now) {
		t.Errorf("got %v", completed.Object)
	}
	if server.InputResourceVersion() != 101 {
		t.Errorf("the input's resourceVersion is %d", server.InputResourceVersion())
	}
	if got := c.object(patch("", configMaps+"/c", merge, `{data: {k: v}}`)); got.GetResourceVersion() != "102" {
		t.Errorf("the first write has resourceVersion %s", got.GetResourceVersion())
	}
}

func TestBadInput(t *testing.T) {
	for name, test := range map[string]struct{ object, want string }{
		"KindWithoutDefinition": {`{apiVersion: none.example.com/v1, kind: Thing, metadata: {name: t}}`, "not served"},
		"VersionNotServed":      {`{apiVersion: example.com/v9, kind: Widget, metadata: {name: w, namespace: a}}`, "not served"},
		"NoName":                {`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: a}}`, "metadata.name is empty"},
		"NoNamespace":           {`{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`, "correct the namespace"},
		"Twice":                 {`{apiVersion: v1, kind: Namespace, metadata: {name: a}}`, "twice"},
		"WrongType":             {`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: a}, data: {k: {}}}`, "does not match the schema"},
		"NoNumber":              {`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: a, resourceVersion: x}}`, "not a number"},
	} {
		t.Run(name, func(t *testing.T) {
			object := parse(t, test.object)
			_, err := manifestserver.New(manifestserver.Options{
				KubernetesVersion: "v1.36.3", Clock: clocktesting.NewFakePassiveClock(now), Objects: []*unstructured.Unstructured{parse(t, namespaceA), object},
			})
			var inputErr *manifestserver.InputError
			if !errors.As(err, &inputErr) || !strings.Contains(err.Error(), test.want) || inputErr.Object.GetKind() != object.GetKind() {
				t.Errorf("got %v, want an InputError with %q", err, test.want)
			}
		})
	}
}

func TestAllBadObjectsOfTheInputAreReported(t *testing.T) {
	_, err := manifestserver.New(manifestserver.Options{
		KubernetesVersion: "v1.36.3", Clock: clocktesting.NewFakePassiveClock(now),
		Objects: []*unstructured.Unstructured{parse(t, `{apiVersion: x/v1, kind: One, metadata: {name: a}}`), parse(t, `{apiVersion: x/v1, kind: Two, metadata: {name: b}}`)},
	})
	if err == nil || !strings.Contains(err.Error(), "Kind=One") || !strings.Contains(err.Error(), "Kind=Two") {
		t.Errorf("got %v", err)
	}
}

func TestOptionsThatAreMissing(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(now)
	for want, options := range map[string]manifestserver.Options{
		"Options.KubernetesVersion is empty":         {Clock: clock},
		"Options.KubernetesVersion is not a version": {Clock: clock, KubernetesVersion: "latest"},
		"Options.Clock is nil":                       {KubernetesVersion: "v1.36.3"},
	} {
		if _, err := manifestserver.New(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestAReleasedInputIsReducedToItsName(t *testing.T) {
	for _, version := range []string{"", "7"} {
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c", "namespace": "a", "resourceVersion": version}, "data": map[string]any{"k": "v"},
		}}
		server, err := manifestserver.New(manifestserver.Options{
			Objects: []*unstructured.Unstructured{object}, Release: true, KubernetesVersion: "v1.36.3", Clock: clocktesting.NewFakePassiveClock(now),
		})
		if err != nil {
			t.Fatal(err)
		}
		reduced := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c", "namespace": "a"}}
		if diff := cmp.Diff(reduced, object.Object); diff != "" {
			t.Errorf("the object of the input (-want +got):\n%s", diff)
		}
		if data, _, _ := unstructured.NestedString(newClient(t, server).get(configMaps+"/c").Object, "data", "k"); data != "v" {
			t.Errorf("the server has %q", data)
		}
	}
}

func TestUnknownFieldsAndForbiddenValuesOfTheInputAreReported(t *testing.T) {
	server := serve(t, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: a}, spec: {size: 1, sise: 2, color: green}}`,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: a}, dat: {}}`)
	var got []string
	for _, err := range server.InputErrors() {
		got = append(got, err.Error())
	}
	want := []string{
		`example.com/v1, Kind=Widget "a/w": unknown field "spec.sise"; correct its name or remove it`,
		`example.com/v1, Kind=Widget "a/w": spec.color: Unsupported value: "green": supported values: "red", "blue"`,
		`/v1, Kind=ConfigMap "a/c": unknown field "dat"; correct its name or remove it`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestASyncSeesTheInputAndItsOwnWrites(t *testing.T) {
	server := serve(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: kept, namespace: a}}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: gone, namespace: a}}`)
	c := newClient(t, server)
	create := post("", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: new}}`)
	server.Begin(manifestserver.Sync{Controller: "one", Key: "a"})
	first := c.object(create)
	c.send(remove("", configMaps+"/gone", ""))
	if list := c.send(get("", configMaps)).Body.(map[string]any)["items"].([]any); len(list) != 2 {
		t.Errorf("the sync sees %d objects, want the one that is kept and the new one", len(list))
	}
	expect(t, c.send(get("", configMaps+"/gone")), http.StatusNotFound, metav1.StatusReasonNotFound)

	server.Begin(manifestserver.Sync{Controller: "one", Key: "b"})
	expect(t, c.send(get("", configMaps+"/new")), http.StatusNotFound, metav1.StatusReasonNotFound)
	c.get(configMaps + "/gone")
	if second := c.object(create); second.GetUID() != first.GetUID() || second.GetResourceVersion() == "" {
		t.Errorf("what a sync creates depends on the sync before: %v, %v", first.GetUID(), second.GetUID())
	}
	if !server.HasMadeUp(string(first.GetUID())) || server.HasMadeUp("unknown") {
		t.Error("generated uids are not known")
	}
	if got := mutations(t, server); len(got) != 3 || got[2].Sync.Key != "b" {
		t.Errorf("%d mutations: %v", len(got), got)
	}
}

func TestWhatWasNotCollected(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	server := serveWith(t, manifestserver.Options{
		NotCollected: []manifestserver.Scope{{GroupResource: schema.GroupResource{Group: "rbac.authorization.k8s.io", Resource: "roles"}}, {Namespace: "b"}},
		MetadataOnly: []manifestserver.Scope{{GroupResource: secrets, Namespace: "a", Name: "s"}},
	}, `{apiVersion: v1, kind: Namespace, metadata: {name: b}}`, `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: known, namespace: a}}`,
		`{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: a}}`)
	c := newClient(t, server)
	roles := "/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles"
	const unknown = http.StatusServiceUnavailable
	for name, test := range map[string]struct {
		request request
		code    int
		want    string
	}{
		"a list":                           {get("", roles), unknown, "list roles a/"},
		"a list of a namespace":            {get("", "/api/v1/namespaces/b/pods"), unknown, "list pods b/"},
		"a list of all namespaces":         {get("", "/api/v1/pods"), unknown, "list pods /"},
		"an object":                        {get("", roles+"/other"), unknown, "get roles a/other"},
		"an object that the input has":     {get("", roles+"/known"), http.StatusOK, ""},
		"another namespace":                {get("", "/api/v1/namespaces/a/pods"), http.StatusOK, ""},
		"another kind":                     {get("", "/api/v1/nodes"), http.StatusOK, ""},
		"the first list of an informer":    {get("", roles+"?resourceVersion=0"), http.StatusOK, "list roles a/"},
		"a new object":                     {post("", roles, `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: new}}`), unknown, "write roles a/"},
		"a deletion":                       {remove("", roles+"/other", ""), unknown, "write roles a/other"},
		"a change of what the input has":   {patch("", roles+"/known", merge, `{metadata: {labels: {a: b}}}`), http.StatusOK, ""},
		"an object without its content":    {get("", "/api/v1/namespaces/a/secrets/s"), unknown, "get secrets a/s"},
		"a list with it":                   {get("", "/api/v1/secrets"), unknown, "list secrets /"},
		"a change of it":                   {patch("", "/api/v1/namespaces/a/secrets/s", merge, `{metadata: {labels: {a: b}}}`), unknown, "write secrets a/s"},
		"an object beside the one without": {get("", "/api/v1/namespaces/a/secrets/t"), http.StatusNotFound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			current := manifestserver.Sync{Controller: "one", Key: name}
			server.Begin(current)
			if got := c.send(test.request); got.Code != test.code {
				t.Errorf("got %d %v, want %d", got.Code, got.Body, test.code)
			}
			var got []string
			for _, read := range server.NotCollected()[current] {
				got = append(got, fmt.Sprintf("%s %s %s/%s", read.Verb, read.Resource.Resource, read.Namespace, read.Name))
			}
			if strings.Join(got, "; ") != test.want {
				t.Errorf("noted %q, want %q", got, test.want)
			}
		})
	}
}

func TestKindsWithoutADefinitionAreInferred(t *testing.T) {
	inferred := func(plural, kind string) *apiextensionsv1.CustomResourceDefinition {
		keeps := true
		return &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: plural + ".example.org"}, Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.org", Scope: apiextensionsv1.NamespaceScoped, Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: kind},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
				OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keeps}}}},
		}}
	}
	server := serveWith(t, manifestserver.Options{
		NotCollected: []manifestserver.Scope{{GroupResource: schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}}},
		Inferred:     []*apiextensionsv1.CustomResourceDefinition{inferred("gears", "Gear")},
	}, `{apiVersion: example.org/v1, kind: Gear, metadata: {name: g, namespace: a}, spec: {teeth: 5}}`)
	c := newClient(t, server)
	noted := func(name string, request request, code, reads int) {
		t.Helper()
		current := manifestserver.Sync{Key: name}
		server.Begin(current)
		if got := c.send(request); got.Code != code || len(server.NotCollected()[current]) != reads {
			t.Errorf("%s: got %d, and %d reads are noted; want %d and %d", name, got.Code, len(server.NotCollected()[current]), code, reads)
		}
	}
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	noted("an object of an inferred kind", get("", "/apis/example.org/v1/namespaces/a/gears/g"), http.StatusOK, 0)
	noted("an object of a kind that may exist", get("", "/apis/example.org/v1/namespaces/a/wheels/w"), http.StatusNotFound, 1)
	noted("the served kinds", get("", "/apis"), http.StatusOK, 1)
	noted("an inferred definition", get("", definitions+"/gears.example.org"), http.StatusServiceUnavailable, 1)
	server.Begin(manifestserver.Sync{})
	if items := c.send(get("", definitions+"?resourceVersion=0")).Body.(map[string]any)["items"].([]any); len(items) != 1 {
		t.Errorf("an informer has %d definitions", len(items))
	}
}

func TestMutationsAreRecorded(t *testing.T) {
	server := serve(t, widgetW)
	c := newClient(t, server)
	server.Begin(manifestserver.Sync{Controller: "widgets", Key: "w"})
	c.object(post("", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {generateName: c-}}`))
	c.object(patch("", widgets+"/w/status?fieldManager=m&force=true", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, status: {phase: Ready}}`))
	c.object(patch("", widgets+"/w/status?fieldManager=m&force=true", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, status: {phase: Ready}}`))
	c.send(patch("", widgets+"/w", merge, `{spec: {size: 0}}`)) // refused
	c.object(patch("", widgets+"/w/status", merge, `{status: {phase: Done}}`))
	c.send(remove("", widgets+"/w", `{apiVersion: v1, kind: DeleteOptions, propagationPolicy: Background}`))
	var got []string
	for _, m := range mutations(t, server) {
		after := "removed"
		if m.Object != nil {
			after = m.Object.GetName()
		}
		got = append(got, fmt.Sprintf("%s %s %s by %s of %s, %s %t, after: %s", m.Action, m.Resource.Resource, m.GenerateName, m.FieldManager,
			m.Sync, m.PatchType, m.Unchanged, after))
	}
	generated := mutations(t, server)[0].Name
	want := []string{
		"Create configmaps c- by tester of {widgets w},  false, after: " + generated,
		"ApplyStatus widgets  by m of {widgets w}, application/apply-patch+yaml false, after: w",
		"ApplyStatus widgets  by m of {widgets w}, application/apply-patch+yaml true, after: w",
		"PatchStatus widgets  by tester of {widgets w}, application/merge-patch+json false, after: w",
		"Delete widgets  by tester of {widgets w},  false, after: removed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	deletion := mutations(t, server)[4]
	if options := deletion.Options.(*metav1.DeleteOptions); *options.PropagationPolicy != metav1.DeletePropagationBackground || len(deletion.Body) == 0 {
		t.Errorf("options %+v, body %s", options, deletion.Body)
	}
}

func TestUIDsDoNotDependOnOtherObjects(t *testing.T) {
	uidOf := func(names ...string) string {
		c := newClient(t, serve(t))
		var last *unstructured.Unstructured
		for _, name := range names {
			last = c.object(post("", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: `+name+`}}`))
			c.send(remove("", configMaps+"/"+name, ""))
		}
		return string(last.GetUID())
	}
	if uidOf("a") != uidOf("b", "a") {
		t.Error("the uid depends on another object")
	}
	if uidOf("a") == uidOf("a", "a") {
		t.Error("an object that is created again has the same uid")
	}
	c := newClient(t, serve(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: a}}`))
	before := c.get(configMaps + "/c").GetUID()
	c.send(remove("", configMaps+"/c", ""))
	if again := c.object(post("", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`)); again.GetUID() == before {
		t.Error("an object of the input that is created again has the same uid")
	}
}

func TestErrorsAreSorted(t *testing.T) {
	c := newClient(t, serve(t))
	for range 10 {
		got := c.send(post("", widgets, specOf("x", `short: ABCD, few: [a, b, c], color: green`)))
		message := got.Body.(map[string]any)["message"].(string)
		if !strings.Contains(message, "[spec.color: ") || !strings.Contains(message, ", spec.few: ") || !strings.Contains(message, ", spec.short: ") {
			t.Fatal(message)
		}
	}
}

func TestABodyHasALimit(t *testing.T) {
	c := newClient(t, serve(t))
	expect(t, c.send(request{"", http.MethodPost, configMaps, jsonType, strings.Repeat(" ", 3<<20+1)}), http.StatusRequestEntityTooLarge, metav1.StatusReasonRequestEntityTooLarge)
}

func TestAnEndedRequestFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	client := must(dynamic.NewForConfig(configOf(serve(t))))(t)
	if _, err := client.Resource(widgetResource).List(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestConcurrentRequests(t *testing.T) {
	server := serve(t, widgetW)
	client := must(dynamic.NewForConfig(configOf(server)))(t).Resource(widgetResource).Namespace("a")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			name := fmt.Sprintf("w-%d", i)
			object := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": name}, "spec": map[string]any{"size": int64(1)},
			}}
			for range 10 {
				if _, err := client.Apply(t.Context(), name, object, metav1.ApplyOptions{FieldManager: "m"}); err != nil {
					t.Error(err)
				}
				if _, err := client.List(t.Context(), metav1.ListOptions{}); err != nil {
					t.Error(err)
				}
				server.Reads()
			}
		})
	}
	group.Wait()
	if objects := must(server.Objects())(t); len(objects) != 10 {
		t.Errorf("%d objects", len(objects))
	}
}
