package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

func TestUpgradeRules(t *testing.T) {
	t.Parallel()
	// Promise UPG-V6: A rule that requires the latest version is evaluated when an upgrade step begins: the operator has to pass through
	// a later version first. An upgrade step that has begun continues.
	runStory(t, "UPG-V6 the latest version to pass through is determined when an upgrade step begins", defaultOperators, func(ctx context.Context, s *Story) {
		const rules = "steps:\n- from: 1.2.x\n  through: 1.2.x\n  to: '>=1.3.0'\n  select: latest"
		const early, late = "earlybird", "latecomer"
		s.offerVersions(ctx, early, rules, "1.2.8")
		s.offerVersions(ctx, late, rules, "1.2.8")
		s.createWithSpec(ctx, early, "")
		s.createWithSpec(ctx, late, "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(early, "1.2.8").Should(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(late, "1.2.8").Should(Succeed())

		s.offerVersions(ctx, late, rules, "1.2.8", "1.2.9", "1.3.0")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(late, "1.3.0").Should(Succeed())
		s.Expect(s.historyOf(ctx, late)).To(Equal([]string{"1.3.0 Ready by Automatic", "1.2.9 Ready by Automatic", "1.2.8 Ready by Installation"}),
			"the former latest version does not suffice")

		s.offerVersions(ctx, early, rules, "1.2.8", "1.3.0 never ready")
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(early).Should(ContainElement("1.3.0 Installing by Automatic"))
		s.offerVersions(ctx, early, rules, "1.2.8", "1.2.9", "1.3.0 never ready")
		s.waitForProgressing(ctx, early, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "Version 1.2.9 is available, but is not installed until version 1.3.0 is healthy")
		s.Expect(s.historyOf(ctx, early)).To(Equal([]string{"1.3.0 Installing by Automatic", "1.2.8 Ready by Installation"}), "an upgrade step that has begun continues")
	})

	// Promise UPG-V8: When a rule requires versions that no catalog has or that this cluster must not run, the upgrade is blocked, and
	// the message names the rule and what is missing. `SelfCertified` passes, and history records it.
	runStory(t, "UPG-V8 a rule without a usable intermediate version blocks, and names what is missing", defaultOperators, func(ctx context.Context, s *Story) {
		const pruned, old = "pruned", "antique"
		s.offerVersions(ctx, pruned, through13, "1.2.0")
		s.offerVersions(ctx, old, through13, "1.2.0")
		s.createWithSpec(ctx, pruned, "")
		s.createWithSpec(ctx, old, "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pruned, "1.2.0").Should(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(old, "1.2.0").Should(Succeed())
		rules := samples.Package{Name: old, Blobs: []string{samples.Rules(old, through13)}}
		s.Expect(samples.WritePackages(s.Environment.SamplesDir, []samples.Package{rules}, samples.Operator{Package: old, Version: "1.2.0"},
			samples.Operator{Package: old, Version: "1.3.5", MaxOpenShiftVersion: `"4.10"`}, samples.Operator{Package: old, Version: "1.4.0"})).To(Succeed())
		s.offerVersions(ctx, pruned, through13, "1.2.0", "1.4.0")

		step := []string{"Version 1.4.0 cannot be reached from 1.2.0", "steps[0] of blob " + samples.RulesSchema, `"1.3.x"`, `"1.3 migrates stored objects"`}
		s.waitForProgressing(ctx, pruned, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, append(step, "the selected catalogs have none there")...)
		s.waitForProgressing(ctx, old, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, append(step, "1.3.5, allows OpenShift up to 4.10")...)
		s.Expect(s.updatesOf(ctx, pruned)).To(Equal([]string{"1.4.0: Step"}))
		s.Expect(s.updatesOf(ctx, old)).To(Equal([]string{"1.4.0: Step", "1.3.5: Unfit"}))

		s.patchOperatorSpec(ctx, pruned, `"upgrades": {"edges": "SelfCertified"}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pruned, "1.4.0").Should(Succeed())
		s.Expect(s.historyOf(ctx, pruned)).To(Equal([]string{"1.4.0 Ready by SelfCertified", "1.2.0 Ready by Installation"}))
		s.Eventually(s.eventsAbout).WithContext(ctx).WithArguments(platformv1alpha1.EventUpgradeStarted, pruned).Should(ConsistOf(ContainSubstring("SelfCertified")))
	})

	// Promise UPG-V9: Upgrade rules mean the same as a blob or a property and over both catalog protocols. Rules that are malformed, of
	// an unknown version, contradictory or for another package block every move, with the fault named.
	runStory(t, "UPG-V9 rules mean the same as a blob or a property and over both protocols, and unreadable ones block all upgrades", defaultOperators, func(ctx context.Context, s *Story) {
		property := func(value string) samples.Property { return samples.Property{Type: samples.RulesSchema, Value: value} }
		const asJSON = `{"steps": [{"from": ">=1.2.0 <1.3.0", "to": ">=1.4.0", "through": "1.3.x", "reason": "1.3 migrates stored objects"}]}`
		good := []string{"1.4.0 by 1.3.5 1.4.0: Paused", "1.3.5 by 1.3.5: Paused"}
		bad := []string{"1.4.0: RulesInvalid", "1.3.5: RulesInvalid"}
		packages := []struct {
			name       string
			blobs      []string
			properties []samples.Property
			want       []string
			message    string
		}{
			{"rules-blob", []string{samples.Rules("rules-blob", through13)}, nil, good, ""},
			{"rules-property", nil, []samples.Property{property(asJSON)}, good, ""},
			{"rules-both", []string{samples.Rules("rules-both", through13)}, []samples.Property{property(asJSON)}, good, ""},
			{"rules-malformed", []string{samples.Rules("rules-malformed", "steps:\n- through: 1.3.x")}, nil, bad, "steps[0].to is missing"},
			{"rules-unknown", []string{"schema: io.openshift.operators.upgrades.v1beta1\npackage: rules-unknown\nsteps: []"}, nil, bad, "io.openshift.operators.upgrades.v1beta1"},
			{"rules-twice", []string{samples.Rules("rules-twice", through13)}, []samples.Property{property(`{"steps": []}`)}, bad, "different ones"},
			{"rules-other", nil, []samples.Property{property(`{"package": "somebody-else", "steps": []}`)}, bad, `package "somebody-else"`},
		}
		var first []samples.Operator
		for _, p := range packages {
			first = append(first, samples.Operator{Package: p.name, Version: "1.2.0"})
		}
		s.Expect(s.Admin.Publish(ctx, first...)).To(Succeed())
		for _, p := range packages {
			s.createWithSpec(ctx, p.name, "")
		}
		var described []samples.Package
		var all []samples.Operator
		for _, p := range packages {
			s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(p.name, "1.2.0").Should(Succeed())
			s.patchOperatorSpec(ctx, p.name, `"paused": true`)
			described = append(described, samples.Package{Name: p.name, Blobs: p.blobs})
			all = append(all, samples.Operator{Package: p.name, Version: "1.2.0"}, samples.Operator{Package: p.name, Version: "1.3.5"},
				samples.Operator{Package: p.name, Version: "1.4.0", Properties: p.properties})
		}
		s.Expect(samples.WritePackages(s.Environment.SamplesDir, described, all...)).To(Succeed())
		s.Expect(s.Environment.Publish(ctx)).To(Succeed())
		for _, kind := range []string{"CatalogSource", "ClusterCatalog"} {
			for _, p := range packages {
				s.patchOperatorSpec(ctx, p.name, fmt.Sprintf(`"package": {"catalogSelector": {"matchLabels": {%q: %q}}}`, platformv1alpha1.LabelCatalogKind, kind))
				s.Eventually(func(g Gomega, ctx context.Context) {
					operator, err := s.Admin.Operator(ctx, p.name)
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(operator.Status.ObservedGeneration).To(Equal(operator.Generation))
					g.Expect(s.updatesOf(ctx, p.name)).To(Equal(p.want))
					if p.message != "" {
						g.Expect(operator.Status.AvailableUpdates[0].BlockedMessage).To(And(ContainSubstring(p.message), ContainSubstring(p.name), ContainSubstring(kind)))
					}
				}).WithContext(ctx).Should(Succeed(), "%s by %s", p.name, kind)
			}
		}
	})

	runStory(t, "unreadable rules block all upgrades and name the blob", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "mumbler"
		s.offerVersions(ctx, pkg, "", "1.0.0")
		s.createWithSpec(ctx, pkg, "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		s.offerVersions(ctx, pkg, "steps:\n- through: 1.3.x\n  until: tomorrow", "1.0.0", "1.1.0")
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "Version 1.1.0 is not installed while the author's upgrade rules cannot be read", samples.RulesSchema, `"until"`)
		s.Expect(s.updatesOf(ctx, pkg)).To(Equal([]string{"1.1.0: RulesInvalid"}))
		s.patchOperatorSpec(ctx, pkg, `"upgrades": {"edges": "SelfCertified"}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		s.Expect(s.historyOf(ctx, pkg)).To(ContainElement("1.1.0 Ready by SelfCertified"))
	})

	// Promise UPG-C8: A deprecated package, channel or bundle appears in the `Deprecated` condition and disappears with its entry in the
	// catalog. The manager prefers versions that are not deprecated.
	runStory(t, "UPG-C8 deprecation is a condition, and affects the choice of a version", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "relic"
		describe := func(versions int, deprecations ...samples.Deprecation) {
			var operators []samples.Operator
			for i := range versions {
				operators = append(operators, samples.Operator{Package: pkg, Version: fmt.Sprintf("1.%d.0", i)})
			}
			s.Expect(samples.WritePackages(s.Environment.SamplesDir, []samples.Package{{Name: pkg, Deprecations: deprecations}}, operators...)).To(Succeed())
			s.Expect(s.Environment.Publish(ctx)).To(Succeed())
		}
		deprecated := func(status metav1.ConditionStatus, reason string, words ...string) {
			s.Helper()
			s.waitForOperatorCondition(ctx, pkg, metav1.Condition{Type: platformv1alpha1.ConditionDeprecated, Status: status, Reason: reason}, words...)
		}
		describe(2, samples.Deprecation{Version: "1.1.0", Message: "it eats data"})
		s.createWithSpec(ctx, pkg, "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		deprecated(metav1.ConditionFalse, platformv1alpha1.ReasonNotDeprecated, "relic.v1.0.0")

		describe(2, samples.Deprecation{Message: "use amulet"}, samples.Deprecation{Channel: "stable", Message: "use fast"}, samples.Deprecation{Version: "1.0.0", Message: "it is old"})
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		deprecated(metav1.ConditionTrue, platformv1alpha1.ReasonDeprecated, `Package "relic" is deprecated: use amulet`, `channel "stable" is deprecated: use fast`)

		describe(2, samples.Deprecation{Version: "1.1.0", Message: "it eats data"})
		deprecated(metav1.ConditionTrue, platformv1alpha1.ReasonDeprecated, `Bundle "relic.v1.1.0" is deprecated: it eats data`)

		describe(2)
		deprecated(metav1.ConditionFalse, platformv1alpha1.ReasonNotDeprecated, "relic.v1.1.0")
	})
}
