// Package report reads test results: the JSON that go test and gotestsum write, and Ginkgo's JSON reports.
package report

import (
	"bufio"
	"bytes"
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

// The outcomes of a test. Unfinished is one of go test whose process ended before it: the process crashed, or was killed.
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
	// File is the report's file name without ".json", Package the Go package, which is empty for a Ginkgo spec.
	File, Package string
	// Name is as go test prints it; a spec's is its containers and itself, separated by blanks.
	Name    string
	Outcome Outcome
	Elapsed time.Duration
	// Attributes are in the order in which the test reported them.
	Attributes []Attribute
	// Output is what go test printed for the test; empty for a spec.
	Output string
	// Parent says that the test has subtests, so that its time is theirs.
	Parent bool
}

// Read reads all reports (*.json) of a folder, by file name. A report that cannot be read does not keep the others from being
// read: the error names each such file.
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

// parse reads a Ginkgo report, which is a JSON array, or go test's, which is one JSON object a line.
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

// event is a line of test2json's output; see "go doc test2json".
type event struct {
	Action, Package, Test, Output, Key, Value string
	Elapsed                                   float64
}

// parseGoTest returns what it has read with the error, because a run that was cut off ends in the middle of a line.
func parseGoTest(file string, content []byte) ([]Test, error) {
	type name struct{ pkg, test string }
	running := map[name]*Test{}
	parents := map[name]bool{}
	var order []name
	for reader, line := bufio.NewReader(bytes.NewReader(content)), 1; ; line++ {
		text, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(bytes.TrimSpace(text)) == 0 {
			break
		}
		var each event
		if err := json.Unmarshal(text, &each); err != nil {
			return finished(running, parents, order), fmt.Errorf("line %d: %w", line, err)
		}
		if each.Test == "" {
			continue
		}
		key := name{each.Package, each.Test}
		if running[key] == nil {
			running[key] = &Test{File: file, Package: each.Package, Name: each.Test, Outcome: Unfinished}
			order = append(order, key)
			if slash := strings.LastIndex(each.Test, "/"); slash >= 0 {
				parents[name{each.Package, each.Test[:slash]}] = true
			}
		}
		running[key].apply(each)
	}
	return finished(running, parents, order), nil
}

func finished[K comparable](running map[K]*Test, parents map[K]bool, order []K) []Test {
	var tests []Test
	for _, key := range order {
		test := running[key]
		test.Parent = parents[key]
		tests = append(tests, *test)
	}
	return tests
}

func (t *Test) apply(e event) {
	switch e.Action {
	case "pass", "fail", "skip":
		t.Outcome = map[string]Outcome{"pass": Passed, "fail": Failed, "skip": Skipped}[e.Action]
		t.Elapsed = time.Duration(e.Elapsed * float64(time.Second))
	case "attr":
		t.Attributes = append(t.Attributes, Attribute{e.Key, e.Value})
	case "output":
		t.Output += e.Output
	}
}
