package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/hosted"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/environment"
)

// topology says where the manager of a story runs.
type topology int

const (
	// standalone is a cluster with its own control plane, on which the manager runs.
	standalone topology = iota
	// hostedControlPlane is a guest cluster whose control plane, with the manager, runs in a management cluster.
	hostedControlPlane
)

const (
	// hostedNamespace is the namespace of the control plane in the management cluster.
	hostedNamespace = "clusters-guest"
	// podUser is the user as which the manager's Pod would act in the management cluster, if it had a token.
	podUser = "system:serviceaccount:" + hostedNamespace + ":default"
	// managementURL is the URL of the management cluster's API server in the manager's Pod.
	managementURL = "https://172.30.0.1:443"
)

// management is the management cluster of a story. The manager has no client for it. It gets the requests that the manager sends to any
// other API server than the guest's.
type management struct {
	cluster *scenario.Cluster
	process *scenario.Process
	// revision is the revision of the cluster's storage up to which violations has read. requests is the number of requests so far.
	revision int64
	requests int
}

// startManagement starts the management cluster from a snapshot.
func startManagement(ctx context.Context, from *scenario.Snapshot) (*management, error) {
	cluster, err := scenario.Start(ctx, scenario.Options{From: from})
	if err != nil {
		return nil, fmt.Errorf("starting the management cluster: %w", err)
	}
	return &management{cluster: cluster, process: cluster.NewProcess(podUser), revision: cluster.Revision()}, nil
}

// violations returns an error for each request of the manager to the management cluster, and for each change of an object in it, since the
// last call. Nobody may change it during a story.
func (m *management) violations() (found []error) {
	all := m.cluster.Requests()
	for _, request := range all[m.requests:] {
		if request.User == podUser {
			found = append(found, fmt.Errorf("the manager sent a request to the management cluster: %s", request))
		}
	}
	m.requests = len(all)
	changes, err := m.cluster.Events(m.revision)
	if err != nil {
		return append(found, fmt.Errorf("reading the changes of the management cluster: %w", err))
	}
	for _, change := range changes {
		found = append(found, fmt.Errorf("the management cluster has changed: %s %s %s/%s", change.Type, change.Resource, change.Namespace, change.Name))
	}
	m.revision = m.cluster.Revision()
	return found
}

// managerConfig returns a configuration for clients of a process of the manager: of the cluster in which the manager installs operators.
// With a hosted control plane, requests to any other host reach the management cluster.
func (s *Story) managerConfig(process *scenario.Process) *rest.Config {
	config := process.ClientConfig()
	if s.management == nil {
		return config
	}
	guest, err := url.Parse(config.Host)
	if err != nil {
		return config // the manager reports the error
	}
	config.Transport = &routingTransport{host: guest.Host, guest: config.Transport, management: s.management.process.ClientConfig().Transport}
	return config
}

// routingTransport sends requests to the guest's host to the guest, and all others to the management cluster.
type routingTransport struct {
	host              string
	guest, management http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *routingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == t.host {
		return t.guest.RoundTrip(r)
	}
	return t.management.RoundTrip(r)
}

// guestResources are the resources that the manager writes in its own namespace: the revisions, the limits, the Lease and the Events. All
// others, such as Deployments, would belong to the management cluster.
var guestResources = []string{"secrets", "configmaps", "leases", "events"}

// checkPlacement returns an error for a write of the manager that is sent to the guest and would belong to the management cluster.
func checkPlacement(write scenario.Write) error {
	switch {
	case write.Namespace == environment.Namespace && !slices.Contains(guestResources, write.Resource.Resource):
		return fmt.Errorf("the manager writes %s in its namespace in the guest, which has no Pods: %s", write.Resource, write.Request)
	case write.Namespace == hostedNamespace || write.Resource.Resource == "namespaces" && write.Name == hostedNamespace:
		return fmt.Errorf("the manager writes to the namespace of the hosted control plane in the guest: %s", write.Request)
	}
	return nil
}

// managementCluster has the snapshot from which management clusters start: Kubernetes with the manager's manifests in the namespace of the
// hosted control plane.
var managementCluster prepared

// installManagement creates a management cluster, and returns a snapshot of it. It must be called in a synctest bubble.
func installManagement(ctx context.Context) (*scenario.Snapshot, error) {
	objects, err := hosted.Render(hosted.ControlPlane{
		Namespace: hostedNamespace, FeatureSet: configv1.TechPreviewNoUpgrade, ReleaseVersion: "4.23.0", IsUnmonitored: true,
	})
	if err != nil {
		return nil, err
	}
	all := []unstructured.Unstructured{{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": hostedNamespace},
	}}}
	for _, object := range objects {
		all = append(all, *object)
	}
	cluster, err := scenario.Start(ctx, scenario.Options{})
	if err != nil {
		return nil, err
	}
	defer cluster.Stop()
	if err := create(ctx, cluster, all); err != nil {
		return nil, err
	}
	if err := cluster.Settle(); err != nil {
		return nil, err
	}
	return cluster.Snapshot(), nil
}

// manifestsOf returns the folder with the manifests that the cluster-version operator applies: those of the payload, or a copy of those that
// a guest has.
func manifestsOf(t *testing.T, root string, of topology) (string, error) {
	t.Helper()
	shipped := filepath.Join(root, "manifests")
	if of == standalone {
		return shipped, nil
	}
	dir := filepath.Join(t.TempDir(), "guest")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	return dir, hosted.CopyGuestManifests(shipped, dir)
}

// setTopology sets the topology of the control plane in the objects of OpenShift that a cluster starts with.
func setTopology(objects []unstructured.Unstructured, of topology) error {
	if of == standalone {
		return nil
	}
	for i := range objects {
		if objects[i].GetKind() != "Infrastructure" {
			continue
		}
		return unstructured.SetNestedField(objects[i].Object, string(configv1.ExternalTopologyMode), "status", "controlPlaneTopology")
	}
	return errors.New("the objects of OpenShift have no Infrastructure")
}
