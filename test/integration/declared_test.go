package integration

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// runsUpTo makes a catalog's properties of these raw values of olm.maxOpenShiftVersion.
func runsUpTo(values ...string) (properties []samples.Property) {
	for _, value := range values {
		properties = append(properties, samples.RunsUpTo(value))
	}
	return properties
}

// publishes makes the catalogs have these operators of a package.
func publishes(ctx context.Context, operators ...samples.Operator) {
	GinkgoHelper()
	Expect(admin.Publish(ctx, operators...)).To(Succeed())
}

// gateOf is the ClusterOperator's Upgradeable condition as text: its status, its reason and the lines that name an operator.
func gateOf(ctx context.Context, name string) (string, error) {
	clusterOperator, err := admin.Config.ConfigV1().ClusterOperators().Get(ctx, "platform-operators-aggregated", metav1.GetOptions{})
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

// gateSaysOf waits until cluster upgrades are blocked by an operator with these words, or are permitted where there are none.
func gateSaysOf(ctx context.Context, name string, words ...string) {
	GinkgoHelper()
	matchers := []OmegaMatcher{HavePrefix("True/")}
	if len(words) > 0 {
		matchers = []OmegaMatcher{HavePrefix("False/"), ContainSubstring("IncompatibleOperatorsInstalled")}
	}
	for _, word := range words {
		matchers = append(matchers, ContainSubstring(word))
	}
	Eventually(gateOf).WithContext(ctx).WithArguments(name).Should(And(matchers...))
}

// declaredOf is what status tells of the declarations of what is installed, and of what is moved to.
func declaredOf(ctx context.Context, name string) (string, error) {
	operator, err := admin.Operator(ctx, name)
	if err != nil {
		return "", err
	}
	said := func(bundle *platformv1alpha1.InstalledBundle) string {
		if bundle == nil {
			return "-"
		}
		return strings.Join(append([]string{bundle.MaxOpenShiftVersionFrom, bundle.MaxOpenShiftVersion}, bundle.UnreadableMaxOpenShiftVersions...), " ")
	}
	text := said(operator.Status.Installed)
	if target := operator.Status.Target; target != nil {
		text += " to " + said(target.Hop)
	}
	return text, nil
}

// declares waits until status tells so.
func declares(ctx context.Context, name, want string) {
	GinkgoHelper()
	Eventually(declaredOf).WithContext(ctx).WithArguments(name).Should(Equal(want))
}

// catalogsAway has no catalog answer until the function that it gives is called, or the spec ends.
func catalogsAway() (back func()) {
	env.Catalog.Unavailable(true)
	back = func() { env.Catalog.Unavailable(false) }
	DeferCleanup(back)
	return back
}

func managerRestarted() {
	GinkgoHelper()
	Expect(env.Manager.Kill()).To(Succeed())
	Expect(env.Manager.Start()).To(Succeed())
}

var _ = Describe("the upgrade gate", func() {
	It("CLU-G3 follows what the catalog declares of what is installed, and of nothing else", func(ctx context.Context) {
		const pkg, wanted = "barometer", "barograph"
		says := func(values ...string) {
			GinkgoHelper()
			publishes(ctx, samples.Operator{Package: pkg, Version: "1.0.0", Properties: runsUpTo(values...)})
		}
		gateSaysOf(ctx, pkg)
		By("an operator that is wanted, and cannot be installed")
		publishes(ctx, samples.Operator{Package: wanted, Version: "1.0.0", NoBundle: true, Properties: runsUpTo(`"4.21"`)})
		create(ctx, wanted, "")
		refusedWith(ctx, wanted, platformv1alpha1.ReasonUnpackFailed)
		Consistently(gateOf, "1s").WithContext(ctx).WithArguments(wanted).Should(HavePrefix("True/"))

		By("one that is installed")
		says(`"4.21"`)
		installed(ctx, pkg, "1.0.0")
		gateSaysOf(ctx, pkg, "- barometer 1.0.0 allows at most 4.21: no version that allows 4.22 exists in the catalogs")
		conditionSays(ctx, pkg, metav1.Condition{Type: platformv1alpha1.ConditionUpgradeable, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonIncompatibleOperator}, "4.21 at most", "4.22")
		says(`"4.22"`)
		gateSaysOf(ctx, pkg)
		says(`4.21`) // a number
		gateSaysOf(ctx, pkg, "1.0.0 allows at most 4.21")
		says(`"garbage"`)
		gateSaysOf(ctx, pkg, `olm.maxOpenShiftVersion "garbage" cannot be read, a minor version such as "4.20" is expected`)
		conditionSays(ctx, pkg, metav1.Condition{Type: platformv1alpha1.ConditionUpgradeable, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonCompatibilityUnreadable}, "garbage")
		says(`"4.22"`, `"4.23"`)
		gateSaysOf(ctx, pkg, `olm.maxOpenShiftVersion is declared 2 times ("4.22", "4.23"), once is allowed`)
		says()
		gateSaysOf(ctx, pkg)

		By("the catalogs going away, and the manager starting without them")
		says(`"garbage"`)
		gateSaysOf(ctx, pkg, `"garbage"`)
		back := catalogsAway()
		managerRestarted()
		Consistently(gateOf, "3s").WithContext(ctx).WithArguments(pkg).Should(ContainSubstring(`"garbage"`))
		back()
		says()
		gateSaysOf(ctx, pkg)
		Expect(historyOf(ctx, pkg)).To(Equal([]string{"1.0.0 Ready by Installation"}), "nothing was moved for it")

		By("its removal")
		says(`"4.21"`)
		gateSaysOf(ctx, pkg, "4.21")
		remove(ctx, pkg)
		gateSaysOf(ctx, pkg)
	})

	It("CLU-G3 counts the stricter of what is left and what is moved to, until a hop has ended", func(ctx context.Context) {
		const pkg = "gnomon"
		files := func(values ...string) []samples.Property { return runsUpTo(values...) }
		old := samples.Operator{Package: pkg, Version: "1.0.0", FileProperties: files(`"4.21"`)}
		publishes(ctx, old)
		installed(ctx, pkg, "1.0.0")
		declares(ctx, pkg, "Bundle 4.21")
		gateSaysOf(ctx, pkg, "1.0.0 allows at most 4.21")

		By("moving to a version that permits more")
		next := samples.Operator{Package: pkg, Version: "1.1.0", NeverReady: true, FileProperties: files(`"4.23"`)}
		publishes(ctx, old, next)
		declares(ctx, pkg, "Bundle 4.21 to Bundle 4.23")
		Expect(gateOf(ctx, pkg)).To(And(HavePrefix("False/"), ContainSubstring("1.0.0 allows at most 4.21"), Not(ContainSubstring("1.1.0 allows at most"))))
		By("the catalog saying of the old one that it permits more, and of the new one that it permits less")
		old.Properties, next.Properties = runsUpTo(`"4.23"`), runsUpTo(`"4.21"`)
		publishes(ctx, old, next)
		declares(ctx, pkg, "Catalog 4.23 to Catalog 4.21")
		gateSaysOf(ctx, pkg, "1.1.0 allows at most 4.21")
		conditionSays(ctx, pkg, metav1.Condition{Type: platformv1alpha1.ConditionUpgradeable, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonIncompatibleOperator}, "gnomon.v1.1.0")
		By("the catalog taking all that back")
		old.Properties, next.Properties = nil, nil
		publishes(ctx, old, next)
		declares(ctx, pkg, "Bundle 4.21 to Bundle 4.23")
		gateSaysOf(ctx, pkg, "1.0.0 allows at most 4.21")

		By("the hop's end")
		readied(ctx, pkg, "ReplicaSet")
		declares(ctx, pkg, "Bundle 4.23")
		gateSaysOf(ctx, pkg)
	})

	It("CLU-G4 goes by the catalog where that and the bundle's own files differ, and by what is recorded where it is gone", func(ctx context.Context) {
		const pkg = "theodolite"
		operator := samples.Operator{Package: pkg, Version: "1.0.0", FileProperties: runsUpTo(`"4.21"`)}
		says := func(values ...string) {
			GinkgoHelper()
			operator.Properties = runsUpTo(values...)
			publishes(ctx, operator)
		}
		says()
		installed(ctx, pkg, "1.0.0")
		declares(ctx, pkg, "Bundle 4.21")
		gateSaysOf(ctx, pkg, "1.0.0 allows at most 4.21")
		says(`"4.23"`)
		declares(ctx, pkg, "Catalog 4.23")
		gateSaysOf(ctx, pkg)
		says(`"4.20"`) // not even this cluster
		declares(ctx, pkg, "Catalog 4.20")
		gateSaysOf(ctx, pkg, "1.0.0 allows at most 4.20")

		By("starting without catalogs")
		back := catalogsAway()
		managerRestarted()
		Consistently(declaredOf, "3s").WithContext(ctx).WithArguments(pkg).Should(Equal("Catalog 4.20"))
		Expect(gateOf(ctx, pkg)).To(And(HavePrefix("False/"), ContainSubstring("1.0.0 allows at most 4.20")))
		By("starting without the bundle's image, with catalogs that say nothing any more: what the files say is known all the same")
		says()
		ref, found := env.Catalog.Bundle(pkg, "1.0.0")
		Expect(found).To(BeTrue())
		Expect(env.Catalog.Fail(ref, 503)).To(Succeed())
		ended := func() error { return env.Catalog.Fail(ref, 0) }
		DeferCleanup(ended)
		managerRestarted()
		back()
		declares(ctx, pkg, "Bundle 4.21")
		gateSaysOf(ctx, pkg, "1.0.0 allows at most 4.21")
		Expect(historyOf(ctx, pkg)).To(Equal([]string{"1.0.0 Ready by Installation"}))

		By("nothing happening")
		Expect(ended()).To(Succeed())
		before, err := admin.Operator(ctx, pkg)
		Expect(err).NotTo(HaveOccurred())
		publishes(ctx, operator)
		Consistently(func(ctx context.Context) (string, error) {
			now, err := admin.Operator(ctx, pkg)
			return now.ResourceVersion, err
		}, "2s").WithContext(ctx).Should(Equal(before.ResourceVersion))
	})

	It("CLU-G5 is closed by what nobody can read, and by what plain bundles declare, with a line for each, and is an error of the check only without a cluster version", func(ctx context.Context) {
		const two, word, plain, orrery = "sundial", "clepsydra", "astrolabe", "orrery"
		lines := map[string]string{
			two:    `- sundial 1.0.0 olm.maxOpenShiftVersion is declared 2 times ("4.22", "4.23"), once is allowed: no version that allows 4.22 exists in the catalogs`,
			word:   `- clepsydra 1.0.0 olm.maxOpenShiftVersion [4.22,"soon"] cannot be read`,
			plain:  `- astrolabe 1.0.0 allows at most 4.21`,
			orrery: `- orrery 1.0.0 olm.maxOpenShiftVersion is declared 2 times ("4.30", "soon"), once is allowed`,
		}
		publishes(ctx,
			samples.Operator{Package: two, Version: "1.0.0", FileProperties: runsUpTo(`"4.22"`, `"4.23"`)},
			samples.Operator{Package: word, Version: "1.0.0", FileProperties: runsUpTo(`[4.22, soon]`)},
			samples.Operator{Package: plain, Version: "1.0.0", Plain: true, FileProperties: runsUpTo(`"4.21"`)},
			samples.Operator{Package: orrery, Version: "1.0.0", Plain: true, FileProperties: runsUpTo(`"4.30"`, `soon`)})
		all := []string{two, word, plain, orrery}
		for _, pkg := range all {
			create(ctx, pkg, "")
		}
		for _, pkg := range all {
			Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		}
		declares(ctx, two, `Bundle "4.22" "4.23" "4.22" "4.23"`)
		declares(ctx, plain, "Bundle 4.21")
		declares(ctx, orrery, `Bundle "4.30" "soon" "4.30" "soon"`)
		for _, pkg := range all {
			gateSaysOf(ctx, pkg, lines[pkg])
			Expect(gateOf(ctx, pkg)).NotTo(ContainSubstring("ErrorCheckingOperatorCompatibility"))
		}

		By("a bundle of a format that its catalog does not say, which is not installed at all")
		const silent = "planisphere"
		Expect(samples.Write(env.SamplesDir, samples.Operator{Package: silent, Version: "1.0.0", Plain: true, FileProperties: runsUpTo(`"4.21"`)})).To(Succeed())
		replaceIn(filepath.Join(env.SamplesDir, "catalog", silent, "catalog.yaml"), "olm.bundle.mediatype", "olm.else")
		Expect(env.Publish(ctx)).To(Succeed())
		create(ctx, silent, "")
		refusedWith(ctx, silent, platformv1alpha1.ReasonValidationFailed, `"plain+v0"`, "registry+v1", `"core-rukpak-io-plain"`, "olm.bundle.mediatype")
		operatorNow, err := admin.Operator(ctx, silent)
		Expect(err).NotTo(HaveOccurred())
		Expect(operatorNow.Status.Installed).To(BeNil())

		By("what they do to the others, which is nothing")
		_, err = admin.ClusterOperatorHas(ctx, configv1.OperatorDegraded, configv1.ConditionFalse)
		Expect(err).NotTo(HaveOccurred())
		Expect(meta.IsStatusConditionTrue(operatorNow.Status.Conditions, platformv1alpha1.ConditionUpgradeable)).To(BeTrue())

		By("a cluster version that cannot be read, and one that can be again")
		DeferCleanup(desired, story.ClusterVersion)
		desired(ctx, "banana")
		Eventually(gateOf).WithContext(ctx).WithArguments(two).Should(And(HavePrefix("False/"), ContainSubstring("ErrorCheckingOperatorCompatibility"), Not(ContainSubstring("- sundial"))))
		desired(ctx, story.ClusterVersion)
		gateSaysOf(ctx, two, lines[two])

		By("their removal")
		for _, pkg := range all {
			remove(ctx, pkg)
		}
		gateSaysOf(ctx, two)
	})
})
