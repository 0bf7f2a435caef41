package operators

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// condition returns a condition whose message names its type.
func condition(name string, status metav1.ConditionStatus, reason string) metav1.Condition {
	return metav1.Condition{Type: name, Status: status, Reason: reason, Message: "message of " + name}
}

func TestCLI_18_StateOfAnOperator(t *testing.T) {
	installed := condition("Installed", "True", "InstallSuccessful")
	healthy := condition("Healthy", "True", "AsExpected")
	unhealthy := condition("Healthy", "False", "Unhealthy")
	progressing := func(status metav1.ConditionStatus, reason string) metav1.Condition {
		return condition("Progressing", status, reason)
	}
	nothingToDo := progressing("False", "AsExpected")
	type want struct {
		State            State
		Reason, Message  string
		Blocked, Waiting bool
	}
	for name, test := range map[string]struct {
		conditions []metav1.Condition
		deleted    bool
		want       want
	}{
		"InstalledAndHealthy": {[]metav1.Condition{installed, nothingToDo, healthy}, false, want{State: Healthy}},
		"NoStatus": {nil, false, want{
			State: Pending, Waiting: true,
			Message: "The manager has not reported a status yet. Check its Pods in namespace openshift-platform-operators.",
		}},
		"Deleted": {[]metav1.Condition{installed, progressing("True", "Removing"), healthy}, true,
			want{State: Removing, Reason: "Removing", Message: "message of Progressing"}},
		"DeletedAndBlocked": {[]metav1.Condition{installed, progressing("False", "Blocked"), healthy}, true,
			want{State: Removing, Reason: "Blocked", Message: "message of Progressing", Blocked: true}},
		"FirstInstallation": {[]metav1.Condition{condition("Installed", "False", "UnpackPending"), progressing("True", "Installing")}, false,
			want{State: Installing, Reason: "Installing", Message: "message of Progressing"}},
		"InstallationWithoutProgress": {[]metav1.Condition{condition("Installed", "False", "InstallPending")}, false,
			want{State: Installing, Reason: "InstallPending", Message: "message of Installed"}},
		"UpgradeWhileUnhealthy": {[]metav1.Condition{installed, progressing("True", "Upgrading"), unhealthy}, false,
			want{State: Upgrading, Reason: "Upgrading", Message: "message of Progressing"}},
		"RollingBack": {[]metav1.Condition{installed, progressing("True", "RollingBack"), healthy}, false,
			want{State: RollingBack, Reason: "RollingBack", Message: "message of Progressing"}},
		"DeadlineExceeded": {[]metav1.Condition{installed, progressing("False", "DeadlineExceeded"), healthy}, false,
			want{State: Failed, Reason: "DeadlineExceeded", Message: "message of Progressing", Blocked: true}},
		"UnknownPackage": {[]metav1.Condition{condition("Installed", "False", "SourceFailed"), progressing("False", "Blocked")}, false,
			want{State: NotInstalled, Reason: "SourceFailed", Message: "message of Installed", Blocked: true}},
		"PausedBeforeInstallation": {[]metav1.Condition{condition("Installed", "False", "InstallPending"), progressing("False", "Paused")}, false,
			want{State: Paused, Reason: "Paused", Message: "message of Progressing", Waiting: true}},
		"PlanOfTheFirstInstallation": {[]metav1.Condition{condition("Installed", "False", "InstallPending"), progressing("False", "AwaitingApproval")}, false,
			want{State: AwaitingApproval, Reason: "AwaitingApproval", Message: "message of Progressing", Waiting: true}},
		"Unhealthy": {[]metav1.Condition{installed, progressing("False", "AwaitingApproval"), unhealthy}, false,
			want{State: Unhealthy, Reason: "Unhealthy", Message: "message of Healthy", Waiting: true}},
		"Paused": {[]metav1.Condition{installed, progressing("False", "Paused"), healthy}, false,
			want{State: Paused, Reason: "Paused", Message: "message of Progressing", Waiting: true}},
		"Blocked": {[]metav1.Condition{installed, progressing("False", "Blocked"), healthy}, false,
			want{State: Blocked, Reason: "Blocked", Message: "message of Progressing", Blocked: true}},
		"AwaitingApproval": {[]metav1.Condition{installed, progressing("False", "AwaitingApproval"), healthy}, false,
			want{State: AwaitingApproval, Reason: "AwaitingApproval", Message: "message of Progressing", Waiting: true}},
		"HealthUnknown": {[]metav1.Condition{installed, nothingToDo, condition("Healthy", "Unknown", "Unknown")}, false,
			want{State: Unknown, Reason: "Unknown", Message: "message of Healthy"}},
		"OlderManager": {[]metav1.Condition{installed}, false, want{State: Unknown,
			Message: "The manager does not report the condition Healthy."}},
		"ManagerWithNewReasons": {[]metav1.Condition{installed, progressing("False", "SomethingNew"), healthy}, false,
			want{State: Healthy}},
	} {
		t.Run(name, func(t *testing.T) {
			operator := &platformv1alpha1.PlatformOperator{Status: platformv1alpha1.PlatformOperatorStatus{Conditions: test.conditions}}
			if test.deleted {
				operator.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
			}
			o := Summarize(operator, nil)
			if diff := cmp.Diff(test.want, want{o.State, o.Reason, o.Message, o.Blocked, o.Waiting}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCLI_18_WhatIsNotReportedIsUnknown(t *testing.T) {
	operator := &platformv1alpha1.PlatformOperator{}
	if o := Summarize(operator, nil); o.Drifted != nil || o.BlocksCluster != nil {
		t.Errorf("without conditions, got Drifted %v and BlocksCluster %v, want nil", o.Drifted, o.BlocksCluster)
	}
	operator.Status.Conditions = []metav1.Condition{condition("Upgradeable", "False", "IncompatibleOperator")}
	deployment := &corev1alpha2.BundleDeployment{Status: corev1alpha2.BundleDeploymentStatus{
		Conditions: []metav1.Condition{condition("Drifted", "True", "DriftReported")},
	}}
	if o := Summarize(operator, deployment); !Is(o.Drifted) || !Is(o.BlocksCluster) {
		t.Errorf("got Drifted %v and BlocksCluster %v, want true", o.Drifted, o.BlocksCluster)
	}
	operator.Status.Conditions = append(operator.Status.Conditions, condition("Drifted", "True", "DriftReported"))
	for _, unknown := range []*corev1alpha2.BundleDeployment{nil, {}} {
		if o := Summarize(operator, unknown); !Is(o.Drifted) {
			t.Error("Drifted of the PlatformOperator is True, and the BundleDeployment is not known: got false, want true")
		}
	}
	deployment.Status.Conditions[0].Status, operator.Status.Conditions[0].Status = "Unknown", "Unknown"
	if o := Summarize(operator, deployment); Is(o.Drifted) || Is(o.BlocksCluster) {
		t.Errorf("got Drifted %v and BlocksCluster %v, want neither", o.Drifted, o.BlocksCluster)
	}
}

func TestCLI_18_AStatusOfAnEarlierGenerationIsOutdated(t *testing.T) {
	operator := &platformv1alpha1.PlatformOperator{}
	operator.Generation = 3
	for observed, want := range map[int64]bool{0: false, 2: true, 3: false} {
		operator.Status.ObservedGeneration = observed
		if o := Summarize(operator, nil); o.Outdated != want {
			t.Errorf("observed generation %d of 3: got Outdated %v, want %v", observed, o.Outdated, want)
		}
	}
}
