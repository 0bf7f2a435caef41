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

// fetchRequest is what a BundleDeployment wants fetched and rendered. It is comparable: another one replaces it.
type fetchRequest struct {
	source image.Source
	// format is what it is read as; namespace and config (JSON) are what it is rendered with.
	format, namespace, config string
	// known, in a poll, is what the source was resolved to before: if it still is, nothing is unpacked.
	known string
}

// fetched is the result of a request: the content's reference by digest, and either what was rendered or why not.
type fetched struct {
	resolved string
	metadata bundle.Metadata
	objects  []unstructured.Unstructured
	// certificates is the component that makes the certificates of the objects; empty if they need none.
	certificates registryv1.Certificates
	// unchanged is true if the source is resolved to what was known.
	unchanged bool
	// invalid is why nothing can be installed; badConfig is true if spec.config is the reason. Only other content, or another
	// configuration, helps.
	invalid   error
	badConfig bool
}

// advice returns why nothing can be installed, and what to do about it, in sentences.
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

func (r reader) read(ctx context.Context, request fetchRequest) (*fetched, error) {
	resolved, err := r.images.Resolve(ctx, request.source)
	if err != nil {
		return nil, err
	}
	if resolved == request.known {
		return &fetched{resolved: resolved, unchanged: true}, nil
	}
	digest, err := image.Digest(resolved)
	if err != nil {
		return nil, err
	}
	var result *fetched
	fill := func(ctx context.Context, room *store.Room) error {
		return r.images.Unpack(ctx, request.source.At(resolved), image.Target{Dir: room.Dir, Take: room.Take})
	}
	err = r.content.Use(ctx, digest, fill, func(files fs.FS) error {
		result = &fetched{resolved: resolved} // anew, because files may be read twice
		return r.judge(result, files, request)
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// unaskedError is an error of the cluster, not of the bundle.
type unaskedError struct{ error }

func (e *unaskedError) Unwrap() error { return e.error }

// judge renders. It returns transient errors of the cluster and the disk; those of the bundle are part of the result.
func (r reader) judge(onto *fetched, files fs.FS, request fetchRequest) error {
	err := source.Guard("rendering "+onto.resolved, func() error { return r.render(onto, files, request) })
	var unasked *unaskedError
	if errors.As(err, &unasked) || store.IsDiskFault(err) {
		return err
	}
	if err != nil {
		onto.invalid, onto.objects = err, nil
	}
	return nil
}

// fetches runs requests beside the syncs. A sync asks and does not wait; it is enqueued when there is an answer.
type fetches struct {
	jobs *source.Jobs[fetchRequest, fetched]
}

// fetchConfig is what fetches are built from.
type fetchConfig struct {
	// slots is how many images are fetched from one registry at once.
	slots   int
	backoff source.Backoff
	clock   clock.PassiveClock
	fetch   func(context.Context, fetchRequest) (*fetched, error)
	done    func(name string)
}

// lanes is the number of slow registries that delay the others.
const lanes = 4

func newFetches(ctx context.Context, config fetchConfig) (*fetches, error) {
	jobs, err := source.NewJobs(ctx, source.JobsConfig[fetchRequest, fetched]{
		Do:      config.fetch,
		Lane:    func(request fetchRequest) string { return request.source.Registry() },
		Done:    config.done,
		PerLane: config.slots,
		Total:   lanes * config.slots,
		Backoff: config.backoff,
		Clock:   config.clock,
	})
	return &fetches{jobs: jobs}, err
}

// answer is what is known of a request: a result, or an error and the time until the next attempt, or neither while it is fetched.
type answer struct {
	result *fetched
	err    error
	retry  time.Duration
}

// ask returns what is known of a BundleDeployment's request, and starts it if nothing is.
func (f *fetches) ask(name string, request fetchRequest) answer {
	got := f.jobs.Ask(name, request)
	return answer{result: got.Result, err: got.Err, retry: got.Retry}
}

// cancel ends and forgets the request of a BundleDeployment: its result is stored, or not wanted any more. Content that others request
// too is fetched on for them.
func (f *fetches) cancel(name string) { f.jobs.Cancel(name) }
