package revision

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/plan"
)

func TestWarningsAreReportedOnceAndBounded(t *testing.T) {
	var log WarningLog
	status := []string{"known"}
	events := log.Add([]string{"known", "new", "new"}, status)
	if diff := cmp.Diff([]Event{{Reason: corev1alpha2.EventAPIWarning, Message: "new", Warning: true}}, events); diff != "" {
		t.Errorf("Events differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"known", "new"}, log.AddTo(status)); diff != "" || !log.HasUnwritten() {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range 50 {
		log.Add([]string{string(rune('A' + i))}, status)
	}
	if got := len(log.AddTo(status)); got != maxWarnings {
		t.Errorf("status has %d warnings, want %d", got, maxWarnings)
	}
	if log.Clear(); log.HasUnwritten() {
		t.Error("Clear did not remove the warnings")
	}
}

func TestBundleWarningsAreBounded(t *testing.T) {
	if got := BundleWarnings(bundle.Metadata{}); got != nil {
		t.Errorf("got %q without warnings", got)
	}
	many := bundle.Metadata{Warnings: []string{"a\nb", strings.Repeat("x", 5000)}}
	for range 50 {
		many.Warnings = append(many.Warnings, "another")
	}
	got := BundleWarnings(many)
	if len(got) != maxBundleWarnings || got[0] != "a b" || len(got[1]) > MaxMessage {
		t.Errorf("got %d warnings, the first two %q", len(got), got[:2])
	}
}

func TestWithNamespaceWarning(t *testing.T) {
	others := []string{"a", "b"}
	unmade := plan.InstallNamespace{Name: "memo", Manager: "system"}
	warned := WithNamespaceWarning(others, unmade)
	if len(warned) != 3 || warned[1] != "a" || cmp.Diff(warned, WithNamespaceWarning(warned, unmade)) != "" {
		t.Errorf("warnings are %q, want one about the namespace first", warned)
	}
	made := unmade
	made.Created = true
	if diff := cmp.Diff(others, WithNamespaceWarning(warned, made)); diff != "" {
		t.Errorf("after the manager created the namespace (-want +got):\n%s", diff)
	}
	many := make([]string, maxWarnings)
	if got := len(WithNamespaceWarning(many, unmade)); got != maxWarnings {
		t.Errorf("%d warnings, want at most maxWarnings", got)
	}
}
