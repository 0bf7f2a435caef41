// Package integration tries the manager, one behaviour a file, against a real API server, real catalog protocols and a real
// registry, under its own ServiceAccount with the shipped roles.
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

// Every state that a spec waits for comes within seconds; the limits are for a busy machine with two cores.
const (
	eventuallyTimeout  = 60 * time.Second
	consistentlyDuration = 5 * time.Second
	pollingInterval = 100 * time.Millisecond
)

// startEarly is for specs that take a minute or more: one that starts last keeps a single process busy after all others have ended.
const startEarly = SpecPriority(1)

var (
	env   *environment.Environment
	admin *story.Admin
	// failed says that a spec of this process has failed.
	failed bool

	traces = flag.String("traces", "", "folder for what the manager asked of the API server; none is kept without")
)

func TestIntegration(t *testing.T) {
	RegisterFailHandler(Fail)
	EnforceDefaultTimeoutsWhenUsingContexts() // else a state that never comes is waited for until the suite ends
	SetDefaultEventuallyTimeout(eventuallyTimeout)
	SetDefaultEventuallyPollingInterval(pollingInterval)
	SetDefaultConsistentlyDuration(consistentlyDuration)
	SetDefaultConsistentlyPollingInterval(pollingInterval)
	RunSpecs(t, "platform-operators integration")
}

var _ = BeforeSuite(func(ctx context.Context) {
	dir, err := os.MkdirTemp("", "platform-operators-integration-")
	Expect(err).NotTo(HaveOccurred())
	// The context of BeforeSuite ends with it, so what must live on gets one of its own.
	Expect(recordCrash(dir)).To(Succeed())
	options := environment.Options{
		Dir: dir, Log: GinkgoWriter, OpenShiftVersion: story.ClusterVersion, Samples: offered, AuditLog: true, Services: true,
	}
	if *traces != "" {
		options.Trace = rbac.File(*traces, "integration", GinkgoParallelProcess(), 1)
	}
	env, err = environment.Start(context.WithoutCancel(ctx), options)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx SpecContext) {
		how := env.Manager.Ended()
		failed = failed || how != ""
		Expect(env.Stop()).To(Succeed())
		Expect(how).To(BeEmpty(), "the manager ended by itself when the last spec was cleaned up")
		if !failed { // after a failure the logs are what one wants to read
			Expect(os.RemoveAll(dir)).To(Succeed())
		}
	})
	admin, err = story.NewAdmin(env)
	Expect(err).NotTo(HaveOccurred())
	Eventually(func(ctx context.Context) error { return story.Samples()[0].Seen(ctx, admin) }).WithContext(ctx).Should(Succeed())
})

var _ = ReportAfterSuite("what the manager asked", func(report Report) {
	Expect(rbac.Finish(*traces, "integration", report)).To(Succeed())
})

// recordCrash has what the Go runtime says when this process crashes written to a file, too: Ginkgo loses what a parallel process prints
// before it ends.
func recordCrash(dir string) error {
	file, err := os.Create(filepath.Join(dir, "crash.log"))
	if err != nil {
		return err
	}
	return errors.Join(debug.SetCrashOutput(file, debug.CrashOptions{}), file.Close())
}

// A manager that ends by itself fails the spec in which it does, or the next one when it is being cleaned up; all others are judged
// by themselves, as nobody but us would start it again.
func failIfManagerEnded() {
	if admin == nil {
		return
	}
	how := env.Manager.Ended()
	if how == "" {
		return
	}
	failed = true // JustAfterEach has been
	Expect(env.Manager.Start()).To(Succeed())
	Fail("the manager ended by itself, in this spec or when the one before was cleaned up: " + how)
}

// waitForReadyz waits for a manager that the spec before has just started again, so that no spec begins without one. Ginkgo chooses which
// spec follows which.
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

// What a failed spec leaves is told before it is cleaned up.
var _ = JustAfterEach(func(ctx SpecContext) {
	if CurrentSpecReport().Failed() && admin != nil {
		failed = true
		if err := admin.Explain(ctx, GinkgoWriter); err != nil {
			GinkgoWriter.Printf("explaining: %v\n", err)
		}
	}
})

// offered is what the catalogs offer to all specs. Each spec that installs something has a package of its own, so that
// specs do not disturb one another.
var offered = []samples.Operator{{Package: "neighbour", Version: "1.0.0"}}
