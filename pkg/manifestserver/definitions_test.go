package manifestserver_test

import (
	"net/http"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

func newWithDefinitions(t *testing.T, definitions ...*apiextensionsv1.CustomResourceDefinition) (*manifestserver.Server, error) {
	t.Helper()
	return manifestserver.New(manifestserver.Options{
		KubernetesVersion: "v1.36.3", Clock: clocktesting.NewFakePassiveClock(now), Definitions: definitions,
		Objects: []*unstructured.Unstructured{parse(t, namespaceA), parse(t, widgetW)},
	})
}

func TestAKindWhoseVersionsAWebhookConverts(t *testing.T) {
	definition := widgetDefinition(t)
	definition.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter}
	c := newClient(t, must(newWithDefinitions(t, definition))(t))
	c.get(widgets + "/w")
	got := c.send(get("", "/apis/example.com/v2/namespaces/a/widgets/w"))
	if message, _ := got.Body.(map[string]any)["message"].(string); got.Code != http.StatusInternalServerError || !strings.Contains(message, "conversion webhook") {
		t.Errorf("got %+v", got)
	}
}

func TestTheLastDefinitionOfAKindApplies(t *testing.T) {
	old := widgetDefinition(t)
	old.Spec.Versions = old.Spec.Versions[1:]
	old.Spec.Versions[0].Name, old.Spec.Versions[0].Storage = "v0", true
	c := newClient(t, must(newWithDefinitions(t, old, widgetDefinition(t)))(t))
	c.get(widgets + "/w")
	expect(t, c.send(get("", "/apis/example.com/v0/widgets")), http.StatusNotFound, "")
}

func TestADefinitionThatIsNotStructural(t *testing.T) {
	definition := widgetDefinition(t)
	reference := "#/definitions/other"
	definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Ref = &reference
	if _, err := newWithDefinitions(t, definition); err == nil || !strings.Contains(err.Error(), `"widgets.example.com", version "v1"`) {
		t.Errorf("got %v", err)
	}
	definition.Spec.PreserveUnknownFields = true // kube-apiserver serves such old definitions without pruning
	c := newClient(t, must(newWithDefinitions(t, definition))(t))
	if got := c.object(patch("", widgets+"/w", merge, `{spec: {unknown: 1}}`)); number(got, "spec", "unknown") != 1 {
		t.Errorf("got %v", got.Object)
	}
}

func TestDefinitionsOfOpenShiftKindsReplaceTheBuiltInOnes(t *testing.T) {
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "proxies.config.openshift.io"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "config.openshift.io", Scope: apiextensionsv1.ClusterScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "proxies", Kind: "Proxy"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
				OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Required: []string{"spec"}},
			}}},
		},
	}
	c := newClient(t, must(newWithDefinitions(t, widgetDefinition(t), definition))(t))
	expect(t, c.send(post("", "/apis/config.openshift.io/v1/proxies", `{apiVersion: config.openshift.io/v1, kind: Proxy, metadata: {name: cluster}}`)),
		http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
}
