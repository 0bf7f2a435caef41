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

// Cluster holds the clients for the cluster that specs run on. Their user must be a cluster admin.
type Cluster struct {
	Kubernetes kubernetes.Interface
	Config     configclient.Interface
	Platform   platformclient.Interface
	Dynamic    dynamic.Interface
	Discovery  discovery.DiscoveryInterface
	// Package is the name of a catalog package that specs may install and remove. If it is empty, specs that need a package are skipped.
	Package string
}

// requestLimit is the timeout of a request. It is short enough that a cleanup can retry a request that hangs.
const requestLimit = 30 * time.Second

// Connect returns a Cluster with clients for config, and with pkg as its Package. It sends no requests.
func Connect(config *rest.Config, pkg string) (*Cluster, error) {
	config = rest.CopyConfig(config)
	config.UserAgent = "platform-operators-tests-ext"
	config.QPS, config.Burst = 50, 100 // all specs of a run share this limit
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
