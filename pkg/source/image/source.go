package image

import (
	"github.com/google/go-containerregistry/pkg/name"
)

// Source is an image and how its registry is contacted. It is comparable: equal Sources are fetched alike.
type Source struct {
	// Ref is the image, by tag or by digest.
	Ref string
	// PullSecret names the Secret with the credentials, in the namespace of Config.PullSecrets; it is read at every fetch.
	// Empty means the cluster's global one.
	PullSecret string
	// InsecureSkipTLSVerify accepts any certificate of the registry, and plain HTTP if the registry does not speak TLS.
	InsecureSkipTLSVerify bool
	// CertificateData holds certificate authorities, in PEM, that the registry is trusted by besides the system's.
	CertificateData string
}

// At returns the source with another reference, for example one that Resolve returned.
func (s Source) At(ref string) Source {
	s.Ref = ref
	return s
}

// Registry returns the host that the image is fetched from, with its port if it has one; empty when the reference cannot be
// parsed.
func (s Source) Registry() string {
	parsed, err := name.ParseReference(s.Ref)
	if err != nil {
		return ""
	}
	return parsed.Context().RegistryStr()
}

// options returns how the reference is parsed. With Insecure, requests use plain HTTP if the registry does not answer with TLS.
func (s Source) options() []name.Option {
	if s.InsecureSkipTLSVerify {
		return []name.Option{name.Insecure}
	}
	return nil
}
