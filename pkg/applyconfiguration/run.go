package applyconfiguration

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics"

	"github.com/openshift/platform-operators/pkg/applyconfiguration/content"
	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/pkg/source/image"
)

const (
	// namespace is the namespace of the manager.
	namespace = "openshift-platform-operators"
	// syncTimeout is the maximum time until the caches have synced. They list from memory.
	syncTimeout = 30 * time.Second
	// host is the host of requests. It does not exist, so that a client without the server in memory cannot connect.
	host = "https://input-directory.invalid"
)

// run is one run of the controllers.
type run struct {
	Options
	now time.Time
	// input is nil once the server has stored it, so that its memory can be freed.
	input   *mustgather.Input
	inInput map[objectID]inputObject
	// lacksDefinitions is true if the input may lack CustomResourceDefinitions of the cluster. Then inferred has definitions of kinds that
	// the controllers may need.
	lacksDefinitions bool
	inferred         []*apiextensionsv1.CustomResourceDefinition
	server           *manifestserver.Server
	catalogs         *content.Catalogs
	images           *content.Images
	// missingRevisions are the stored revisions whose Secrets have no values, sorted.
	missingRevisions []MissingRevision
}

// inputObject is what a run needs of an object of the input once the server has it.
type inputObject struct {
	resourceVersion string
	finalizers      []string
}

// Run reads the input directory, syncs each controller once, and writes the mutations and the results. It returns an error if the options or
// the input are invalid, if a sync failed, or if content is damaged. The results name the failed controllers.
func Run(ctx context.Context, options Options) error {
	if err := options.complete(); err != nil {
		return err
	}
	if err := makeEmpty(options.OutputDir); err != nil {
		return err
	}
	output, err := options.runDirectory(ctx)
	if err != nil {
		return errors.Join(err, options.writeFile(resultsFile, output.Results))
	}
	return errors.Join(options.write(output), output.Failed)
}

// runDirectory reads the input directory, and runs the controllers. With an error, the output still has the results.
func (o *Options) runDirectory(ctx context.Context) (*Output, error) {
	root, err := os.OpenRoot(o.InputDir) // so that no symbolic link leads out of the directory
	if err != nil {
		return o.noOutput(), fmt.Errorf("opening the input directory: %w", err)
	}
	defer func() { _ = root.Close() }() // only a handle
	ctx, cancel := o.withTimeout(ctx)
	defer cancel()
	files := inputFiles{ctx: ctx, root: root, fs: root.FS()}
	input, err := mustgather.Read(files, nil)
	if ctx.Err() != nil {
		err = context.Cause(ctx) // and not one error for each file
	}
	if err != nil {
		return o.noOutput(), fmt.Errorf("reading the input directory %s: %w", o.InputDir, err)
	}
	options := *o
	options.ownsInput = true
	return Reconcile(ctx, input, files, options)
}

// withTimeout returns a context that ends after Timeout at the latest.
func (o *Options) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("the run takes longer than --timeout=%s; set a longer one", o.Timeout))
}

