package apiserver

import (
	"context"
	"net/http"

	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// ReasonHeader is a header of responses that says why the authorizer allowed the request, as audit logs do, such as
// `RBAC: allowed by ClusterRoleBinding "a" of ClusterRole "b"`. The value is ReasonForbidden if
// the request was not allowed.
const ReasonHeader = "X-Authorization-Reason"

// ReasonForbidden is the value of ReasonHeader if the authorizer did not allow the request.
const ReasonForbidden = "forbidden"

type reasonKey struct{}

// withReasonHeader puts the response's header into the request's context, where reasonRecorder finds it.
func withReasonHeader(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), reasonKey{}, w.Header())))
	})
}

// reasonRecorder writes the reason of the first decision about a request into the header of its response. Further decisions are about other
// things, such as a second right that the request needs.
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
