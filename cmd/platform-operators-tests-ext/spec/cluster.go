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

// Cluster is the cluster that specs run on: an admin's clients, and the caller's settings.
type Cluster struct {
	Kubernetes kubernetes.Interface
	Config     configclient.Interface
	Platform   platformclient.Interface
	Dynamic    dynamic.Interface
	Discovery  discovery.DiscoveryInterface
	// Package is a package of the cluster's catalogs that the specs may install and remove; empty if the caller named none.
	Package string
}

// requestLimit bounds one request, so that a request that hangs does not take the whole time of a cleanup, which retries.
const requestLimit = 30 * time.Second

// Connect builds the clients. It opens no connection.
func Connect(config *rest.Config, pkg string) (*Cluster, error) {
	config = rest.CopyConfig(config)
	config.UserAgent = "platform-operators-tests-ext"
	config.QPS, config.Burst = 50, 100 // all specifications of a run share it
	config.Timeout = requestLimit
	cluster := &Cluster{Package: pkg}
	var errs [5]error
	cluster.Kubernetes, errs[0] = kubernetes.NewForConfig(config)
	cluster.Config, errs[1] = configclient.NewForConfig(config)
	cluster.Platform, errs[2] = platformclient.NewForConfig(config)
	cluster.Dynamic, errs[3] = dynamic.NewForConfig(config)
	cluster.Discovery, errs[4] = discovery.NewDiscoveryClientForConfig(config)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("making clients for %q: %w", config.Host, err)
	}
	return cluster, nil
}
