package approve

import (
	"context"
	"fmt"

	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// approvePlan shows the plan, asks, and approves it. If another plan waits by then, it shows the difference and asks again.
func (a *approval) approvePlan(ctx context.Context, s subject) error {
	user, err := a.approver(ctx, s)
	if err != nil {
		return err
	}
	var shown *planText
	for range maxAttempts {
		text, now, err := a.readPlan(ctx, s)
		if err != nil {
			return err
		}
		if s = now; !s.awaitsPlan() {
			return a.nothing(s)
		}
		if err := a.showPlan(s, shown, text); err != nil {
			return err
		}
		switch {
		case a.Digest != "" && a.Digest != s.digest():
			a.report.Outcome = OutcomeOtherPlan
			return a.otherPlan(s)
		case a.isDryRun():
			return a.dryRun()
		case text.unread != nil && a.Digest == "":
			return fmt.Errorf("a plan that you may not read is approved only by its digest; after somebody has read it to you, add: --digest %s", s.digest())
		case shown != nil && a.Yes:
			a.report.Outcome = OutcomeOtherPlan
			return errMayNotAsk
		}
		if err := a.ask(ctx, fmt.Sprintf("Approve plan %s as %s?", s.digest(), user)); err != nil {
			return err
		}
		present, isApproved, err := a.writeApproval(ctx, s, user)
		if err != nil || isApproved {
			return err
		}
		if s, shown = present, &text; !s.awaitsPlan() {
			return a.nothing(s)
		}
	}
	return errBusy(s)
}

// approver returns the name of the user, who must have the permission to approve the plan, unless nothing is changed.
func (a *approval) approver(ctx context.Context, s subject) (user string, err error) {
	if a.isDryRun() {
		return "", nil
	}
	if err := a.checkPermission(ctx, approvePermission(s)); err != nil {
		return "", err
	}
	err = a.invocation.Limit(ctx, func(ctx context.Context) error {
		user, err = a.connection.User(ctx)
		return err
	})
	a.report.User = user
	return user, err
}

// writeApproval writes the approval of the plan that was shown. isApproved is false if another plan waits by then, or none.
func (a *approval) writeApproval(ctx context.Context, s subject, user string) (now subject, isApproved bool, err error) {
	digest := s.digest()
	for range maxAttempts {
		err := a.patchApproval(ctx, s, map[string]any{"planDigest": digest, "approvedBy": user})
		if err == nil {
			a.report.Outcome = OutcomeApproved
			a.say(fmt.Sprintf("Plan %s is approved by %s.", digest, user))
			a.sayIndented(a.report.Plan.nextSteps())
			return s, true, nil
		}
		if !cluster.IsConflict(err) {
			return s, false, err
		}
		if s, err = a.settle(ctx); err != nil {
			return s, false, err
		}
		if s.digest() != digest || !s.awaitsPlan() {
			return s, false, nil
		}
	}
	return s, false, exit.With(exit.Failure, errBusy(s))
}
