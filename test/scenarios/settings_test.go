package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// settingInVain is a setting of a PlatformOperator that cannot have an effect, or should not stay.
type settingInVain struct {
	// spec has fields of the spec except the package's name, which is in pkg, as YAML.
	pkg, spec string
	// where is the condition whose message has the words; empty for status.warnings.
	where string
	words []string
}

// settingsInVain are the settings by the name of the PlatformOperator, which is also that of its package.
var settingsInVain = map[string]settingInVain{
	"ignored-target": {
		"", "install: {drift: {ignore: [{target: {kind: Deployment}, jsonPointers: [/spec/replicas]}]}}", platformv1alpha1.ConditionDrifted,
		[]string{"The target of spec.install.drift.ignore[0] selects no object of the bundle: correct or remove it. The bundle has Deployment ignored-target/ignored-target of group apps."},
	},
	"ignored-pointer": {
		"", "install: {drift: {ignore: [{target: {group: apps, kind: Deployment}, jsonPointers: [/spec/replica, /spec/template]}]}}", platformv1alpha1.ConditionDrifted,
		[]string{`Pointer "/spec/replica" of spec.install.drift.ignore[0] selects no field of Deployment ignored-pointer/ignored-pointer: correct or remove it. The fields there are /spec/replicas, `},
	},
	"channel": {
		", channels: [stable, fsat]", "", "", []string{`spec.package.channels names "fsat", which no selected catalog has: correct or remove it. The channels are "stable".`},
	},
	"range-of-nothing": {
		`, version: ">=2.0.0 <1.0.0"`, "", platformv1alpha1.ConditionInstalled, []string{`spec.package.version ">=2.0.0 <1.0.0" permits no version at all`, "correct it", "the nearest are 1.0.0"},
	},
	"range-without-version": {
		`, version: ">=7.0.0"`, "", platformv1alpha1.ConditionInstalled, []string{`has no version in spec.package.version ">=7.0.0"`, "the nearest are 1.0.0"},
	},
	"watched-no-name": {
		"", `install: {config: {watchNamespace: "No Name"}}`, platformv1alpha1.ConditionInstalled, []string{`spec.install.config.watchNamespace "No Name"`, "is not a namespace name", "use one name"},
	},
	"watched-nowhere": {
		"", `install: {config: {watchNamespace: nowhere}}`, "",
		[]string{`Namespace nowhere, which spec.install.config.watchNamespace names, does not exist: create it ("kubectl create namespace nowhere"), or correct the field`},
	},
	"in-default":     {"", "install: {namespace: default}", platformv1alpha1.ConditionInstalled, []string{"Namespace default", "set spec.install.namespace of the PlatformOperator", `such as "in-default-system"`}},
	"in-kube-system": {"", "install: {namespace: kube-system}", platformv1alpha1.ConditionInstalled, []string{"Namespace kube-system", "set spec.install.namespace of the PlatformOperator", `such as "in-kube-system-system"`}},
	"in-manager": {
		"", "install: {namespace: openshift-platform-operators}", platformv1alpha1.ConditionInstalled,
		[]string{"the manager's own namespace", "set spec.install.namespace of the PlatformOperator", `such as "in-manager-system"`},
	},
	"selfcertified": {"", "upgrades: {edges: SelfCertified}", "", []string{"spec.upgrades.edges is SelfCertified", "remove it when the version that you want is installed"}},
	"selector": {
		", catalogSelector: {matchLabels: {none: such}}", "", platformv1alpha1.ConditionInstalled, []string{`spec.package.catalogSelector "none=such" selects none of the catalogs`, "has the labels"},
	},
}

// Promise HRD-U8: Each setting that has no effect or should not stay is in a condition or a warning, with the field and what to write
// instead. These are ignored fields, channels, ranges, selectors, watched and install namespaces, and SelfCertified edges.
func TestHRD_U8_EachSettingInVainIsReportedWithItsRemedy(t *testing.T) {
	t.Parallel()
	var operators []samples.Operator
	for _, name := range slices.Sorted(maps.Keys(settingsInVain)) {
		operators = append(operators, samples.Operator{Package: name, Version: "1.0.0", SingleNamespaceOnly: name == "watched-nowhere" || name == "watched-no-name"})
	}
	runStory(t, "HRD-U8 each setting in vain is reported with its remedy, and then nothing is written", operators, func(ctx context.Context, s *Story) {
		for name, setting := range settingsInVain {
			manifest := fmt.Sprintf("{metadata: {name: %s}, spec: {package: {name: %s%s}, %s}}", name, name, setting.pkg, setting.spec)
			_, err := s.Admin.Dynamic.Resource(platformOperators).Create(ctx, s.parse(platformOperators, "PlatformOperator", manifest), metav1.CreateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
		}
		for name, setting := range settingsInVain {
			for _, word := range setting.words {
				s.Eventually(s.textsOf).WithContext(ctx).WithArguments(name, setting.where).Should(ContainElement(ContainSubstring(word)), name)
			}
		}

		s.By("creating the watched namespace")
		_, err := s.Admin.Kubernetes.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "nowhere"}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("watched-nowhere", "1.0.0").Should(Succeed())
		s.Eventually(s.textsOf).WithContext(ctx).WithArguments("watched-nowhere", "").Should(BeEmpty())

		s.By("waiting whether something is written although nothing changes")
		s.Settle()
		before, err := s.operatorVersions(ctx)
		s.Expect(err).NotTo(HaveOccurred())
		s.Consistently(s.operatorVersions, 15*time.Minute, time.Minute).WithContext(ctx).Should(Equal(before))

		s.By("restarting the manager, which reports the same")
		s.KillManager()
		s.StartManager()
		s.Consistently(s.operatorVersions, 2*time.Minute, 10*time.Second).WithContext(ctx).Should(Equal(before))

		s.By("correcting the ignored fields")
		s.patchOperatorSpec(ctx, "ignored-target", `"install":{"drift":{"ignore":[{"target":{"group":"apps","kind":"Deployment"},"jsonPointers":["/spec/replicas"]}]}}`)
		s.Eventually(s.textsOf).WithContext(ctx).WithArguments("ignored-target", platformv1alpha1.ConditionDrifted).Should(HaveExactElements(Not(ContainSubstring("ignore"))))
	})
}

// textsOf returns the message of a condition of a PlatformOperator, or its warnings if where is empty.
func (s *Story) textsOf(ctx context.Context, name, where string) ([]string, error) {
	operator, err := s.Admin.Operator(ctx, name)
	if err != nil {
		return nil, err
	}
	if where == "" {
		return operator.Status.Warnings, nil
	}
	for _, condition := range operator.Status.Conditions {
		if condition.Type == where {
			return []string{condition.Message}, nil
		}
	}
	return nil, nil
}

// operatorVersions returns the resourceVersions of all PlatformOperators and BundleDeployments.
func (s *Story) operatorVersions(ctx context.Context) (map[string]string, error) {
	versions := map[string]string{}
	operators, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range operators.Items {
		versions["PlatformOperator "+operators.Items[i].Name] = operators.Items[i].ResourceVersion
	}
	deployments, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range deployments.Items {
		versions["BundleDeployment "+deployments.Items[i].Name] = deployments.Items[i].ResourceVersion
	}
	return versions, nil
}
