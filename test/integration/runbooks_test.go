package integration

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/openshift/platform-operators/test/samples"
)

// command matches a kubectl command on a page. Its group is the command without the prompt.
var command = regexp.MustCompile(`(?m)^ *\$ (kubectl .*)$`)

// placeholders has the values of the pages' placeholders, except names and versions.
var placeholders = map[string]string{
	"UPPER": "2.0.0", "MINOR": "4.22", "REASON": "Ada, ticket 7", "EXPIRES": "2199-01-01T00:00:00Z", "EDGES": "null", "DEPLOYMENT": "runbooked",
	"quay": "runbooked", // the example package of a page
}

// runShell runs a line in a shell as the cluster's admin and returns the output, also together with an error. In the shell, kubectl is that
// of the cluster.
func runShell(ctx context.Context, line string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, eventuallyTimeout)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", "kubectl() { "+env.Kubectl+` "$@"; }; `+line)
	shell.Env = append(os.Environ(), "KUBECONFIG="+env.Kubeconfig, "KUBE_EDITOR=true") // an editor that changes nothing
	output, err := shell.CombinedOutput()
	return string(output), err
}

var _ = Describe("the runbooks", func() {
	It("have commands that succeed for an installed operator", func(ctx context.Context) {
		const name = "runbooked"
		Expect(admin.Publish(ctx, samples.Operator{Package: name, Version: "1.0.0"})).To(Succeed())
		install(ctx, name, "1.0.0")
		// Commands that add an item to a list fail if the list does not exist.
		patchSpec(ctx, name, `"compatibilityOverrides": [{"openShiftVersion": "4.23", "reason": "Bob, ticket 8", "expires": "2199-01-01T00:00:00Z"}],
			"install": {"drift": {"ignore": [{"target": {"kind": "ConfigMap"}, "jsonPointers": ["/data"]}]}}`)
		pages, err := filepath.Glob(filepath.Join(env.Root, "docs", "runbooks", "*.md"))
		Expect(err).NotTo(HaveOccurred())
		tried := 0
		for _, page := range pages {
			text, err := os.ReadFile(page)
			Expect(err).NotTo(HaveOccurred())
			for _, found := range command.FindAllStringSubmatch(string(text), -1) {
				line := found[1]
				if strings.HasPrefix(line, "kubectl logs ") {
					GinkgoWriter.Printf("%s: not run, because the local cluster has no kubelet to read logs from: %s\n", filepath.Base(page), line)
					continue
				}
				object := name
				if strings.Contains(line, "catalogs") || strings.Contains(line, "catalogSource") {
					object = "local"
				}
				line = fillPlaceholders(line, object, name)
				if strings.HasPrefix(line, "kubectl patch ") || strings.HasPrefix(line, "kubectl delete ") {
					line += " --dry-run=server"
				}
				output, err := runShell(ctx, line)
				Expect(err).NotTo(HaveOccurred(), "%s: %s\n%s", filepath.Base(page), line, output)
				GinkgoWriter.Printf("%s\n%s\n", line, output)
				tried++
			}
		}
		Expect(tried).To(BeNumerically(">", 20))

		By("running the commands of other pages that read and patch")
		const nowhere = "nowhere" // the namespace of an installed operator is immutable
		create(ctx, nowhere, "")
		pages = pagesOfUsers()
		tried = 0
		for _, page := range pages {
			text, err := os.ReadFile(page)
			Expect(err).NotTo(HaveOccurred())
			for _, found := range command.FindAllStringSubmatch(string(text), -1) {
				isPatch := strings.HasPrefix(found[1], "kubectl patch ")
				if !isPatch && !strings.HasPrefix(found[1], "kubectl get ") {
					continue
				}
				object := name
				if strings.Contains(found[1], `"namespace"`) {
					object = nowhere
				}
				line := fillPlaceholders(found[1], object, name)
				if isPatch {
					line += " --dry-run=server"
				}
				output, err := runShell(ctx, line)
				Expect(err).NotTo(HaveOccurred(), "%s: %s\n%s", filepath.Base(page), line, output)
				tried++
			}
		}
		Expect(tried).To(BeNumerically(">=", 45))
	})
})

// pagesOfUsers returns the pages of docs/ and of docs/tasks/, except docs/approval.md and docs/disconnected.md: other specs run their commands,
// which depend on one another.
func pagesOfUsers() []string {
	GinkgoHelper()
	pages, err := filepath.Glob(filepath.Join(env.Root, "docs", "*.md"))
	Expect(err).NotTo(HaveOccurred())
	pages = slices.DeleteFunc(pages, func(page string) bool {
		return slices.Contains([]string{"approval.md", "disconnected.md"}, filepath.Base(page))
	})
	tasks, err := filepath.Glob(filepath.Join(env.Root, "docs", "tasks", "*.md"))
	Expect(err).NotTo(HaveOccurred())
	Expect(tasks).NotTo(BeEmpty())
	return append(pages, tasks...)
}

// fillPlaceholders replaces a command's placeholders: NAMESPACE by namespace, NAME by object, and others by fixed values.
func fillPlaceholders(line, object, namespace string) string {
	line = regexp.MustCompile(`\bNAMESPACE\b`).ReplaceAllString(line, namespace)
	line = regexp.MustCompile(`\bNAME\b`).ReplaceAllString(line, object)
	line = regexp.MustCompile(`\bVERSION\b`).ReplaceAllString(line, "1.0.0")
	for placeholder, value := range placeholders {
		line = regexp.MustCompile(`\b`+placeholder+`\b`).ReplaceAllString(line, value)
	}
	return line
}
