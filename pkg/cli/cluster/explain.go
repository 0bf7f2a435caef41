package cluster

import (
	"errors"
	"fmt"
	"net"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/shell"
)

// subject describes what a request reads, for its error.
type subject struct {
	// text names the object or list, such as `PlatformOperator "quay"`.
	text string
	// verb and resource are the permission that the request needs.
	verb, resource string
}

// ErrNotServed means that the API server does not serve the API of a request.
var ErrNotServed = errors.New("the API server does not serve it")

// Explain returns err with the name of what was read and the next step; nil if err is nil. It is for requests that callers send with HTTP,
// Dynamic or Config. text names what was read; verb and resource are the permission that the request needs.
func (c *Connection) Explain(err error, text, verb, resource string) error {
	return c.explain(err, subject{text, verb, resource})
}

// Kubectl returns the command that remedies show: "kubectl" or "oc".
func (c *Connection) Kubectl() string { return c.kubectl }

// explain returns err with the name of what was read and the next step; nil if err is nil.
func (c *Connection) explain(err error, of subject) error {
	var network net.Error
	var request *url.Error
	switch {
	case err == nil:
		return nil
	case IsNotServed(err):
		return fmt.Errorf("reading %s: %w", of.text, ErrNotServed)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("reading %s: %w; ask a cluster admin for this permission, and check it with: %s auth can-i %s %s", of.text, err,
			c.kubectl, of.verb, of.resource)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("reading %s: %w; log in again, for example with: oc login %s", of.text, err, shell.Quote(c.Config.Host))
	case errors.As(err, &request) && errors.As(err, &network) && network.Timeout():
		return fmt.Errorf("reading %s: %w; %s does not answer: check --context and the network", of.text, err, c.Config.Host)
	case errors.As(err, &request):
		return fmt.Errorf("reading %s: %w; check --kubeconfig, --context and the network", of.text, err)
	}
	return fmt.Errorf("reading %s: %w", of.text, err)
}

// IsNotServed reports whether err means that the API server does not serve the API of a request. It is false if only the object does not
// exist.
func IsNotServed(err error) bool {
	return errors.Is(err, ErrNotServed) || apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// IsAbsent reports whether an object does not exist, or its API is not served.
func IsAbsent(err error) bool { return errors.Is(err, ErrNotServed) || apierrors.IsNotFound(err) }

// ErrNoManager is the error for a cluster without the PlatformOperator API.
var ErrNoManager = errors.New("the cluster does not serve platform.openshift.io/v1alpha1, so platform-operators is not installed: " +
	"on OpenShift, it needs the feature set TechPreviewNoUpgrade, DevPreviewNoUpgrade or CustomNoUpgrade; see docs/install.md")

// IsForbidden reports whether the user lacks the permission for a request.
func IsForbidden(err error) bool { return apierrors.IsForbidden(err) }
