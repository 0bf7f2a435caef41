package bundledeployment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/source/image"
)

// sought is what a spec asks for: revisions are told apart by it.
type sought struct {
	// source and config are as a revision's header has them; format is what the class reads.
	source, config, format string
	// resolved is the content that it has to be; empty where any that the source ever led to will do.
	resolved string
	// image is where the content comes from, and raw the configuration that it is rendered with.
	image image.Source
	raw   string
	// missing says what has to happen before the content can be fetched.
	missing string
}

// seek reads a spec. It fails only if the caches do.
func (s *state) seek() (sought, error) {
	spec := &s.deployment.Spec
	raw := canonical(spec.Config)
	wanted := sought{raw: raw, config: digestOf(raw), format: corev1alpha2.FormatOf(s.record.class.Provisioner)}
	switch {
	case spec.Source.Image != nil:
		wanted.source, wanted.image = spec.Source.Image.Ref, imageSource(spec.Source.Image)
	case spec.Source.Bundle != nil:
		return s.seekBundle(wanted, spec.Source.Bundle.Name)
	}
	return wanted, nil
}

// bundleSource is the source of a revision whose content a Bundle has staged. The blank keeps it apart from every reference
// of an image.
func bundleSource(name string) string { return "Bundle " + name }

func (s *state) seekBundle(wanted sought, name string) (sought, error) {
	wanted.source = bundleSource(name)
	found, err := s.bundles.Get(name)
	switch {
	case apierrors.IsNotFound(err):
		wanted.missing = fmt.Sprintf("Bundle %q does not exist; create it, or name another one in spec.source.bundle", name)
	case err != nil:
		return wanted, fmt.Errorf("reading Bundle %q: %w", name, err)
	case found.Status.ResolvedSource == nil || found.Status.ResolvedSource.Image == nil:
		wanted.missing = fmt.Sprintf("Bundle %q is not unpacked yet; its Unpacked condition says why", name)
	default:
		wanted.image = imageSource(found.Status.ResolvedSource.Image)
		wanted.resolved = wanted.image.Ref
	}
	return wanted, nil
}

func (w sought) matches(header *revision) bool {
	return header.Source == w.source && header.Config == w.config && formatOf(header.Renderer) == w.format && (w.resolved == "" || header.Resolved == w.resolved)
}

// latest is the newest stored revision of what is sought; nil when there is none.
func (s *state) latest() *revision {
	for _, each := range slices.Backward(s.record.revisions) {
		if s.sought.matches(each) {
			return each
		}
	}
	return nil
}

// pinned is what a source was found to be when it was last resolved; empty when it never was. A tag is not resolved again
// because something else of the spec changed.
func (s *state) pinned() string {
	if s.sought.resolved != "" {
		return s.sought.resolved
	}
	for _, each := range slices.Backward(s.record.revisions) {
		if each.Source == s.sought.source {
			return each.Resolved
		}
	}
	return ""
}

// canonical writes configuration in the one way in which equal configurations are equal texts; none and an empty object
// are both empty.
func canonical(config *runtime.RawExtension) string {
	if config == nil {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(config.Raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return strings.TrimSpace(string(config.Raw)) // whoever reads it says what is wrong with it
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
