package scenarios

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/Masterminds/semver/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// clusterUpdate is the argument of a step with the verb openshift in a story. Instead of this object, the argument can be just the version.
type clusterUpdate struct {
	// Version is the version of OpenShift that the cluster is updated to.
	Version string `json:"version"`
	// Refused is true if the story expects a refusal; the step then fails if the update succeeds.
	Refused bool `json:"refused,omitempty"`
	// MayBeRefused is true if the step succeeds whether or not the update is refused.
	MayBeRefused bool `json:"mayBeRefused,omitempty"`
	// Forced is true if the update is made without a check of the Upgradeable conditions.
	Forced bool `json:"forced,omitempty"`
}

// errPreconditionFailed is the error for an update that the cluster-version operator does not start.
var errPreconditionFailed = errors.New("the cluster-version operator refuses the update")

// openshift updates the cluster to another version of OpenShift at once. Like the cluster-version operator, it refuses an update to a
// different minor version while a ClusterOperator has Upgradeable=False.
func (s *Story) openshift(ctx context.Context, _ *story.Runner, step story.Step) error {
	var wanted clusterUpdate
	if err := step.Arguments.Into(&wanted.Version); err != nil {
		if err := step.Arguments.Into(&wanted); err != nil {
			return err
		}
	}
	err := s.updateCluster(ctx, wanted)
	switch {
	case wanted.Refused && err == nil:
		return fmt.Errorf("the update to %s was not refused", wanted.Version)
	case (wanted.Refused || wanted.MayBeRefused) && errors.Is(err, errPreconditionFailed):
		return nil
	}
	return err
}

func (s *Story) updateCluster(ctx context.Context, wanted clusterUpdate) error {
	clusterVersions := s.Config.ConfigV1().ClusterVersions()
	clusterVersion, err := clusterVersions.Get(ctx, "version", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if !wanted.Forced {
		if err := s.checkUpgradeable(ctx, clusterVersion.Status.Desired.Version, wanted.Version); err != nil {
			return err
		}
	}
	now := metav1.NewTime(time.Now())
	clusterVersion.Status.Desired.Version = wanted.Version
	clusterVersion.Status.History = append([]configv1.UpdateHistory{{
		State: configv1.CompletedUpdate, StartedTime: now, CompletionTime: &now, Version: wanted.Version,
	}}, clusterVersion.Status.History...)
	_, err = clusterVersions.UpdateStatus(ctx, clusterVersion, metav1.UpdateOptions{})
	return err
}

// checkUpgradeable returns errPreconditionFailed if the update is to a different minor version and a ClusterOperator has Upgradeable=False.
func (s *Story) checkUpgradeable(ctx context.Context, from, to string) error {
	now, err := semver.NewVersion(from)
	if err != nil {
		return fmt.Errorf("reading the cluster's version %q: %w", from, err)
	}
	next, err := semver.NewVersion(to)
	if err != nil {
		return fmt.Errorf("reading version %q: %w", to, err)
	}
	if next.Major() == now.Major() && next.Minor() == now.Minor() {
		return nil
	}
	operators, err := s.Config.ConfigV1().ClusterOperators().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, operator := range operators.Items {
		for _, condition := range operator.Status.Conditions {
			if condition.Type == configv1.OperatorUpgradeable && condition.Status == configv1.ConditionFalse {
				return fmt.Errorf("%w to %s: ClusterOperator %q: %s: %s", errPreconditionFailed, to, operator.Name, condition.Reason, condition.Message)
			}
		}
	}
	return nil
}
