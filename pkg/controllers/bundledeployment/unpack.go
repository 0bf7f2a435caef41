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
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// unpack finds the revision of the spec's source, or has it made. A revision that is stored needs nothing of its source
// any more, and a spec that goes back to an earlier source gets what that source was.
func unpack(ctx context.Context, s *state) (bool, error) {
	if s.unknownClass != "" {
		s.fetches.cancel(s.deployment.Name)
		return false, nil
	}
	var err error
	if s.sought, err = s.seek(); err != nil {
		return true, err
	}
	if err := s.recallSource(ctx); err != nil {
		return true, err
	}
	if s.wanted != nil || s.deployment.Spec.Paused || s.recalling {
		return false, nil
	}
	if s.sought.missing != "" {
		s.fetches.cancel(s.deployment.Name)
		return false, nil
	}
	s.answer = s.fetches.ask(s.deployment.Name, s.wish())
	s.retry(s.answer.retry)
	if s.answer.result == nil {
		return false, nil
	}
	if s.answer.result.invalid != nil {
		s.awaitCertificates()
		return false, nil
	}
	kept, lasting, err := s.keepNew(ctx, s.wish(), s.revisionOf(s.answer.result))
	if err != nil {
		return true, err
	}
	s.wanted, s.answer = kept, answer{err: lasting}
	if kept != nil {
		s.fetches.cancel(s.deployment.Name)
	}
	return false, nil
}

// wish is what has to be fetched and rendered for what is sought.
func (s *state) wish() wish {
	wanted := s.wishFor(s.sought.image)
	if pinned := s.pinned(); pinned != "" {
		wanted.source = wanted.source.At(pinned)
	}
	return wanted
}

// wishFor is what has to be rendered for what is sought, out of an image.
func (s *state) wishFor(from image.Source) wish {
	return wish{source: from, format: s.sought.format, namespace: s.deployment.Spec.InstallNamespace, config: s.sought.raw}
}

// certificatesRetry is how often it is looked whether somebody makes certificates by now.
const certificatesRetry = 30 * time.Second

// awaitCertificates has a bundle rendered again that was refused because nobody on the cluster makes certificates, once
// somebody does. Nothing watches for that.
func (s *state) awaitCertificates() {
	if !errors.Is(s.answer.result.invalid, registryv1.ErrNoCertificates) {
		return
	}
	s.retry(certificatesRetry)
	if maker, err := s.certificates(); err != nil || maker == "" {
		return
	}
	s.fetches.cancel(s.deployment.Name)
	s.answer = s.fetches.ask(s.deployment.Name, s.wish())
}

func (s *state) revisionOf(result *fetched) *store.Revision {
	return &store.Revision{
		Header: store.Header{
			Source:       s.sought.source,
			Resolved:     result.resolved,
			Config:       s.sought.config,
			Certificates: string(result.certificates),
			Renderer:     rendererOf(s.sought.format),
			Plan:         plan.Digest(result.objects),
			Bundle:       metadataOf(result.metadata),
		},
		Objects: result.objects,
	}
}

// recallSource looks for a stored revision of what is sought. One that failed for this spec is not tried again while there
// is something to go back to. The newest revision is taken up where it is; an older one is stored again under a new number,
// so that the newest is always the one that is wanted.
func (s *state) recallSource(ctx context.Context) error {
	for found := s.latest(); found != nil; found = s.latest() {
		switch {
		case found == s.active:
			s.wanted = found
			return nil
		case found.failedFor(s.deployment.Generation) && s.active != nil:
			s.failed, s.wanted = found, s.active
			return nil
		case found == s.record.revisions[len(s.record.revisions)-1]:
			usable, err := s.ready(ctx, found)
			if err != nil {
				return err
			}
			if usable {
				s.wanted = found
				return nil
			}
		case s.deployment.Spec.Paused:
			return nil
		default:
			stored, err := s.revisions.Load(ctx, ownerOf(s.deployment), found.Header)
			if err == nil {
				var lasting error
				s.wanted, lasting, err = s.keepNew(ctx, s.wish(), stored)
				s.answer = answer{err: lasting}
				s.recalling = s.wanted == nil
				return err
			}
			if !store.IsUnusable(err) {
				return err
			}
			if err := s.lose(ctx, found, err); err != nil {
				return err
			}
		}
	}
	return nil
}

func metadataOf(metadata bundle.Metadata) corev1alpha2.BundleMetadata {
	recorded := corev1alpha2.BundleMetadata{
		Name:           cut(metadata.Name, 253),
		Package:        cut(metadata.Package, 253),
		Version:        cut(metadata.Version, maxMetadata),
		MinKubeVersion: cut(metadata.MinKubeVersion, maxMetadata),
	}
	for _, value := range metadata.MaxOpenShiftVersions[:min(len(metadata.MaxOpenShiftVersions), maxDeclared)] {
		recorded.MaxOpenShiftVersions = append(recorded.MaxOpenShiftVersions, cut(value, maxMetadata))
	}
	return recorded
}

const (
	// maxMetadata and maxDeclared are the schema's limits for what status tells of a bundle. A status beyond them would be
	// refused as a whole, with everything else that it says. What is cut here was no legal value before, and is none then.
	maxMetadata = 128
	maxDeclared = 4
)

// cut ends what it cuts with "…", so that no value becomes another legal one.
func cut(text string, limit int) string {
	return truncate.Bytes(strings.ToValidUTF8(text, ""), limit)
}
