package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Format reads bundles of one format. Each format is a package below this one and a line in pkg/bundle/formats. It is stateless and safe
// for concurrent use.
type Format interface {
	// Name is the format's name, as in a bundle's media type, for example registry+v1. It has no slash.
	Name() string
	// RendererVersion is the version of the renderer. Increase it when the same content renders to different objects than before, so that
	// installed bundles are rendered again. Content that was refused before needs no new version, because no revision of it is stored.
	RendererVersion() int
	// Load reads and validates a bundle whose files are at the root of a file system. Errors are meant for the bundle's author, unless
	// reading a file failed. The error for a bundle of a different format is a *FormatError.
	Load(files fs.FS) (Bundle, error)
}

// Bundle is a loaded bundle. It is immutable and safe for concurrent use.
//
//nolint:interfacebloat // every format of the family implements all of it, and every caller uses most of it
type Bundle interface {
	// Metadata returns the metadata that the bundle declares.
	Metadata() Metadata
	// Manifests returns the number of objects in the bundle's manifests.
	Manifests() int
	// CheckConfig checks a configuration, which is JSON or empty, as far as possible without rendering. It returns a *ConfigError for an
	// invalid configuration.
	CheckConfig(config []byte) error
	// RequiresCertificates reports whether Render depends on Options.Certificates.
	RequiresCertificates() bool
	// Render returns the objects to apply, always in the same order. Errors are meant for users; an error that a different configuration
	// can fix wraps a *ConfigError, and one that a different install namespace can fix wraps a *NamespaceError. Callers may change the
	// metadata of the objects. All other fields are shared with the bundle and with other renderings, and must be copied before they are
	// changed.
	Render(options Options) ([]unstructured.Unstructured, error)
}

// Options are the inputs of a rendering in addition to the bundle's content.
type Options struct {
	// InstallNamespace is the namespace of namespaced objects that do not specify one. It is required.
	InstallNamespace string
	// Config is the user's configuration for the bundle, spec.config of a BundleDeployment, as JSON; empty if there is no configuration.
	Config []byte
	// Certificates is the component that issues certificates for webhooks; empty if the cluster has none.
	Certificates CertificateProvider
}

// ConfigError reports that a bundle cannot be rendered with a configuration.
type ConfigError struct{ Err error }

// Error returns the message of Err, which names the field of the configuration and the fix.
func (e *ConfigError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *ConfigError) Unwrap() error { return e.Err }

// InternalError reports that a bundle is not rendered because of an internal error of the manager. The text of Err has the remedy. Another
// bundle or another configuration would not help.
type InternalError struct{ Err error }

// Error returns the message of Err.
func (e *InternalError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *InternalError) Unwrap() error { return e.Err }

// NamespaceError reports that the name of the install namespace is invalid.
type NamespaceError struct {
	Namespace string
	// Problems are the reasons why the name is invalid.
	Problems []string
}

func (e *NamespaceError) Error() string {
	return fmt.Sprintf("install namespace %s is not a namespace name: %s", truncate.Quote(e.Namespace), strings.Join(e.Problems, ", "))
}

// CheckInstallNamespace returns a *NamespaceError if the name of the install namespace is invalid.
func CheckInstallNamespace(namespace string) error {
	if problems := utilvalidation.IsDNS1123Label(namespace); len(problems) > 0 {
		return &NamespaceError{Namespace: namespace, Problems: problems}
	}
	return nil
}

// CertificateProvider is the component of a cluster that issues certificates for webhook servers and injects their CA into webhook
// configurations and CRDs. Its value is stored with revisions.
type CertificateProvider string

const (
	// ServiceCA is OpenShift's service-ca operator.
	ServiceCA CertificateProvider = "service-ca"
	// CertManager is cert-manager, with its cainjector.
	CertManager CertificateProvider = "cert-manager"
)

// ErrNoCertificates is wrapped by the error of Render for a bundle that requires certificates, on a cluster without a provider.
var ErrNoCertificates = errors.New("its webhooks need certificates, and this cluster has neither OpenShift's service-ca nor " +
	"cert-manager; install cert-manager, and the manager continues")

// RendererOf identifies a format's renderer: the format, a slash, and the renderer's version. It is stored with revisions.
func RendererOf(format Format) string {
	return fmt.Sprintf("%s/%d", format.Name(), format.RendererVersion())
}
