package managerversion

import (
	"context"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
)

const limit = 10 * time.Minute

// scene is a process of version 2 whose controller is synced by hand.
type scene struct {
	t                                        *testing.T
	controller                               *controller
	operators, deployments, clusterOperators cache.Indexer
	client                                   v1helpers.OperatorClient
	clock                                    *clocktesting.FakeClock
	syncContext                              factory.SyncContext
	reports                                  []string
}

// starting is that process at its start, on a cluster whose ClusterOperator reports a version; empty is none.
func starting(t *testing.T, recorded string, operators ...string) *scene {
	t.Helper()
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	s := &scene{
		t: t, clock: clock, client: v1helpers.NewFakeOperatorClient(&operatorv1.OperatorSpec{}, &operatorv1.OperatorStatus{}, nil),
		operators:        cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil),
		deployments:      cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil),
		clusterOperators: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil),
		syncContext:      factory.NewSyncContext(ControllerName, events.NewInMemoryRecorder(ControllerName, clock)),
	}
	t.Cleanup(s.syncContext.Queue().ShutDown)
	for _, name := range operators {
		s.add(s.operators, &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name}})
		s.add(s.deployments, &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	s.controller = &controller{
		operatorClient: s.client, operators: platformlisters.NewPlatformOperatorLister(s.operators), deployments: corelisters.NewBundleDeploymentLister(s.deployments),
		clusterOperators: configv1listers.NewClusterOperatorLister(s.clusterOperators), clusterOperator: "ours", version: "2",
		report: func(operand, version string) { s.reports = append(s.reports, operand+" "+version) }, trials: NewTrials(), limit: limit, clock: clock,
	}
	s.clusterOperatorHas(recorded, "")
	return s
}

func (s *scene) add(to cache.Indexer, object any) {
	s.t.Helper()
	if err := to.Add(object); err != nil {
		s.t.Fatal(err)
	}
}

// clusterOperatorHas is what the StatusSyncer has written last; a message is one of Progressing=True.
func (s *scene) clusterOperatorHas(version, progressing string) {
	s.t.Helper()
	object := &configv1.ClusterOperator{ObjectMeta: metav1.ObjectMeta{Name: "ours"}}
	if version != "" {
		object.Status.Versions = []configv1.OperandVersion{{Name: "other", Version: "2"}, {Name: Operand, Version: version}}
	}
	if progressing != "" {
		object.Status.Conditions = []configv1.ClusterOperatorStatusCondition{{Type: configv1.OperatorProgressing, Status: configv1.ConditionTrue, Message: progressing}}
	}
	s.add(s.clusterOperators, object)
}

func (s *scene) try(kinds []string, names ...string) {
	for _, kind := range kinds {
		for _, name := range names {
			s.controller.trials.Of(kind)(name)
		}
	}
}

// sync gives what the condition says after another sync.
func (s *scene) sync() string {
	s.t.Helper()
	if err := s.controller.sync(context.Background(), s.syncContext); err != nil {
		s.t.Fatal(err)
	}
	_, status, _, err := s.client.GetOperatorState()
	if err != nil {
		s.t.Fatal(err)
	}
	condition := v1helpers.FindOperatorCondition(status.Conditions, ConditionType)
	return string(condition.Status) + " " + condition.Reason + ": " + condition.Message
}

func (s *scene) want(reported bool) {
	s.t.Helper()
	want, reports := "True WorkingTowardsVersion: Working towards 2", []string(nil)
	if reported {
		want, reports = "False AsExpected: ", []string{"operator 2"}
	}
	if got := s.sync(); got != want {
		s.t.Errorf("the condition says %q, want %q", got, want)
	}
	if !slices.Equal(s.reports, reports) {
		s.t.Errorf("reported %q, want %q", s.reports, reports)
	}
}

var both = []string{KindPlatformOperator, KindBundleDeployment}

func TestVersionIsReportedWhenEverythingThatWasThereIsTried(t *testing.T) {
	s := starting(t, "1", "a", "b")
	s.want(false)
	s.clusterOperatorHas("1", "ManagerProgressing: Working towards 2")
	s.want(false)
	s.try(both, "a")
	s.try([]string{KindPlatformOperator}, "b")
	s.want(false)
	s.add(s.operators, &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "later"}})
	s.try([]string{KindBundleDeployment}, "b")
	s.want(true)
	s.want(true) // and never again
}

