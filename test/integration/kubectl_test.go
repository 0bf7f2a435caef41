package integration

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/test/story"
)

// kubectl runs the cluster's kubectl as the cluster's admin and returns the output. It fails the spec if kubectl fails.
func kubectl(ctx context.Context, args ...string) string {
	GinkgoHelper()
	command := exec.CommandContext(ctx, "bash", "-c", env.Kubectl+` "$@"`, "kubectl")
	command.Args = append(command.Args, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+env.Kubeconfig)
	output, err := command.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "kubectl %s: %s", strings.Join(args, " "), output)
	return string(output)
}

// writesBy returns the writes in the audit log, from an offset on, of clients whose user agent has this prefix. Each is "verb URI". end is
// the offset of the next line.
func writesBy(userAgent string, from int64) (writes []string, end int64) {
	GinkgoHelper()
	log, err := os.Open(env.AuditLog)
	Expect(err).NotTo(HaveOccurred())
	defer log.Close()
	_, err = log.Seek(from, 0)
	Expect(err).NotTo(HaveOccurred())
	lines := bufio.NewReader(log)
	for end = from; ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return writes, end // an unfinished line is read the next time
		}
		end += int64(len(line))
		var event struct {
			Verb, UserAgent, RequestURI string
		}
		Expect(json.Unmarshal(line, &event)).To(Succeed())
		if strings.HasPrefix(event.UserAgent, userAgent) && slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, event.Verb) {
			writes = append(writes, event.Verb+" "+event.RequestURI)
		}
	}
}

// fieldsOfKubectl returns the fields of the ClusterOperator that kubectl has set, with the times at which it set them.
func fieldsOfKubectl(ctx context.Context) []metav1.ManagedFieldsEntry {
	GinkgoHelper()
	operator, err := admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	return slices.DeleteFunc(operator.ManagedFields, func(entry metav1.ManagedFieldsEntry) bool {
		return !strings.HasPrefix(entry.Manager, "kubectl")
	})
}

// relatedNamespaces returns the names of the namespaces among the related objects of the ClusterOperator.
func relatedNamespaces(ctx context.Context) ([]string, error) {
	operator, err := admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, object := range operator.Status.RelatedObjects {
		if object.Resource == "namespaces" {
			names = append(names, object.Name)
		}
	}
	return names, nil
}

var _ = Describe("kubectl apply", func() {
	// Promise ENG-D19: When `kubectl apply` sends the payload's manifests and the samples a second time, it writes nothing.
	It("[ENG-D19] of the payload's manifests and the samples writes nothing the second time", func(ctx context.Context) {
		samples, err := filepath.Glob(filepath.Join(env.Root, "docs", "samples", "*.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(samples).NotTo(BeEmpty())
		args := []string{"apply", "-f", filepath.Join(env.Root, "manifests"), "-f", filepath.Join(env.Root, "docs", "samples")}
		DeferCleanup(func(ctx context.Context) {
			kubectl(ctx, "delete", "--ignore-not-found", "-f", filepath.Join(env.Root, "docs", "samples"))
		})
		kubectl(ctx, args...)
		first, end := writesBy("kubectl", 0)
		Expect(first).NotTo(BeEmpty(), "the audit log does not show kubectl's writes at all")

		Eventually(relatedNamespaces).WithContext(ctx).WithTimeout(2 * time.Minute).Should(ContainElement("memo")) // of a sample

		before := fieldsOfKubectl(ctx)
		Expect(before).NotTo(BeEmpty())
		output := kubectl(ctx, args...)
		second, _ := writesBy("kubectl", end)
		// Once the manager has added install namespaces to the related objects, kubectl patches the ClusterOperator. Its status is a
		// subresource, so the patch changes nothing.
		second = slices.DeleteFunc(second, func(write string) bool {
			return strings.HasPrefix(write, "patch /apis/config.openshift.io/v1/clusteroperators/platform-operators-aggregated?")
		})
		Expect(second).To(BeEmpty())
		Expect(fieldsOfKubectl(ctx)).To(Equal(before), "the second patch of the ClusterOperator changed it")
		for _, line := range strings.Split(strings.TrimSpace(output), "\n") {
			if !strings.HasPrefix(line, "clusteroperator.config.openshift.io/") {
				Expect(line).To(HaveSuffix(" unchanged"))
			}
		}
	})

	It("accepts every object in the documentation", func(ctx context.Context) {
		var shown []string
		for _, page := range append(pagesOfUsers(), filepath.Join(env.Root, "README.md")) {
			text, err := os.ReadFile(page)
			Expect(err).NotTo(HaveOccurred())
			for _, block := range yamlBlock.FindAllStringSubmatch(string(text), -1) {
				shown = append(shown, block[1])
			}
		}
		Expect(shown).To(ContainElements(ContainSubstring("kind: PlatformOperator\n"), ContainSubstring("kind: PlatformOperatorManager\n")))
		file := filepath.Join(GinkgoT().TempDir(), "shown.yaml")
		Expect(os.WriteFile(file, []byte(strings.Join(shown, "---\n")), 0o600)).To(Succeed())
		kubectl(ctx, "apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-f", file)
	})
})

// yamlBlock matches a code block with a whole Kubernetes object on a page. Its group is the object.
var yamlBlock = regexp.MustCompile("(?s)```yaml\n(apiVersion: .*?\n)```")
