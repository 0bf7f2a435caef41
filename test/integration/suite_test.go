// Package integration tests the manager against a real API server, real catalog protocols and a real registry, under the manager's
// ServiceAccount with the shipped roles. Each file has one topic.
package integration

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/rbac"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// eventuallyTimeout, consistentlyDuration and pollingInterval are Gomega's defaults in this suite. Specs wait for states that are reached
// within seconds; the timeout is for a busy machine with two cores.
const (
	eventuallyTimeout    = 60 * time.Second
	consistentlyDuration = 5 * time.Second
	pollingInterval      = 100 * time.Millisecond
)

// gcPercent is the GOGC of this process, but not of the manager. With Go's default of 100, the suite takes a sixth more processor time.
const gcPercent = 400

// startEarly is the priority of specs that take a minute or more. If such a spec started last, the other parallel processes would wait for
// it.
const startEarly = SpecPriority(1)

var (
	env   *environment.Environment
	admin *story.Admin
	// failed is whether a spec of this process has failed, or the manager has ended by itself.
	failed bool

	traces = flag.String("traces", "", "folder for the manager's requests to the API server; without it, they are not kept")
)

func TestIntegration(t *testing.T) {
	RegisterFailHandler(Fail)
	EnforceDefaultTimeoutsWhenUsingContexts() // otherwise a spec waits until the suite's timeout for a state that is not reached
	SetDefaultEventuallyTimeout(eventuallyTimeout)
	SetDefaultEventuallyPollingInterval(pollingInterval)
	SetDefaultConsistentlyDuration(consistentlyDuration)
	SetDefaultConsistentlyPollingInterval(pollingInterval)
	debug.SetGCPercent(gcPercent)
	RunSpecs(t, "platform-operators integration")
}

var _ = BeforeSuite(func(ctx context.Context) {
	dir, err := os.MkdirTemp("", "platform-operators-integration-")
	Expect(err).NotTo(HaveOccurred())
	// The context of BeforeSuite ends when BeforeSuite returns. The environment must run longer.
	Expect(recordCrash(dir)).To(Succeed())
	options := environment.Options{
		Dir: dir, Log: GinkgoWriter, OpenShiftVersion: story.ClusterVersion, Samples: offered, AuditLog: true, Services: true,
	}
	if *traces != "" {
		options.Trace = rbac.TracePath(*traces, "integration", GinkgoParallelProcess(), 1)
	}
	env, err = environment.Start(context.WithoutCancel(ctx), options)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx SpecContext) {
		how := env.Manager.Ended()
		failed = failed || how != ""
		Expect(env.Stop()).To(Succeed())
		Expect(how).To(BeEmpty(), "the manager ended by itself when the last spec was cleaned up")
		if !failed { // the logs in the folder explain a failure
			Expect(os.RemoveAll(dir)).To(Succeed())
		}
	})
	admin, err = story.NewAdmin(env)
	Expect(err).NotTo(HaveOccurred())
	Eventually(func(ctx context.Context) error { return story.Samples()[0].Seen(ctx, admin) }).WithContext(ctx).Should(Succeed())
})

var _ = ReportAfterSuite("requests of the manager", func(report Report) {
	Expect(rbac.RecordReport(*traces, "integration", report)).To(Succeed())
})

// recordCrash makes the Go runtime also write its report of a crash of this process to dir/crash.log, because Ginkgo loses the last output
// of a parallel process.
func recordCrash(dir string) error {
	file, err := os.Create(filepath.Join(dir, "crash.log"))
	if err != nil {
		return err
	}
	return errors.Join(debug.SetCrashOutput(file, debug.CrashOptions{}), file.Close())
}

// failIfManagerEnded fails the spec if the manager has ended by itself, in this spec or in the cleanup of the previous spec. It starts the
// manager again, so that later specs do not fail, too.
func failIfManagerEnded() {
	if admin == nil {
		return
	}
	how := env.Manager.Ended()
	if how == "" {
		return
	}
	failed = true // JustAfterEach has run already
	Expect(env.Manager.Start()).To(Succeed())
	Fail("the manager ended by itself, in this spec or when the one before was cleaned up: " + how)
}

// waitForReadyz waits until the manager is ready, because the previous spec may have started it again. Ginkgo chooses the order of specs.
func waitForReadyz(ctx context.Context) {
	if admin != nil {
		Eventually(answerOf).WithContext(ctx).WithArguments("/readyz").Should(Equal(http.StatusOK))
	}
}

var (
	_ = BeforeEach(failIfManagerEnded)
	_ = BeforeEach(waitForReadyz)
	_ = AfterEach(failIfManagerEnded)
)

// JustAfterEach prints the state of a failed spec before the spec's cleanup.
var _ = JustAfterEach(func(ctx SpecContext) {
	if CurrentSpecReport().Failed() && admin != nil {
		failed = true
		if err := admin.Explain(ctx, GinkgoWriter); err != nil {
			GinkgoWriter.Printf("explaining: %v\n", err)
		}
	}
})

// offered has the packages that the catalogs have in all specs. Each spec that installs an operator has its own package, so that specs do
// not affect one another.
var offered = []samples.Operator{{Package: "neighbor", Version: "1.0.0"}}