func TestLimitIsNotBegunAnewByARestart(t *testing.T) {
	for name, test := range map[string]struct {
		said     operatorv1.OperatorCondition
		ago      time.Duration
		reported bool
	}{
		"nothing was said":                   {operatorv1.OperatorCondition{}, 11 * time.Minute, false},
		"the same was said a while ago":      {operatorv1.OperatorCondition{Status: operatorv1.ConditionTrue, Message: "Working towards 2"}, 9 * time.Minute, false},
		"the same was said longer ago":       {operatorv1.OperatorCondition{Status: operatorv1.ConditionTrue, Message: "Working towards 2"}, 11 * time.Minute, true},
		"another version was worked towards": {operatorv1.OperatorCondition{Status: operatorv1.ConditionTrue, Message: "Working towards 3"}, 11 * time.Minute, false},
		"it was not progressing":             {operatorv1.OperatorCondition{Status: operatorv1.ConditionFalse}, 11 * time.Minute, false},
		"it was said by a clock ahead":       {operatorv1.OperatorCondition{Status: operatorv1.ConditionTrue, Message: "Working towards 2"}, -time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := starting(t, "1", "a")
			condition := test.said
			condition.Type, condition.LastTransitionTime = ConditionType, metav1.NewTime(s.clock.Now().Add(-test.ago))
			client := v1helpers.NewFakeOperatorClient(&operatorv1.OperatorSpec{}, &operatorv1.OperatorStatus{Conditions: []operatorv1.OperatorCondition{condition}}, nil)
			s.client, s.controller.operatorClient = client, client
			s.want(test.reported)
		})
	}
}

func TestLimitOfAnotherVersionIsNotThatOfThisOne(t *testing.T) {
	s := starting(t, "1", "a")
	said := operatorv1.OperatorCondition{Type: ConditionType, Status: operatorv1.ConditionTrue, Message: "Working towards 3", LastTransitionTime: metav1.NewTime(time.Now().Add(-time.Hour))}
	s.client = v1helpers.NewFakeOperatorClient(&operatorv1.OperatorSpec{}, &operatorv1.OperatorStatus{Conditions: []operatorv1.OperatorCondition{said}}, nil)
	s.controller.operatorClient = s.client
	s.clock.SetTime(time.Now())
	s.want(false)
	_, status, _, err := s.client.GetOperatorState()
	if err != nil {
		t.Fatal(err)
	}
	if since := v1helpers.FindOperatorCondition(status.Conditions, ConditionType).LastTransitionTime; time.Since(since.Time) > time.Minute {
		t.Errorf("it says so since %s, when another version was worked towards", since)
	}
}

func TestWhatWasTriedBeforeTheFirstSyncCounts(t *testing.T) {
	s := starting(t, "1", "a")
	s.try(both, "a")
	s.want(false)                                                       // nobody was told yet that anything happens
	s.clusterOperatorHas("1", "ManagerProgressing: Working towards 20") // what was worked towards before it was taken back
	s.want(false)
	s.clusterOperatorHas("1", "PlatformOperatorsProgressing: Upgrading 1 platform operator: a\nManagerProgressing: Working towards 2")
	s.want(true)
}

func TestVersionDoesNotWaitForWhatIsGone(t *testing.T) {
	s := starting(t, "1", "a", "b")
	s.clusterOperatorHas("1", "ManagerProgressing: Working towards 2")
	s.try(both, "a")
	s.want(false)
	for _, indexer := range []cache.Indexer{s.operators, s.deployments} {
		if err := indexer.Delete(&metav1.ObjectMeta{Name: "b"}); err != nil {
			t.Fatal(err)
		}
	}
	s.want(true)
}

func TestVersionIsReportedAfterTheLimitInAnyCase(t *testing.T) {
	for name, progressing := range map[string]string{"what cannot be tried": "ManagerProgressing: Working towards 2", "a ClusterOperator that nobody writes": ""} {
		t.Run(name, func(t *testing.T) {
			s := starting(t, "1", "a")
			s.clusterOperatorHas("1", progressing)
			s.want(false)
			s.clock.Step(limit - time.Second)
			s.want(false)
			s.clock.Step(time.Second)
			s.want(true)
		})
	}
}

func TestRestartOfTheSameVersionIsNoRollOut(t *testing.T) {
	s := starting(t, "2", "a", "b")
	s.want(true)
}

func TestFirstStartReportsAtOnceWhenNothingIsThere(t *testing.T) {
	s := starting(t, "")
	s.want(true)
}

func TestFirstStartTriesWhatTheInstallerBrought(t *testing.T) {
	s := starting(t, "", "a")
	s.want(false)
	s.clusterOperatorHas("", "ManagerProgressing: Working towards 2")
	s.try(both, "a")
	s.want(true)
}

func TestAnotherVersionIsNeverReportedUntold(t *testing.T) {
	s := starting(t, "1")
	s.want(false)
	s.clusterOperatorHas("1", "ManagerProgressing: Working towards 3")
	s.want(false)
	s.clusterOperatorHas("1", "ManagerProgressing: Working towards 2")
	s.want(true)
}

func TestTrialsTellOfEachOnceAndForget(t *testing.T) {
	trials, told := NewTrials(), 0
	trials.tell(func() { told++ })
	for range 1000 {
		trials.Of(KindPlatformOperator)("a")
		trials.Of(KindBundleDeployment)("a")
	}
	if told != 2 {
		t.Errorf("told %d times of two objects", told)
	}
	trials.forget()
	trials.Of(KindPlatformOperator)("b")
	if told != 2 || trials.has(trial{KindPlatformOperator, "b"}) {
		t.Error("something is kept when nobody asks any more")
	}
}
