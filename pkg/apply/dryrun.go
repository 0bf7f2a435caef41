package apply

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/pacing"
	"github.com/openshift/platform-operators/pkg/apply/reconcile"
)

// maxDenied is the maximum number of permissions that one dry run finds missing.
const maxDenied = 20

// applyVerbs are the verbs that the API server checks for a server-side apply.
var applyVerbs = []string{"create", "patch"}

// DryRun is the progress and the result of a dry run of a set.
type DryRun struct {
	// Sent is the number of objects that were sent. Total is the number of objects of the set.
	Sent, Total int
	// Warnings are the API server's warnings, and the objects that it does not accept, each with the name of the object, without duplicates,
	// at most 20. An object that is not accepted now may be accepted after the objects before it are applied.
	Warnings []string
	// Missing are the permissions on single objects that the identity lacks, at most 20.
	Missing []corev1alpha2.MissingPermission
}

// IsDone reports whether all objects were sent.
func (d DryRun) IsDone() bool { return d.Sent >= d.Total }

// DryRun applies the objects of a set as an identity, without writing them. It continues after a former result, and returns after some
// seconds, so that a caller can report progress. With an error, the result is that of the objects before it. DryRun skips the install
// namespace, and objects whose kind or namespace does not exist yet. The zero Identity means the manager; serviceAccount is the name of the
// ServiceAccount that is the identity.
//
// Permissions on all objects of a resource are checked by MissingPermissions, without a request for each object. A dry run also shows
// what an admission policy or an authorizer decides for one object.
func (e *Engine) DryRun(ctx context.Context, as Identity, serviceAccount string, set *Set, former DryRun) (DryRun, error) {
	var all []*object.Desired
	for _, phase := range set.Phases() {
		all = append(all, phase.Objects...)
	}
	run := &dryRun{engine: e, as: as.Or(e.manager), serviceAccount: serviceAccount, set: set, DryRun: former}
	run.Total = len(all)
	window := pacing.NewWindow(e.clock)
	for next := range slices.Chunk(all[min(former.Sent, len(all)):], dryRunChunk) {
		if window.IsClosed() {
			break
		}
		if err := run.send(ctx, next); err != nil {
			return run.DryRun, err
		}
		run.Sent += len(next)
		window.Wrote()
	}
	return run.DryRun, nil
}

// dryRunChunk is the number of objects that are sent before the time is checked.
const dryRunChunk = 50

// dryRun is the state of one call of DryRun.
type dryRun struct {
	engine         *Engine
	as             Identity
	serviceAccount string
	set            *Set
	DryRun
}

// send sends some objects, and adds what the API server answers. After an error, nothing is added, and the caller sends the objects again.
func (d *dryRun) send(ctx context.Context, objects []*object.Desired) error {
	warned, missing, errs := make([][]string, len(objects)), make([][]string, len(objects)), make([]error, len(objects))
	resources := make([]schema.GroupResource, len(objects))
	pacing.Each(len(objects), func(i int) {
		desired := objects[i]
		mapping, err := d.engine.resources.Mapper.Mapping(ctx, d.set.Owner().Name, desired.GVK)
		if err != nil || desired.IsInstallNamespace || (livecache.Resource{Mapping: mapping}).IsNamespaced() != (desired.Key.Namespace != "") {
			return // applying the object waits, or fails with the reason
		}
		resources[i] = mapping.Resource.GroupResource()
		ctx, received := collectWarnings(ctx)
		err = reconcile.DryRun(ctx, d.as, d.set.Owner(), desired, livecache.Resource{Mapping: mapping})
		warned[i] = received.list()
		switch {
		case err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) || apierrors.IsMethodNotSupported(err):
		case isNotAccepted(err):
			if missing[i], errs[i] = d.missingVerbs(ctx, err, resources[i], desired); len(missing[i]) == 0 {
				warned[i] = append(warned[i], "the API server does not accept it in a dry run: "+object.Bounded(err.Error()))
			}
		default:
			errs[i] = fmt.Errorf("applying %s as a dry run: %w", desired.Key, err)
		}
	})
	if err := object.Foremost(errs); err != nil {
		return err
	}
	for i, desired := range objects {
		d.addWarnings(desired.Key, warned[i])
		if len(missing[i]) > 0 && len(d.Missing) < maxDenied {
			d.Missing = append(d.Missing, corev1alpha2.MissingPermission{
				Verbs: missing[i], Group: resources[i].Group, Resource: resources[i].Resource, Namespace: desired.Key.Namespace,
				ResourceNames: []string{desired.Key.Name}, ServiceAccountName: d.serviceAccount,
			})
		}
	}
	return nil
}

// isNotAccepted reports whether the API server has answered that it does not accept an object. An internal error is one such answer: the API
// server gives it for a value of a wrong type, and a webhook may give it always.
func isNotAccepted(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err) ||
		apierrors.IsInternalError(err)
}

// missingVerbs returns the verbs of an apply that a ServiceAccount lacks on an object, after the API server has answered with an error. For the
// manager it returns none, because the roles of the set may grant it permissions.
func (d *dryRun) missingVerbs(ctx context.Context, answer error, resource schema.GroupResource, desired *object.Desired) ([]string, error) {
	if d.serviceAccount == "" || !apierrors.IsForbidden(answer) || len(d.Missing) >= maxDenied {
		return nil, nil
	}
	return d.engine.permissions.MissingVerbs(ctx, d.as, resource, desired.Key, applyVerbs)
}

// addWarnings adds warnings about one object.
func (d *dryRun) addWarnings(key Key, texts []string) {
	for _, text := range texts {
		warning := d.engine.stateOf(d.set.Owner().Name).warnings.firstFor(text, key).String() + ": " + text
		if len(d.Warnings) < maxWarnings && !slices.Contains(d.Warnings, warning) {
			d.Warnings = append(d.Warnings, warning)
		}
	}
}

// StillMissing returns those of the missing permissions of a dry run that an identity still lacks.
func (e *Engine) StillMissing(ctx context.Context, as Identity, missing []corev1alpha2.MissingPermission) ([]corev1alpha2.MissingPermission, error) {
	var still []corev1alpha2.MissingPermission
	for _, each := range missing {
		key := Key{Namespace: each.Namespace, Name: each.ResourceNames[0]}
		verbs, err := e.permissions.MissingVerbs(ctx, as.Or(e.manager), schema.GroupResource{Group: each.Group, Resource: each.Resource}, key, each.Verbs)
		if err != nil {
			return nil, err
		}
		if len(verbs) > 0 {
			each.Verbs = verbs
			still = append(still, each)
		}
	}
	return still, nil
}