// reconcile builds the controllers and runs each of them once.
func (r *run) reconcile(ctx context.Context) (results []operator.RoundResult, order []string, err error) {
	folder, err := os.MkdirTemp("", "platform-operators-content-")
	if err != nil {
		return nil, nil, fmt.Errorf("creating a folder for the content of bundles: %w", err)
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithCancel(ctx)
	input, err := r.operatorInput(ctx, folder)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	built, err := operator.Build(ctx, input)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	defer built.ShutDown()
	defer cancel()
	isSelected, err := r.isSelected(built.Controllers())
	if err != nil {
		return nil, nil, err
	}
	built.StartInformers(ctx)
	syncing, stop := context.WithTimeout(ctx, syncTimeout)
	defer stop()
	if err := built.WaitForCaches(syncing); err != nil {
		return nil, nil, err
	}
	if err := r.checkInformers(); err != nil {
		return nil, nil, err
	}
	results, err = built.RunOnce(ctx, operator.Round{Seed: r.Seed, IsSelected: isSelected, BeforeSync: func(controller, key string) {
		r.server.Begin(manifestserver.Sync{Controller: controller, Key: key})
		if r.lacksDefinitions {
			input.Discovery.Invalidate() // so that the server records which syncs depend on the served kinds
			built.ForgetKinds()
		}
	}})
	return results, built.Controllers(), err
}

// checkInformers returns an error if an informer of the manager lists a resource that was not collected, because all controllers depend on
// these lists. CustomResourceDefinitions are an exception: the informer has those of the kinds in the input.
func (r *run) checkInformers() error {
	for _, read := range r.server.NotCollected()[manifestserver.Sync{}] {
		if read.Resource.GroupResource() != definitionResource {
			return fmt.Errorf("not-collected.yaml covers %[1]s, which every controller needs; add all %[1]s to the input, and remove the entries that cover them from resources and namespaces", read.Resource.GroupResource())
		}
	}
	return nil
}

// operatorInput returns the input of the controllers, with clients of the server. folder is for the content of bundles.
func (r *run) operatorInput(ctx context.Context, folder string) (*operator.Input, error) {
	config := &rest.Config{Host: host}
	clientOnly := rest.CopyConfig(config)
	clientOnly.Transport, clientOnly.QPS = r.server, -1
	client, err := kubernetes.NewForConfig(clientOnly)
	if err != nil {
		return nil, fmt.Errorf("building the client of Events: %w", err)
	}
	options := operator.NewOptions()
	options.ContentDir = folder
	if r.OperatorVersion != "" {
		options.OperatorVersion = r.OperatorVersion
	}
	clock := frozenClock{now: r.now}
	events := recorder{ctx: ctx, client: client.CoreV1(), clock: clock, component: "platform-operators",
		involved: &corev1.ObjectReference{APIVersion: "v1", Kind: "Namespace", Name: namespace, Namespace: namespace}}
	input, err := operator.HTTPInput(&http.Client{Transport: r.server}, config, operator.Settings{
		Options: *options, Namespace: namespace, Clock: clock, Recorder: managerRecorder{events}, IsUnlimited: true,
	})
	if err != nil {
		return nil, err
	}
	input.AwaitTasks = true
	input.ReadGRPC, input.ReadHTTP = r.catalogs.Read, r.catalogs.Read
	input.Images = image.New(image.Config{Find: r.images.Find})
	input.NewEvents = func(ctx context.Context, controller string) record.EventRecorder {
		own := events
		own.component += "-" + controller
		own.ctx = ctx
		return own
	}
	registry := metrics.NewKubeRegistry() // a process may run several times
	input.Register, input.RegisterCollector = registry.Register, registry.CustomRegister
	return input, nil
}

// runnerFiles are the files that multi-operator-manager's test runner creates in the output directory before the command runs.
var runnerFiles = []string{"stdout.log", "stderr.log"}

// makeEmpty creates a directory. It returns an error if the directory has an entry that is not one of runnerFiles.
func makeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	entries = slices.DeleteFunc(entries, func(each fs.DirEntry) bool { return slices.Contains(runnerFiles, each.Name()) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("creating the output directory: %w", err)
		}
	case err != nil:
		return fmt.Errorf("reading the output directory: %w", err)
	case len(entries) > 0:
		return fmt.Errorf("the output directory %s is not empty; choose a different directory, or empty it", dir)
	}
	return nil
}

// errorOf returns an error that lists the failed syncs, or nil.
func errorOf(results []operator.RoundResult) error {
	var errs []error
	for _, result := range results {
		for _, each := range result.Errors {
			errs = append(errs, fmt.Errorf("controller %s, %q: %w", result.Controller, each.Key, each.Err))
		}
	}
	return errors.Join(errs...)
}
