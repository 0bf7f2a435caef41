package main

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

// answering returns a client whose patches all get the same answer.
func answering(err error) dynamic.Interface {
	client := fake.NewSimpleDynamicClient(runtime.NewScheme())
	client.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, err })
	return client
}

func TestCheckPolicies(t *testing.T) {
	denied, failed := apierrors.NewForbidden(schema.GroupResource{}, "any", errors.New("denied")), errors.New("failed")
	for name, c := range map[string]struct {
		tenant, outsider error
		isInForce, isOK  bool
	}{
		"in force":                                  {nil, denied, true, true},
		"in force, an outsider is admitted":         {nil, nil, true, false},
		"in force, the tenant is denied":            {denied, denied, true, false},
		"in force, a request of an outsider fails":  {nil, failed, true, false},
		"not in force":                              {nil, nil, false, true},
		"not in force, an outsider is denied":       {nil, denied, false, false},
		"not in force, a request of a tenant fails": {failed, nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			requests := []policyRequest{{name: "a change", patch: "{}", asTenant: answering(c.tenant), asOutsider: answering(c.outsider)}}
			if err := checkPolicies(t.Context(), c.isInForce, requests); (err == nil) != c.isOK {
				t.Errorf("got %v, want no error: %t", err, c.isOK)
			}
		})
	}
}
