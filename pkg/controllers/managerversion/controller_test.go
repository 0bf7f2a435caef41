package managerversion

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
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
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/managerstatus"
)

const limit = 10 * time.Minute

// epoch is the time at which the tests start.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// scene is a process of version 2 whose controller the test syncs.
type scene struct {
	t                                                  *testing.T
	controller                                         *controller
	operators, deployments, clusterOperators, managers cache.Indexer
	client                                             *fake.Clientset
	clock                                              *clocktesting.FakeClock
	syncContext                                        factory.SyncContext
	reports                                            []string
}

// starting returns a scene at its start, on a cluster with these operators. reported is the version in the ClusterOperator; empty for none.
func starting(t *testing.T, reported string, operators ...string) *scene {
	t.Helper()
	clock := clocktesting.NewFakeClock(epoch)
	manager := &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: metav1.ObjectMeta{Name: "cluster", ResourceVersion: "10"}}
	s := &scene{
		t: t, clock: clock, client: fake.NewSimpleClientset(manager),
		operators:        cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil),
		deployments:      cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil),
		clusterOperators: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil),
		managers:         cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil),
		syncContext:      factory.NewSyncContext(ControllerName, events.NewInMemoryRecorder(ControllerName, clock)),
	}
	t.Cleanup(s.syncContext.Queue().ShutDown)
	for _, name := range operators {
		s.add(s.operators, &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name}})
		s.add(s.deployments, &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	s.add(s.managers, manager)
	managers := operatorlisters.NewPlatformOperatorManagerLister(s.managers)
	s.controller = &controller{
		managers: managers, writer: managerstatus.Writer{Client: s.client.OperatorV1alpha1().PlatformOperatorManagers(), Managers: managers, FieldManager: fieldManager},
		operators: platformlisters.NewPlatformOperatorLister(s.operators), deployments: corelisters.NewBundleDeploymentLister(s.deployments),
		clusterOperators: configv1listers.NewClusterOperatorLister(s.clusterOperators), clusterOperator: "ours", version: "2",
		report: func(operand, version string) { s.reports = append(s.reports, operand+" "+version) }, reports: NewReports(), firstSyncs: NewFirstSyncs(), limit: limit, clock: clock,
	}
	s.clusterOperatorHas(reported)
	return s
}

func (s *scene) add(to cache.Indexer, object any) {
	s.t.Helper()
	if err := to.Add(object); err != nil {
		s.t.Fatal(err)
	}
}

// clusterOperatorHas stores the ClusterOperator with this version; empty for none.
func (s *scene) clusterOperatorHas(version string) {
	s.t.Helper()
	object := &configv1.ClusterOperator{ObjectMeta: metav1.ObjectMeta{Name: "ours"}}
	if version != "" {
		object.Status.Versions = []configv1.OperandVersion{{Name: "other", Version: "2"}, {Name: Operand, Version: version}}
	}
	s.add(s.clusterOperators, object)
}

// clusterOperatorReports records that StatusSyncer has written the ClusterOperator from the current operator resource.
func (s *scene) clusterOperatorReports() { s.controller.reports.Reported(s.manager().ResourceVersion) }

// managerHas stores the operator resource with this condition and rollout.
func (s *scene) managerHas(condition operatorv1.OperatorCondition, rollout operatorv1alpha1.VersionRollout) {
	s.t.Helper()
	manager := s.manager().DeepCopy()
	condition.Type = ConditionType
	manager.Status.Conditions, manager.Status.Rollout = []operatorv1.OperatorCondition{condition}, rollout
	s.store(manager)
	if err := s.client.Tracker().Update(operatorv1alpha1.SchemeGroupVersion.WithResource("platformoperatormanagers"), manager, ""); err != nil {
		s.t.Fatal(err)
	}
}

