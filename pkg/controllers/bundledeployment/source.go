package bundledeployment

import (
	"context"
	"errors"
	"strings"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// fetch has the desired content fetched, rendered and stored. A sync does not wait for that.
func (s *reconciliation) fetch(ctx context.Context, _ revision.Action) error {
	request := s.request()
	answer := s.c.fetches.ask(s.deployment.Name, request)
	s.retry(answer.retry)
	if s.certificatesAppeared(answer) {
		s.c.fetches.cancel(s.deployment.Name)
		answer = s.c.fetches.ask(s.deployment.Name, request)
	}
	switch result := answer.result; {
	case result == nil:
		s.machine.SetContent(revision.Content{Err: answer.err})
		return nil
	case result.invalid != nil:
		s.machine.SetContent(revision.Content{Resolved: result.resolved, Invalid: result.advice()})
		return nil
	}
	stored, lasting, err := s.storeNew(ctx, request, s.revisionOf(answer.result))
	if err != nil {
		return err
	}
	if stored == nil {
		s.machine.SetContent(revision.Content{Err: lasting})
		return nil
	}
	s.c.fetches.cancel(s.deployment.Name)
	s.machine.SetDesired(stored)
	return nil
}

// storeAgain stores an older revision of the desired content under the next number. It needs nothing of its source.
func (s *reconciliation) storeAgain(ctx context.Context, action revision.Action) error {
	older := action.Revision
	loaded, err := s.c.revisions.Load(ctx, ownerOf(s.deployment), older.Header)
	if store.IsUnusable(err) {
		return s.lose(ctx, older, err)
	}
	if err != nil {
		return err
	}
	stored, lasting, err := s.storeNew(ctx, s.request(), loaded)
	if err != nil {
		return err
	}
	if stored == nil {
		s.machine.SetContent(revision.Content{Err: lasting})
		return nil
	}
	s.machine.SetDesired(stored)
	return nil
}

// request returns what has to be fetched and rendered for the desired content.
func (s *reconciliation) request() fetchRequest {
	request := s.requestFrom(s.source.image)
	if pinned := s.memory.history.Pinned(s.source.desired); pinned != "" {
		request.source = request.source.At(pinned)
	}
	return request
}

// requestFrom returns what has to be rendered for the desired content, from an image.
func (s *reconciliation) requestFrom(from image.Source) fetchRequest {
	return fetchRequest{source: from, format: s.source.desired.Format, namespace: s.deployment.Spec.InstallNamespace, config: s.source.config}
}

// certificatesRetry is how often it is checked whether a component makes certificates by now. Nothing watches for that.
const certificatesRetry = 30 * time.Second

// certificatesAppeared reports whether a bundle that was refused because no component makes certificates can be rendered by now.
func (s *reconciliation) certificatesAppeared(got answer) bool {
	if got.result == nil || !errors.Is(got.result.invalid, registryv1.ErrNoCertificates) {
		return false
	}
	s.retry(certificatesRetry)
	maker, err := s.c.certificates()
	return err == nil && maker != ""
}

func (s *reconciliation) revisionOf(result *fetched) *store.Revision {
	return &store.Revision{
		Header: store.Header{
			Source:       s.source.desired.Source,
			Resolved:     result.resolved,
			Config:       s.source.desired.Config,
			Certificates: string(result.certificates),
			Renderer:     revision.Renderer(s.source.desired.Format),
			Plan:         plan.Digest(result.objects),
			Bundle:       metadataOf(result.metadata),
		},
		Objects: result.objects,
	}
}

const (
	// maxMetadata and maxDeclared are the schema's limits for a bundle's metadata in status. A status beyond them would be refused as a
	// whole. What is cut here was no legal value before, and is none then.
	maxMetadata = 128
	maxDeclared = 4
)

func metadataOf(metadata bundle.Metadata) corev1alpha2.BundleMetadata {
	recorded := corev1alpha2.BundleMetadata{
		Name:           fit(metadata.Name, 253),
		Package:        fit(metadata.Package, 253),
		Version:        fit(metadata.Version, maxMetadata),
		MinKubeVersion: fit(metadata.MinKubeVersion, maxMetadata),
	}
	for _, value := range metadata.MaxOpenShiftVersions[:min(len(metadata.MaxOpenShiftVersions), maxDeclared)] {
		recorded.MaxOpenShiftVersions = append(recorded.MaxOpenShiftVersions, fit(value, maxMetadata))
	}
	return recorded
}

// fit shortens a text to a limit in bytes. It ends what it cuts with "…", so that no value becomes another legal one.
func fit(text string, limit int) string {
	return truncate.Bytes(strings.ToValidUTF8(text, ""), limit)
}
