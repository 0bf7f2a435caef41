package apiserver

import (
	"net/http"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/union"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/filters/impersonation"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverfilters "k8s.io/apiserver/pkg/server/filters"
)

// loopbackUser is the user of the server's own clients.
const loopbackUser = "system:apiserver"

// handlerChain wraps a handler in kube-apiserver's filters, except the filters for connections, load and audit logs.
func handlerChain(handler http.Handler, config *genericapiserver.Config) http.Handler {
	handler = filters.WithAuthorization(handler, config.Authorization.Authorizer, config.Serializer)
	handler = impersonation.WithImpersonation(handler, config.Authorization.Authorizer, config.Serializer)
	handler = filters.WithAuthentication(handler, config.Authentication.Authenticator, filters.Unauthorized(config.Serializer), nil, nil)
	handler = withReasonHeader(handler)
	handler = filters.WithWarningRecorder(handler)
	handler = filters.WithRequestDeadline(handler, nil, nil, config.LongRunningFunc, config.Serializer, config.RequestTimeout)
	handler = filters.WithCacheControl(handler)
	handler = filters.WithLatencyTrackers(handler)
	handler = filters.WithRequestInfo(handler, config.RequestInfoResolver)
	handler = filters.WithRequestReceivedTimestamp(handler)
	handler = serverfilters.WithPanicRecovery(handler, config.RequestInfoResolver)
	return filters.WithAuditInit(handler)
}

// bearer is an authenticator.Request for bearer tokens. The token is the user's name.
type bearer struct {
	// privileged are the users in group system:masters.
	privileged []string
}

// AuthenticateRequest implements authenticator.Request.
func (b bearer) AuthenticateRequest(request *http.Request) (*authenticator.Response, bool, error) {
	name, found := strings.CutPrefix(request.Header.Get("Authorization"), "Bearer ")
	request.Header.Del("Authorization") // as kube-apiserver does, so that no handler can log it
	if !found || name == "" {
		return nil, false, nil
	}
	return &authenticator.Response{User: b.user(name)}, true, nil
}

// user returns the user with the given name, and with the groups that kube-apiserver assigns to it. Users in privileged are in group
// system:masters.
func (b bearer) user(name string) user.Info {
	info := &user.DefaultInfo{Name: name}
	if namespace, _, err := serviceaccount.SplitUsername(name); err == nil {
		info.Groups = append(info.Groups, serviceaccount.MakeGroupNames(namespace)...)
	}
	if slices.Contains(b.privileged, name) {
		info.Groups = append(info.Groups, user.SystemPrivilegedGroup)
	}
	info.Groups = append(info.Groups, user.AllAuthenticated)
	return info
}

// withPrivilegedGroup returns an authorizer that allows all requests from group system:masters, and passes all other requests to the given
// authorizer.
func withPrivilegedGroup(others authorizer.Authorizer) authorizer.Authorizer {
	return union.New(authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup), others)
}
