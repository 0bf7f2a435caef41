package rbac

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"
)

// Suites are those whose traces make up a whole run.
var Suites = []string{"scenarios", "integration", "e2e"}

const (
	traceExt = ".trace"
	wholeExt = ".whole"
)

// File is where one environment of a suite writes its trace. The number tells apart those that run at the same time or one
// after the other.
func File(folder, suite string, process, environment int) string {
	return filepath.Join(folder, fmt.Sprintf("%s-%d-%d%s", suite, process, environment, traceExt))
}

// Finish notes that a suite ran, for its ReportAfterSuite: whole, when every spec ran and none failed.
func Finish(folder, suite string, report types.Report) error {
	if folder == "" {
		return nil
	}
	problem := ""
	switch {
	case !report.SuiteSucceeded:
		problem = "it failed"
	case report.PreRunStats.SpecsThatWillRun < report.PreRunStats.TotalSpecs:
		problem = fmt.Sprintf("only %d of its %d specs ran", report.PreRunStats.SpecsThatWillRun, report.PreRunStats.TotalSpecs)
	}
	return RecordSuite(folder, suite, problem)
}

// RecordSuite records that a suite ended. problem says why its traces are incomplete; it is empty if they are complete.
func RecordSuite(folder, suite, problem string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("noting how the %s suite ended: %w", suite, err)
	}
	if err := os.WriteFile(filepath.Join(folder, suite+wholeExt), []byte(problem), 0o644); err != nil {
		return fmt.Errorf("noting how the %s suite ended: %w", suite, err)
	}
	return nil
}

// ReadRun adds up the traces of a whole run. One of which something is missing is an error: rights that only what is missing
// uses would be told as one too many.
func ReadRun(folder string) (Trace, error) {
	trace := Trace{}
	for _, suite := range Suites {
		const remedy = "run `make test-scenarios test-integration e2e`, without TESTFLAGS, first"
		problem, err := os.ReadFile(filepath.Join(folder, suite+wholeExt))
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("reading what the manager asked in the %s suite: it left no trace in %q; %s", suite, folder, remedy)
		}
		if err != nil {
			return nil, fmt.Errorf("reading what the manager asked in the %s suite: %w", suite, err)
		}
		if len(problem) > 0 {
			return nil, fmt.Errorf("reading what the manager asked in the %s suite: %s; %s", suite, problem, remedy)
		}
		files, err := filepath.Glob(filepath.Join(folder, suite+"-*"+traceExt))
		if err != nil {
			return nil, fmt.Errorf("reading what the manager asked in the %s suite: %w", suite, err)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("reading what the manager asked in the %s suite: it left no trace in %q; %s", suite, folder, remedy)
		}
		for _, file := range files {
			if err := trace.add(file); err != nil {
				return nil, fmt.Errorf("reading what the manager asked in the %s suite: %w", suite, err)
			}
		}
	}
	return trace, nil
}

// Exempt is why something that looks wrong is right; where there was no need for it, that is told.
type Exempt struct {
	// What is the right or the request, as its String says.
	What, Why string
	// ByChance says that there may be no need for it in a run.
	ByChance bool
}

// Exemptions are what the comparison leaves out, on purpose.
type Exemptions struct {
	// Unused are rights that no request shows.
	Unused []Exempt
	// Denied are requests that specs have denied on purpose.
	Denied []Exempt
}

// defaults are the bindings by which every account may look at what there is and ask what it may do.
var defaults = []string{"ClusterRoleBinding system:basic-user", "ClusterRoleBinding system:discovery", "ClusterRoleBinding system:public-info-viewer"}

// Compare says where the roles differ from what was asked: rights that nothing used, requests that were denied, and requests
// that something else than the shipped roles allowed. Each line names one.
func Compare(shipped Shipped, trace Trace, exempt Exemptions) (faults []string) {
	met := map[string]bool{}
	tell := func(list []Exempt, what, format string, args ...any) {
		if slices.ContainsFunc(list, func(each Exempt) bool { return each.What == what }) {
			met[what] = true
			return
		}
		faults = append(faults, fmt.Sprintf(format, args...))
	}
	for _, right := range shipped.Own {
		if !trace.uses(right) {
			tell(exempt.Unused, right.String(), "%s: no request used it; remove it, or add a spec that does", right)
		}
		if wider := slices.IndexFunc(shipped.Own, right.within); wider >= 0 {
			faults = append(faults, fmt.Sprintf("%s: %s gives it everywhere; remove it", right, shipped.Own[wider].Role))
		}
	}
	for request, count := range trace {
		if request.By == "" {
			tell(exempt.Denied, request.String(), "%s: was denied %d times; add a rule, or do not ask", request, count)
			continue
		}
		if why := shipped.explain(request); why != "" {
			faults = append(faults, fmt.Sprintf("%s: %s", request, why))
		}
	}
	useful := map[string]bool{}
	for _, right := range shipped.Borrowed {
		useful[right.Role] = useful[right.Role] || trace.uses(right)
	}
	for role, used := range useful {
		if !used {
			faults = append(faults, role+": is bound to the manager, and no request used it")
		}
	}
	for _, each := range slices.Concat(exempt.Unused, exempt.Denied) {
		if !met[each.What] && !each.ByChance {
			faults = append(faults, fmt.Sprintf("%s: is exempt, and there was no need for that (%s)", each.What, each.Why))
		}
	}
	slices.Sort(faults)
	return faults
}

// uses says that some request was allowed that a right covers.
func (t Trace) uses(right Right) bool {
	for request := range t {
		if request.By != "" && right.allows(request) {
			return true
		}
	}
	return false
}

// explain says what is wrong with how a request was allowed; empty when nothing is.
func (s Shipped) explain(request Request) string {
	covers := func(each Right) bool { return each.allows(request) }
	if slices.Contains(defaults, request.By) || slices.ContainsFunc(s.Own, covers) || slices.ContainsFunc(s.Borrowed, covers) {
		return ""
	}
	switch {
	case request.By != "ClusterRoleBinding "+BundlesRole:
		return fmt.Sprintf("none of the shipped roles allows it, but %q", request.By)
	case s.isOwn(request):
		return "is for the manager itself, and only the role for bundles allows it; add a rule to the manager's own"
	}
	return ""
}

// isOwn says that a request is about the manager's own namespace or kinds, with which bundles have nothing to do, or to see
// which kinds the cluster serves, without which it does not begin.
func (s Shipped) isOwn(request Request) bool {
	if request.Resource == "customresourcedefinitions.apiextensions.k8s.io" && slices.Contains([]string{"list", "watch"}, request.Verb) {
		return true
	}
	_, group, _ := strings.Cut(request.Resource, ".")
	group, _, _ = strings.Cut(group, "/")
	return request.Namespace == Namespace || slices.Contains([]string{"platform.openshift.io", "core.rukpak.io", "operator.openshift.io", "config.openshift.io"}, group)
}
