package declarations

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/multi-operator-manager/pkg/library/libraryinputresources"
	"github.com/openshift/multi-operator-manager/pkg/library/libraryoutputresources"

	"github.com/openshift/platform-operators/pkg/declaredresources"
	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// testResources returns declarations with one output, which is an input too, one more exact input, one selected resource, and the static part.
func testResources() *Resources {
	static := declaredresources.Static()
	r := &Resources{inputs: static.Inputs().ApplyConfigurationResources, outputs: static.Outputs().ConfigurationResources}
	r.outputs.ExactResources = append(r.outputs.ExactResources, libraryoutputresources.ExactResource("apps", "v1", "deployments", "memo", "memo"))
	r.inputs.ExactResources = append(r.inputs.ExactResources,
		libraryinputresources.ExactResource("apps", "v1", "deployments", "memo", "memo"),
		libraryinputresources.ExactResource("", "v1", "services", "memo", "hooks"))
	widgets := libraryinputresources.InputResourceTypeIdentifier{Group: "example.com", Version: "v1", Resource: "widgets"}
	r.inputs.LabelSelectedResources = append(r.inputs.LabelSelectedResources, libraryinputresources.LabelSelectedResource{
		InputResourceTypeIdentifier: widgets, Namespace: "memo", LabelSelector: metav1.LabelSelector{},
	})
	return r
}

func TestUnusedIsWhatNoRequestReadsOrWrites(t *testing.T) {
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	services := schema.GroupVersionResource{Version: "v1", Resource: "services"}
	widgets := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	const output, deployment, service, selected = "output deployments.apps memo/memo", "input deployments.apps memo/memo", "input services memo/hooks", "input widgets.example.com memo"
	for name, test := range map[string]struct {
		reads     []manifestserver.Read
		mutations []manifestserver.Mutation
		want      []string
	}{
		"nothing": {nil, nil, []string{deployment, service, selected, output}},
		"everything": {
			[]manifestserver.Read{{Resource: deployments}, {Resource: services, Namespace: "memo", Name: "hooks"}, {Resource: widgets, Namespace: "memo"}},
			[]manifestserver.Mutation{{Resource: deployments, Namespace: "memo", Name: "memo"}}, nil,
		},
		"an output that is only read": {
			[]manifestserver.Read{{Resource: deployments}, {Resource: services}, {Resource: widgets}}, nil, []string{output},
		},
		"an output that is written and not read": {
			[]manifestserver.Read{{Resource: services}, {Resource: widgets}},
			[]manifestserver.Mutation{{Resource: deployments, Namespace: "memo", Name: "memo"}}, []string{deployment},
		},
		"objects with other names, or in other namespaces": {
			[]manifestserver.Read{
				{Resource: deployments, Namespace: "memo", Name: "another"}, {Resource: services, Namespace: "another", Name: "hooks"},
				{Resource: widgets, Namespace: "another"},
			},
			[]manifestserver.Mutation{{Resource: deployments, Namespace: "memo", Name: "another"}}, []string{deployment, service, selected, output},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var usage Usage
			usage.add(testResources(), test.reads, test.mutations)
			if diff := cmp.Diff(test.want, usage.Unused()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
