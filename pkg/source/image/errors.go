package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Class is the kind of fault that caused an Error. It determines the remedy.
type Class string

const (
	// Invalid: the reference or the certificates of the source are invalid. The source must be corrected.
	Invalid Class = "Invalid"
	// Credentials: the pull secret does not exist, or has no usable credentials.
	Credentials Class = "Credentials"
	// SecretUnread: the API server did not return the pull secret. The fault may be transient.
	SecretUnread Class = "SecretUnread"
	// Untrusted: the registry's certificate is not trusted.
	Untrusted Class = "Untrusted"
	// PlainHTTP: the registry, or a server that it refers to, uses plain HTTP, and the source does not allow that.
	PlainHTTP Class = "PlainHTTP"
	// Loopback: a registry on another host refers to a loopback address, or its name resolves to one. No source can allow that.
	Loopback Class = "Loopback"
	// Proxy: the proxy refuses to connect to the registry, or answers in its place.
	Proxy Class = "Proxy"
	// NotFound: the registry does not have the image.
	NotFound Class = "NotFound"
	// Unauthorized: the registry requires credentials, or rejects the credentials that it received.
	Unauthorized Class = "Unauthorized"
	// Unreachable: the registry does not respond, responds with a server error, or ends a response early. The fault may be transient.
	Unreachable Class = "Unreachable"
	// UnexpectedResponse: the response is not that of a registry, for example a login page. The fault may be transient.
	UnexpectedResponse Class = "UnexpectedResponse"
	// Corrupt: the content that the registry sends does not match its digest.
	Corrupt Class = "Corrupt"
	// Refused: the content is unsafe to unpack, exceeds a limit, or is not an image.
	Refused Class = "Refused"
	// NotPermitted: the cluster's image configuration does not permit pulls of the image.
	NotPermitted Class = "NotPermitted"
	// Unverified: the signatures of the image do not satisfy the policy that applies to it.
	Unverified Class = "Unverified"
	// NoPolicyEngine: an image policy applies, and this build of the manager cannot verify signatures.
	NoPolicyEngine Class = "NoPolicyEngine"
	// RegistryConfig: the cluster's configuration of registries is not known, or a part that applies to the registry is invalid. The fault may
	// be transient.
	RegistryConfig Class = "RegistryConfig"
	// AllLocationsFailed: every location of the image failed, not all for the same reason.
	AllLocationsFailed Class = "AllLocationsFailed"
	// Reserved: source.Target.Reserve refused the disk space, or source.Target.CheckBytes the size. Their errors have the remedy, so Error
	// adds none.
	Reserved Class = "Reserved"
	// DiskFull: the disk for the content is full, or a quota of it is used up.
	DiskFull Class = "DiskFull"
	// Storage: the content cannot be written to the disk for another reason.
	Storage Class = "Storage"
)

var advice = map[Class]string{
	Invalid: "correct spec.source.image: ref must be registry/repository:tag or registry/repository@sha256:…, and certificateData must " +
		"have certificates in PEM format",
	Credentials: "create or correct this Secret; its type must be kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg; the manager " +
		"reads it for every attempt",
	SecretUnread: "check that the API server responds and permits the manager to get this Secret; the manager retries",
	Untrusted: "correct the registry's certificate or, if only its authority is unknown, add the authority to the ConfigMap that " +
		"spec.additionalTrustedCA of Image \"cluster\" names (key host or host..port); for the image's own registry, a Bundle or " +
		"BundleDeployment can instead set spec.source.image.certificateData or, if the network to the registry is trusted, insecureSkipTLSVerify",
	PlainHTTP: "enable TLS on the registry or, if the network to it is trusted, add it to spec.registrySources.insecureRegistries of Image " +
		"\"cluster\"; for the image's own registry, a Bundle or BundleDeployment can instead set spec.source.image.insecureSkipTLSVerify",
	Loopback: "correct the registry's redirect, its token address or its DNS record; the manager retries",
	Proxy: "make the proxy permit connections to this registry, correct the credentials in Proxy \"cluster\", or add the registry to " +
		"spec.noProxy of Proxy \"cluster\"; the manager retries",
	NotFound: "if the reference comes from a catalog, ask the catalog's publisher to push the image (if the catalog is mirrored, ask the " +
		"mirror's admin to add it); otherwise correct the reference",
	Unauthorized: "check that the pull secret (spec.source.image.pullSecret; by default openshift-config/pull-secret) has credentials " +
		"that may pull this repository; the manager reads it for every attempt",
	Unreachable:        "check that the registry runs and can be reached from this cluster; the manager retries",
	UnexpectedResponse: "check the registry's address, and any proxy or login page in front of it; the manager retries",
	Corrupt:            "check the registry's storage, and any mirror, proxy or cache in front of it; the manager retries",
	Refused:            "ask the image's publisher to correct it and publish it under a new reference",
	NotPermitted: "permit the registry in the object that is named here, or use an image that it permits (the mirrors of an " +
		"ImageDigestMirrorSet or ImageContentSourcePolicy serve only references by digest); the manager retries when the object changes",
	Unverified: "sign the image as the policy requires (for an index, sign each image) and mirror the signatures, correct the policy, or use another " +
		"image; the manager retries",
	NoPolicyEngine: "install a manager that is built with this tag",
	RegistryConfig: "if an object is invalid, correct it; otherwise check that the API server responds and permits the manager to read these " +
		"objects; the manager retries",
	AllLocationsFailed: "correct one of these registries, or the mirrors in the cluster's ImageDigestMirrorSets, ImageTagMirrorSets and " +
		"ImageContentSourcePolicies; the manager retries",
	DiskFull: "free space on the disk of the manager's content directory; the manager retries",
	Storage:  "check the disk of the manager's content directory; the manager retries",
}

