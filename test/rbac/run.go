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

// Suites are the test suites whose traces together make a complete run.
var Suites = []string{"scenarios", "integration", "e2e"}

const (
	traceExt  = ".trace"
	resultExt = ".result"
)

// TracePath returns the path of the trace file for one environment of a suite. process and environment are numbers that make the name
// unique.
func TracePath(folder, suite string, process, environment int) string {
	return filepath.Join(folder, fmt.Sprintf("%s-%d-%d%s", suite, process, environment, traceExt))
}

// RecordReport records the result of a Ginkgo suite in folder for ReadTraces. Call it in ReportAfterSuite. It does nothing if folder
// is "".
func RecordReport(folder, suite string, report types.Report) error {
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

// RecordSuite records in folder that a suite ended, and creates the folder if necessary. problem is the reason why the suite's traces
// are incomplete; "" if they are complete.
func RecordSuite(folder, suite, problem string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("recording the result of the %s suite: %w", suite, err)
	}
	if err := os.WriteFile(filepath.Join(folder, suite+resultExt), []byte(problem), 0o644); err != nil {
		return fmt.Errorf("recording the result of the %s suite: %w", suite, err)
	}
	return nil
}

// ReadTraces returns the sum of all traces of a run. It returns an error if a suite is incomplete, because Compare would then report as
// unused the rights that only the missing requests use.
func ReadTraces(folder string) (Trace, error) {
	trace := Trace{}
	for _, suite := range Suites {
		const remedy = "run `make test-scenarios test-integration e2e`, without TESTFLAGS, first"
		problem, err := os.ReadFile(filepath.Join(folder, suite+resultExt))
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("reading the manager's requests in the %s suite: it left no trace in %q; %s", suite, folder, remedy)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the manager's requests in the %s suite: %w", suite, err)
		}
		if len(problem) > 0 {
			return nil, fmt.Errorf("reading the manager's requests in the %s suite: %s; %s", suite, problem, remedy)
		}
		files, err := filepath.Glob(filepath.Join(folder, suite+"-*"+traceExt))
		if err != nil {
			return nil, fmt.Errorf("reading the manager's requests in the %s suite: %w", suite, err)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("reading the manager's requests in the %s suite: it left no trace in %q; %s", suite, folder, remedy)
		}
		for _, file := range files {
			if err := trace.add(file); err != nil {
				return nil, fmt.Errorf("reading the manager's requests in the %s suite: %w", suite, err)
			}
		}
	}
	return trace, nil
}

// Exemption is a difference that a comparison accepts. The comparison reports an exemption for which it finds no difference.
type Exemption struct {
	// Subject is the result of Right.String or Request.String. Why is the reason for the exemption.
	Subject, Why string
	// Group is the name of a group of exemptions of which each run needs at least one, but not always the same; "" if each run needs this one.
	Group string
}

// unneeded returns a problem for each exemption that was not needed, and of whose group none was. needed has the needed subjects.
func unneeded(exemptions []Exemption, needed map[string]bool) (problems []string) {
	groups := map[string]bool{}
	for _, each := range exemptions {
		groups[each.Group] = groups[each.Group] || each.Group != "" && needed[each.Subject]
	}
	for _, each := range exemptions {
		if !needed[each.Subject] && !groups[each.Group] {
			problems = append(problems, fmt.Sprintf("%s: the exemption is not needed; remove it (%s)", each.Subject, each.Why))
		}
	}
	return problems
}

// Exemptions are the differences that Compare accepts.
type Exemptions struct {
	// Unused are rights that no request uses, of the manager's own roles and of the roles for bundles.
	Unused []Exemption
	// Denied are requests that tests deny on purpose.
	Denied []Exemption
}

// discoveryBindings are the default bindings that let every account use discovery and review its own access.
var discoveryBindings = []string{"ClusterRoleBinding system:basic-user", "ClusterRoleBinding system:discovery", "ClusterRoleBinding system:public-info-viewer"}

