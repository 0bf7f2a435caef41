package integration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/pages"
	"github.com/openshift/platform-operators/test/samples"
)

// planDigest matches the digest of a plan.
var planDigest = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// sectionCommands returns the commands in a section of docs/approval.md.
func sectionCommands(section string) []string {
	GinkgoHelper()
	scripts, err := pages.Commands(filepath.Join(env.Root, "docs", "approval.md"), section)
	Expect(err).NotTo(HaveOccurred())
	return scripts
}

// typeCommands runs scripts with the given values for placeholders and for names that other specs use.
func typeCommands(ctx context.Context, scripts []string, values map[string]string) string {
	GinkgoHelper()
	var all strings.Builder
	for _, script := range scripts {
		script = pages.Fill(script, values)
		output, err := runShell(ctx, "set -e -o pipefail\n"+script)
		Expect(err).NotTo(HaveOccurred(), "%s\n%s", script, output)
		all.WriteString(output)
	}
	return all.String()
}

// approvedCondition returns the status and the reason of a BundleDeployment's Approved condition.
func approvedCondition(ctx context.Context, name string) (string, error) {
	live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	for _, each := range live.Status.Conditions {
		if each.Type == corev1alpha2.ConditionApproved {
			return string(each.Status) + " " + each.Reason, nil
		}
	}
	return "", nil
}

var _ = Describe("docs/approval.md", func() {
	const deployment = `{apiVersion: core.rukpak.io/v1alpha2, kind: BundleDeployment, metadata: {name: %s}, spec: {installNamespace: %s, provisionerClassName: %s, source: {type: image, image: {ref: "%s"}}}}`

	It("has commands with which a team deploys", func(ctx context.Context) {
		typeCommands(ctx, sectionCommands("Trust a team"), map[string]string{"NAME": "grace"})
		apply := "kubectl apply --dry-run=server --as=grace %s -f - <<< '" + fmt.Sprintf(deployment, "teams", "teams", "core-rukpak-io-registry", "example.com/a") + "'"
		output, err := runShell(ctx, fmt.Sprintf(apply, "--as-group=operators"))
		Expect(err).NotTo(HaveOccurred(), output)
		output, err = runShell(ctx, fmt.Sprintf(apply, "--as-group=others"))
		Expect(err).To(HaveOccurred(), output)
	})

	It("has commands with which an approver approves", func(ctx context.Context) {
		const name = "paged"
		class := &corev1alpha2.ProvisionerClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
		class.Spec.Provisioner = corev1alpha2.ProvisionerRegistry
		_, err := admin.Platform.CoreV1alpha2().ProvisionerClasses().Create(ctx, class, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(admin.Publish(ctx, samples.Operator{Package: name, Version: "1.0.0"})).To(Succeed())
		ref, found := env.Catalog.Bundle(name, "1.0.0")
		Expect(found).To(BeTrue())
		scripts := sectionCommands("Approve every upgrade")
		values := map[string]string{"NAME": name, "core-rukpak-io-registry": name, "core-rukpak-io-plain": name}
		typeCommands(ctx, scripts[:2], values)
		output, err := runShell(ctx, "kubectl apply -f - <<< '"+fmt.Sprintf(deployment, name, name, name, ref)+"'")
		Expect(err).NotTo(HaveOccurred(), output)
		Eventually(approvedCondition).WithContext(ctx).WithArguments(name).Should(Equal("False AwaitingApproval"))
		text := typeCommands(ctx, scripts[2:4], values)
		Expect(text).To(ContainSubstring("create Deployment.apps paged/paged "))
		values["DIGEST"] = planDigest.FindString(text)
		typeCommands(ctx, scripts[4:5], values)
		Eventually(approvedCondition).WithContext(ctx).WithArguments(name).Should(Equal("True Approved"))
		typeCommands(ctx, scripts[5:], values)
		kubectl(ctx, "delete", "bundledeployment", name)
	})

	It("[ENG-A10] has commands with which a tenant installs without a cluster admin", func(ctx context.Context) {
		const name = "tenanted"
		Expect(samples.Write(env.SamplesDir, samples.Operator{Package: name, Version: "1.0.0", Plain: true})).To(Succeed())
		manifests := filepath.Join(env.SamplesDir, "bundles", name, "1.0.0", "manifests")
		Expect(os.RemoveAll(manifests)).To(Succeed())
		Expect(os.Mkdir(manifests, 0o755)).To(Succeed())
		configMap := "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + "}, data: {a: b}}"
		Expect(os.WriteFile(filepath.Join(manifests, "configmap.yaml"), []byte(configMap), 0o600)).To(Succeed())
		Expect(env.Publish(ctx)).To(Succeed())
		ref, found := env.Catalog.Bundle(name, "1.0.0")
		Expect(found).To(BeTrue())
		scripts := sectionCommands("Tenants install in their namespaces")
		typeCommands(ctx, scripts[:5], map[string]string{"NAME": name, "IMAGE": ref})
		Eventually(func(ctx context.Context) (string, error) {
			live, err := admin.Kubernetes.CoreV1().ConfigMaps("tenant-a").Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			return live.Data["a"], nil
		}).WithContext(ctx).Should(Equal("b"))

		By("trying what a tenant may not do: eve has the group alone, and ada is the admin of the namespace")
		for _, c := range []struct{ user, serviceAccount string }{
			{"eve", `"deployer"`}, {"eve", `"another"`}, {"eve", "null"}, {"ada", "null"},
		} {
			output, err := runShell(ctx, fmt.Sprintf(`kubectl patch bundledeployments %s --type=merge --as=%s --as-group=tenants --as-group=system:authenticated `+
				`-p '{"metadata":{"annotations":{"a":"b"}},"spec":{"serviceAccountName":%s}}'`, name, c.user, c.serviceAccount))
			Expect(err).To(HaveOccurred(), "%+v", c)
			Expect(output).To(ContainSubstring("forbidden"), "%+v", c)
		}
		elsewhere := "{apiVersion: core.rukpak.io/v1alpha2, kind: BundleDeployment, metadata: {name: elsewhere}, spec: {installNamespace: default, " +
			"provisionerClassName: tenants, serviceAccountName: default, source: {type: image, image: {ref: \"" + ref + "\"}}}}"
		output, err := runShell(ctx, "kubectl apply --as=ada --as-group=tenants --as-group=system:authenticated -f - <<< '"+elsewhere+"'")
		Expect(err).To(HaveOccurred(), "a ServiceAccount of another namespace")
		Expect(output).To(ContainSubstring("forbidden"))
		kubectl(ctx, "delete", "bundledeployment", name)
	})
})
