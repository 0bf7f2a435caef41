package operator

import (
	"context"
	"sync"

	"k8s.io/client-go/tools/cache"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/loglevel"
	"github.com/openshift/library-go/pkg/operator/v1helpers"
)

// loggingSyncerName is the name that library-go gives to its controller for the log level.
const loggingSyncerName = "LoggingSyncer"

// loggingSyncer builds library-go's controller for the log level when it runs. That controller has a queue of its own, which nobody shuts
// down if the context ends before the informer has synced.
type loggingSyncer struct {
	informer cache.SharedIndexInformer
	build    func() factory.Controller
}

func newLoggingSyncer(client v1helpers.OperatorClient, recorder events.Recorder) *loggingSyncer {
	return &loggingSyncer{client.Informer(), sync.OnceValue(func() factory.Controller {
		return loglevel.NewClusterOperatorLoggingController(client, recorder)
	})}
}

// Name implements factory.Controller.
func (l *loggingSyncer) Name() string { return loggingSyncerName }

// Run implements factory.Controller.
func (l *loggingSyncer) Run(ctx context.Context, workers int) {
	if cache.WaitForCacheSync(ctx.Done(), l.informer.HasSynced) {
		l.build().Run(ctx, workers)
	}
}

// Sync implements factory.Controller.
func (l *loggingSyncer) Sync(ctx context.Context, syncContext factory.SyncContext) error {
	return l.build().Sync(ctx, syncContext)
}
