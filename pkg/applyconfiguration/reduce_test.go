package applyconfiguration

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

func TestReduceKeepsOneMutationOfEachObject(t *testing.T) {
	mutation := func(action manifestserver.Action, name, manager, body string) manifestserver.Mutation {
		return manifestserver.Mutation{Action: action, Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespace: "a",
			Name: name, FieldManager: manager, Body: []byte(body)}
	}
	for name, test := range map[string]struct {
		mutations []manifestserver.Mutation
		want      []string
	}{
		"different objects": {[]manifestserver.Mutation{
			mutation(manifestserver.ActionCreate, "x", "one", "1"), mutation(manifestserver.ActionCreate, "y", "one", "2"),
		}, []string{"1", "2"}},
		"a status waits for the object": {[]manifestserver.Mutation{
			mutation(manifestserver.ActionPatch, "x", "one", "1"), mutation(manifestserver.ActionUpdateStatus, "x", "one", "2"),
		}, []string{"1"}},
		"an update of a status has what was applied before": {[]manifestserver.Mutation{
			mutation(manifestserver.ActionApplyStatus, "x", "one", "1"), mutation(manifestserver.ActionUpdateStatus, "x", "two", "2"),
		}, []string{"2"}},
		"the next update has what the first one has": {[]manifestserver.Mutation{
			mutation(manifestserver.ActionUpdateStatus, "x", "one", "1"), mutation(manifestserver.ActionUpdateStatus, "x", "two", "2"),
		}, []string{"2"}},
		"the next apply of the same field manager has what the first one has": {[]manifestserver.Mutation{
			mutation(manifestserver.ActionApply, "x", "one", "1"), mutation(manifestserver.ActionApply, "x", "one", "2"),
		}, []string{"2"}},
		"the next apply of another field manager waits": {[]manifestserver.Mutation{
			mutation(manifestserver.ActionApply, "x", "one", "1"), mutation(manifestserver.ActionApply, "x", "two", "2"),
		}, []string{"1"}},
		"a patch waits": {[]manifestserver.Mutation{
			mutation(manifestserver.ActionPatch, "x", "one", "1"), mutation(manifestserver.ActionPatch, "x", "one", "2"),
		}, []string{"1"}},
		"an update waits for a patch, and the next one too": {[]manifestserver.Mutation{
			mutation(manifestserver.ActionPatch, "x", "one", "1"), mutation(manifestserver.ActionUpdate, "x", "one", "2"), mutation(manifestserver.ActionUpdate, "x", "one", "3"),
		}, []string{"1"}},
		"a deletion of an object of the input replaces everything": {[]manifestserver.Mutation{
			mutation(manifestserver.ActionApply, "x", "one", "1"), mutation(manifestserver.ActionDelete, "x", "one", "2"),
		}, []string{"2"}},
		"nothing": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			reduced, isComplete := reduce(test.mutations)
			for _, each := range reduced {
				got = append(got, string(each.Body))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if isWaiting := strings.Contains(name, "waits"); isComplete == isWaiting {
				t.Errorf("complete: %t", isComplete)
			}
		})
	}
}
