package apiserver

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/registry/generic"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Registries serve built-in kinds instead of package builtin. One example is the registries of k8s.io/kubernetes; a module that imports
// k8s.io/kubernetes must copy the replace directives from its go.mod.
type Registries interface {
	// Scheme returns the scheme of the kinds' Go types.
	Scheme() *runtime.Scheme
	// Configure changes the configuration of the server before the server is built.
	Configure(config *genericapiserver.RecommendedConfig)
	// Install adds the kinds to the server.
	Install(server *genericapiserver.GenericAPIServer, services Services) error
}

// Services are the server's components that registries may use.
type Services struct {
	// Storage returns the storage configuration for objects that the codec encodes.
	Storage      func(codec runtime.Codec) generic.RESTOptionsGetter
	Authorizer   authorizer.Authorizer
	RuleResolver authorizer.RuleResolver
	// Loopback is the configuration of the server's own clients. Client and Informers use it.
	Loopback  *rest.Config
	Client    kubernetes.Interface
	Informers informers.SharedInformerFactory
}

// install adds the built-in kinds to a server.
func (b *builder) install(server *genericapiserver.GenericAPIServer) error {
	if b.options.Registries == nil {
		return b.installBuiltin(server)
	}
	return b.options.Registries.Install(server, Services{
		Storage:    func(codec runtime.Codec) generic.RESTOptionsGetter { return storageOptions{b.etcd, codec} },
		Authorizer: withPrivilegedGroup(b.authorizer), RuleResolver: b.authorizer,
		Loopback: b.loopback, Client: b.kubernetes, Informers: b.informers,
	})
}
