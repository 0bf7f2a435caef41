package manifestserver_test

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// TestDeletionOfANamespace has Namespaces as other inputs have them: without the finalizer that kube-apiserver adds.
func TestDeletionOfANamespace(t *testing.T) {
	const bare = `{apiVersion: v1, kind: Namespace, metadata: {name: b}}`
	const content = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: b}}`
	for name, test := range map[string]struct {
		input   []string
		remains bool
	}{
		"EmptyAndWithoutFinalizers": {[]string{bare}, false},
		"WithObjects":               {[]string{bare, content}, true},
		"WithFinalizers":            {[]string{`{apiVersion: v1, kind: Namespace, metadata: {name: b, finalizers: [example.com/f]}}`}, true},
		"WithSpecFinalizers":        {[]string{`{apiVersion: v1, kind: Namespace, metadata: {name: b}, spec: {finalizers: [kubernetes]}}`}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, serve(t, test.input...))
			c.object(remove("", "/api/v1/namespaces/b", ""))
			if !test.remains {
				expect(t, c.send(get("", "/api/v1/namespaces/b")), http.StatusNotFound, metav1.StatusReasonNotFound)
				return
			}
			if got := c.get("/api/v1/namespaces/b"); got.GetDeletionTimestamp() == nil {
				t.Errorf("got %v", got.Object)
			}
		})
	}
}

func TestANamespaceWithoutANamespaceObject(t *testing.T) {
	create := func(t *testing.T, server *manifestserver.Server, path string) response {
		t.Helper()
		return newClient(t, server).send(post("", path+"/configmaps", `{apiVersion: v1, kind: ConfigMap, metadata: {name: new}}`))
	}
	t.Run("Missing", func(t *testing.T) {
		expect(t, create(t, serve(t), "/api/v1/namespaces/b"), http.StatusNotFound, metav1.StatusReasonNotFound)
	})
	t.Run("HasObjects", func(t *testing.T) {
		server := serve(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: b}}`)
		expect(t, create(t, server, "/api/v1/namespaces/b"), http.StatusCreated, "")
	})
	t.Run("InEveryCluster", func(t *testing.T) {
		expect(t, create(t, serve(t), "/api/v1/namespaces/default"), http.StatusCreated, "")
	})
	t.Run("NamespacesNotCollected", func(t *testing.T) {
		server := serveWith(t, manifestserver.Options{NotCollected: []manifestserver.Scope{{GroupResource: schema.GroupResource{Resource: "namespaces"}}}})
		expect(t, create(t, server, "/api/v1/namespaces/b"), http.StatusCreated, "")
	})
}
