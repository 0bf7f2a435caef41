package image

import (
	"cmp"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/openshift/platform-operators/pkg/mirrors"
)

// Source is an image with the settings for its registry. It is comparable.
type Source struct {
	// Ref is the image, by tag or by digest.
	Ref string
	// PullSecret is the name of the Secret with the credentials. Empty means the cluster's global pull secret.
	PullSecret string
	// SecretNamespace is the namespace of PullSecret. Empty means PullSecrets.Namespace.
	SecretNamespace string
	// InsecureSkipTLSVerify accepts any certificate of the registry, and plain HTTP if the registry does not support TLS.
	InsecureSkipTLSVerify bool
	// CertificateData holds certificate authorities for the registry, in PEM, in addition to those of the system.
	CertificateData string

	// PolicyNamespace is the namespace whose ImagePolicies apply, in addition to ClusterImagePolicies. Empty means PullSecrets.Namespace.
	PolicyNamespace string

	// tagRef is the reference by tag that was resolved to Ref; empty if none was. The mirrors of the tag then apply, and policies apply to it.
	tagRef string
}

// At returns the source with a different reference, for example one that Resolve returned.
func (s Source) At(ref string) Source {
	if parsed, err := name.ParseReference(s.Ref); err == nil && mirrors.PullFromMirrorOf(parsed) == mirrors.ByTag {
		s.tagRef = s.Ref
	}
	s.Ref = ref
	return s
}

// pulls returns how a source is pulled, given its parsed reference.
func (s Source) pulls(ref name.Reference) mirrors.PullFromMirror {
	if s.tagRef != "" {
		return mirrors.ByTag
	}
	return mirrors.PullFromMirrorOf(ref)
}

// policyReference returns the reference with which policies and the identities in signatures are compared: that by tag, if Ref is the digest to
// which a tag was resolved.
func (s Source) policyReference() string { return cmp.Or(s.tagRef, s.Ref) }

// digest returns the digest of Ref; empty if it has none.
func (s Source) digest() string {
	_, digest, _ := strings.Cut(s.Ref, "@")
	return digest
}

// Registry returns the host of the image's registry, with its port if the reference has one; empty if the reference is invalid.
func (s Source) Registry() string {
	parsed, err := name.ParseReference(s.Ref)
	if err != nil {
		return ""
	}
	return parsed.Context().RegistryStr()
}

// options returns the options for parsing the reference. With option Insecure, requests use plain HTTP if the registry does not support
// TLS.
func (s Source) options() []name.Option {
	if s.InsecureSkipTLSVerify {
		return []name.Option{name.Insecure}
	}
	return nil
}
