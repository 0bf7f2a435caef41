package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/store"
)

// wish is what a BundleDeployment wants fetched and rendered. It is comparable: another one takes its place.
type wish struct {
	source image.Source
	// format is what it is read as; namespace and config (JSON) are what it is rendered with.
	format, namespace, config string
	// known, in a poll, is what the source led to before: when it still does, nothing is unpacked.
	known string
}

// fetched is what became of a wish: the content's reference by digest, and either what was rendered or why not.
type fetched struct {
	resolved string
	metadata bundle.Metadata
	objects  []unstructured.Unstructured
	// certificates is who makes the certificates that the objects ask for; empty when they need none.
	certificates registryv1.Certificates
	// unchanged: the source leads to what was known.
	unchanged bool
	// invalid says why nothing can be installed, and badConfig that it is spec.config. Only other content, or another
	// configuration, helps.
	invalid   error
	badConfig bool
}

// advice says why nothing can be installed, and what to do about it.
func (f *fetched) advice() string {
	var format *bundle.FormatError
	switch {
	case f.badConfig:
		return fmt.Sprintf("%v. Correct spec.config.", f.invalid)
	case errors.As(f.invalid, &format):
		return fmt.Sprintf("%v. %s.", f.invalid, format.Remedy())
	}
	return fmt.Sprintf("%v. Choose another version or another package; whoever makes the bundle can correct it and publish it as a new image.", f.invalid)
}

// reader fetches an image and renders the bundle in it.
type reader struct {
	images       Images
	content      *store.Content
	certificates func() (registryv1.Certificates, error)
}

func (r reader) read(ctx context.Context, wanted wish) (*fetched, error) {
	resolved, err := r.images.Resolve(ctx, wanted.source)
	if err != nil {
		return nil, err
	}
	if resolved == wanted.known {
		return &fetched{resolved: resolved, unchanged: true}, nil
	}
	digest, err := image.Digest(resolved)
	if err != nil {
		return nil, err
	}
	var result *fetched
	fill := func(ctx context.Context, room *store.Room) error {
		return r.images.Unpack(ctx, wanted.source.At(resolved), image.Target{Dir: room.Dir, Take: room.Take})
	}
	err = r.content.Use(ctx, digest, fill, func(files fs.FS) error {
		result = &fetched{resolved: resolved} // anew, because files may be read twice
		return r.judge(result, files, wanted)
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// unaskedError is that a cluster could not be asked for what it has.
type unaskedError struct{ error }

func (e *unaskedError) Unwrap() error { return e.error }

// judge renders, and tells what is the bundle's fault from the cluster's and the disk's of the moment, which it returns.
func (r reader) judge(onto *fetched, files fs.FS, wanted wish) error {
	err := source.Guard("rendering "+onto.resolved, func() error { return r.render(onto, files, wanted) })
	var unasked *unaskedError
	if errors.As(err, &unasked) || store.IsDiskFault(err) {
		return err
	}
	if err != nil {
		onto.invalid, onto.objects = err, nil
	}
	return nil
}

// fetches runs what wishes cost beside the syncs. A sync asks and leaves; it is woken up when there is an answer.
type fetches struct {
	jobs *source.Jobs[wish, fetched]
}

// fetchConfig is what fetches are built from.
type fetchConfig struct {
	// slots is how many images are fetched from one registry at once.
	slots   int
	backoff source.Backoff
	clock   clock.PassiveClock
	fetch   func(context.Context, wish) (*fetched, error)
	done    func(name string)
}

// lanes is how many slow registries it takes to hold up the others.
const lanes = 4

func newFetches(ctx context.Context, config fetchConfig) (*fetches, error) {
	jobs, err := source.NewJobs(ctx, source.JobsConfig[wish, fetched]{
		Do:      config.fetch,
		Lane:    func(wanted wish) string { return wanted.source.Registry() },
		Done:    config.done,
		PerLane: config.slots,
		Total:   lanes * config.slots,
		Backoff: config.backoff,
		Clock:   config.clock,
	})
	return &fetches{jobs: jobs}, err
}

// answer is what is known of a wish now: a result, or an error and when it is tried again, or neither while it is fetched.
type answer struct {
	result *fetched
	err    error
	retry  time.Duration
}

// ask gives what is known of a BundleDeployment's wish, and sees to it that something will be.
func (f *fetches) ask(name string, wanted wish) answer {
	got := f.jobs.Ask(name, wanted)
	return answer{result: got.Result, err: got.Err, retry: got.Retry}
}

// cancel ends and forgets the wish of a BundleDeployment: it is stored, or not wanted any more. Content that others want
// too goes on being fetched for them.
func (f *fetches) cancel(name string) { f.jobs.Cancel(name) }
