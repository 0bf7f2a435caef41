package apiserver

import (
	"context"
	"net/http"

	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// ReasonHeader is the response header that contains the authorizer's reason for allowing the request, in the same form as in audit logs,
// such as `RBAC: allowed by ClusterRoleBinding "a" of ClusterRole "b"`. The value is ReasonForbidden if the request is forbidden.
const ReasonHeader = "X-Authorization-Reason"

// ReasonForbidden is the value of ReasonHeader for a request that the authorizer did not allow.
const ReasonForbidden = "forbidden"

type reasonKey struct{}

// withReasonHeader adds the response's header to the request's context, for reasonRecorder.
func withReasonHeader(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), reasonKey{}, w.Header())))
	})
}

// reasonRecorder is an Authorizer that writes the first nonempty reason for allowing a request, or ReasonForbidden, into the header of the
// response. Later decisions can concern, for example, a further permission that the request requires.
type reasonRecorder struct{ authorizer.Authorizer }

// Authorize implements authorizer.Authorizer.
func (e reasonRecorder) Authorize(ctx context.Context, request authorizer.Attributes) (authorizer.Decision, string, error) {
	decision, reason, err := e.Authorizer.Authorize(ctx, request)
	if header, found := ctx.Value(reasonKey{}).(http.Header); found && header.Get(ReasonHeader) == "" {
		if decision == authorizer.DecisionAllow {
			header.Set(ReasonHeader, reason)
		} else {
			header.Set(ReasonHeader, ReasonForbidden)
		}
	}
	return decision, reason, err
}