// store stores the operator resource in the cache, with the next resourceVersion.
func (s *scene) store(manager *operatorv1alpha1.PlatformOperatorManager) {
	s.t.Helper()
	before, err := strconv.Atoi(s.manager().ResourceVersion)
	if err != nil {
		s.t.Fatal(err)
	}
	manager.ResourceVersion = strconv.Itoa(before + 1)
	s.add(s.managers, manager)
}

func (s *scene) manager() *operatorv1alpha1.PlatformOperatorManager {
	s.t.Helper()
	manager, err := s.controller.managers.Get("cluster")
	if err != nil {
		s.t.Fatal(err)
	}
	return manager
}

func (s *scene) try(kinds []string, names ...string) {
	for _, kind := range kinds {
		for _, name := range names {
			s.controller.firstSyncs.Of(kind)(name)
		}
	}
}

// sync runs one sync, stores the written status in the cache, and returns the condition as text.
func (s *scene) sync() string {
	s.t.Helper()
	if err := s.controller.sync(context.Background(), s.syncContext); err != nil {
		s.t.Fatal(err)
	}
	written, err := s.client.OperatorV1alpha1().PlatformOperatorManagers().Get(context.Background(), "cluster", metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	if !equality.Semantic.DeepEqual(written.Status, s.manager().Status) {
		s.store(written.DeepCopy())
	}
	condition := v1helpers.FindOperatorCondition(written.Status.Conditions, ConditionType)
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
	s.clusterOperatorReports()
	s.want(false)
	s.try(both, "a")
	s.try([]string{KindPlatformOperator}, "b")
	s.want(false)
	s.add(s.operators, &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "later"}})
	s.try([]string{KindBundleDeployment}, "b")
	s.want(true)
	if s.manager().Status.Rollout != (operatorv1alpha1.VersionRollout{}) {
		t.Errorf("the rollout is over, and status.rollout is %+v", s.manager().Status.Rollout)
	}
	s.want(true) // a further sync changes nothing
}

func TestARestartDoesNotExtendTheLimit(t *testing.T) {
	working := func(since time.Duration) operatorv1.OperatorCondition {
		return operatorv1.OperatorCondition{Status: operatorv1.ConditionTrue, LastTransitionTime: metav1.NewTime(epoch.Add(-since))}
	}
	rollout := func(version string, since time.Duration) operatorv1alpha1.VersionRollout {
		return operatorv1alpha1.VersionRollout{Version: version, StartedTime: metav1.NewTime(epoch.Add(-since))}
	}
	for name, test := range map[string]struct {
		condition operatorv1.OperatorCondition
		rollout   operatorv1alpha1.VersionRollout
		reported  bool
	}{
		"no rollout was under way":                          {operatorv1.OperatorCondition{}, operatorv1alpha1.VersionRollout{}, false},
		"this one started a while ago":                      {working(9 * time.Minute), rollout("2", 9*time.Minute), false},
		"this one started longer ago":                       {working(11 * time.Minute), rollout("2", 11*time.Minute), true},
		"that of another version started longer ago":        {working(11 * time.Minute), rollout("3", 11*time.Minute), false},
		"a manager without the field was working":           {working(11 * time.Minute), operatorv1alpha1.VersionRollout{}, false},
		"such a manager was working since this one started": {working(9 * time.Minute), rollout("2", 11*time.Minute), false},
		"such a manager has finished since":                 {operatorv1.OperatorCondition{Status: operatorv1.ConditionFalse}, rollout("2", 11*time.Minute), false},
		"this one started in the future of another clock":   {working(-time.Minute), rollout("2", -time.Minute), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := starting(t, "1", "a")
			s.managerHas(test.condition, test.rollout)
			s.want(test.reported)
		})
	}
}