// Error is why an image was not fetched.
type Error struct {
	// Class is the kind of fault.
	Class Class
	// Action is the action that failed, for example "resolving".
	Action string
	// Ref is the reference of the image in the source.
	Ref string
	// Err is the cause.
	Err error
}

// Error returns the failed action, its cause, and the remedy.
func (e *Error) Error() string {
	if advice[e.Class] == "" {
		return e.Problem()
	}
	return e.Problem() + "; " + advice[e.Class]
}

// Problem returns the failed action and its cause. Error adds the remedy for a Bundle or BundleDeployment.
func (e *Error) Problem() string {
	return fmt.Sprintf("%s image %q: %s", e.Action, e.Ref, cause(e.Err))
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// query matches the query of a URL. In redirects to a registry's storage, the query contains credentials, which a message must not
// disclose.
var query = regexp.MustCompile(`\?[^\s"]+`)

// cause returns the text of an error for use in a message, in at most 515 bytes. It shortens a registry's response, which may be a whole
// web page, and removes the queries of URLs.
func cause(err error) string {
	if all := (*locationsError)(nil); errors.As(err, &all) {
		return all.Error() // it is bounded
	}
	text := err.Error()
	class := classOf(err)
	isDescribed := errors.As(err, new(*describedError))
	if response := (*transport.Error)(nil); errors.As(err, &response) && class != Untrusted && class != Loopback && !isDescribed {
		text = fmt.Sprintf("the registry answered %d %s", response.StatusCode, http.StatusText(response.StatusCode))
		for _, diagnostic := range response.Errors {
			text += ", " + string(diagnostic.Code)
			break
		}
	}
	// A marked error names its own cause, for example that the API server did not return the pull secret in time.
	if errors.Is(err, context.DeadlineExceeded) && !errors.As(err, new(*markedError)) && !isDescribed {
		text = "the registry did not send the image within the time limit"
	}
	const limit = 512
	return shortened(query.ReplaceAllLiteralString(strings.Join(strings.Fields(text), " "), "?…"), limit)
}

// shortened returns a text with at most limit bytes and an ellipsis.
func shortened(text string, limit int) string {
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}

// classified returns an error from a registry or from unpacking as an *Error; nil if err is nil.
func classified(action, ref string, err error) error {
	if err == nil {
		return nil
	}
	return asError(action, ref, err)
}

// asError returns an error from a registry or from unpacking as an *Error; nil if err is nil.
func asError(action, ref string, err error) *Error {
	if err == nil {
		return nil
	}
	if done := (*Error)(nil); errors.As(err, &done) {
		return done
	}
	return &Error{Class: classOf(err), Action: action, Ref: ref, Err: err}
}

// classOf returns the class of an error's cause. The error may join the errors of a request over TLS and of a second request over plain
// HTTP. A fault of the registry's certificate and an error response take precedence over PlainHTTP, because the second request may fail
// only because plain HTTP is unavailable or not allowed.
func classOf(err error) Class {
	var marked *markedError
	var response *transport.Error
	isMarked := errors.As(err, &marked)
	switch {
	case isMarked && marked.class != PlainHTTP:
		return marked.class
	case isFullDisk(err):
		return DiskFull
	case isDiskFault(err):
		return Storage
	case containsAny(err, untrusted):
		return Untrusted
	case containsAny(err, loopback):
		return Loopback
	case errors.As(err, &response):
		return classOfStatus(response.StatusCode)
	case isDialFault(err):
		return Unreachable
	case isMarked || containsAny(err, plain):
		return PlainHTTP
	case containsAny(err, corrupt):
		return Corrupt
	case errors.Is(err, remote.ErrSchema1):
		return Refused
	case isNotJSON(err):
		return UnexpectedResponse
	}
	return Unreachable
}

func classOfStatus(status int) Class {
	switch status {
	case http.StatusNotFound:
		return NotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return Unauthorized
	}
	return Unreachable
}

// isDialFault reports whether no connection to a registry could be made.
func isDialFault(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}

// isNotJSON reports whether err means that the response to a token request is not JSON. The content of a manifest has the requested digest,
// so errors about its JSON are marked with a class and do not get here.
func isNotJSON(err error) bool {
	return errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError))
}

// Texts that identify errors that have no type, or that lose their type when a library joins them.
var (
	untrusted = []string{"x509:"}
	loopback  = []string{loopbackRefused}
	plain     = []string{"server gave HTTP response to HTTPS client"}
	corrupt   = []string{"manifest digest:", "error verifying", "does not match expected size"}
)

func containsAny(err error, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// markedError is an error whose class was determined where the error occurred.
type markedError struct {
	class Class
	err   error
}

func (e *markedError) Error() string { return e.err.Error() }
func (e *markedError) Unwrap() error { return e.err }

// describedError is an error whose text is the cause of another error, for use in a longer text.
type describedError struct{ err error }

func (e *describedError) Error() string { return cause(e.err) }
func (e *describedError) Unwrap() error { return e.err }

// refuse returns an error of class Refused.
func refuse(format string, args ...any) error {
	return &markedError{class: Refused, err: fmt.Errorf(format, args...)}
}

func marked(class Class, format string, args ...any) error {
	return &markedError{class: class, err: fmt.Errorf(format, args...)}
}
