package revision

import (
	"strings"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Header is the stored metadata of a revision. Secrets store it as JSON, so fields may only be added.
type Header struct {
	// Number is the number of the revision. Numbers start at 1 and are unique within one BundleDeployment.
	Number int64 `json:"number"`
	// Digest is the digest of the objects, "sha256:…". Equal objects in equal order have equal digests.
	Digest string `json:"digest"`
	// Source is the image reference that the spec contained when the content was fetched. Resolved is the reference by digest that Source
	// was resolved to. Mirror is the reference of the image in the mirror that served the content; empty if its own repository did.
	Source   string `json:"source"`
	Resolved string `json:"resolved"`
	Mirror   string `json:"mirror,omitempty"`
	// Config is the digest of the configuration for rendering; empty without configuration.
	Config string `json:"config,omitempty"`
	// Certificates names the component that issues the certificates of the objects; empty if they need none.
	Certificates string `json:"certificates,omitempty"`
	// Renderer is the renderer of the objects, or an equivalent one, as bundle.RendererOf returns it.
	Renderer string `json:"renderer,omitempty"`
	// ServiceAccount is the name of the ServiceAccount of the install namespace that applies the objects; empty for the manager.
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// Plan is a digest of the objects that does not depend on their order, as plan.Digest returns it. It is not the digest of a plan that an
	// approval names, which covers more than the objects. The name is that of the stored field.
	Plan string `json:"plan,omitempty"`
	// Bundle is the bundle's metadata.
	Bundle corev1alpha2.BundleMetadata `json:"bundle"`
	// Warnings are the warnings about the bundle's manifests.
	Warnings []string `json:"warnings,omitempty"`
	// Parts is the number of Secrets that store the objects.
	Parts int `json:"parts"`
	// Bytes is the size of the objects as JSON lines.
	Bytes int64 `json:"bytes"`
}

// Format returns the bundle format of the renderer. Revisions that were stored without a renderer have format registry+v1.
func (h Header) Format() string {
	if format, _, known := strings.Cut(h.Renderer, "/"); known {
		return format
	}
	return corev1alpha2.FormatRegistryV1
}
