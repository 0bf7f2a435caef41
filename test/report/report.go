// Package report reads test results: the JSON that go test and gotestsum write, and Ginkgo's JSON reports.
package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/types"
)

// Outcome is how a test ended.
type Outcome string

// The outcomes of a test. Unfinished is the outcome of a test whose process crashed or was killed before the test ended.
const (
	Passed     Outcome = "passed"
	Failed     Outcome = "failed"
	Skipped    Outcome = "skipped"
	Unfinished Outcome = "unfinished"
)

// Attribute is a figure that a test reported with testing.T.Attr.
type Attribute struct{ Key, Value string }

// Test is one test, subtest, fuzz target or spec.
type Test struct {
	// File is the report's file name without ".json". Package is the path of the Go package; it is empty for a Ginkgo spec.
	File, Package string
	// Name is the name that go test prints, or the texts of a spec and its containers, separated by blanks. If it is empty, the Test stands
	// for a package that failed, and Output is what belongs to none of the package's tests, such as build errors.
	Name    string
	Outcome Outcome
	Elapsed time.Duration
	// Attributes are in the order in which the test reported them.
	Attributes []Attribute
	// Output is the text that go test printed for the test; empty for a spec.
	Output string
	// Parent is true if the test has subtests. Elapsed then includes the time of the subtests.
	Parent bool
}

// Read returns the tests of all reports (*.json) in a folder, sorted by file name. If reports are unreadable or incomplete, it returns an
// error that names each of them, together with the tests that it could read.
func Read(folder string) ([]Test, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("listing the reports in %q: %w", folder, err)
	}
	slices.Sort(paths)
	var all []Test
	var errs []error
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("reading report %q: %w", path, err))
			continue
		}
		tests, err := parse(strings.TrimSuffix(filepath.Base(path), ".json"), content)
		if err != nil {
			errs = append(errs, fmt.Errorf("reading report %q: %w", path, err))
		}
		all = append(all, tests...)
	}
	return all, errors.Join(errs...)
}

// parse returns the tests of a Ginkgo report, which is a JSON array, or of a go test report, which has one JSON object per line.
func parse(file string, content []byte) ([]Test, error) {
	if bytes.HasPrefix(bytes.TrimLeft(content, " \t\r\n"), []byte("[")) {
		return parseGinkgo(file, content)
	}
	return parseGoTest(file, content)
}

func parseGinkgo(file string, content []byte) ([]Test, error) {
	var suites []types.Report
	if err := json.Unmarshal(content, &suites); err != nil {
		return nil, err
	}
	var tests []Test
	for _, suite := range suites {
		for _, spec := range suite.SpecReports {
			if spec.LeafNodeType != types.NodeTypeIt {
				continue
			}
			outcome := Failed
			switch {
			case spec.State.Is(types.SpecStatePassed):
				outcome = Passed
			case spec.State.Is(types.SpecStateSkipped | types.SpecStatePending):
				outcome = Skipped
			}
			tests = append(tests, Test{File: file, Name: spec.FullText(), Outcome: outcome, Elapsed: spec.RunTime})
		}
	}
	return tests, nil
}

// event is a line of test2json's output; see "go doc test2json". A build event has an ImportPath instead of a Package; see "go help
// buildjson".
type event struct {
	Action, Package, ImportPath, Test, Output, Key, Value string
	Elapsed                                               float64
}

// running is a test, or a package, whose events are still being read.
type running struct {
	Test
	output strings.Builder
}

// parseGoTest returns the tests of a go test report. At the first invalid line, it returns an error and the tests before that line, because
// the report of an interrupted run ends in the middle of a line.
func parseGoTest(file string, content []byte) ([]Test, error) {
	type name struct{ pkg, test string }
	known := map[name]*running{}
	var order []*running
	var failed error
	for reader, line := bufio.NewReader(bytes.NewReader(content)), 1; ; line++ {
		text, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(bytes.TrimSpace(text)) == 0 {
			break
		}
		var each event
		if err := json.Unmarshal(text, &each); err != nil {
			failed = fmt.Errorf("line %d: %w", line, err)
			break
		}
		key := name{cmp.Or(each.Package, each.ImportPath), each.Test}
		if known[key] == nil {
			known[key] = &running{Test: Test{File: file, Package: key.pkg, Name: key.test, Outcome: Unfinished}}
			order = append(order, known[key])
			if slash := strings.LastIndex(key.test, "/"); slash >= 0 && known[name{key.pkg, key.test[:slash]}] != nil {
				known[name{key.pkg, key.test[:slash]}].Parent = true
			}
		}
		known[key].apply(each)
	}
	var tests []Test
	for _, each := range order {
		if each.Name == "" && each.Outcome != Failed {
			continue
		}
		each.Output = each.output.String()
		tests = append(tests, each.Test)
	}
	return tests, failed
}

func (r *running) apply(e event) {
	switch e.Action {
	case "pass", "fail", "skip", "build-fail":
		r.Outcome = map[string]Outcome{"pass": Passed, "fail": Failed, "skip": Skipped, "build-fail": Failed}[e.Action]
		r.Elapsed = time.Duration(e.Elapsed * float64(time.Second))
	case "attr":
		r.Attributes = append(r.Attributes, Attribute{e.Key, e.Value})
	case "output", "build-output":
		r.output.WriteString(e.Output)
	}
}
