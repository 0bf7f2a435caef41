// Command times prints the durations of a CI run's steps, the slowest tests, and excerpts of failed tests' output:
//
//	go run ./hack/times -steps FILE -reports FOLDER
//
// hack/timed.sh writes the file, and "make … RESULTS=FOLDER" the folder.
package main

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/openshift/platform-operators/test/report"
)

func main() {
	steps := flag.String("steps", "", "file that hack/timed.sh wrote")
	reports := flag.String("reports", "", "folder of test reports")
	slowest := flag.Int("slowest", 10, "how many of the slowest tests to print")
	flag.Parse()
	if err := run(os.Stdout, *steps, *reports, *slowest); err != nil {
		fmt.Fprintln(os.Stderr, "times:", err)
		os.Exit(1)
	}
}

// run prints the durations, the slowest tests and the failed tests that it can read. It returns an error for what it cannot read.
func run(out io.Writer, stepsFile, reports string, slowest int) error {
	content, stepsErr := os.ReadFile(stepsFile)
	steps, parseErr := parseSteps(string(content))
	tests, reportErr := report.Read(reports)
	return errors.Join(stepsErr, parseErr, reportErr, printSteps(out, steps, runtime.NumCPU()), printSlowest(out, tests, slowest),
		printFailed(out, tests))
}

// step holds the total times of one target's recipes, in seconds.
type step struct {
	name string
	// wall is wall-clock time. own is the processor time of the step's processes, and machine is that of all processes. stolen is the time
	// that the hypervisor gave to other machines. The last two are sums over all cores.
	wall, own, machine, stolen float64
}

// others returns the processor time of processes that are not the step's children, such as servers that outlived their test.
func (s step) others() float64 { return max(0, s.machine-s.own) }

// idle returns the unused processor time. It is large for a step that waits.
func (s step) idle(cores int) float64 {
	return max(0, s.wall*float64(cores)-max(s.machine, s.own)-s.stolen)
}

// parseSteps sums the lines of each target, in the order in which the targets first occur. It returns an error for each invalid line,
// together with the steps from other lines.
func parseSteps(content string) ([]step, error) {
	var steps []step
	var errs []error
	for lines, number := bufio.NewScanner(strings.NewReader(content)), 1; lines.Scan(); number++ {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 5 {
			errs = append(errs, fmt.Errorf("line %d of the steps has %d fields, want 5", number, len(fields)))
			continue
		}
		var values [4]float64
		for i := range values {
			value, err := strconv.ParseFloat(fields[i+1], 64)
			if err != nil {
				errs = append(errs, fmt.Errorf("line %d of the steps: %w", number, err))
			}
			values[i] = value
		}
		i := slices.IndexFunc(steps, func(s step) bool { return s.name == fields[0] })
		if i < 0 {
			i, steps = len(steps), append(steps, step{name: fields[0]})
		}
		steps[i].add(step{wall: values[0], own: values[1], machine: values[2], stolen: values[3]})
	}
	return steps, errors.Join(errs...)
}

func (s *step) add(other step) {
	s.wall += other.wall
	s.own += other.own
	s.machine += other.machine
	s.stolen += other.stolen
}

func printSteps(out io.Writer, steps []step, cores int) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "wall s\tprocessor s\tothers s\tidle s\tstolen s\t  step (seconds of %d cores)\n", cores)
	var all step
	all.name = "all"
	for _, each := range steps {
		all.add(each)
	}
	for _, each := range append(slices.Clone(steps), all) {
		fmt.Fprintf(table, "%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t  %s\n", each.wall, each.own, each.others(), each.idle(cores), each.stolen, each.name)
	}
	return table.Flush()
}

