package unpack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/formats"
	"github.com/openshift/platform-operators/pkg/classlimits"
	"github.com/openshift/platform-operators/pkg/panics"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

// Request describes a source to render, and the options. It is comparable, so that callers recognize a repeated request.
type Request struct {
	Source source.Source
	// Format is the format of the bundle. Namespace is its install namespace, and Config its configuration, in JSON.
	Format, Namespace, Config string
	// Known is the reference that the source was resolved to last time; empty if there is none. If the source still resolves to it, nothing
	// is rendered.
	Known string
	// Sizes are the limits of the class for the size of the bundle; zero if none applies, for example to what is installed already.
	Sizes classlimits.Sizes
	// ChecksAccess means that the source's own credentials must permit reading the content, even if it is stored already for somebody else.
	ChecksAccess bool
}

// Rendering is the result of a Request.
type Rendering struct {
	// Resolved is the reference that the source was resolved to, and Mirror the mirror that served the content; empty if none did, or if
	// nothing was rendered.
	Resolved string
	Mirror   string
	// Unchanged means that Resolved is Request.Known, and that nothing was rendered.
	Unchanged bool
	Metadata  bundle.Metadata
	Objects   []unstructured.Unstructured
	// Certificates is the component that issues the certificates of the objects; empty if they need none.
	Certificates bundle.CertificateProvider
	// Invalid is the reason why the bundle cannot be installed; nil if it can. Only a different bundle or a different configuration
	// corrects it; for a *bundle.InternalError, also a different version of the manager; for a *classlimits.SizeError, also a different class.
	// If Invalid is set, Objects is empty.
	Invalid error
}

// Renderer renders bundles. It is safe for concurrent use if its fields are.
type Renderer struct {
	Content Content
	// Certificates returns the component that issues certificates; empty if the cluster has none. Its error is transient.
	Certificates func() (bundle.CertificateProvider, error)
	// IsReserved reports whether an object's name is reserved for the manager.
	IsReserved func(*unstructured.Unstructured) bool
}

// Render fetches and renders the bundle of a request. Its errors are transient.
func (r Renderer) Render(ctx context.Context, request Request) (*Rendering, error) {
	pinned, err := request.Source.Resolve(ctx)
	if err != nil {
		return nil, err
	}
	if pinned.Reference == request.Known {
		return &Rendering{Resolved: pinned.Reference, Unchanged: true}, nil
	}
	var result *Rendering
	err = read(ctx, r.Content, pinnedSource{request.Source, pinned, request.Sizes, request.ChecksAccess}, func(files fs.FS, mirror string) (err error) {
		if result, err = r.renderFiles(files, pinned.Reference, request); err == nil {
			result.Mirror = mirror
		}
		return err
	})
	if size := exceeded(err); size != nil {
		return &Rendering{Resolved: pinned.Reference, Invalid: size}, nil
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// clusterError is a transient error of the cluster.
type clusterError struct{ error }

func (e *clusterError) Unwrap() error { return e.error }

// renderFiles renders a bundle. It returns transient errors of the cluster and the disk; errors of the bundle are part of the Rendering.
func (r Renderer) renderFiles(files fs.FS, resolved string, request Request) (*Rendering, error) {
	result := &Rendering{Resolved: resolved}
	err := panics.ToError("rendering "+resolved, func() error { return r.render(result, files, request) })
	var cluster *clusterError
	if errors.As(err, &cluster) || store.IsDiskError(err) {
		return nil, err
	}
	if panicked := (*panics.Error)(nil); errors.As(err, &panicked) {
		err = &bundle.InternalError{Err: panicked}
	}
	if err != nil {
		result.Invalid, result.Objects = err, nil
	}
	return result, nil
}

func (r Renderer) render(onto *Rendering, files fs.FS, request Request) error {
	loaded, err := formats.Load(files, request.Format)
	if err != nil {
		return err
	}
	onto.Metadata = loaded.Metadata()
	config := []byte(request.Config)
	if err := loaded.CheckConfig(config); err != nil {
		return err
	}
	if loaded.RequiresCertificates() {
		if onto.Certificates, err = r.Certificates(); err != nil {
			return &clusterError{err}
		}
	}
	onto.Objects, err = loaded.Render(bundle.Options{InstallNamespace: request.Namespace, Config: config, Certificates: onto.Certificates})
	if err != nil {
		return err
	}
	if err := request.Sizes.CheckObjects(len(onto.Objects)); err != nil {
		return err
	}
	return r.check(onto)
}

// check returns an error if the rendered objects cannot be installed: there are none, one has a reserved name, or one occurs twice.
func (r Renderer) check(rendered *Rendering) error {
	name := cmp.Or(rendered.Metadata.Name, rendered.Resolved) // a plain bundle may have no name
	if len(rendered.Objects) == 0 {
		return fmt.Errorf("bundle %q has no objects", name)
	}
	for i := range rendered.Objects {
		if object := &rendered.Objects[i]; r.IsReserved(object) {
			return fmt.Errorf("bundle %q has %s %q, a name that is reserved for the manager; rename it", name, object.GetKind(), object.GetName())
		}
	}
	if err := plan.CheckDuplicates(rendered.Objects); err != nil {
		return fmt.Errorf("bundle %q: %w", name, err)
	}
	return nil
}
