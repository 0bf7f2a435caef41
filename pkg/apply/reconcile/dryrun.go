package reconcile

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
)

// DryRun sends a dry run of the server-side apply of an object, as an identity, and returns the API server's error. If the object is not
// fit for server-side apply (isUnappliable), DryRun sends a dry run of a POST instead. It ignores AlreadyExists, because the manager
// changes such an object by PUT.
func DryRun(ctx context.Context, as identity.Identity, owner object.Owner, desired *object.Desired, resource livecache.Resource) error {
	encoded, err := json.Marshal(desired.Object().Object)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", desired.Key, err)
	}
	client, dry := clientOf(as, resource, desired.Key), []string{metav1.DryRunAll}
	_, err = client.Patch(ctx, desired.Key.Name, types.ApplyPatchType, encoded, metav1.PatchOptions{FieldManager: owner.Manager(), Force: ptr.To(true), DryRun: dry})
	if isUnappliable(err) {
		_, err = client.Create(ctx, desired.Object(), metav1.CreateOptions{FieldManager: owner.Manager(), DryRun: dry})
	}
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
