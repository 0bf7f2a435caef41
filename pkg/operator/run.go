package operator

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/openshift/library-go/pkg/controller/controllercmd"

	"github.com/openshift/platform-operators/pkg/leaderelection"
)

// Run runs the manager after it has acquired the lease; controllercmd calls it. It returns nil when the context ends. Before that, it
// returns an error if the manager cannot start or if the process has stalled for longer than StallLimit. An error ends the process.
func (o *Options) Run(ctx context.Context, controllerContext *controllercmd.ControllerContext) error {
	if o.StallLimit == 0 {
		return o.run(ctx, controllerContext)
	}
	detector := leaderelection.NewStallDetector(o.StallLimit, controllerContext.Clock)
	ended := make(chan error, 2)
	go func() { ended <- o.run(ctx, refusingAfterStall(controllerContext, detector)) }()
	go func() {
		if err := detector.Run(ctx); err != nil {
			ended <- err
		}
	}()
	return <-ended
}

// refusingAfterStall returns a copy of the controller context whose clients write nothing after a stall. The recorder for Events about the
// manager keeps its own client.
func refusingAfterStall(original *controllercmd.ControllerContext, detector *leaderelection.StallDetector) *controllercmd.ControllerContext {
	wrapped := *original
	wrapped.KubeConfig, wrapped.ProtoKubeConfig = rest.CopyConfig(original.KubeConfig), rest.CopyConfig(original.ProtoKubeConfig)
	wrapped.KubeConfig.Wrap(detector.Wrap)
	wrapped.ProtoKubeConfig.Wrap(detector.Wrap)
	return &wrapped
}

func (o *Options) run(ctx context.Context, controllerContext *controllercmd.ControllerContext) error {
	input, err := LiveInput(controllerContext, *o)
	if err != nil {
		return err
	}
	if o.TakenOverBy != "" {
		fence(ctx, input, o.TakenOverBy)
	}
	return Start(ctx, input)
}
