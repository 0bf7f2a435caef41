package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root           = "../../.."
	serviceMonitor = root + "/manifests/0000_90_platform-operators_02-servicemonitor.yaml"
)

var (
	ownMetric = regexp.MustCompile(`\bplatform_operators_[a-z_]*[a-z]`)
	histogram = regexp.MustCompile(`^platform_operators_.*_seconds$`) // matches metrics that can be histograms
	keptRow   = regexp.MustCompile("(?m)^\\| (`[a-z_` ,]+`) \\|")
	inQuotes  = regexp.MustCompile("`([a-z_]+)`")
)

// TestHRD_C5_WhatAlertsDashboardsAndPagesUseIsKept tests that the ServiceMonitor keeps each of the manager's metrics that manifests/ or
// docs/ name.
func TestHRD_C5_WhatAlertsDashboardsAndPagesUseIsKept(t *testing.T) {
	used := map[string]string{} // file by metric
	for _, pattern := range []string{"manifests/*.yaml", "docs/*.md", "docs/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			content := read(t, path)
			for _, metric := range ownMetric.FindAllString(content, -1) {
				used[metric] = path
			}
		}
	}
	for _, metric := range keptOnPage(t) {
		used[metric] = "docs/metrics.md"
	}
	if len(used) < 20 {
		t.Fatalf("found %d metrics in manifests/ and docs/; they must look otherwise now", len(used))
	}
	for metric, path := range used {
		for _, name := range []string{metric, metric + "_bucket", metric + "_sum", metric + "_count"} {
			if isSeries := name == metric || histogram.MatchString(metric); isSeries && !isKept(t, name) {
				t.Errorf("%s uses %s, and the ServiceMonitor drops %s", path, metric, name)
			}
		}
	}
}

// TestHRD_C5_WhatIsKeptIsOnThePage tests that docs/metrics.md lists the metrics of libraries that the ServiceMonitor keeps.
func TestHRD_C5_WhatIsKeptIsOnThePage(t *testing.T) {
	regex := regexp.MustCompile(`(?m)^ +regex: (.+)$`).FindStringSubmatch(read(t, serviceMonitor))
	if regex == nil {
		t.Fatal("the ServiceMonitor has no regex")
	}
	page := keptOnPage(t)
	for _, name := range strings.Split(regex[1], "|") {
		if name != "platform_operators_.+" && !slices.Contains(page, name) {
			t.Errorf("the ServiceMonitor keeps %s, which docs/metrics.md does not list", name)
		}
	}
	for _, dropped := range []string{"workqueue_queue_duration_seconds_bucket", "rest_client_request_duration_seconds_bucket", "apiserver_request_total", "go_gc_duration_seconds"} {
		if isKept(t, dropped) {
			t.Errorf("%s is kept", dropped)
		}
	}
}

// keptOnPage returns the metrics of libraries that docs/metrics.md lists as kept.
func keptOnPage(t *testing.T) []string {
	t.Helper()
	_, section, found := strings.Cut(read(t, root+"/docs/metrics.md"), "\n## What Prometheus keeps\n")
	if !found {
		t.Fatal("docs/metrics.md does not say what Prometheus keeps")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for _, row := range keptRow.FindAllStringSubmatch(section, -1) {
		for _, name := range inQuotes.FindAllStringSubmatch(row[1], -1) {
			listed = append(listed, name[1])
		}
	}
	if len(listed) < 5 {
		t.Fatalf("docs/metrics.md lists %q as kept; the table must look otherwise now", listed)
	}
	return listed
}

func isKept(t *testing.T, metric string) bool {
	t.Helper()
	var out bytes.Buffer
	if err := run([]string{serviceMonitor}, strings.NewReader(fmt.Sprintf("%s{name=\"x\"} 1\n", metric)), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Contains(out.String(), metric)
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
