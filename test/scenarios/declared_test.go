package scenarios

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// runsUpTo returns catalog properties with these raw values of olm.maxOpenShiftVersion.
func runsUpTo(values ...string) (properties []samples.Property) {
	for _, value := range values {
		properties = append(properties, samples.RunsUpTo(value))
	}
	return properties
}

// publishOperators publishes these operators of a package, and no others of it.
func (s *Story) publishOperators(ctx context.Context, operators ...samples.Operator) {
	s.Helper()
	s.Expect(s.Admin.Publish(ctx, operators...)).To(Succeed())
}

// gateOf returns the ClusterOperator's condition Upgradeable as "STATUS/REASON", and the lines of its message about an operator.
func (s *Story) gateOf(ctx context.Context, name string) (string, error) {
	clusterOperator, err := s.Admin.Config.ConfigV1().ClusterOperators().Get(ctx, "platform-operators-aggregated", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	for _, condition := range clusterOperator.Status.Conditions {
		if condition.Type != configv1.OperatorUpgradeable {
			continue
		}
		text := fmt.Sprintf("%s/%s", condition.Status, condition.Reason)
		for line := range strings.Lines(condition.Message) {
			if strings.Contains(line, "- "+name+" ") {
				text += " " + strings.TrimSpace(line)
			}
		}
		return text, nil
	}
	return "", errors.New("the ClusterOperator has no condition Upgradeable")
}

// waitForGateOf waits until the gate blocks with these words about an operator. Without words, it waits until the gate permits upgrades.
func (s *Story) waitForGateOf(ctx context.Context, name string, words ...string) {
	s.Helper()
	matchers := []OmegaMatcher{HavePrefix("True/")}
	if len(words) > 0 {
		matchers = []OmegaMatcher{HavePrefix("False/"), ContainSubstring("IncompatibleOperatorsInstalled")}
	}
	for _, word := range words {
		matchers = append(matchers, ContainSubstring(word))
	}
	s.Eventually(s.gateOf).WithContext(ctx).WithArguments(name).Should(And(matchers...))
}

// declaredOf returns the declared maximum OpenShift version in an operator's status as "SOURCE VERSION", with unreadable values. During an
// upgrade step, it returns "OLD to NEW". A bundle that does not exist is "-".
func (s *Story) declaredOf(ctx context.Context, name string) (string, error) {
	operator, err := s.Admin.Operator(ctx, name)
	if err != nil {
		return "", err
	}
	declared := func(bundle *platformv1alpha1.InstalledBundle) string {
		if bundle == nil {
			return "-"
		}
		return strings.Join(append([]string{bundle.MaxOpenShiftVersionFrom, bundle.MaxOpenShiftVersion}, bundle.UnreadableMaxOpenShiftVersions...), " ")
	}
	text := declared(operator.Status.Installed)
	if target := operator.Status.Target; target != nil {
		text += " to " + declared(target.Hop)
	}
	return text, nil
}

// waitForDeclared waits until declaredOf returns want.
func (s *Story) waitForDeclared(ctx context.Context, name, want string) {
	s.Helper()
	s.Eventually(s.declaredOf).WithContext(ctx).WithArguments(name).Should(Equal(want))
}

// disableCatalogs makes all catalogs unavailable until the returned function is called.
func (s *Story) disableCatalogs() (back func()) {
	s.Environment.Catalog.Unavailable(true)
	return func() { s.Environment.Catalog.Unavailable(false) }
}

func (s *Story) restartManager() {
	s.Helper()
	s.KillManager()
	s.StartManager()
}

func TestUpgradeGateDeclarations(t *testing.T) {
	t.Parallel()
	// Promise CLU-G3: The gate follows what the catalog declares of an installed bundle, and of no other. During an upgrade step the
	// stricter of the old and the new bundle counts.
	runStory(t, "CLU-G3 the gate follows what the catalog declares of installed bundles, and of no others", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg, wanted = "barometer", "barograph"
		declare := func(values ...string) {
			s.Helper()
			s.publishOperators(ctx, samples.Operator{Package: pkg, Version: "1.0.0", Properties: runsUpTo(values...)})
		}
		s.waitForGateOf(ctx, pkg)
		s.By("creating an operator that cannot be installed")
		s.publishOperators(ctx, samples.Operator{Package: wanted, Version: "1.0.0", NoBundle: true, Properties: runsUpTo(`"4.21"`)})
		s.create(ctx, wanted, "")
		s.waitForRefusal(ctx, wanted, platformv1alpha1.ReasonUnpackFailed)
		s.Consistently(s.gateOf, "1s").WithContext(ctx).WithArguments(wanted).Should(HavePrefix("True/"))
		s.proveReporting(ctx)

		s.By("installing an operator")
		declare(`"4.21"`)
		s.install(ctx, pkg, "1.0.0")
		s.waitForGateOf(ctx, pkg, "- barometer 1.0.0 allows at most 4.21: no version in the catalogs allows 4.22")
		s.waitForOperatorCondition(ctx, pkg, metav1.Condition{Type: platformv1alpha1.ConditionUpgradeable, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonIncompatibleOperator}, "up to 4.21", "4.22")
		declare(`"4.22"`)
		s.waitForGateOf(ctx, pkg)
		declare(`4.21`) // a number
		s.waitForGateOf(ctx, pkg, "1.0.0 allows at most 4.21")
		declare(`"garbage"`)
		s.waitForGateOf(ctx, pkg, `olm.maxOpenShiftVersion "garbage" cannot be read, a minor version such as "4.20" is expected`)
		s.waitForOperatorCondition(ctx, pkg, metav1.Condition{Type: platformv1alpha1.ConditionUpgradeable, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonCompatibilityUnreadable}, "garbage")
		declare(`"4.22"`, `"4.23"`)
		s.waitForGateOf(ctx, pkg, `olm.maxOpenShiftVersion is declared 2 times ("4.22", "4.23"), once is allowed`)
		declare()
		s.waitForGateOf(ctx, pkg)

		s.By("restarting the manager without catalogs")
		declare(`"garbage"`)
		s.waitForGateOf(ctx, pkg, `"garbage"`)
		back := s.disableCatalogs()
		s.restartManager()
		s.Consistently(s.gateOf, "3s").WithContext(ctx).WithArguments(pkg).Should(ContainSubstring(`"garbage"`))
		s.proveReporting(ctx)
		back()
		declare()
		s.waitForGateOf(ctx, pkg)
		s.Expect(s.historyOf(ctx, pkg)).To(Equal([]string{"1.0.0 Ready by Installation"}), "there was no upgrade step")

		s.By("removing it")
		declare(`"4.21"`)
		s.waitForGateOf(ctx, pkg, "4.21")
		s.remove(ctx, pkg)
		s.waitForGateOf(ctx, pkg)
	})

	runStory(t, "CLU-G3 during an upgrade step the stricter of the old and the new bundle counts", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "gnomon"
		files := func(values ...string) []samples.Property { return runsUpTo(values...) }
		old := samples.Operator{Package: pkg, Version: "1.0.0", FileProperties: files(`"4.21"`)}
		s.publishOperators(ctx, old)
		s.install(ctx, pkg, "1.0.0")
		s.waitForDeclared(ctx, pkg, "Bundle 4.21")
		s.waitForGateOf(ctx, pkg, "1.0.0 allows at most 4.21")

		s.By("upgrading to a version that permits more")
		next := samples.Operator{Package: pkg, Version: "1.1.0", NeverReady: true, FileProperties: files(`"4.23"`)}
		s.publishOperators(ctx, old, next)
		s.waitForDeclared(ctx, pkg, "Bundle 4.21 to Bundle 4.23")
		s.Expect(s.gateOf(ctx, pkg)).To(And(HavePrefix("False/"), ContainSubstring("1.0.0 allows at most 4.21"), Not(ContainSubstring("1.1.0 allows at most"))))
		s.By("declaring in the catalog more for the old version and less for the new one")
		old.Properties, next.Properties = runsUpTo(`"4.23"`), runsUpTo(`"4.21"`)
		s.publishOperators(ctx, old, next)
		s.waitForDeclared(ctx, pkg, "Catalog 4.23 to Catalog 4.21")
		s.waitForGateOf(ctx, pkg, "1.1.0 allows at most 4.21")
		s.waitForOperatorCondition(ctx, pkg, metav1.Condition{Type: platformv1alpha1.ConditionUpgradeable, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonIncompatibleOperator}, "gnomon.v1.1.0")
		s.By("removing the declarations from the catalog")
		old.Properties, next.Properties = nil, nil
		s.publishOperators(ctx, old, next)
		s.waitForDeclared(ctx, pkg, "Bundle 4.21 to Bundle 4.23")
		s.waitForGateOf(ctx, pkg, "1.0.0 allows at most 4.21")

		s.By("completing the upgrade step")
		s.setPodsReady(ctx, pkg, metav1.ConditionTrue)
		s.waitForDeclared(ctx, pkg, "Bundle 4.23")
		s.waitForGateOf(ctx, pkg)
	})

	// Promise CLU-G4: Where the catalog and a bundle's own files declare different maxima, the catalog's counts, whether higher or lower.
	// Without the catalog the recorded value stays, and status records its source.
	runStory(t, "CLU-G4 the catalog's declaration counts before the bundle's own, and the recorded one if the catalog is gone", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "theodolite"
		operator := samples.Operator{Package: pkg, Version: "1.0.0", FileProperties: runsUpTo(`"4.21"`)}
		declare := func(values ...string) {
			s.Helper()
			operator.Properties = runsUpTo(values...)
			s.publishOperators(ctx, operator)
		}
		declare()
		s.install(ctx, pkg, "1.0.0")
		s.waitForDeclared(ctx, pkg, "Bundle 4.21")
		s.waitForGateOf(ctx, pkg, "1.0.0 allows at most 4.21")
		declare(`"4.23"`)
		s.waitForDeclared(ctx, pkg, "Catalog 4.23")
		s.waitForGateOf(ctx, pkg)
		declare(`"4.20"`) // below this cluster's version
		s.waitForDeclared(ctx, pkg, "Catalog 4.20")
		s.waitForGateOf(ctx, pkg, "1.0.0 allows at most 4.20")

		s.By("starting without catalogs")
		back := s.disableCatalogs()
		s.restartManager()
		s.Consistently(s.declaredOf, "3s").WithContext(ctx).WithArguments(pkg).Should(Equal("Catalog 4.20"))
		s.Expect(s.gateOf(ctx, pkg)).To(And(HavePrefix("False/"), ContainSubstring("1.0.0 allows at most 4.20")))
		s.By("starting without the bundle's image, with catalogs that no longer declare anything")
		declare()
		ref, found := s.Environment.Catalog.Bundle(pkg, "1.0.0")
		s.Expect(found).To(BeTrue())
		s.Expect(s.Environment.Catalog.Fail(ref, 503)).To(Succeed())
		ended := func() error { return s.Environment.Catalog.Fail(ref, 0) }
		s.restartManager()
		back()
		s.waitForDeclared(ctx, pkg, "Bundle 4.21")
		s.waitForGateOf(ctx, pkg, "1.0.0 allows at most 4.21")
		s.Expect(s.historyOf(ctx, pkg)).To(Equal([]string{"1.0.0 Ready by Installation"}))

		s.By("publishing the same content again")
		s.Expect(ended()).To(Succeed())
		s.Settle()
		before, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		s.publishOperators(ctx, operator)
		s.Consistently(func(ctx context.Context) (string, error) {
			now, err := s.Admin.Operator(ctx, pkg)
			return now.ResourceVersion, err
		}, "2s").WithContext(ctx).Should(Equal(before.ResourceVersion))
	})

	// Promise CLU-G5: A maximum that is declared twice or unreadable blocks with a line of its own, also of a plain+v0 bundle. Only an
	// unreadable cluster version or installed set is an error of the check.
	runStory(t, "CLU-G5 unreadable declarations and those of plain bundles block with a line each, and only an unreadable cluster version is an error", defaultOperators, func(ctx context.Context, s *Story) {
		const two, word, plain, orrery = "sundial", "clepsydra", "astrolabe", "orrery"
		lines := map[string]string{
			two:    `- sundial 1.0.0 olm.maxOpenShiftVersion is declared 2 times ("4.22", "4.23"), once is allowed: no version in the catalogs allows 4.22`,
			word:   `- clepsydra 1.0.0 olm.maxOpenShiftVersion [4.22,"soon"] cannot be read`,
			plain:  `- astrolabe 1.0.0 allows at most 4.21`,
			orrery: `- orrery 1.0.0 olm.maxOpenShiftVersion is declared 2 times ("4.30", "soon"), once is allowed`,
		}
		s.publishOperators(ctx,
			samples.Operator{Package: two, Version: "1.0.0", FileProperties: runsUpTo(`"4.22"`, `"4.23"`)},
			samples.Operator{Package: word, Version: "1.0.0", FileProperties: runsUpTo(`[4.22, soon]`)},
			samples.Operator{Package: plain, Version: "1.0.0", Plain: true, FileProperties: runsUpTo(`"4.21"`)},
			samples.Operator{Package: orrery, Version: "1.0.0", Plain: true, FileProperties: runsUpTo(`"4.30"`, `soon`)})
		all := []string{two, word, plain, orrery}
		for _, pkg := range all {
			s.create(ctx, pkg, "")
		}
		for _, pkg := range all {
			s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		}
		s.waitForDeclared(ctx, two, `Bundle "4.22" "4.23" "4.22" "4.23"`)
		s.waitForDeclared(ctx, plain, "Bundle 4.21")
		s.waitForDeclared(ctx, orrery, `Bundle "4.30" "soon" "4.30" "soon"`)
		for _, pkg := range all {
			s.waitForGateOf(ctx, pkg, lines[pkg])
			s.Expect(s.gateOf(ctx, pkg)).NotTo(ContainSubstring("ErrorCheckingOperatorCompatibility"))
		}

		s.By("creating an operator whose catalog does not declare the bundle's format")
		const silent = "planisphere"
		s.Expect(samples.Write(s.Environment.SamplesDir, samples.Operator{Package: silent, Version: "1.0.0", Plain: true, FileProperties: runsUpTo(`"4.21"`)})).To(Succeed())
		s.replaceInFile(filepath.Join(s.Environment.SamplesDir, "catalog", silent, "catalog.yaml"), "olm.bundle.mediatype", "olm.else")
		s.Expect(s.Environment.Publish(ctx)).To(Succeed())
		s.create(ctx, silent, "")
		s.waitForRefusal(ctx, silent, platformv1alpha1.ReasonValidationFailed, `"plain+v0"`, "registry+v1", "olm.bundle.mediatype")
		operatorNow, err := s.Admin.Operator(ctx, silent)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(operatorNow.Status.Installed).To(BeNil())

		s.By("checking that the others are not affected")
		_, err = s.Admin.ClusterOperatorHas(ctx, configv1.OperatorDegraded, configv1.ConditionFalse)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(meta.IsStatusConditionTrue(operatorNow.Status.Conditions, platformv1alpha1.ConditionUpgradeable)).To(BeTrue())

		s.By("making the cluster version unreadable, and readable again")
		s.setClusterVersion(ctx, "banana")
		s.Eventually(s.gateOf).WithContext(ctx).WithArguments(two).Should(And(HavePrefix("False/"), ContainSubstring("ErrorCheckingOperatorCompatibility"), Not(ContainSubstring("- sundial"))))
		s.setClusterVersion(ctx, story.ClusterVersion)
		s.waitForGateOf(ctx, two, lines[two])

		s.By("removing them")
		for _, pkg := range all {
			s.remove(ctx, pkg)
		}
		s.waitForGateOf(ctx, two)
	})
}
