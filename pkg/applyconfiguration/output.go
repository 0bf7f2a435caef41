package applyconfiguration

import (
	"context"
	"fmt"
	"io/fs"

	"k8s.io/klog/v2"

	"github.com/openshift/library-go/pkg/manifestclient"
	"github.com/openshift/multi-operator-manager/pkg/library/libraryapplyconfiguration"

	"github.com/openshift/platform-operators/pkg/mustgather"
)

// Output is what Run writes into the output directory.
type Output struct {
	// Requests are the mutations. Their order has no meaning.
	Requests []manifestclient.SerializedRequest
	Results  Results
	RunAgain RunAgain
	Missing  Missing
	// Failed joins the errors of controllers, of damaged catalogs, and of damaged images. It is nil if there are none.
	Failed error
}

// Reconcile syncs each controller once, as Run does, without directories. content has the catalogs and images, in the layout of an input
// directory. Options.InputDir and Options.OutputDir are not used. Reconcile returns an error if no controller could run; the output then
// has only the results.
func Reconcile(ctx context.Context, input *mustgather.Input, content fs.FS, options Options) (*Output, error) {
	now, err := options.time()
	if err != nil {
		return options.noOutput(), err
	}
	options.setSeed(now)
	klog.V(2).Infof("--seed=%d selects the order of controllers and keys", options.Seed)
	ctx, cancel := options.withTimeout(ctx)
	defer cancel()
	if options.Cache == nil {
		options.Cache = &Cache{}
	}
	r := &run{Options: options, now: now}
	if err := r.load(ctx, input, content); err != nil {
		return options.noOutput(), fmt.Errorf("reading the input directory %s: %w", r.InputDir, err)
	}
	results, order, err := r.reconcile(ctx)
	if r.Inspect != nil {
		r.Inspect(r.server)
	}
	if err != nil {
		return &Output{Results: r.results(results)}, err
	}
	mutations, err := r.server.Mutations()
	if err != nil {
		return &Output{Results: r.results(results)}, fmt.Errorf("reading the mutations: %w", err)
	}
	choice := r.choose(mutations, order)
	results = withErrors(results, choice.errs)
	output := &Output{Results: r.results(results), RunAgain: r.runAgain(results, choice), Missing: r.missing(), Failed: r.failed(results)}
	output.Requests, err = r.requests(choice.mutations)
	return output, err
}

// noOutput returns the output of a run in which no controller ran.
func (o *Options) noOutput() *Output {
	return &Output{Results: Results{
		ApplyConfigurationRunResult: libraryapplyconfiguration.ApplyConfigurationRunResult{ControllerResults: []libraryapplyconfiguration.ControllerRunResult{}},
		Seed:                        o.Seed,
	}}
}
