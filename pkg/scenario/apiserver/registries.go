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

// Registries serve built-in kinds in place of those of package builtin: for instance those of k8s.io/kubernetes, which a program can only
// import with the replacements of its go.mod.
type Registries interface {
	// Scheme has the kinds' types.
	Scheme() *runtime.Scheme
	// Configure completes the configuration of the server that the kinds are added to.
	Configure(config *genericapiserver.RecommendedConfig)
	// Install adds the kinds to the server.
	Install(server *genericapiserver.GenericAPIServer, services Services) error
}

// Services are what registries are built from.
type Services struct {
	// Storage returns the storage of objects that a codec encodes.
	Storage      func(codec runtime.Codec) generic.RESTOptionsGetter
	Authorizer   authorizer.Authorizer
	RuleResolver authorizer.RuleResolver
	// Loopback is the configuration of the server's own clients; Client and Informers use it.
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
		Authorizer: withMasters(b.authorizer), RuleResolver: b.authorizer,
		Loopback: b.loopback, Client: b.kubernetes, Informers: b.informers,
	})
}
