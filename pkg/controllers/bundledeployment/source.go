package bundledeployment

import (
	"context"
	"errors"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/formats"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// newRenderer returns the renderer of BundleDeployments.
func newRenderer(content unpack.Content, certificates certificateFinder) unpack.Renderer {
	return unpack.Renderer{Content: content, Certificates: certificates.Current, IsReserved: apply.IsReserved}
}

// desiredSource is where the desired content comes from, and how it is rendered.
type desiredSource struct {
	desired revision.Desired
	opened  source.Opened
	// config is the configuration as canonical JSON; empty without configuration.
	config string
}

// readSource finds out where the desired content comes from. It fails only if a cache does.
func readSource(_ context.Context, s *reconciliation) (bool, error) {
	if s.unknownClass != "" {
		s.c.fetches.Cancel(s.deployment.Name)
		return false, nil
	}
	opened, err := s.c.sources.Open(s.deployment.Spec.Source)
	if err != nil {
		return true, err
	}
	config := revision.CanonicalConfig(s.deployment.Spec.Config)
	s.source = desiredSource{opened: opened, config: config, desired: revision.Desired{
		Source: opened.Name, Resolved: opened.Resolved, Missing: opened.Missing,
		Config: revision.ConfigDigest(config), Format: corev1alpha2.FormatOf(s.memory.class.Provisioner),
	}}
	if opened.Missing != "" {
		s.c.fetches.Cancel(s.deployment.Name)
	}
	return false, nil
}

// fetch has the desired content fetched, rendered and stored. A sync does not wait for that.
func (s *reconciliation) fetch(ctx context.Context, _ revision.Action) error {
	request := s.request()
	progress := s.c.fetches.Request(s.deployment.Name, request)
	s.retry(progress.Retry)
	if s.certificatesAppeared(progress.Result) {
		s.c.fetches.Cancel(s.deployment.Name)
		progress = s.c.fetches.Request(s.deployment.Name, request)
	}
	switch result := progress.Result; {
	case result == nil:
		s.machine.SetContent(revision.Content{Err: progress.Err})
		return nil
	case result.Invalid != nil:
		s.machine.SetContent(revision.Content{Resolved: result.Resolved, Invalid: result.Advice()})
		return nil
	}
	return s.setDesired(ctx, request, s.revisionOf(progress.Result))
}

// storeAgain stores an older revision of the desired content under the next number. It needs nothing of its source.
func (s *reconciliation) storeAgain(ctx context.Context, action revision.Action) error {
	loaded, events, err := s.revisions().Read(ctx, action.Revision)
	s.addEvents(events)
	if loaded == nil {
		return err
	}
	return s.setDesired(ctx, s.request(), loaded)
}

// request returns what has to be fetched and rendered for the desired content.
func (s *reconciliation) request() unpack.Request {
	from := s.source.opened.Source
	if pinned := s.memory.history.Pinned(s.source.desired); pinned != "" && from != nil {
		from = from.At(pinned)
	}
	return s.requestFrom(from)
}

// requestFrom returns what has to be rendered for the desired content, from a source.
func (s *reconciliation) requestFrom(from source.Source) unpack.Request {
	return unpack.Request{Source: from, Format: s.source.desired.Format, Namespace: s.deployment.Spec.InstallNamespace, Config: s.source.config}
}

// certificatesRetry is how often it is checked whether a component makes certificates by now. Nothing watches for that.
const certificatesRetry = 30 * time.Second

// certificatesAppeared reports whether a bundle that was refused because no component makes certificates can be rendered by now.
func (s *reconciliation) certificatesAppeared(rendered *unpack.Rendering) bool {
	if rendered == nil || !errors.Is(rendered.Invalid, bundle.ErrNoCertificates) {
		return false
	}
	s.retry(certificatesRetry)
	provider, err := s.c.certificates.Current()
	return err == nil && provider != ""
}

func (s *reconciliation) revisionOf(rendered *unpack.Rendering) *store.Revision {
	return &store.Revision{
		Header: store.Header{
			Source:       s.source.desired.Source,
			Resolved:     rendered.Resolved,
			Config:       s.source.desired.Config,
			Certificates: string(rendered.Certificates),
			Renderer:     formats.Renderer(s.source.desired.Format),
			Plan:         plan.Digest(rendered.Objects),
			Bundle:       revision.MetadataOf(rendered.Metadata),
		},
		Objects: rendered.Objects,
	}
}
