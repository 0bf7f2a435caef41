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

// AdminUser is a user that may do everything.
const AdminUser = "system:admin"

// host is the server's name in URLs. It is never resolved.
const host = "kubernetes.default.svc"

const (
	// readyWithin bounds the start.
	readyWithin = time.Minute
	// tearDownWithin exceeds the second for which the server waits for requests after a CustomResourceDefinition was deleted.
	tearDownWithin = 2 * time.Second
)

// Options say what to serve.
type Options struct {
	// Store holds the cluster's objects. Required.
	Store *etcd.Store
	// Version is the Kubernetes version that the server reports, such as "v1.36.3". Required.
	Version string
	// Masters are users that may do everything, besides AdminUser.
	Masters []string
	// Registries serve the built-in kinds; nil is package builtin.
	Registries Registries
}

// Server is an API server that runs.
type Server struct {
	transport *transport.Transport
	stop      context.CancelFunc
	servers   []*genericapiserver.GenericAPIServer
}

// Start starts a server, and returns when it serves all kinds that the store has CustomResourceDefinitions for. The caller stops it.
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
	// The server's own clients exist before the handler that they reach.
	s.transport = transport.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	b, err := newBuilder(running, options, s.ClientConfig(loopbackUser))
	if err != nil {
		return err
	}
	handler, err = b.build()
	s.servers = b.servers // also those that were built before an error
	if err != nil {
		return err
	}
	return b.start(ctx)
}

// Stop ends all requests and the server. What it stored stays in its store. It takes two seconds, which are virtual in a bubble.
func (s *Server) Stop() {
	s.stop()
	s.transport.Close()
	time.Sleep(tearDownWithin) // else a goroutine would be left, which a bubble does not permit
	for _, server := range s.servers {
		server.Destroy()
	}
}

// ClientConfig returns a configuration of clients that act as a user, such as "system:serviceaccount:namespace:name". AdminUser may do
// everything.
func (s *Server) ClientConfig(user string) *rest.Config {
	return &rest.Config{Host: "https://" + host, BearerToken: user, Transport: s.transport, QPS: -1}
}