// printSlowest prints the slowest passed and failed tests. most is the maximum number of printed tests. A test with subtests is omitted,
// but its subtests are not.
func printSlowest(out io.Writer, tests []report.Test, most int) error {
	tests = slices.DeleteFunc(slices.Clone(tests), func(t report.Test) bool {
		return t.Parent || t.Name == "" || t.Outcome != report.Passed && t.Outcome != report.Failed
	})
	slices.SortStableFunc(tests, func(a, b report.Test) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "seconds\t  the slowest of %d tests\n", len(tests))
	for _, each := range tests[:min(most, len(tests))] {
		fmt.Fprintf(table, "%.1f\t  %s: %s\n", each.Elapsed.Round(100*time.Millisecond).Seconds(), each.File, each.Name)
	}
	return table.Flush()
}

const (
	// mostFailed, mostLines and mostBytes limit the output of failed tests, because CI systems may keep only the last 2 KiB of a log.
	mostFailed = 6
	mostLines  = 15
	mostBytes  = 120 // the maximum number of bytes of a line
)

// logLine matches log lines of Kubernetes' libraries, and lines of go test about the order of tests.
var logLine = regexp.MustCompile(`^[IWEF]\d{4} |^\[[+-]\]|^=== (RUN|PAUSE|CONT|NAME) `)

// crashLine matches the first line of a crash of the Go runtime. The stacks of goroutines follow that line.
var crashLine = regexp.MustCompile(`^(panic|fatal error|SIG[A-Z]+): |^unexpected fault address `)

// printFailed prints the last output lines, without log lines, of failed and unfinished tests, and of failed packages. It prints at most
// mostFailed of them. A crash comes last, because go test prints it in the output of an arbitrary test of the package.
func printFailed(out io.Writer, tests []report.Test) error {
	var failures, crashes []string
	for _, each := range tests {
		lines := slices.DeleteFunc(strings.Split(strings.Trim(each.Output, "\n"), "\n"), logLine.MatchString)
		crash := slices.IndexFunc(lines, crashLine.MatchString)
		switch {
		case crash >= 0 && packageFailed(each.Package, tests):
			crashes = append(crashes, excerpt(each, "has the crash of its package in its output", lines[crash:min(len(lines), crash+mostLines)]))
		case each.Outcome != report.Failed && each.Outcome != report.Unfinished || hasFailedPart(each, tests) || strings.Join(lines, "") == "":
		default:
			failures = append(failures, excerpt(each, string(each.Outcome), lines[max(0, len(lines)-mostLines):]))
		}
	}
	texts := append(failures, crashes...)
	if len(texts) > mostFailed {
		texts = append([]string{fmt.Sprintf("%d more failures, and:\n", len(texts)-mostFailed)}, texts[len(texts)-mostFailed:]...)
	}
	_, err := io.WriteString(out, strings.Join(texts, ""))
	return err
}

// excerpt returns lines of a test's output after a heading with the test's name and what. It truncates each line to mostBytes, in place.
func excerpt(test report.Test, what string, lines []string) string {
	for i, line := range lines {
		lines[i] = strings.ToValidUTF8(line[:min(len(line), mostBytes)], "")
	}
	return fmt.Sprintf("=== %s: %s %s:\n%s\n", test.File, cmp.Or(test.Name, test.Package), what, strings.Join(lines, "\n"))
}

// packageFailed reports whether a Go package failed or its report is incomplete.
func packageFailed(pkg string, tests []report.Test) bool {
	return slices.ContainsFunc(tests, func(each report.Test) bool {
		return each.Package == pkg && (each.Name == "" || each.Outcome == report.Unfinished)
	})
}

// hasFailedPart reports whether a subtest of a test, or a test of a package, failed. If so, only the output of that part is printed,
// because it is more specific.
func hasFailedPart(whole report.Test, tests []report.Test) bool {
	return slices.ContainsFunc(tests, func(each report.Test) bool {
		isPart := each.Name != "" && whole.Name == "" || strings.HasPrefix(each.Name, whole.Name+"/")
		return isPart && each.Outcome == report.Failed && each.File == whole.File && each.Package == whole.Package
	})
}
