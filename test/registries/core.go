package registries

import (
	"net"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/kubelet/client"
	endpointsstore "k8s.io/kubernetes/pkg/registry/core/endpoint/storage"
	limitrangestore "k8s.io/kubernetes/pkg/registry/core/limitrange/storage"
	nodestore "k8s.io/kubernetes/pkg/registry/core/node/storage"
	pvstore "k8s.io/kubernetes/pkg/registry/core/persistentvolume/storage"
	pvcstore "k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/storage"
	podstore "k8s.io/kubernetes/pkg/registry/core/pod/storage"
	corerest "k8s.io/kubernetes/pkg/registry/core/rest"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	"k8s.io/kubernetes/pkg/registry/core/service/portallocator"
	servicestore "k8s.io/kubernetes/pkg/registry/core/service/storage"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
)

// eventTTL is the time for which the API server keeps Events. It is kube-apiserver's default.
const eventTTL = time.Hour

// serviceRange is the range of the Services' cluster IPs.
var serviceRange = net.IPNet{IP: net.IPv4(10, 0, 0, 0), Mask: net.CIDRMask(24, 32)}

// newCore returns the registries of the core group. It stands in for the function of kube-apiserver, which connects to etcd to allocate the
// addresses of Services.
func newCore(enabled serverstorage.APIResourceConfigSource, services apiserver.Services) (*genericapiserver.APIGroupInfo, error) {
	storage := services.Storage(codec(""))
	group, err := (&corerest.GenericConfig{EventTTL: eventTTL, LoopbackClientConfig: services.Loopback, Informers: services.Informers}).NewRESTStorage(enabled, storage)
	if err != nil {
		return nil, err
	}
	resources := group.VersionedResourcesStorageMap["v1"]
	for _, add := range []func(map[string]rest.Storage, generic.RESTOptionsGetter, apiserver.Services) error{addVolumes, addWorkloads} {
		if err := add(resources, storage, services); err != nil {
			return nil, err
		}
	}
	return &group, nil
}

func addVolumes(resources map[string]rest.Storage, storage generic.RESTOptionsGetter, _ apiserver.Services) error {
	volumes, volumesStatus, err := pvstore.NewREST(storage)
	if err != nil {
		return err
	}
	claims, claimsStatus, err := pvcstore.NewREST(storage)
	if err != nil {
		return err
	}
	limits, err := limitrangestore.NewREST(storage)
	if err != nil {
		return err
	}
	resources["persistentvolumes"], resources["persistentvolumes/status"] = volumes, volumesStatus
	resources["persistentvolumeclaims"], resources["persistentvolumeclaims/status"] = claims, claimsStatus
	resources["limitranges"] = limits
	return nil
}

// addWorkloads adds Nodes, Pods, Services and Endpoints, whose registries depend on each other.
func addWorkloads(resources map[string]rest.Storage, storage generic.RESTOptionsGetter, services apiserver.Services) error {
	nodes, err := nodestore.NewStorage(storage, client.KubeletClientConfig{}, nil)
	if err != nil {
		return err
	}
	disruptions, err := policyclient.NewForConfig(services.Loopback)
	if err != nil {
		return err
	}
	pods, err := podstore.NewStorage(storage, nodes.KubeletConnectionInfo, nil, disruptions, services.Authorizer)
	if err != nil {
		return err
	}
	endpoints, err := endpointsstore.NewREST(storage)
	if err != nil {
		return err
	}
	addresses, err := ipallocator.NewInMemory(&serviceRange)
	if err != nil {
		return err
	}
	ports, err := portallocator.NewInMemory(utilnet.PortRange{Base: 30000, Size: 2768})
	if err != nil {
		return err
	}
	service, serviceStatus, _, err := servicestore.NewREST(storage, api.IPv4Protocol, map[api.IPFamily]ipallocator.Interface{api.IPv4Protocol: addresses},
		ports, endpoints, pods.Pod, nil)
	if err != nil {
		return err
	}
	resources["nodes"], resources["nodes/status"] = nodes.Node, nodes.Status
	resources["pods"], resources["pods/status"], resources["pods/eviction"], resources["pods/binding"] = pods.Pod, pods.Status, pods.Eviction, pods.Binding
	resources["endpoints"] = endpoints
	resources["services"], resources["services/status"] = service, serviceStatus
	return nil
}
