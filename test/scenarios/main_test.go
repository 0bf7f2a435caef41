package scenarios

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/parity"
	"github.com/openshift/platform-operators/test/rbac"
)

var logs = flag.Bool("logs", false, "print everything that managers and API servers log, not only errors")

var traces = flag.String("traces", "", "folder to write the requests of managers to, for make test-rbac; empty: do not write them")

// gcPercent is the GOGC of the tests. With it the garbage collector takes a fortieth of the processor time, and with Go's default of 100 a
// seventh. On two cores, the heap grows to one or two GiB, of which 200 MiB are live.
//
// memoryLimit is the process's memory limit in bytes. It takes effect on machines with more cores, on which more stories run at once.
const (
	gcPercent   = 800
	memoryLimit = 3 << 30
)

func TestMain(m *testing.M) {
	scenario.PrepareProcess()
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
	runtime.MemProfileRate = 0 // sampling takes a hundredth of the processor time
	flag.BoolVar(&checksInvariants, "invariants", true, "check the invariants of test/invariants in all stories")
	flag.Parse()
	klog.LogToStderr(*logs)
	for _, prepare := range []func() error{checkFlags, chooseSample, chooseHosted} {
		if err := prepare(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	code := m.Run()
	for _, check := range []func() error{checkRequestTypes, checkSample, checkPermittedDifferences, func() error { return writeTrace(code == 0) }} {
		if err := check(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// checkRequestTypes returns an error if stories sent requests of types that test/parity does not compare with a real API server.
func checkRequestTypes() error {
	table, err := parity.TableRequestTypes()
	if err != nil {
		return err
	}
	lacking := allRequests.lacking(table)
	if len(lacking) == 0 {
		return nil
	}
	return fmt.Errorf("stories sent requests of types that test/parity/requests lacks; add a request of each type there, and record its answer:\n%s",
		strings.Join(lacking, "\n"))
}

// writeTrace writes the managers' requests for test/rbac, and records whether they are complete. passed is whether all tests passed. It
// does nothing without the flag traces.
func writeTrace(passed bool) error {
	if *traces == "" {
		return nil
	}
	root, err := environment.Root()
	if err != nil {
		return err
	}
	shipped, err := rbac.ReadShippedRoles(filepath.Join(root, "manifests"))
	if err != nil {
		return err
	}
	if err := allRequests.trace(shipped).Write(rbac.TracePath(*traces, "scenarios", 1, 1)); err != nil {
		return err
	}
	missing := ""
	switch {
	case !passed:
		missing = "the suite failed"
	case flag.Lookup("test.run").Value.String()+flag.Lookup("test.skip").Value.String() != "":
		missing = "-run or -skip chose only some stories"
	}
	return rbac.RecordSuite(*traces, "scenarios", missing)
}
