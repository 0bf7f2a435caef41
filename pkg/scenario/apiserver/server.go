package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/scenario/etcd"
	"github.com/openshift/platform-operators/pkg/scenario/transport"
)

// host is the server's name in URLs. Nobody resolves it.
const host = "kubernetes.default.svc"

// readyWithin bounds the start, in the time of whoever starts it.
const readyWithin = time.Minute

// Options say what to serve.
type Options struct {
	// Store holds the cluster's objects. Required.
	Store *etcd.Store
	// Version is the Kubernetes version that the server reports, such as "v1.36.3". Required.
	Version string
	// Masters are users that may do everything, besides "system:admin".
	Masters []string
}

// Server is an API server that runs.
type Server struct {
	transport *transport.Transport
	stop      context.CancelFunc
	servers   []*genericapiserver.GenericAPIServer
}

// Start starts a server, and returns when it serves all kinds that the store has CustomResourceDefinitions for.
func Start(ctx context.Context, options Options) (*Server, error) {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Server{stop: stop}
	var handler http.Handler
	// The server's own clients reach it like everybody else, before it is complete.
	s.transport = transport.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	b, err := newBuilder(running, options, s.ClientConfig(loopbackUser))
	if err == nil {
		handler, err = b.build()
		s.servers = b.servers
	}
	if err == nil {
		err = b.start(ctx)
	}
	if err != nil {
		s.Stop()
		return nil, fmt.Errorf("starting an API server in memory: %w", err)
	}
	return s, nil
}

// Stop ends all requests and the server. What it stored stays in its store.
func (s *Server) Stop() {
	s.stop()
	s.transport.Close()
	for _, server := range s.servers {
		server.Destroy()
	}
}

// ClientConfig returns a configuration of clients that act as a user, such as "system:serviceaccount:namespace:name". User "system:admin"
// may do everything.
func (s *Server) ClientConfig(user string) *rest.Config {
	return &rest.Config{Host: "https://" + host, BearerToken: user, Transport: s.transport, QPS: -1}
}

// RoundTripper returns what requests to the server go through.
func (s *Server) RoundTripper() http.RoundTripper { return s.transport }
