package parity

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/scenario"
)

func TestCoverComparesOutcomes(t *testing.T) {
	patch := func(code int) scenario.Request {
		return scenario.Request{Verb: "patch", Resource: schema.GroupResource{Group: "apps", Resource: "deployments"}, Options: "merge", Code: code}
	}
	for _, test := range []struct {
		table, sent int
		want        bool
	}{
		{200, 200, true}, {422, 422, true}, {404, 404, true}, {404, 409, true},
		{200, 422, false}, {422, 200, false}, {404, 200, false}, {409, 422, false},
		{200, 409, true}, {422, 404, true}, {200, 503, true},
	} {
		table := RequestTypes{}
		for _, each := range RequestTypesOf(patch(test.table)) {
			table[each] = true
		}
		if got := !slices.ContainsFunc(RequestTypesOf(patch(test.sent)), func(each RequestType) bool { return !table.Cover(each) }); got != test.want {
			t.Errorf("a response with %d covers one with %d: %t, want %t", test.table, test.sent, got, test.want)
		}
	}
	if other := RequestTypesOf(scenario.Request{Verb: "get", Path: "/version", Code: 200}); len(other) > 0 {
		t.Errorf("a non-resource URL has types %v", other)
	}
}
