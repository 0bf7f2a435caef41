// Package e2e runs the steps of the demo as a test, and installs real operators from a real catalog.
package e2e

import (
	"context"
	"flag"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/rbac"
	"github.com/openshift/platform-operators/test/realdata"
	"github.com/openshift/platform-operators/test/story"
)

// realPackages are packages whose newest version is among the real bundles and has no webhooks.
var realPackages = []string{"project-quay", "nfs-provisioner-operator"}

var (
	traces = flag.String("traces", "", "folder for what the manager asked of the API server; none is kept without")
	// started is the number of environments that this process has started.
	started int
)

func TestEndToEnd(t *testing.T) {
	RegisterFailHandler(Fail)
	EnforceDefaultTimeoutsWhenUsingContexts() // otherwise a spec waits until the suite's timeout for a state that is not reached
	RunSpecs(t, "platform-operators end to end")
}

var _ = Describe("the demo's story", Ordered, func() {
	var admin *story.Admin
	BeforeAll(func(ctx context.Context) {
		admin = start(ctx, environment.Options{
			OpenShiftVersion: story.ClusterVersion, Samples: story.FirstCatalog(),
			// The manager's informers send LIST requests, as with an API server that does not stream lists. All other tests stream.
			ManagerEnv: []string{"KUBE_FEATURE_WatchListClient=false"},
		})
	})
	for _, step := range story.Samples() {
		It(step.Title, func(ctx context.Context) { tell(ctx, admin, step) })
	}
})

// A manager that may neither bind nor escalate installs operators as ServiceAccounts, and needs no permission beyond its roles.
var _ = Describe("the demo's story with a manager that may neither bind nor escalate [ENG-A10]", Ordered, func() {
	var admin *story.Admin
	BeforeAll(func(ctx context.Context) {
		admin = start(ctx, environment.Options{
			OpenShiftVersion: story.ClusterVersion, Samples: story.FirstCatalog(), Variant: environment.Scoped, AuditLog: true,
		})
		admin.Scoped = true
	})
	for _, step := range story.Samples() {
		It(step.Title, func(ctx context.Context) { tell(ctx, admin, step) })
	}
	It("sends no request that its roles do not permit", func() {
		Expect(admin.Environment.Manager.Stop()).To(Succeed())
		// Before a removal ends, the manager looks for objects that are left, and may not read Secrets.
		Expect(admin.Environment.Exceeded()).To(HaveEach(MatchRegexp("^(list|watch) secrets in the whole cluster: was denied")))
	})
})

var _ = Describe("real operators from a real catalog", Ordered, func() {
	var admin *story.Admin
	BeforeAll(func(ctx context.Context) {
		catalogs, err := realdata.Find("catalogs/community-v4.20")
		if err != nil {
			Skip(err.Error())
		}
		bundles, err := realdata.Find("bundles")
		if err != nil {
			Skip(err.Error())
		}
		admin = start(ctx, environment.Options{
			OpenShiftVersion: "4.20.0",
			Catalogs:         catalogs,
			Bundles:          bundles,
			Packages:         realPackages,
		})
	})
	for _, name := range realPackages {
		for _, step := range story.Package(name) {
			It(name+": "+step.Title, func(ctx context.Context) { tell(ctx, admin, step) })
		}
	}
})

var _ = ReportAfterSuite("what the manager asked", func(report Report) {
	Expect(rbac.RecordReport(*traces, "e2e", report)).To(Succeed())
})

func start(ctx context.Context, options environment.Options) *story.Admin {
	GinkgoHelper()
	dir, err := os.MkdirTemp("", "platform-operators-e2e-")
	Expect(err).NotTo(HaveOccurred())
	options.Dir, options.Log, options.AsShipped = dir, GinkgoWriter, true
	if started++; *traces != "" && options.Variant == "" { // the traces are compared with manifests/
		options.Trace = rbac.TracePath(*traces, "e2e", GinkgoParallelProcess(), started)
	}
	// The context of BeforeAll ends when BeforeAll returns. The environment must run until the cleanup.
	env, err := environment.Start(context.WithoutCancel(ctx), options)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() {
		Expect(env.Stop()).To(Succeed())
		if !CurrentSpecReport().Failed() { // the logs in the folder explain a failure
			Expect(os.RemoveAll(dir)).To(Succeed())
		}
	})
	admin, err := story.NewAdmin(env)
	Expect(err).NotTo(HaveOccurred())
	return admin
}

func tell(ctx context.Context, admin *story.Admin, step story.Step) {
	GinkgoHelper()
	err := step.Run(ctx, admin)
	if err != nil {
		if explain := admin.Explain(ctx, GinkgoWriter); explain != nil {
			GinkgoWriter.Printf("explaining: %v\n", explain)
		}
	}
	Expect(err).NotTo(HaveOccurred())
}