// Compare returns the differences between the roles and the requests, sorted: unused rights, of the roles for bundles too, rights that another
// role grants in all namespaces, denied requests, requests that the wrong role allowed, and unused roles of Kubernetes. It also returns
// exemptions without a difference. It returns nil if there is none of these.
func Compare(shipped ShippedRoles, trace Trace, exempt Exemptions) (problems []string) {
	needed := map[string]bool{}
	report := func(list []Exemption, what, format string, args ...any) {
		if slices.ContainsFunc(list, func(each Exemption) bool { return each.Subject == what }) {
			needed[what] = true
			return
		}
		problems = append(problems, fmt.Sprintf(format, args...))
	}
	for _, right := range shipped.Own {
		if !trace.isUsed(right) {
			report(exempt.Unused, right.String(), "%s: no request used it; remove it, or add a spec that does", right)
		}
		if wider := slices.IndexFunc(shipped.Own, right.isCoveredBy); wider >= 0 {
			problems = append(problems, fmt.Sprintf("%s: %s gives it everywhere; remove it", right, shipped.Own[wider].Role))
		}
	}
	for _, right := range shipped.bundleRights() {
		if !trace.isUsedForBundles(right, shipped) {
			report(exempt.Unused, right.String(), "%s: no request for an object of a bundle used it; remove it, or add a story that does", right)
		}
		if slices.ContainsFunc(shipped.Own, func(each Right) bool { return each.grantsAll(right) }) {
			problems = append(problems, fmt.Sprintf("%s: the manager's own role grants it everywhere; remove it", right))
		}
	}
	for request, count := range trace {
		if request.By == "" {
			report(exempt.Denied, request.String(), "%s: was denied %d times; add a rule, or do not send it", request, count)
			continue
		}
		if problem := shipped.problem(request); problem != "" {
			problems = append(problems, fmt.Sprintf("%s: %s", request, problem))
		}
	}
	roles := map[string]bool{}
	for _, right := range shipped.FromKubernetes {
		roles[right.Role] = roles[right.Role] || trace.isUsed(right)
	}
	for role, used := range roles {
		if !used {
			problems = append(problems, role+": is bound to the manager, and no request used it")
		}
	}
	problems = append(problems, unneeded(slices.Concat(exempt.Unused, exempt.Denied), needed)...)
	slices.Sort(problems)
	return problems
}

// isUsed reports whether an allowed request uses the right.
func (t Trace) isUsed(right Right) bool {
	for request := range t {
		if request.By != "" && right.allows(request) {
			return true
		}
	}
	return false
}

// isUsedForBundles reports whether an allowed request uses a right of a role for bundles, and no right of the manager's own roles permits it.
func (t Trace) isUsedForBundles(right Right, shipped ShippedRoles) bool {
	for request := range t {
		if request.By != "" && right.allows(request) && !shipped.isOwnRight(request) {
			return true
		}
	}
	return false
}

// problem returns what is wrong with the binding that allowed a request, or "" if the binding is correct.
func (s ShippedRoles) problem(request Request) string {
	if slices.Contains(discoveryBindings, request.By) || s.isOwnRight(request) {
		return ""
	}
	switch {
	case request.By != "ClusterRoleBinding "+BundlesRole:
		return fmt.Sprintf("no shipped role allows it, but %q does", request.By)
	case s.isOwn(request):
		return "concerns the manager itself, and only the role for bundles allows it; add a rule to the manager's own role"
	case s.lacksForBundles(request):
		return "a role that a test adds allows it, but the payload's role for bundles has the resource without this verb; add the verb"
	}
	return ""
}

// lacksForBundles reports whether the payload's roles for bundles grant other verbs on the resource of a request, but not its verb. Other
// resources are granted by admins, who add roles for the bundles that they install.
func (s ShippedRoles) lacksForBundles(request Request) bool {
	resource, _, _ := strings.Cut(request.Resource, "/")
	isGranted := false
	for _, right := range s.bundleRights() {
		if right.allows(request) {
			return false
		}
		isGranted = isGranted || right.Resource == resource
	}
	return isGranted
}

// isOwn reports whether the manager sends a request for itself and not for a bundle. Such requests are in the manager's own namespace, are
// for its own kinds, or list and watch CustomResourceDefinitions, without which the manager does not start.
func (s ShippedRoles) isOwn(request Request) bool {
	if request.Resource == "customresourcedefinitions.apiextensions.k8s.io" && slices.Contains([]string{"list", "watch"}, request.Verb) {
		return true
	}
	_, group, _ := strings.Cut(request.Resource, ".")
	group, _, _ = strings.Cut(group, "/")
	return request.Namespace == Namespace || slices.Contains([]string{"platform.openshift.io", "core.rukpak.io", "operator.openshift.io", "config.openshift.io"}, group)
}

// Exceeding returns the requests that were denied, or that no shipped role permits, sorted. Unlike Compare, it does not check whether all
// permissions are used. Rights in ForNamespaces count in every namespace, because a trace does not tell in which ones the role is bound.
func (t Trace) Exceeding(shipped ShippedRoles) (problems []string) {
	for request, count := range t {
		switch problem := shipped.problem(request); {
		case request.By == "":
			problems = append(problems, fmt.Sprintf("%s: was denied %d times", request, count))
		case problem != "" && !shipped.isBoundInNamespaces(request):
			problems = append(problems, fmt.Sprintf("%s: %s", request, problem))
		}
	}
	slices.Sort(problems)
	return problems
}

// isBoundInNamespaces reports whether a shipped ClusterRole that users bind in single namespaces permits a request.
func (s ShippedRoles) isBoundInNamespaces(request Request) bool {
	return request.Namespace == OtherNamespace && slices.ContainsFunc(s.ForNamespaces, func(each Right) bool {
		return each.Verb == request.Verb && each.Resource == request.Resource
	})
}
