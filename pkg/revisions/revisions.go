// Package revisions manages the revisions of a BundleDeployment between pkg/store, which keeps them in the cluster, and pkg/apply, which
// needs their objects in memory. It loads, saves and deletes them, and keeps pkg/revision's history up to date. It makes no decisions. The
// bundledeployment controller calls it.
package revisions

import (
	"context"
	"fmt"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/store"
)

// Store keeps revisions in the cluster. *store.Revisions implements it.
//
//nolint:interfacebloat // a revision is loaded, saved and deleted by one object
type Store interface {
	Load(ctx context.Context, owner store.Owner, header store.Header) (*store.Revision, error)
	Save(ctx context.Context, owner store.Owner, next *store.Revision) error
	Delete(ctx context.Context, owner store.Owner, header store.Header) error
	CollectGarbage(ctx context.Context, owner store.Owner, stored []store.Header) error
}

// Revisions gives access to the revisions of one BundleDeployment. Every field is required.
type Revisions struct {
	Store   Store
	History *revision.History
	Sets    Sets
	// Deployment is the BundleDeployment, with the status that was written last.
	Deployment *corev1alpha2.BundleDeployment
}

// Load loads the objects of a revision into memory. It does nothing if they are already loaded. If the revision is damaged, Load does not
// load it but drops it, and returns an Event about it.
func (r Revisions) Load(ctx context.Context, wanted *revision.Revision) (events []revision.Event, err error) {
	if wanted.Loaded {
		return nil, nil
	}
	stored, events, err := r.Read(ctx, wanted)
	if stored == nil {
		return events, err
	}
	if wanted.Plan == "" { // stored by a manager that did not record it
		wanted.Plan = plan.Digest(stored.Objects)
	}
	set, err := r.setOf(stored)
	if err != nil {
		return nil, err
	}
	r.keep(wanted, set)
	return nil, nil
}

// Read reads a revision from the cluster. If the revision is damaged, Read drops it, and returns no revision and an Event about it.
func (r Revisions) Read(ctx context.Context, wanted *revision.Revision) (stored *store.Revision, events []revision.Event, err error) {
	stored, err = r.Store.Load(ctx, OwnerOf(r.Deployment), wanted.Header)
	if !store.IsUnusable(err) {
		return stored, nil, err
	}
	events, err = r.lose(ctx, wanted, err)
	return nil, events, err
}

// lose deletes a damaged revision from the store, and moves it to History.Lost, because its objects may be in the cluster.
func (r Revisions) lose(ctx context.Context, damaged *revision.Revision, cause error) ([]revision.Event, error) {
	if err := r.Delete(ctx, damaged); err != nil {
		return nil, err
	}
	r.History.Lose(damaged)
	return []revision.Event{revision.LostEvent(damaged, cause)}, nil
}

// setOf converts the objects of a revision to a set that the apply engine can apply.
func (r Revisions) setOf(content *store.Revision) (*apply.Set, error) {
	owner := apply.Owner{Name: r.Deployment.Name, Package: PackageOf(r.Deployment, content.Bundle.Package)}
	build := apply.NewSet
	if content.ServiceAccount != "" {
		build = apply.NewScopedSet
	}
	set, err := build(owner, r.Deployment.Spec.InstallNamespace, plan.Phases(content.Objects))
	if err != nil {
		return nil, fmt.Errorf("preparing revision %d: %w", content.Number, err)
	}
	return set, nil
}

// keep keeps the objects of a revision in memory, and sets Loaded and Objects.
func (r Revisions) keep(of *revision.Revision, set *apply.Set) {
	r.Sets[of.Number] = set
	of.Loaded, of.Objects = true, set.Len()
}

// Save stores a revision under the next number, adds it to the history, and keeps its objects in memory.
func (r Revisions) Save(ctx context.Context, next *store.Revision) (*revision.Revision, error) {
	next.Number = r.History.NextNumber(r.Deployment.Status)
	set, err := r.setOf(next) // first: if it fails after the revision is stored, each further attempt stores another one
	if err != nil {
		return nil, err
	}
	if err := r.Store.Save(ctx, OwnerOf(r.Deployment), next); err != nil {
		return nil, err
	}
	stored := revision.New(next.Header)
	r.History.Stored = append(r.History.Stored, stored)
	r.keep(stored, set)
	return stored, nil
}

// Delete deletes a stored revision, and removes its objects from memory. The only change it makes to the history is to set Deleting.
func (r Revisions) Delete(ctx context.Context, unwanted *revision.Revision) error {
	unwanted.Deleting = true
	if err := r.Store.Delete(ctx, OwnerOf(r.Deployment), unwanted.Header); err != nil {
		return err
	}
	delete(r.Sets, unwanted.Number)
	return nil
}

// DeleteUnlisted deletes stored data that belongs to no revision of the history.
func (r Revisions) DeleteUnlisted(ctx context.Context) error {
	var stored []store.Header
	for _, each := range r.History.Stored {
		stored = append(stored, each.Header)
	}
	return r.Store.CollectGarbage(ctx, OwnerOf(r.Deployment), stored)
}

// OwnerOf returns the owner of a BundleDeployment's stored revisions.
func OwnerOf(deployment *corev1alpha2.BundleDeployment) store.Owner {
	return store.Owner{Name: deployment.Name, UID: deployment.UID}
}

// PackageOf returns the package for which objects are applied: the one that the content declares, or else the one that the deployment's
// PlatformOperator installs. Content in format plain+v0 need not declare a package. The result is empty if there is neither.
func PackageOf(deployment *corev1alpha2.BundleDeployment, named string) string {
	if named == "" && ownership.IsOfPlatformOperator(deployment) {
		return deployment.Labels[platformv1alpha1.LabelPackage]
	}
	return named
}
