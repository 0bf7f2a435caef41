package spec

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"
)

func TestSpecificationEndsAndPutsBackWhatItChanged(t *testing.T) {
	limits := Limits{Timeout: 50 * time.Millisecond, Cleanup: time.Second}
	for name, test := range map[string]struct {
		run     func(context.Context, *T)
		skipped string
		failed  []string // a word of each failure
	}{
		"everything holds": {
			run: func(_ context.Context, t *T) { t.Expect(1).To(gomega.Equal(1)) },
		},
		"something does not hold": {
			run:    func(_ context.Context, t *T) { t.Expect(1).To(gomega.Equal(2)) },
			failed: []string{"to equal"},
		},
		"a state never comes": {
			run: func(ctx context.Context, t *T) {
				t.Eventually(func(context.Context) int { return 1 }).WithContext(ctx).Should(gomega.Equal(2))
			},
			failed: []string{"Timed out"},
		},
		"it cannot be tried": {
			run:     func(_ context.Context, t *T) { t.Skip("no %s here", "catalog") },
			skipped: "no catalog here",
		},
		"it panics": {
			run:    func(context.Context, *T) { panic("a bug") },
			failed: []string{"a bug"},
		},
		"a clean-up fails too": {
			run: func(_ context.Context, t *T) {
				t.Cleanup(func(context.Context) { t.Expect("left").To(gomega.Equal("gone")) })
				t.Expect(1).To(gomega.Equal(2))
			},
			failed: []string{"to equal", "left"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var order []string
			outcome := Spec{Name: name, Run: func(ctx context.Context, t *T) {
				t.Cleanup(func(context.Context) { order = append(order, "first") })
				t.Cleanup(func(ctx context.Context) {
					order = append(order, "second")
					t.Expect(ctx.Err()).NotTo(gomega.HaveOccurred())
				})
				test.run(ctx, t)
			}}.Try(t.Context(), nil, limits)
			if diff := cmp.Diff([]string{"second", "first"}, order); diff != "" {
				t.Errorf("clean-ups (-want +got):\n%s", diff)
			}
			if outcome.Skipped != test.skipped || len(outcome.Failures) != len(test.failed) {
				t.Fatalf("it ended with %+v", outcome)
			}
			for i, word := range test.failed {
				if !strings.Contains(outcome.Failures[i], word) {
					t.Errorf("failure %d does not say %q: %s", i, word, outcome.Failures[i])
				}
			}
		})
	}
}

func TestInterruptedSpecificationIsCleanedUpAfter(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cleaned := false
	Spec{Run: func(ctx context.Context, t *T) {
		t.Cleanup(func(ctx context.Context) { cleaned = ctx.Err() == nil })
		cancel()
		t.Eventually(func(context.Context) bool { return false }).WithContext(ctx).Should(gomega.BeTrue())
	}}.Try(ctx, nil, Limits{Timeout: time.Minute, Cleanup: time.Minute})
	if !cleaned {
		t.Error("what it changed would stay, because its clean-up was interrupted too")
	}
}
