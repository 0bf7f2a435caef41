package apply

import (
	"context"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/pacing"
	"github.com/openshift/platform-operators/pkg/crdsafety"
	"github.com/openshift/platform-operators/pkg/storedobjects"
)

// definitions is the resource of CustomResourceDefinitions.
var definitions = apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")

// ChangedDefinitions reads the CustomResourceDefinitions of a set as an identity, and returns those that exist in the cluster, with their
// declarations, in the order of the set. The zero Identity means the manager. It skips a definition that the identity may not read, because the
// permission is reported as missing.
func (e *Engine) ChangedDefinitions(ctx context.Context, as Identity, set *Set) ([]crdsafety.Change, error) {
	var declared []*object.Desired
	for _, phase := range set.Phases() {
		for _, each := range phase.Objects {
			if each.Defines != nil {
				declared = append(declared, each)
			}
		}
	}
	changes, errs := make([]crdsafety.Change, len(declared)), make([]error, len(declared))
	client := as.Or(e.manager).Dynamic.Resource(definitions)
	pacing.Each(len(declared), func(i int) {
		live, err := client.Get(ctx, declared[i].Key.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err) || apierrors.IsForbidden(err):
		case err != nil:
			errs[i] = fmt.Errorf("reading %s, which the revision changes: %w", declared[i].Key, err)
		default:
			changes[i] = crdsafety.Change{Old: live, New: declared[i].Object()}
		}
	})
	return slices.DeleteFunc(changes, func(each crdsafety.Change) bool { return each.Old == nil }), object.Foremost(errs)
}

// StoredObjects checks in the background, as an identity, whether stored custom resources fit changed definitions; see storedobjects.Checker.
// It sets the client of the request.
func (e *Engine) StoredObjects(as Identity, request storedobjects.Request) (storedobjects.Result, bool) {
	request.Client = as.Or(e.manager).Dynamic
	return e.stored.Check(request)
}
