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

// AdminUser is the name of a user that may send every request.
const AdminUser = "system:admin"

// host is the server's name in URLs. No client resolves it.
const host = "kubernetes.default.svc"

const (
	// readyWithin is the maximum time that Start waits until the server is ready.
	readyWithin = time.Minute
	// tearDownWithin is how long Stop waits for the server's goroutines to end. It exceeds the one second for which the server waits for
	// requests after a CustomResourceDefinition is deleted.
	tearDownWithin = 2 * time.Second
)

// Options configure a Server.
type Options struct {
	// Store holds the cluster's objects. Required.
	Store *etcd.Store
	// Version is the Kubernetes version that the server reports, such as "v1.36.3". Required.
	Version string
	// PrivilegedUsers are members of group system:masters, like AdminUser: they may send every request.
	PrivilegedUsers []string
	// Registries serve the built-in kinds. The default is package builtin.
	Registries Registries
}

// Server is a running API server.
type Server struct {
	transport *transport.Transport
	stop      context.CancelFunc
	servers   []*genericapiserver.GenericAPIServer
}

// Start starts a server. It returns when the server serves the built-in kinds and all CustomResourceDefinitions in the store. The caller
// must call Stop. The server keeps running when ctx ends.
func Start(ctx context.Context, options Options) (*Server, error) {
	s := &Server{}
	if err := s.start(ctx, options); err != nil {
		s.Stop()
		return nil, fmt.Errorf("starting an API server in memory: %w", err)
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, options Options) error {
	var running context.Context
	running, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	var handler http.Handler
	// The server's own clients are created before the handler that they call exists.
	s.transport = transport.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	b, err := newBuilder(running, options, s.ClientConfig(loopbackUser))
	if err != nil {
		return err
	}
	handler, err = b.build()
	s.servers = b.servers // including the servers that were built before an error
	if err != nil {
		return err
	}
	return b.start(ctx)
}

// Stop stops the server and ends all requests. It does not change or close the store. It takes two seconds; in a bubble, these are virtual
// seconds.
func (s *Server) Stop() {
	s.stop()
	s.transport.Close()
	time.Sleep(tearDownWithin) // otherwise a goroutine would remain, and the bubble would panic
	for _, server := range s.servers {
		server.Destroy()
	}
}

// ClientConfig returns a configuration for clients that authenticate as user, such as "system:serviceaccount:namespace:name".
func (s *Server) ClientConfig(user string) *rest.Config {
	return &rest.Config{Host: "https://" + host, BearerToken: user, Transport: s.transport, QPS: -1}
}
