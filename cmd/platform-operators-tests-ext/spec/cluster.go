package spec

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	configclient "github.com/openshift/client-go/config/clientset/versioned"

	platformclient "github.com/openshift/platform-operators/pkg/client/clientset/versioned"
)

// Cluster is the cluster that specifications are tried on: an admin's clients, and what whoever runs them says of it.
type Cluster struct {
	Kubernetes kubernetes.Interface
	Config     configclient.Interface
	Platform   platformclient.Interface
	Dynamic    dynamic.Interface
	Discovery  discovery.DiscoveryInterface
	// Package is a package of the cluster's catalogs that may be installed and removed again; empty when nobody named one.
	Package string
}

// requestLimit is for one request: one that hangs must not take all the time of a clean-up, which would try again.
const requestLimit = 30 * time.Second

// Connect makes the clients. Nothing is dialled yet.
func Connect(config *rest.Config, pkg string) (*Cluster, error) {
	config = rest.CopyConfig(config)
	config.UserAgent = "platform-operators-tests-ext"
	config.QPS, config.Burst = 50, 100 // all specifications of a run share it
	config.Timeout = requestLimit
	cluster := &Cluster{Package: pkg}
	var faults [5]error
	cluster.Kubernetes, faults[0] = kubernetes.NewForConfig(config)
	cluster.Config, faults[1] = configclient.NewForConfig(config)
	cluster.Platform, faults[2] = platformclient.NewForConfig(config)
	cluster.Dynamic, faults[3] = dynamic.NewForConfig(config)
	cluster.Discovery, faults[4] = discovery.NewDiscoveryClientForConfig(config)
	if err := errors.Join(faults[:]...); err != nil {
		return nil, fmt.Errorf("making clients for %q: %w", config.Host, err)
	}
	return cluster, nil
}
