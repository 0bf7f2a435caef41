package approve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
)

// wantsVersion reports whether a version is to be approved before a plan.
func (a *approval) wantsVersion(s subject) bool {
	if a.Version == "" {
		return s.awaitsVersion()
	}
	upgrades := s.operator != nil && s.operator.Spec.Upgrades != nil
	return s.operator != nil && (!upgrades || s.operator.Spec.Upgrades.ApprovedVersion != a.Version)
}

// chooseVersion returns the version to approve: the one of --version, or else the newest one that waits for an approval.
func (a *approval) chooseVersion(s subject) (platformv1alpha1.AvailableUpdate, error) {
	updates := s.operator.Status.AvailableUpdates // newest first
	at := slices.IndexFunc(updates, func(update platformv1alpha1.AvailableUpdate) bool {
		if a.Version != "" {
			return update.Version == a.Version
		}
		return update.BlockedReason == platformv1alpha1.BlockedAwaitingApproval
	})
	see := remedy.Tools{Plugin: a.invocation.Name}.Updates(s.operator.Name)
	switch {
	case at < 0 && a.Version != "":
		return platformv1alpha1.AvailableUpdate{}, exit.With(exit.Usage, fmt.Errorf("version %s is not among the updates in the status of %s: correct "+
			"--version; see: %s", a.Version, s.title(), see))
	case at < 0:
		return platformv1alpha1.AvailableUpdate{}, fmt.Errorf("a version of %s waits for an approval, and the status does not list it among the "+
			"newest updates: set spec.upgrades.approvedVersion; see: %s", s.title(), see)
	case updates[at].BlockedReason == platformv1alpha1.BlockedAwaitingPlanApproval:
		return platformv1alpha1.AvailableUpdate{}, exit.With(exit.Usage, fmt.Errorf("version %s of %s waits for the approval of a plan, not of the version: "+
			"omit --version", updates[at].Version, s.title()))
	case updates[at].BlockedReason != platformv1alpha1.BlockedAwaitingApproval:
		reason := string(updates[at].BlockedReason)
		if reason == "" {
			reason = "nothing blocks it"
		}
		return platformv1alpha1.AvailableUpdate{}, exit.With(exit.Blocked, fmt.Errorf("version %s of %s does not wait for an approval (%s); see: %s",
			updates[at].Version, s.title(), reason, see))
	}
	return updates[at], nil
}

// approveVersion shows a version, asks, and approves it. If plans need an approval, it waits until the plan of the version is known. isDone
// means that nothing remains to be done.
func (a *approval) approveVersion(ctx context.Context, s subject) (now subject, isDone bool, err error) {
	update, err := a.chooseVersion(s)
	if err != nil {
		return s, false, err
	}
	a.showVersion(s, update)
	if a.isDryRun() {
		return s, true, a.dryRun()
	}
	if err := a.checkPermission(ctx, patchPermission(s)); err != nil {
		return s, false, err
	}
	if err := a.warnOfPlan(ctx, s); err != nil {
		return s, false, err
	}
	if err := a.ask(ctx, fmt.Sprintf("Approve version %s?", update.Version)); err != nil {
		return s, false, err
	}
	if s, isDone, err = a.giveVersion(ctx, s, update); err != nil || isDone {
		return s, isDone, err
	}
	now, err = a.waitForPlan(ctx, s)
	return now, false, err
}

// giveVersion writes spec.upgrades.approvedVersion. It asks again if the version or its path have changed since they were shown.
func (a *approval) giveVersion(ctx context.Context, s subject, update platformv1alpha1.AvailableUpdate) (now subject, isDone bool, err error) {
	for range maxAttempts {
		err := a.invocation.Limit(ctx, func(ctx context.Context) error {
			return a.connection.PatchOperator(ctx, s.operator, map[string]any{"upgrades": map[string]any{"approvedVersion": update.Version}})
		})
		if err == nil {
			a.report.Version.Approved = true
			a.say(fmt.Sprintf("Version %s is approved.", update.Version))
			if isDone = !s.requiresPlan(); isDone {
				a.report.Outcome = OutcomeApproved
			}
			return s, isDone, nil
		}
		if !cluster.IsConflict(err) {
			return s, false, err
		}
		if s, err = a.settle(ctx); err != nil {
			return s, false, err
		}
		if !a.wantsVersion(s) {
			return s, true, a.nothing(s)
		}
		present, err := a.chooseVersion(s)
		if err != nil {
			return s, false, err
		}
		if present.Version == update.Version && slices.Equal(present.Path, update.Path) {
			continue
		}
		a.say("The version or its upgrade path has changed:")
		a.showVersion(s, present)
		if a.Yes {
			return s, false, errMayNotAsk
		}
		update = present
		if err := a.ask(ctx, fmt.Sprintf("Approve version %s?", update.Version)); err != nil {
			return s, false, err
		}
	}
	return s, false, errBusy(s)
}

// waitForPlan waits for the plan of an approved version. before are the objects at the time of the approval.
func (a *approval) waitForPlan(ctx context.Context, before subject) (subject, error) {
	if err := a.checkPermission(ctx, approvePermission(before)); err != nil {
		a.report.Outcome = OutcomeVersionApproved
		return before, err
	}
	now, err := a.wait(ctx, pendingPlan(before))
	switch {
	case err != nil:
		a.report.Outcome = OutcomeVersionApproved
		return before, fmt.Errorf("the version is approved, and its plan is not: %w", err)
	case !now.isPlanDecided() && now.isBlocked():
		a.report.Outcome, a.report.State = OutcomeVersionApproved, now.state()
		return before, exit.With(exit.Blocked, fmt.Errorf("the version is approved and has no plan, because it is blocked: %s", strings.Join(now.state(), " ")))
	}
	return now, nil
}

// warnOfPlan warns before a version is approved whose plan the user may not approve.
func (a *approval) warnOfPlan(ctx context.Context, s subject) error {
	if !s.requiresPlan() {
		return nil
	}
	return a.invocation.Limit(ctx, func(ctx context.Context) error {
		isPermitted, err := a.connection.IsPermitted(ctx, approvePermission(s))
		if err == nil && !isPermitted {
			a.invocation.Warn("you may approve the version, and not its plan: you lack verb \"approve\" on bundledeployments.core.rukpak.io \"" + s.name() + "\"")
		}
		return err
	})
}

// patchPermission returns the permission to approve a version.
func patchPermission(s subject) cluster.Permission {
	return cluster.Permission{Verb: "patch", Group: platformv1alpha1.GroupName, Resource: "platformoperators", Name: s.name()}
}

// showVersion shows a version and its upgrade path.
func (a *approval) showVersion(s subject, update platformv1alpha1.AvailableUpdate) {
	a.report.Version = newVersion(s.operator, update)
	for i, sentence := range a.report.Version.sentences(s.operator.Name) {
		if i == 0 {
			a.say(sentence)
			continue
		}
		a.sayIndented(sentence)
	}
	if s.requiresPlan() {
		a.sayIndented("The plan of each version on the path needs an approval of its own. The manager computes it after the approval of the version.")
	}
}
