package platformoperator

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	configv1informers "github.com/openshift/client-go/config/informers/externalversions/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	coreinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/core/v1alpha2"
	operatorinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/operator/v1alpha1"
	platforminformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// OperatorClient writes PlatformOperators, and reads one before its BundleDeployment is created or a step starts. It has no Update, because the spec of a
// PlatformOperator belongs to its user.
type OperatorClient interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (*platformv1alpha1.PlatformOperator, error)
	Patch(ctx context.Context, name string, patchType types.PatchType, patch []byte, options metav1.PatchOptions, subresources ...string) (*platformv1alpha1.PlatformOperator, error)
	UpdateStatus(ctx context.Context, operator *platformv1alpha1.PlatformOperator, options metav1.UpdateOptions) (*platformv1alpha1.PlatformOperator, error)
}

// DeploymentClient writes BundleDeployments, and reads one before its PlatformOperator is reported as installed.
type DeploymentClient interface {
	DeploymentWriter
	Get(ctx context.Context, name string, options metav1.GetOptions) (*corev1alpha2.BundleDeployment, error)
}

// DeploymentWriter writes BundleDeployments.
type DeploymentWriter interface {
	Create(ctx context.Context, deployment *corev1alpha2.BundleDeployment, options metav1.CreateOptions) (*corev1alpha2.BundleDeployment, error)
	Update(ctx context.Context, deployment *corev1alpha2.BundleDeployment, options metav1.UpdateOptions) (*corev1alpha2.BundleDeployment, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// Catalogs are the catalog snapshots. All methods read memory only and never block.
type Catalogs interface {
	// For returns the content of a package in each trusted catalog.
	For(pkg string) []resolve.Catalog
	// Unlisted returns the kinds of catalogs that have not been listed, as in resolve.ClusterState.
	Unlisted() []string
	// Providers returns, for each trusted catalog, the packages that provide a kind.
	Providers(gvk catalog.GVK) []resolve.ProviderHint
}

// Inventory lists the kinds and packages on the cluster. Its methods read memory only.
type Inventory interface {
	// Kinds returns the kinds that the cluster serves. ExternalPackages returns the packages that other installers manage. Both are as in
	// resolve.ClusterState.
	Kinds() []resolve.Kind
	ExternalPackages() []resolve.ExternalPackage
}

// Config is everything the controller needs; every field is required.
type Config struct {
	OperatorClient   OperatorClient
	DeploymentClient DeploymentClient
	Operators        platforminformers.PlatformOperatorInformer
	Deployments      coreinformers.BundleDeploymentInformer
	// ClusterVersions may report that it has synced although the cluster does not serve ClusterVersion. HasVersions then returns false.
	ClusterVersions configv1informers.ClusterVersionInformer
	HasVersions     func() bool
	Managers        operatorinformers.PlatformOperatorManagerInformer
	// Limits reads the stored limits of PlatformOperatorManagers from memory; LimitsChanged reports changes.
	Limits          func() (limits.Stored, error)
	LimitsChanged   factory.Informer
	Catalogs        Catalogs
	CatalogsChanged factory.Informer
	// ProvidersChanged reports that the results of Catalogs.Providers may have changed for some kinds.
	ProvidersChanged factory.Informer
	Inventory        Inventory
	// KindsChanged reports changes to the inventory's kinds. ForeignChanged reports packages that other installers have installed or
	// removed. The name of the object in its events is the package.
	KindsChanged      factory.Informer
	ForeignChanged    factory.Informer
	KubernetesVersion string
	Clock             clock.PassiveClock
	// SyncContext provides the controller's queue, and the recorder for Events about the manager.
	SyncContext factory.SyncContext
	// Events records Events about PlatformOperators.
	Events record.EventRecorder
	// Synced is called with the name of each PlatformOperator whose sync has ended, with or without an error.
	Synced func(name string)
	// IsOneRound is true if the process ends after one sync of each PlatformOperator. All these syncs have the same input.
	IsOneRound bool
	// Register registers metrics that are computed at each scrape. RegisterVector registers counters.
	Register       func(metrics.StableCollector) error
	RegisterVector func(metrics.Registerable) error
}

// validate returns an error that names the first field that is not set.
func (c Config) validate() error {
	for _, field := range []struct {
		name  string
		isSet bool
	}{
		{"OperatorClient", c.OperatorClient != nil},
		{"DeploymentClient", c.DeploymentClient != nil},
		{"Operators", c.Operators != nil},
		{"Deployments", c.Deployments != nil},
		{"ClusterVersions", c.ClusterVersions != nil},
		{"HasVersions", c.HasVersions != nil},
		{"Managers", c.Managers != nil},
		{"Limits", c.Limits != nil},
		{"LimitsChanged", c.LimitsChanged != nil},
		{"Catalogs", c.Catalogs != nil},
		{"CatalogsChanged", c.CatalogsChanged != nil},
		{"ProvidersChanged", c.ProvidersChanged != nil},
		{"Inventory", c.Inventory != nil},
		{"KindsChanged", c.KindsChanged != nil},
		{"ForeignChanged", c.ForeignChanged != nil},
		{"KubernetesVersion", c.KubernetesVersion != ""},
		{"Clock", c.Clock != nil},
		{"SyncContext", c.SyncContext != nil},
		{"Events", c.Events != nil},
		{"Synced", c.Synced != nil},
		{"Register", c.Register != nil},
		{"RegisterVector", c.RegisterVector != nil},
	} {
		if !field.isSet {
			return fmt.Errorf("building the platformoperator controller: field %s of its Config is not set", field.name)
		}
	}
	return nil
}
