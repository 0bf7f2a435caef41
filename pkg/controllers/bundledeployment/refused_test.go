package bundledeployment

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/apply/object"
)

func TestHRD_M4_ChangedDefinitionConcernsTheDeploymentsThatWereRefusedIt(t *testing.T) {
	refusalOf := func(key apply.Key) error {
		return fmt.Errorf("applying: %w", &apply.Refusal{Object: key, Err: errors.New("exists"), Remedy: "delete it"})
	}
	c := newFixture(t).c
	c.recordRefusal("first", refusalOf(apply.Key{GroupKind: object.CRDKind, Name: "lamps.example.com"}))
	c.recordRefusal("second", refusalOf(apply.Key{GroupKind: object.CRDKind, Name: "shades.example.com"}))
	c.recordRefusal("third", refusalOf(apply.Key{Name: "lamps.example.com"}))
	lamps := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "lamps.example.com"}}
	if got := c.deploymentsOfDefinition(lamps); !slices.Equal(got, []string{"first"}) {
		t.Errorf("got %q", got)
	}
	c.recordRefusal("first", nil)
	if got := c.deploymentsOfDefinition(lamps); len(got) > 0 {
		t.Errorf("after it got the definition: %q", got)
	}
}
