package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/formats"
	"github.com/openshift/platform-operators/pkg/classlimits"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// newRenderer returns the renderer for the content of BundleDeployments.
func newRenderer(content unpack.Content, certificates certificateFinder) unpack.Renderer {
	return unpack.Renderer{Content: content, Certificates: certificates.Current, IsReserved: apply.IsReserved}
}

// desiredSource holds the source of the desired content, and the inputs for its rendering.
type desiredSource struct {
	desired revision.Desired
	opened  source.Opened
	// config is the configuration as canonical JSON; empty if there is none.
	config string
}

// readSource sets the source of the desired content from the spec. If the class is unknown or the source is missing, it cancels the fetch.
// It returns an error only if a cache fails.
func readSource(_ context.Context, s *reconciliation) (bool, error) {
	if s.unknownClass != "" {
		s.c.fetches.Cancel(s.deployment.Name)
		return false, nil
	}
	opened, err := s.c.sources.Open(s.deployment.Spec.Source, source.NamespacesOf(s.deployment.Spec))
	if err != nil {
		return true, err
	}
	config := revision.CanonicalConfig(s.deployment.Spec.Config)
	s.source = desiredSource{opened: opened, config: config, desired: revision.Desired{
		Source: opened.Name, Resolved: opened.Resolved, Missing: opened.Missing,
		Config: revision.ConfigDigest(config), ServiceAccount: s.deployment.Spec.ServiceAccountName, Format: corev1alpha2.FormatOf(s.memory.class.Provisioner),
	}}
	if opened.Missing != "" {
		s.c.fetches.Cancel(s.deployment.Name)
	}
	return false, nil
}

// fetch requests that the desired content be fetched and rendered in the background, and stores the result once it is available. It does
// not wait for the result. If the class does not allow the content, it fetches nothing. In the only round of a process, it waits for the
// result, but only after the first write of the status: revisions that are stored while there is no status count as applied.
func (s *reconciliation) fetch(ctx context.Context, _ revision.Action) error {
	if s.c.isOneRound && s.before.Status.ObservedGeneration == 0 {
		s.machine.SetContent(revision.Content{})
		return nil
	}
	if problem, err := s.checkClass(ctx, s.classRequest()); problem != nil || err != nil {
		s.c.fetches.Cancel(s.deployment.Name)
		s.setNotAllowed("", problem)
		s.setUnchecked(err)
		return nil
	}
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
	case s.sizeProblem(result) != nil:
		s.setNotAllowed(result.Resolved, s.sizeProblem(result))
		return nil
	case result.Invalid != nil:
		s.machine.SetContent(revision.Content{Resolved: result.Resolved, Invalid: revision.InvalidBundle(s.deployment, result.Invalid)})
		return nil
	}
	return s.setDesired(ctx, request, s.revisionOf(progress.Result))
}

// setNotAllowed sets why the class does not allow the desired content, which was resolved to a reference; empty if it was not resolved. It does
// nothing if problem is nil.
func (s *reconciliation) setNotAllowed(resolved string, problem *classlimits.Problem) {
	if problem == nil {
		return
	}
	if problem.Limit == classlimits.InstallNamespace { // no watch reports its labels
		s.retry(revision.RequirementInterval)
	}
	content := revision.Content{NotAllowed: fmt.Sprintf("%v.", problem)}
	if problem.Limit == classlimits.Objects { // the content was read completely
		content.Resolved = resolved
	}
	s.machine.SetContent(content)
}

// setUnchecked sets why it is not known whether the class allows the desired content. It does nothing if err is nil. The sync continues, so that
// the active revision is repaired.
func (s *reconciliation) setUnchecked(err error) {
	if err == nil {
		return
	}
	s.retry(revision.RequirementInterval)
	s.machine.SetContent(revision.Content{Err: err})
}

// storeAgain takes an older revision with the desired content and stores it again under the next number, without its source. If the older
// revision is damaged, it stores nothing.
func (s *reconciliation) storeAgain(ctx context.Context, action revision.Action) error {
	loaded, events, err := s.revisions().Read(ctx, action.Revision)
	s.addEvents(events)
	if loaded == nil {
		return err
	}
	return s.setDesired(ctx, s.request(), loaded)
}

// request returns the request to fetch and render the desired content. It uses the pinned source of that content if the history has one.
func (s *reconciliation) request() unpack.Request {
	from := s.source.opened.Source
	if pinned := s.memory.history.Pinned(s.source.desired); pinned != "" && from != nil {
		from = from.At(pinned)
	}
	return s.withSizes(s.requestFrom(from))
}

// withSizes adds the limits of the class for the size of the bundle to a request for a new revision.
func (s *reconciliation) withSizes(request unpack.Request) unpack.Request {
	request.Sizes = s.class().Sizes()
	return request
}

// requestFrom returns the request to render the desired content from a given source.
func (s *reconciliation) requestFrom(from source.Source) unpack.Request {
	return unpack.Request{
		Source: from, Format: s.source.desired.Format, Namespace: s.deployment.Spec.InstallNamespace, Config: s.source.config,
		ChecksAccess: s.deployment.Spec.ServiceAccountName != "",
	}
}

// certificatesRetry is the time between two checks whether a component provides certificates, because no watch reports when one does.
const certificatesRetry = 30 * time.Second

// certificatesAppeared reports whether a bundle that was refused because no component provided certificates can now be rendered. For such a
// bundle it also schedules the next check.
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
			Source:         s.source.desired.Source,
			Resolved:       rendered.Resolved,
			Mirror:         rendered.Mirror,
			Config:         s.source.desired.Config,
			ServiceAccount: s.source.desired.ServiceAccount,
			Certificates:   string(rendered.Certificates),
			Renderer:       formats.Renderer(s.source.desired.Format),
			Plan:           plan.Digest(rendered.Objects),
			Bundle:         revision.MetadataOf(rendered.Metadata),
			Warnings:       revision.BundleWarnings(rendered.Metadata),
		},
		Objects: rendered.Objects,
	}
}
