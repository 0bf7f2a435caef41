package approve

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// interval is the time between two reads of what the command waits for.
const interval = time.Second

// settle reads the objects until it is known whether an approval is awaited.
func (o *Options) settle(ctx context.Context) (subject, error) {
	return o.wait(ctx, subject.pending)
}

// wait reads the objects until pending returns an empty text. It prints what it waits for as progress. After the first read, it tries again
// after errors that can go away.
func (o *Options) wait(ctx context.Context, pending func(subject) string) (found subject, err error) {
	err = o.invocation.Limit(ctx, func(ctx context.Context) error {
		last, isRead := "", false
		err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
			now, err := o.read(ctx)
			if err != nil && (!isRead || isFinal(err)) {
				return false, err
			}
			var reason string
			if err != nil {
				reason = err.Error()
			} else {
				found, isRead = now, true
				reason = pending(found)
			}
			if reason != "" && reason != last {
				fmt.Fprintf(o.invocation.Streams.ErrOut, "Waiting: %s\n", printer.OneLine(reason))
				last = reason
			}
			return reason == "", nil
		})
		if err != nil && last != "" && ctx.Err() != nil {
			return fmt.Errorf("waiting for the manager: %w", err)
		}
		return err
	})
	return found, err
}

// isFinal reports whether an error about an object that was read before does not go away by itself.
func isFinal(err error) bool {
	var missing *cluster.NoOperatorError
	return cluster.IsForbidden(err) || cluster.IsAbsent(err) || errors.As(err, &missing)
}

// pendingPlan returns a function for wait: it returns what the manager has to do before the plan of an approved version is known, or the
// version is blocked. before are the objects at the time of the approval.
func pendingPlan(before subject) func(subject) string {
	return func(s subject) string {
		if reason := s.pending(); reason != "" {
			return reason
		}
		isChanged := s.deployment != nil && (before.deployment == nil || s.deployment.UID != before.deployment.UID ||
			s.deployment.Generation > before.deployment.Generation)
		switch {
		case s.isRemoved(), s.isBlocked(), isChanged && s.isPlanDecided():
			return ""
		case isChanged:
			return s.progress()
		}
		return fmt.Sprintf("%s: %s", s.title(), conditionOf(s.operator.Status.Conditions, platformv1alpha1.ConditionProgressing).Message)
	}
}

// isPlanDecided reports whether the newest plan is known, and is approved or waits for its approval.
func (s subject) isPlanDecided() bool {
	return s.awaitsPlan() || s.approved().Status == metav1.ConditionTrue
}

// isBlocked reports whether somebody has to act before a version is installed.
func (s subject) isBlocked() bool {
	return s.operator != nil && operators.Summarize(s.operator, s.deployment).Blocked
}
