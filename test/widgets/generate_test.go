package widgets_test

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// generatedStories is the number of generated stories. Each takes half a second.
const generatedStories = 10

func TestAnotherOperatorDoesWhatGeneratedStoriesDeclare(t *testing.T) {
	content, err := os.ReadFile("manifests/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(content, definition); err != nil {
		t.Fatal(err)
	}
	kind, err := generate.ReadKind("values/widget.yaml", []*apiextensionsv1.CustomResourceDefinition{definition})
	if err != nil {
		t.Fatal(err)
	}
	kinds := []*generate.Kind{kind}
	generator := generate.Generator{Kinds: kinds, Verbs: story.Verbs()}
	from := harness.Checkpoint{Cluster: prepared(t), IsOperatorRunning: true}
	oracle := generate.Oracle{Operator: underTest, From: from, Reference: generate.SimpleReference(underTest, from, kinds)}
	for seed := range generate.Seed(generatedStories) {
		t.Run(seed.String(), func(t *testing.T) {
			t.Parallel()
			made, err := generator.Story(seed)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { err = oracle.Check(t.Context(), made.Story) })
			if err != nil && !errors.As(err, new(generate.StepError)) {
				t.Error(err)
			}
		})
	}
}
