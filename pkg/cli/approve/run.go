// Package approve implements the command "approve": it shows the version, the upgrade path and the plan that wait for an approval, asks, and
// writes spec.upgrades.approvedVersion of the PlatformOperator, and then spec.approval of the BundleDeployment. It is the only command that
// changes the cluster. Each write has the precondition that the object has not changed since what the user read.
package approve

import (
	"context"
	"errors"
	"fmt"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// maxAttempts is the maximum number of attempts to write an approval while the object changes.
const maxAttempts = 20

// errMayNotAsk means that what the user has not seen would be approved.
var errMayNotAsk = exit.With(exit.Blocked, errors.New("what waits for an approval has changed since it was shown, and --yes permits no question: "+
	"nothing more is approved; run the command again"))

// approval is one run of the command.
type approval struct {
	*Options
	report *Report
	// writeErr is the first error of a write to standard output.
	writeErr error
}

// Run shows what waits for an approval, and approves it. With -o json and -o yaml, it prints the report at the end, even if nothing is
// approved.
func (o *Options) Run(ctx context.Context) error {
	a := &approval{Options: o, report: newReport()}
	err := a.run(ctx)
	if err == nil || errors.Is(err, a.writeErr) {
		err = a.outputError()
	}
	if o.isForPrograms() && a.report.Outcome != "" {
		if err := a.printReport(); err != nil {
			return err
		}
	}
	return err
}

// outputError returns the error of a write to standard output; nil if there is none. A reader that has gone is a failure if the user has not
// read what was to be approved: then nothing is approved, and exit code 0 would say that it is.
func (a *approval) outputError() error {
	if a.writeErr == nil || a.isDryRun() || a.report.Outcome != "" {
		return a.writeErr
	}
	return exit.With(exit.Failure, fmt.Errorf("writing what waits for an approval: %v; nothing more is approved", a.writeErr)) //nolint:errorlint // the plugin ends with 0 for a reader that has gone
}

func (a *approval) run(ctx context.Context) error {
	s, err := a.settle(ctx)
	if err != nil {
		return err
	}
	a.report.name(s)
	if a.Withdraw {
		return a.withdraw(ctx, s)
	}
	if a.wantsVersion(s) {
		var isDone bool
		if s, isDone, err = a.approveVersion(ctx, s); err != nil || isDone {
			return err
		}
	}
	if s.awaitsPlan() {
		return a.approvePlan(ctx, s)
	}
	return a.nothing(s)
}

// nothing reports that nothing waits for an approval, and why. It returns an error with code exit.Blocked if --digest names another plan than
// the newest one.
func (a *approval) nothing(s subject) error {
	if a.report.Outcome = OutcomeNothing; a.report.Version != nil && a.report.Version.Approved {
		a.report.Outcome = OutcomeApproved
	}
	a.report.State = s.state()
	a.say(a.report.nothingSentence())
	for _, sentence := range a.report.State {
		a.sayIndented(sentence)
	}
	if a.Digest != "" && a.Digest != s.digest() {
		return a.otherPlan(s)
	}
	return nil
}

// otherPlan returns the error for a plan that is not the one of --digest.
func (a *approval) otherPlan(s subject) error {
	present, next := "there is no plan", ""
	if s.digest() != "" {
		present = "the newest plan is " + s.digest()
	}
	if s.awaitsPlan() {
		next = "; read the newest plan with --dry-run, and approve it by its digest"
	}
	return exit.With(exit.Blocked, fmt.Errorf("%s, and --digest is %s: no plan is approved%s", present, a.Digest, next))
}

// withdraw clears the approval of the plan.
func (a *approval) withdraw(ctx context.Context, s subject) error {
	if s.deployment == nil || s.deployment.Spec.Approval == nil || s.deployment.Spec.Approval.PlanDigest == "" {
		a.report.Outcome, a.report.State = OutcomeNothing, s.state()
		a.say(fmt.Sprintf("%s has no approval of a plan that could be withdrawn.", s.title()))
		return nil
	}
	former := s.deployment.Spec.Approval
	a.say(fmt.Sprintf("BundleDeployment %s: plan %s is approved by %s. What is not applied yet is not applied after the withdrawal.", s.name(),
		former.PlanDigest, former.ApprovedBy))
	if a.isDryRun() {
		return a.dryRun()
	}
	if err := a.checkPermission(ctx, approvePermission(s)); err != nil {
		return err
	}
	if err := a.ask(ctx, "Withdraw the approval?"); err != nil {
		return err
	}
	for range maxAttempts {
		err := a.patchApproval(ctx, s, map[string]any{"planDigest": nil, "approvedBy": nil})
		if err == nil {
			a.report.Outcome = OutcomeWithdrawn
			a.say("The approval is withdrawn.")
			return nil
		}
		if !cluster.IsConflict(err) {
			return err
		}
		if s, err = a.settle(ctx); err != nil {
			return err
		}
		if now := s.deployment; now == nil || now.Spec.Approval == nil || now.Spec.Approval.PlanDigest != former.PlanDigest {
			return exit.With(exit.Failure, errors.New("somebody else has changed the approval; nothing is withdrawn: run the command again"))
		}
	}
	return errBusy(s)
}

// patchApproval writes spec.approval of the BundleDeployment, if it has not changed since it was read.
func (a *approval) patchApproval(ctx context.Context, s subject, fields map[string]any) error {
	return a.invocation.Limit(ctx, func(ctx context.Context) error {
		return a.connection.PatchDeployment(ctx, s.deployment, map[string]any{"approval": fields})
	})
}

// dryRun reports that nothing is changed.
func (a *approval) dryRun() error {
	a.report.Outcome = OutcomeDryRun
	a.say("Dry run: nothing is changed.")
	return nil
}

// errBusy returns the error for an object that changes all the time.
func errBusy(s subject) error {
	return fmt.Errorf("%s has changed before each of %d attempts to change it; nothing more is changed: run the command again", s.title(), maxAttempts)
}

// approvePermission returns the permission to approve a plan.
func approvePermission(s subject) cluster.Permission {
	return cluster.Permission{Verb: "approve", Group: corev1alpha2.GroupName, Resource: "bundledeployments", Name: s.name()}
}
