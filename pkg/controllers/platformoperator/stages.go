package platformoperator

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/operatorstatus"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// reconciliation is the state of one sync of one PlatformOperator: its inputs, its decisions, and the status to write at the end.
type reconciliation struct {
	// operator is the object from the cache or from the write of the finalizer. It is never modified.
	operator *platformv1alpha1.PlatformOperator
	// current holds the BundleDeployment, its recorded bundle, and the start of its step. deploy updates it.
	current upgradestep.Current
	cluster resolve.Cluster
	// clusterUpdate is the version to which the cluster itself is being updated; empty if no update is in progress.
	clusterUpdate string
	// refusal is the reason why the PlatformOperator must not be installed as its spec requests; nil if it may be.
	refusal *operatorstatus.Refusal
	// catalogs is what the catalogs contain for the package; nil if the catalogs were not read.
	catalogs *operatorstatus.CatalogView
	// stepInput is the input of the decision about the step. step is the decision.
	stepInput upgradestep.Input
	step      upgradestep.Step
	// isResolved is true if the resolver has returned a decision. others are the PlatformOperators to sync after that.
	isResolved bool
	others     []string
	// providers are the results of Catalogs.Providers that this sync has used, keyed by kind.
	providers map[catalog.GVK][]resolve.ProviderHint
	// lacksVersions is true if the cluster does not serve ClusterVersion.
	lacksVersions bool
	// status is the status to write; nil if none is to be written.
	status *platformv1alpha1.PlatformOperatorStatus
}

// stage is one part of a sync. run returns true if the later stages must not run. The status is written unless a stage returns an error.
type stage struct {
	name string
	run  func(*controller, context.Context, *reconciliation) (done bool, err error)
}

// stages are the stages of a sync, in their order. A stage writes at most one object of the cluster.
var stages = []stage{
	{"reading what belongs to", (*controller).read},
	{"removing", (*controller).remove},
	{"adding the finalizer to", (*controller).addFinalizer},
	{"checking", (*controller).check},
	{"choosing a bundle for", (*controller).decide},
	{"deploying", (*controller).deploy},
	{"reporting", (*controller).report},
}

// read reads the BundleDeployment and the state of the cluster, which the other stages use. A missing BundleDeployment is not an error.
func (c *controller) read(_ context.Context, r *reconciliation) (done bool, err error) {
	deployment, err := c.deployments.Get(r.operator.Name)
	if apierrors.IsNotFound(err) {
		deployment, err = nil, nil
	}
	if err != nil {
		return true, err
	}
	r.current = upgradestep.CurrentOf(r.operator.Status, deployment)
	r.cluster, r.clusterUpdate, err = c.readCluster()
	return err != nil, err
}

// check refuses a PlatformOperator whose BundleDeployment belongs to another owner, or whose package an older PlatformOperator already
// holds. On a cluster that does not serve ClusterVersion, it refuses every PlatformOperator. No decision is made for a refused
// PlatformOperator, so that it does not change anything that belongs to the other owner.
func (c *controller) check(_ context.Context, r *reconciliation) (done bool, err error) {
	if deployment := r.current.Deployment; deployment != nil && !ownership.BelongsTo(deployment, r.operator) {
		r.refuse("BundleDeployment %q exists and does not belong to this PlatformOperator. "+
			"The manager acts on neither, and does not delete the BundleDeployment. "+
			"Delete the BundleDeployment (\"kubectl delete bundledeployment %s\"), which removes what it installed, "+
			"or create a PlatformOperator of another name instead of this one.",
			deployment.Name, deployment.Name)
		r.current.Deployment, r.current.Recorded, r.current.Start = nil, nil, nil
		return false, nil
	}
	c.checkVersions(r)
	all, err := c.operators.List(labels.Everything())
	if err != nil {
		return true, err
	}
	if name := resolve.PackageHolder(r.operator, all); name != r.operator.Name {
		holder := slices.IndexFunc(all, func(each *platformv1alpha1.PlatformOperator) bool { return each.Name == name })
		if err := c.refuseHeldPackage(r, all[holder]); err != nil {
			return true, err
		}
		if r.current.Deployment == nil {
			r.current.Recorded = nil // so that the package is not restored while the older PlatformOperator has it
		}
	}
	return false, nil
}

// refuseHeldPackage refuses a PlatformOperator whose package another one holds. When the other one changes, its sync queues this one.
func (c *controller) refuseHeldPackage(r *reconciliation, holder *platformv1alpha1.PlatformOperator) error {
	deployment, err := c.deployments.Get(holder.Name)
	if apierrors.IsNotFound(err) || err == nil && !ownership.BelongsTo(deployment, holder) {
		deployment, err = nil, nil
	}
	if err != nil {
		return err
	}
	r.refusal = &operatorstatus.Refusal{Message: operatorstatus.PackageHeld(holder, deployment)}
	return nil
}

func (r *reconciliation) refuse(format string, args ...any) {
	r.refusal = &operatorstatus.Refusal{Message: fmt.Sprintf(format, args...)}
}

// decide requests the wanted bundle from the resolver, and decides whether the upgrade step to it starts now. If the PlatformOperator is
// refused, only a restoration may start.
func (c *controller) decide(ctx context.Context, r *reconciliation) (done bool, err error) {
	r.stepInput = upgradestep.Input{
		Current: r.current, Spec: upgradestep.SpecOf(r.operator, r.cluster.Manager.DefaultApproval),
		Settings: deploymentspec.SettingsChange(r.operator, r.current.Deployment), ClusterUpdate: r.clusterUpdate, Now: c.clock.Now(),
	}
	if r.refusal == nil {
		request, err := resolve.RequestFor(r.operator, r.current.UpgradesFrom(), r.cluster)
		if err != nil {
			r.refusal = &operatorstatus.Refusal{Message: err.Error()}
		} else if err := c.askResolver(ctx, r, request); err != nil {
			return true, err
		}
	}
	r.step = upgradestep.Decide(r.stepInput)
	return false, nil
}

func (c *controller) askResolver(ctx context.Context, r *reconciliation, request resolve.Request) (err error) {
	if r.stepInput.Decision, err = c.resolve(ctx, r, request); err != nil {
		return err
	}
	catalogs := c.catalogs.For(request.Package)
	r.catalogs = &operatorstatus.CatalogView{Request: request, Catalogs: catalogs}
	r.stepInput.CatalogUnreadable = r.current.Recorded != nil && slices.ContainsFunc(catalogs, func(c resolve.Catalog) bool {
		return c.Err != nil && c.ID.String() == r.current.Recorded.Catalog
	})
	return nil
}