func TestTheRolloutOfAnotherVersionIsReplaced(t *testing.T) {
	s := starting(t, "1", "a")
	s.managerHas(operatorv1.OperatorCondition{Status: operatorv1.ConditionTrue, LastTransitionTime: metav1.NewTime(epoch.Add(-time.Hour))},
		operatorv1alpha1.VersionRollout{Version: "3", StartedTime: metav1.NewTime(epoch.Add(-time.Hour))})
	s.want(false)
	if rollout := s.manager().Status.Rollout; rollout.Version != "2" || !rollout.StartedTime.Time.Equal(epoch) {
		t.Errorf("status.rollout is %+v", rollout)
	}
}

func TestWhatWasTriedBeforeTheFirstSyncCounts(t *testing.T) {
	s := starting(t, "1", "a")
	s.try(both, "a")
	s.clusterOperatorReports() // the status from before this process
	s.want(false)
	s.want(false) // the ClusterOperator does not report the rollout yet
	s.clusterOperatorReports()
	s.want(true)
}

func TestVersionDoesNotWaitForWhatIsGone(t *testing.T) {
	s := starting(t, "1", "a", "b")
	s.want(false)
	s.clusterOperatorReports()
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
	for name, reports := range map[string]bool{"an object that cannot be tried": true, "a ClusterOperator that is not written": false} {
		t.Run(name, func(t *testing.T) {
			s := starting(t, "1", "a")
			s.want(false)
			if reports {
				s.clusterOperatorReports()
			}
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
	s.clusterOperatorReports()
	s.try(both, "a")
	s.want(true)
}

func TestNoVersionIsReportedBeforeItsRolloutIs(t *testing.T) {
	s := starting(t, "1")
	s.managerHas(operatorv1.OperatorCondition{Status: operatorv1.ConditionTrue}, operatorv1alpha1.VersionRollout{Version: "3"})
	s.clusterOperatorReports() // the rollout of version 3
	s.want(false)
	s.want(false)
	s.clusterOperatorReports()
	s.want(true)
}

// A process may end after each sync, so that another one has written the ClusterOperator.
func TestTheRolloutThatAnotherProcessHasReportedCounts(t *testing.T) {
	s := starting(t, "1")
	s.want(false)
	for _, shown := range []struct {
		status configv1.ConditionStatus
		reason string
		after  time.Duration
		want   bool
	}{
		{configv1.ConditionTrue, "Operators_Installing", time.Second, false},
		{configv1.ConditionTrue, "Manager_WorkingTowardsVersionOther", time.Second, false},
		{configv1.ConditionFalse, "Manager_WorkingTowardsVersion", time.Second, false},
		{configv1.ConditionTrue, "Manager_WorkingTowardsVersion", -time.Second, false}, // perhaps the rollout of another version
		{configv1.ConditionTrue, "Manager_WorkingTowardsVersion::Operators_Installing", 0, true},
	} {
		s.clusterOperatorHas("1")
		found, err := s.controller.clusterOperators.Get("ours")
		if err != nil {
			t.Fatal(err)
		}
		found = found.DeepCopy()
		found.Status.Conditions = []configv1.ClusterOperatorStatusCondition{{Type: configv1.OperatorProgressing, Status: shown.status, Reason: shown.reason,
			LastTransitionTime: metav1.NewTime(s.clock.Now().Add(shown.after))}}
		s.add(s.clusterOperators, found)
		s.want(shown.want)
	}
}

func TestFirstSyncsReportEachObjectOnceUntilStopped(t *testing.T) {
	firstSyncs, calls := NewFirstSyncs(), 0
	firstSyncs.onFirstSync(func() { calls++ })
	for range 1000 {
		firstSyncs.Of(KindPlatformOperator)("a")
		firstSyncs.Of(KindBundleDeployment)("a")
	}
	if calls != 2 {
		t.Errorf("%d calls for two objects", calls)
	}
	firstSyncs.stop()
	firstSyncs.Of(KindPlatformOperator)("b")
	if calls != 2 || firstSyncs.has(syncedObject{KindPlatformOperator, "b"}) {
		t.Error("a sync after stop is recorded")
	}
}
