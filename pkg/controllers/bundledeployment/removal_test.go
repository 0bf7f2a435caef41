package bundledeployment

import (
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/source"
)

func TestARemovalSaysWhetherItGoesOnByItself(t *testing.T) {
	refusal := &apply.Refusal{Object: apply.Key{GroupKind: schema.GroupKind{Kind: "ConfigMap"}, Namespace: "memo", Name: "a"}, Err: errors.New("forbidden"), Remedy: "grant it"}
	for name, c := range map[string]struct {
		removal              apply.Removal
		err                  error
		faults               int           // the number of earlier faults
		failing              time.Duration // the time since the first fault
		progressing, blocked string        // empty if the condition must not change
		words                string
	}{
		"objects are on their way": {
			removal: apply.Removal{Waiting: "waiting for ConfigMap memo/a to be gone"}, progressing: "True Removing", blocked: "False Removing", words: "ConfigMap memo/a"},
		"a fault of the moment is no news, however many there were of rolling out": {
			err: errors.New("etcdserver: leader changed")},
		"a fault that lasts for ten minutes does not end by itself": {
			err: errors.New("failed calling webhook"), faults: 9, failing: 11 * time.Minute, progressing: "False Blocked", blocked: "True Blocked", words: "failed calling webhook"},
		"a fault that lasts": {
			err: errors.New("etcdserver: leader changed"), faults: 2, failing: time.Minute, progressing: "True Removing", blocked: "False Removing", words: "leader changed"},
		"users have custom resources (ENG-D13 has Progressing say Removing)": {
			removal: apply.Removal{Held: true, Waiting: "in use by 1 custom resource; delete it"}, progressing: "True Removing", blocked: "True Blocked", words: "1 custom resource; delete it"},
		"what is left does not go": {
			removal: apply.Removal{Stuck: true, Waiting: "waiting for ConfigMap memo/a"}, progressing: "False Blocked", blocked: "True Blocked", words: "waiting for ConfigMap memo/a"},
		"the API server refuses it": {
			err: refusal, progressing: "False Blocked", blocked: "True Blocked", words: "grant it"},
	} {
		t.Run(name, func(t *testing.T) {
			before := &corev1alpha2.BundleDeployment{}
			s := &reconciliation{c: &controller{clock: clocktesting.NewFakeClock(time.Unix(0, 0)), backoff: source.Backoff{First: time.Second, Last: time.Minute}},
				before: before, deployment: before.DeepCopy(), memory: &memory{removal: removalMemory{attempts: revision.RemovalAttempts{Failures: revision.Failures{Count: c.faults, Since: time.Unix(0, 0).Add(-c.failing)}}}}}
			s.memory.history.Faults = 9
			s.machine = revision.NewMachine(revision.Input{Deployment: before, History: &s.memory.history})
			s.reportRemoval(c.removal, c.err)
			for condition, want := range map[string]string{corev1alpha2.ConditionProgressing: c.progressing, corev1alpha2.ConditionRemovalBlocked: c.blocked} {
				got := meta.FindStatusCondition(s.deployment.Status.Conditions, condition)
				if got == nil && want == "" {
					continue
				}
				if got == nil || string(got.Status)+" "+got.Reason != want {
					t.Errorf("%s is %+v, want %s", condition, got, want)
				}
				if got != nil && (condition == corev1alpha2.ConditionProgressing || got.Status == metav1.ConditionTrue) && !strings.Contains(got.Message, c.words) {
					t.Errorf("%s does not say %q: %s", condition, c.words, got.Message)
				}
			}
			if s.retryAfter <= 0 && s.fault == nil {
				t.Error("nobody looks again")
			}
		})
	}
}
