// Package managerstatus writes conditions into the status of PlatformOperatorManager "cluster".
package managerstatus

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
)

// conflictPause is the time before the next sync after all four of library-go's attempts have ended in a conflict.
const conflictPause = time.Second

// Update applies updates to the status. written reports whether it wrote the status; an unchanged status is not written.
//
// If the resource does not exist, Update writes nothing and returns no error: the manager recreates the resource at once, and that event
// queues another sync. After conflicts, it queues another sync after conflictPause and returns no error. library-go would report an error
// as Degraded.
func Update(ctx context.Context, syncCtx factory.SyncContext, client v1helpers.OperatorClient, updates ...v1helpers.UpdateStatusFunc) (written bool, err error) {
	_, written, err = v1helpers.UpdateStatus(ctx, client, updates...)
	switch {
	case errors.Is(err, operatorv1alpha1.ErrManagerMissing):
		return false, nil
	case apierrors.IsConflict(err):
		syncCtx.Queue().AddAfter(syncCtx.QueueKey(), conflictPause)
		return false, nil
	case err != nil:
		return false, err
	}
	return written, nil
}
