package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// failureOf calls steps and returns the message of the first failed assertion, or "" if all pass. A failed assertion ends the steps, but
// not the story.
func (s *Story) failureOf(steps func()) (failure string) {
	type failed struct{ message string }
	defer func() {
		if recovered := recover(); recovered != nil {
			first, isFailed := recovered.(failed)
			if !isFailed {
				panic(recovered)
			}
			failure = first.message
		}
	}()
	assertions, isWithT := NewGomega(func(message string, _ ...int) { panic(failed{message}) }).(*WithT)
	s.Expect(isWithT).To(BeTrue())
	setDefaults(assertions)
	defer func(own *WithT) { s.WithT = own }(s.WithT)
	s.WithT = assertions
	steps()
	return ""
}

func TestConsistentlyNeedsAManagerThatReconciles(t *testing.T) {
	t.Parallel()
	const pkg = "sleeper"
	unchanged := func(ctx context.Context, s *Story) string {
		return s.failureOf(func() {
			s.Consistently(s.Admin.Installed, "1s").WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		})
	}

	runStory(t, "Consistently passes while the manager reconciles, and fails when it has ended", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, pkg, "1.0.0")
		s.Expect(unchanged(ctx, s)).To(BeEmpty())
		s.Manager.stop()
		s.Settle()
		s.Expect(unchanged(ctx, s)).To(ContainSubstring("the manager ended by itself"))
		s.Expect(s.Manager.Stop()).To(Succeed())
		s.StartManager()
	})

	for kind, resource := range map[string]string{"BundleDeployment": "bundledeployments", "PlatformOperator": "platformoperators"} {
		runStory(t, fmt.Sprintf("Consistently fails while the manager does not reconcile any %s", kind), defaultOperators, func(ctx context.Context, s *Story) {
			s.install(ctx, pkg, "1.0.0")
			hang := s.Inject(scenario.Fault{Times: scenario.Always, Effect: scenario.Delay(24 * eventuallyTimeout), Match: func(r scenario.Request) bool {
				return r.User == managerUser && r.IsWrite() && r.Resource.Resource == resource
			}})
			s.Expect(unchanged(ctx, s)).To(ContainSubstring("the manager does not reconcile a new " + kind))
			hang.Remove()
			s.KillManager()
			s.StartManager()
		})
	}

	runStory(t, "proveReporting passes while the manager reports, and fails while it does not", defaultOperators, func(ctx context.Context, s *Story) {
		reports := func() string { return s.failureOf(func() { s.proveReporting(ctx) }) }
		s.Expect(reports()).To(BeEmpty())
		for _, resource := range []string{"platformoperatormanagers", "clusteroperators"} {
			hang := s.Inject(scenario.Fault{Times: scenario.Always, Effect: scenario.Delay(24 * eventuallyTimeout), Match: func(r scenario.Request) bool {
				return r.User == managerUser && r.IsWrite() && r.Resource.Resource == resource
			}})
			s.Expect(reports()).To(ContainSubstring("the manager does not report"))
			hang.Remove()
			s.KillManager()
			s.StartManager()
			s.Settle()
			s.Expect(reports()).To(BeEmpty())
		}
	})
}
