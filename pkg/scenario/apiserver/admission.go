package apiserver

import (
	"fmt"
	"io"

	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// newAdmission returns the chain of admission plugins: NamespaceLifecycle and ValidatingAdmissionPolicy of kube-apiserver.
func (b *builder) newAdmission() (admission.Interface, error) {
	plugins := admission.NewPlugins()
	lifecycle.Register(plugins)
	validating.Register(plugins)
	dynamicClient, err := dynamic.NewForConfig(b.loopback)
	if err != nil {
		return nil, fmt.Errorf("building the client of admission plugins: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(b.kubernetes.Discovery()))
	initialize := initializer.New(b.kubernetes, dynamicClient, b.informers, withPrivilegedGroup(b.authorizer), feature.DefaultFeatureGate, b.version(), b.running.Done(), mapper)
	chain, err := plugins.NewFromPlugins([]string{lifecycle.PluginName, validating.PluginName}, noConfig{}, initialize, nil)
	if err != nil {
		return nil, fmt.Errorf("making the admission plugins: %w", err)
	}
	return chain, nil
}

// noConfig is an admission.ConfigProvider for plugins without configuration.
type noConfig struct{}

// ConfigFor implements admission.ConfigProvider.
func (noConfig) ConfigFor(string) (io.Reader, error) { return nil, nil }
