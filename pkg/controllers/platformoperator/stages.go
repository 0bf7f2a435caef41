package platformoperator

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/operatorstatus"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// reconciliation is one sync of one PlatformOperator: what was read, what was decided, and the status to write at the end.
type reconciliation struct {
	// operator is never modified: it is the cache's, or what the API server returned for the write of the finalizer.
	operator *platformv1alpha1.PlatformOperator
	// current is the installed bundle; deploy updates it.
	current upgradestep.Current
	cluster resolve.Cluster
	// clusterUpdate is the version that the cluster itself is being updated to; empty if no update is in progress.
	clusterUpdate string
	// refusal is nil unless the PlatformOperator must not be carried out as it is.
	refusal *operatorstatus.Refusal
	// catalogs are nil if they were not read.
	catalogs *operatorstatus.CatalogView
	// step was decided by stepInput.
	stepInput upgradestep.Input
	step      upgradestep.Step
	// isResolved reports that the resolver was asked; others are the PlatformOperators to sync after that.
	isResolved bool
	others     []string
	// providers are the packages that the catalogs listed as providers of a kind when the resolver asked.
	providers map[catalog.GVK][]resolve.ProviderHint
	// status is nil if there is none to write.
	status *platformv1alpha1.PlatformOperatorStatus
}

// stage is one part of a sync. It returns true if the stages after it must not run; the status is written in every case.
type stage struct {
	name string
	run  func(*controller, context.Context, *reconciliation) (done bool, err error)
}

// stages run in this order. A stage writes at most one object of the cluster.
var stages = []stage{
	{"reading what belongs to", (*controller).read},
	{"removing", (*controller).remove},
	{"adding the finalizer to", (*controller).addFinalizer},
	{"checking", (*controller).check},
	{"choosing a bundle for", (*controller).decide},
	{"deploying", (*controller).deploy},
	{"reporting", (*controller).report},
}

// read reads what the other stages decide by.
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

// check refuses a PlatformOperator whose BundleDeployment belongs to another owner, or whose package another PlatformOperator holds. Nothing
// is decided for it, so that it neither installs nor keeps what belongs to the other.
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
	all, err := c.operators.List(labels.Everything())
	if err != nil {
		return true, err
	}
	if holder := resolve.PackageHolder(r.operator, all); holder != r.operator.Name {
		r.refuse("PlatformOperator %q already has package %q and is older; one package is installed once. Delete one of the two.",
			holder, r.operator.Spec.Package.Name)
		if r.current.Deployment == nil {
			r.current.Recorded = nil // nothing is restored beside what the holder has
		}
	}
	return false, nil
}

func (r *reconciliation) refuse(format string, args ...any) {
	r.refusal = &operatorstatus.Refusal{Message: fmt.Sprintf(format, args...)}
}

// decide asks the resolver which bundle is wanted, and decides whether the upgrade step to it starts now. Without the resolver's answer only
// a restoration may start.
func (c *controller) decide(ctx context.Context, r *reconciliation) (done bool, err error) {
	r.stepInput = upgradestep.Input{
		Current: r.current, Spec: upgradestep.SpecOf(r.operator, r.cluster.Manager.DefaultApproval),
		ClusterUpdate: r.clusterUpdate, Now: c.clock.Now(),
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
