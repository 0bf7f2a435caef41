package scenarios

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	scenariostory "github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/story"
)

// state returns descriptions of the PlatformOperators, the BundleDeployments and the ClusterOperator, with a line for each condition.
func (s *Story) state(ctx context.Context) ([]scenariostory.Description, error) {
	var state []scenariostory.Description
	operators, err := s.Platform.PlatformV1alpha1().PlatformOperators().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, operator := range operators.Items {
		installed := "nothing is installed"
		if operator.Status.Installed != nil {
			installed = operator.Status.Installed.Version + " is installed"
		}
		lines := append([]string{installed}, conditionLines(operator.Status.Conditions)...)
		state = append(state, scenariostory.Description{Object: "PlatformOperator/" + operator.Name, Lines: lines})
	}
	deployments, err := s.Platform.CoreV1alpha2().BundleDeployments().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, deployment := range deployments.Items {
		state = append(state, scenariostory.Description{Object: "BundleDeployment/" + deployment.Name, Lines: conditionLines(deployment.Status.Conditions)})
	}
	clusterOperator, err := s.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	var conditions []metav1.Condition
	for _, condition := range clusterOperator.Status.Conditions {
		conditions = append(conditions, metav1.Condition{
			Type: string(condition.Type), Status: metav1.ConditionStatus(condition.Status), Reason: condition.Reason, Message: condition.Message,
		})
	}
	return append(state, scenariostory.Description{Object: "ClusterOperator/" + clusterOperator.Name, Lines: conditionLines(conditions)}), nil
}

func conditionLines(conditions []metav1.Condition) []string {
	var lines []string
	for _, condition := range conditions {
		lines = append(lines, fmt.Sprintf("%s=%s %s: %s", condition.Type, condition.Status, condition.Reason, condition.Message))
	}
	slices.Sort(lines)
	return lines
}

// isReportedEvent reports whether a story's report includes the Event. It excludes the Events that library-go creates for each write to the
// ClusterOperator, because the number of these writes depends on the order of goroutines.
func isReportedEvent(event corev1.Event) bool {
	return event.InvolvedObject.Name != environment.Namespace
}

var duration = regexp.MustCompile(`\b\d+s after the start`)

// mask replaces the duration of an operation in a line of a report with a placeholder, because the seconds depend on the order of
// goroutines.
func mask(line string) string { return duration.ReplaceAllString(line, "<seconds> after the start") }
