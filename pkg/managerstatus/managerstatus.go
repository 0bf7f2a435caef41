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

// conflictPause is how long a sync waits after library-go has tried a write four times, each time against a status that another
// controller had changed.
const conflictPause = time.Second

// Update changes the status, and reports whether that wrote anything. While the resource does not exist nothing is written: it is
// created again at once, and its informer wakes the controller. After conflicts the sync is queued again. Neither is an error, which
// library-go would report as Degraded.
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
