package platformoperator

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	operatorv1 "github.com/openshift/api/operator/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

func managed(change func(*operatorv1alpha1.PlatformOperatorManagerSpec)) *operatorv1alpha1.PlatformOperatorManager {
	manager := &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: metav1.ObjectMeta{Name: operatorv1alpha1.PlatformOperatorManagerName}}
	if change != nil {
		change(&manager.Spec)
	}
	return manager
}

func TestWhatTheManagerForbidsIsNeitherInstalledNorMoved(t *testing.T) {
	for name, test := range map[string]struct {
		manager *operatorv1alpha1.PlatformOperatorManager
		field   string
		reason  string // the reason of Installed if nothing is installed
	}{
		"the package is not allowed": {managed(func(s *operatorv1alpha1.PlatformOperatorManagerSpec) { s.AllowedPackages = []string{"other-*"} }),
			"spec.allowedPackages", platformv1alpha1.ReasonValidationFailed},
		"a glob that cannot be read": {managed(func(s *operatorv1alpha1.PlatformOperatorManagerSpec) { s.AllowedPackages = []string{"op", "[a-"} }),
			"spec.allowedPackages", platformv1alpha1.ReasonValidationFailed},
		"HRD-S6 no package is allowed": {managed(func(s *operatorv1alpha1.PlatformOperatorManagerSpec) { s.AllowedPackages = []string{} }),
			"spec.allowedPackages", platformv1alpha1.ReasonValidationFailed},
		"HRD-S6 no namespace is trusted": {managed(func(s *operatorv1alpha1.PlatformOperatorManagerSpec) { s.CatalogNamespaces = []string{} }),
			"spec.catalogNamespaces", platformv1alpha1.ReasonValidationFailed},
		"no catalog is selected": {managed(func(s *operatorv1alpha1.PlatformOperatorManagerSpec) {
			s.CatalogSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
		}), "spec.catalogSelector", platformv1alpha1.ReasonSourceFailed},
		"a selector that cannot be read": {managed(func(s *operatorv1alpha1.PlatformOperatorManagerSpec) {
			s.CatalogSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "not a value"}}
		}), "spec.catalogSelector", platformv1alpha1.ReasonValidationFailed},
	} {
		t.Run(name+", nothing installed", func(t *testing.T) {
			c := running("1.0.0", "")
			c.deployment, c.manager = nil, test.manager
			c.sync(t, oneCatalog{"1.0.0"})
			if c.deployment != nil {
				t.Error("it was deployed")
			}
			wantCondition(t, c, platformv1alpha1.ConditionInstalled, test.reason, test.field)
		})
		t.Run(name+", an older version installed", func(t *testing.T) {
			c := running("1.0.0", "1.0.0")
			c.manager = test.manager
			c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
			if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.0.0" || c.installed() != "1.0.0" {
				t.Errorf("it moved to %s, and status.installed is %q", got, c.installed())
			}
			if !meta.IsStatusConditionTrue(c.operator.Status.Conditions, platformv1alpha1.ConditionInstalled) {
				t.Error("what is installed is reported as not installed")
			}
			wantCondition(t, c, platformv1alpha1.ConditionProgressing, platformv1alpha1.ReasonBlocked, test.field)
			c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
			if len(c.writes) > 0 {
				t.Errorf("a second sync wrote %v", c.writes)
			}
			c.manager = managed(nil)
			c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
			if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.1.0" {
				t.Errorf("when nothing forbids it any more it is at %s, want 1.1.0", got)
			}
		})
	}
}

func wantCondition(t *testing.T, c *cluster, kind, reason, field string) {
	t.Helper()
	condition := meta.FindStatusCondition(c.operator.Status.Conditions, kind)
	if condition == nil || condition.Status != metav1.ConditionFalse || condition.Reason != reason {
		t.Fatalf("%s is %+v, want False/%s", kind, condition, reason)
	}
	for _, word := range []string{field, `PlatformOperatorManager "cluster"`} {
		if !strings.Contains(condition.Message, word) {
			t.Errorf("the message does not name %s: %s", word, condition.Message)
		}
	}
}

func TestOnlySettingsOfTheManagerSyncEveryOperator(t *testing.T) {
	for sentence, test := range map[string]struct {
		change  func(*operatorv1alpha1.PlatformOperatorManager)
		handled bool
	}{
		"nothing, as in a resync": {func(*operatorv1alpha1.PlatformOperatorManager) {}, false},
		"a condition": {func(m *operatorv1alpha1.PlatformOperatorManager) {
			m.Status.Conditions = []operatorv1.OperatorCondition{{Type: "Tested"}}
		}, false},
		"the log level":   {func(m *operatorv1alpha1.PlatformOperatorManager) { m.Spec.LogLevel = operatorv1.Debug }, false},
		"allowedPackages": {func(m *operatorv1alpha1.PlatformOperatorManager) { m.Spec.AllowedPackages = []string{"a"} }, true},
		"catalogSelector": {func(m *operatorv1alpha1.PlatformOperatorManager) { m.Spec.CatalogSelector = &metav1.LabelSelector{} }, true},
		"defaultApproval": {func(m *operatorv1alpha1.PlatformOperatorManager) {
			m.Spec.DefaultApproval = platformv1alpha1.ApprovalManual
		}, true},
		"defaultEdges": {func(m *operatorv1alpha1.PlatformOperatorManager) {
			m.Spec.DefaultEdges = operatorv1alpha1.DefaultEdgesBoth
		}, true},
		"catalogNamespaces": {func(m *operatorv1alpha1.PlatformOperatorManager) { m.Spec.CatalogNamespaces = []string{"a"} }, true},
		"an empty list":     {func(m *operatorv1alpha1.PlatformOperatorManager) { m.Spec.CatalogNamespaces = []string{} }, true},
	} {
		t.Run(sentence, func(t *testing.T) {
			handled := false
			handler := settingsHandler{cache.ResourceEventHandlerFuncs{UpdateFunc: func(any, any) { handled = true }}}
			before := managed(nil)
			after := before.DeepCopy()
			test.change(after)
			handler.OnUpdate(before, after)
			if handled != test.handled {
				t.Errorf("the event is handled: %t, want %t", handled, test.handled)
			}
		})
	}
}
