package integration

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/openshift/platform-operators/test/environment"
)

// builtVersion, builtCommit and builtAt are the version, commit and build date that a build must report with the variables of builders.
const (
	builtVersion = "4.23.0-202611250830.p0.g0123456.assembly.stream.el9"
	builtCommit  = "0123456789abcdef0123456789abcdef01234567"
	builtAt      = "2025-11-25T08:30:00Z"
)

var builders = []string{
	"OS_GIT_VERSION=" + builtVersion, "SOURCE_GIT_COMMIT=" + builtCommit, "OS_GIT_TREE_STATE=clean", "SOURCE_DATE_EPOCH=1764059400",
	"VERSION=1.26", // of the builder image's Go
}

// withoutGit returns a temporary folder of links to the files and folders of the checkout, except .git and _output.
func withoutGit() string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	entries, err := os.ReadDir(env.Root)
	Expect(err).NotTo(HaveOccurred())
	root, err := filepath.Abs(env.Root)
	Expect(err).NotTo(HaveOccurred())
	for _, entry := range entries {
		if name := entry.Name(); !slices.Contains([]string{".git", "_output"}, name) {
			Expect(os.Symlink(filepath.Join(root, name), filepath.Join(dir, name))).To(Succeed())
		}
	}
	return dir
}

// runMake runs make in a folder with the environment variables of the payload's builders, and returns the output. It fails the spec if make
// fails.
func runMake(ctx context.Context, dir string, args ...string) string {
	GinkgoHelper()
	command := exec.CommandContext(ctx, "make", args...)
	command.Dir = dir
	command.Env = append(command.Environ(), builders...)
	output, err := command.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(output))
	return string(output)
}

var _ = Describe("a manager that is built as the payload is, without git", func() {
	// Promise HRD-C4: A build without git, stamped by the payload builder's variables, reports version, commit, tree state, date, Go
	// version and platform, by `--version` and as a metric.
	It("[HRD-C4] reports version, commit, tree state, date, Go version and platform, by --version and as a metric", func(ctx context.Context) {
		dir := withoutGit()
		runMake(ctx, dir, "build")
		binary := filepath.Join(dir, "_output", "platform-operators")
		printed, err := exec.CommandContext(ctx, binary, "--version").Output()
		Expect(err).NotTo(HaveOccurred())
		platform := runtime.GOOS + "/" + runtime.GOARCH
		Expect(string(printed)).To(Equal("platform-operators " + builtVersion + `
  commit:     ` + builtCommit + `
  tree state: clean
  build date: ` + builtAt + `
  Go version: ` + runtime.Version() + `
  platform:   ` + platform + "\n"))

		stopManagerForSpec()
		startManagerForSpec(env.Manager.Of(binary))
		scraper := clientCertificate(ctx, prometheus)
		Eventually(func(ctx context.Context) (string, error) {
			_, body, err := scrape(ctx, "/metrics", scraper)
			return body, err
		}).WithContext(ctx).Should(ContainSubstring("\nopenshift_platform_operators_build_info{" +
			`buildDate="` + builtAt + `",compiler="gc",gitCommit="` + builtCommit + `",gitTreeState="clean",gitVersion="` + builtVersion +
			`",goVersion="` + runtime.Version() + `",major="4",minor="23",platform="` + platform + "\"} 1\n"))
		Eventually(answerOf).WithContext(ctx).WithArguments("/readyz").Should(Equal(http.StatusOK))

		By("building the tests for openshift-tests with the same version")
		Expect(runMake(ctx, dir, "--just-print", "build-tests-ext")).To(And(ContainSubstring(".CommitFromGit="+builtCommit), ContainSubstring(".BuildDate="+builtAt)))
	})
})

// startManagerForSpec starts a manager in place of the environment's, and stops it after the spec. Call stopManagerForSpec before.
func startManagerForSpec(manager *environment.Manager) {
	GinkgoHelper()
	Expect(manager.Start()).To(Succeed())
	DeferCleanup(manager.Stop)
}
