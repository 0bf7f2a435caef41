package identity

import (
	"fmt"
	"sync"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// ServiceAccounts provides identities of ServiceAccounts, which the manager impersonates. The extra field of the user names the
// BundleDeployment, so that admission policies distinguish requests of the manager from those of the ServiceAccount itself. It is safe for
// concurrent use.
type ServiceAccounts struct {
	config *rest.Config

	mu    sync.Mutex
	known map[account]Identity
}

// account is a ServiceAccount and the BundleDeployment for which it writes.
type account struct{ namespace, name, deployment string }

// NewServiceAccounts returns a ServiceAccounts. config is the configuration of the manager's client that writes objects.
func NewServiceAccounts(config *rest.Config) *ServiceAccounts {
	return &ServiceAccounts{config: config, known: map[account]Identity{}}
}

// Of returns the identity of a ServiceAccount for the objects of a BundleDeployment. It does not check that the ServiceAccount exists: the
// API server impersonates one that does not.
func (s *ServiceAccounts) Of(namespace, name, deployment string) (Identity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := account{namespace, name, deployment}
	if found, exists := s.known[key]; exists {
		return found, nil
	}
	config, user := rest.CopyConfig(s.config), serviceaccount.MakeUsername(namespace, name)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Extra: map[string][]string{corev1alpha2.ExtraDeployment: {deployment}}}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return Identity{}, fmt.Errorf("building the client for ServiceAccount %s/%s: %w", namespace, name, err)
	}
	s.known[key] = Identity{Name: user, Dynamic: client}
	return s.known[key], nil
}

// Forget drops the identities for a BundleDeployment that was deleted.
func (s *ServiceAccounts) Forget(deployment string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.known {
		if key.deployment == deployment {
			delete(s.known, key)
		}
	}
}
