package bundledeployment

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/store"
)

// wish is what a BundleDeployment wants fetched and rendered.
type wish struct{ ref, namespace string }

// fetched is what became of a wish: the content's reference by digest, and either what was rendered or why not.
type fetched struct {
	resolved string
	metadata bundle.Metadata
	objects  []unstructured.Unstructured
	// invalid says why the content is no bundle that can be installed. Only other content helps.
	invalid error
}

// reader fetches an image and renders the bundle in it.
type reader struct {
	images  Images
	content *store.Content
}

func (r reader) read(ctx context.Context, wanted wish) (*fetched, error) {
	resolved, err := r.images.Resolve(ctx, wanted.ref)
	if err != nil {
		return nil, err
	}
	digest, err := image.Digest(resolved)
	if err != nil {
		return nil, err
	}
	result := &fetched{resolved: resolved}
	// What was rendered is stored in the cluster, so that the disk holds no more than what is being read.
	err = r.content.Use(digest, func(dir string) error { return r.images.Unpack(ctx, resolved, dir) }, func(files fs.FS) error {
		result.invalid = result.render(files, wanted.namespace)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (f *fetched) render(files fs.FS, namespace string) error {
	loaded, err := registryv1.Load(files)
	if err != nil {
		return err
	}
	f.metadata = loaded.Metadata()
	if f.objects, err = loaded.Render(registryv1.Options{InstallNamespace: namespace}); err != nil {
		return err
	}
	if len(f.objects) == 0 {
		return fmt.Errorf("bundle %q has no objects", f.metadata.Name)
	}
	for i := range f.objects {
		if apply.Reserved(&f.objects[i]) {
			return fmt.Errorf("bundle %q has %s %q, a name that is kept for the manager's own; rename it", f.metadata.Name, f.objects[i].GetKind(), f.objects[i].GetName())
		}
	}
	return plan.CheckDuplicates(f.objects)
}

// fetches runs what wishes cost beside the syncs, a few at a time, and tries again what failed. A sync asks and leaves; it
// is woken up when there is an answer.
type fetches struct {
	fetchConfig
	ctx   context.Context
	slots chan struct{}

	mu   sync.Mutex
	jobs map[string]*job
}

type fetchConfig struct {
	slots   int
	backoff backoff
	clock   clock.PassiveClock
	fetch   func(context.Context, wish) (*fetched, error)
	done    func(name string)
}

// job is the fetch of one BundleDeployment's wish.
type job struct {
	wish     wish
	cancel   context.CancelFunc
	running  bool
	result   *fetched
	err      error
	failures int
	retryAt  time.Time
}

func newFetches(ctx context.Context, config fetchConfig) *fetches {
	return &fetches{fetchConfig: config, ctx: ctx, slots: make(chan struct{}, config.slots), jobs: map[string]*job{}}
}

// answer is what is known of a wish now: a result, or an error and when it is tried again, or neither while it is fetched.
type answer struct {
	result *fetched
	err    error
	retry  time.Duration
}

// ask gives what is known of a BundleDeployment's wish, and sees to it that something will be.
func (f *fetches) ask(name string, wanted wish) answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	current := f.jobs[name]
	if current != nil && current.wish != wanted {
		current.cancel()
		current = nil
	}
	if current == nil {
		current = &job{wish: wanted, cancel: func() {}}
		f.jobs[name] = current
	}
	switch {
	case current.result != nil:
		return answer{result: current.result}
	case current.running:
		// The error of the last try stands until the next one succeeds, so that the status does not flap.
		return answer{err: current.err}
	}
	if wait := current.retryAt.Sub(f.clock.Now()); current.err != nil && wait > 0 {
		return answer{err: current.err, retry: wait}
	}
	ctx, cancel := context.WithCancel(f.ctx)
	current.running, current.cancel = true, cancel
	go f.run(ctx, name, current)
	return answer{err: current.err}
}

func (f *fetches) run(ctx context.Context, name string, current *job) {
	defer f.done(name)
	var result *fetched
	var err error
	select {
	case f.slots <- struct{}{}:
		result, err = f.fetch(ctx, current.wish)
		<-f.slots
	case <-ctx.Done():
		err = ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	current.cancel()
	current.running, current.result, current.err = false, result, err
	if err != nil {
		current.failures++
		current.retryAt = f.clock.Now().Add(f.backoff.after(current.failures))
	}
}

// cancel ends and forgets the wish of a BundleDeployment: it is stored, or not wanted any more.
func (f *fetches) cancel(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if current := f.jobs[name]; current != nil {
		current.cancel()
		delete(f.jobs, name)
	}
}
