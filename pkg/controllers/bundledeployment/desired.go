package bundledeployment

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/source/image"
)

// desiredSource is where the desired content comes from, and how it is rendered.
type desiredSource struct {
	desired revision.Desired
	image   image.Source
	// config is the configuration as canonical JSON; empty without configuration.
	config string
}

// readSource finds out where the desired content comes from. It fails only if a cache does.
func readSource(_ context.Context, s *reconciliation) (bool, error) {
	if s.unknownClass != "" {
		s.c.fetches.cancel(s.deployment.Name)
		return false, nil
	}
	spec := &s.deployment.Spec
	s.source.config = canonical(spec.Config)
	s.source.desired = revision.Desired{Config: digestOf(s.source.config), Format: corev1alpha2.FormatOf(s.memory.class.Provisioner)}
	switch {
	case spec.Source.Image != nil:
		s.source.desired.Source, s.source.image = spec.Source.Image.Ref, imageSource(spec.Source.Image)
	case spec.Source.Bundle != nil:
		if err := s.readBundle(spec.Source.Bundle.Name); err != nil {
			return true, err
		}
	}
	if s.source.desired.Missing != "" {
		s.c.fetches.cancel(s.deployment.Name)
	}
	return false, nil
}

// bundleSource is the source of a revision whose content is that of a Bundle. The blank keeps it apart from every reference of an
// image.
func bundleSource(name string) string { return "Bundle " + name }

func (s *reconciliation) readBundle(name string) error {
	desired := &s.source.desired
	desired.Source = bundleSource(name)
	found, err := s.c.bundles.Get(name)
	switch {
	case apierrors.IsNotFound(err):
		desired.Missing = fmt.Sprintf("Bundle %q does not exist; create it, or name another one in spec.source.bundle", name)
	case err != nil:
		return fmt.Errorf("reading Bundle %q: %w", name, err)
	case found.Status.ResolvedSource == nil || found.Status.ResolvedSource.Image == nil:
		desired.Missing = fmt.Sprintf("Bundle %q is not unpacked yet; its Unpacked condition says why", name)
	default:
		s.source.image = imageSource(found.Status.ResolvedSource.Image)
		desired.Resolved = s.source.image.Ref
	}
	return nil
}

// canonical returns configuration as JSON in which equal configurations are equal texts; none and an empty object are both empty.
func canonical(config *runtime.RawExtension) string {
	if config == nil {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(config.Raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return strings.TrimSpace(string(config.Raw)) // the renderer reports what is wrong with it
	}
	encoded, err := json.Marshal(value)
	if text := string(encoded); err == nil && text != "null" && text != "{}" {
		return text
	}
	return ""
}

func digestOf(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func imageSource(spec *corev1alpha2.ImageSource) image.Source {
	return image.Source{
		Ref: spec.Ref, PullSecret: spec.PullSecret,
		InsecureSkipTLSVerify: spec.InsecureSkipTLSVerify, CertificateData: spec.CertificateData,
	}
}
