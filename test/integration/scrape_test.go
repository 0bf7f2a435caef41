package integration

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/openshift/platform-operators/test/samples"
)

const (
	// seriesOfNothing is an exclusive limit: Prometheus must keep fewer series of a manager with nothing installed.
	seriesOfNothing = 200
	// seriesOfAnOperator is the maximum number of series that each operator may add.
	seriesOfAnOperator = 20
)

// buildRelabel builds the program that applies the ServiceMonitor's relabelings to a scrape, and returns the program's path. The program is
// in a separate module.
func buildRelabel(ctx context.Context) (program string) {
	GinkgoHelper()
	program = filepath.Join(GinkgoT().TempDir(), "relabel")
	build := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join(env.Root, "test", "alerts"), "-mod=readonly", "-trimpath", "-buildvcs=false", "-o", program, "./relabel")
	output, err := build.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(output))
	return program
}

// keptSeries scrapes the manager and returns the series that Prometheus keeps. program is the result of buildRelabel.
func keptSeries(ctx context.Context, program string) []string {
	GinkgoHelper()
	_, body, err := scrape(ctx, "/metrics", clientCertificate(ctx, prometheus))
	Expect(err).NotTo(HaveOccurred())
	relabel := exec.CommandContext(ctx, program, filepath.Join(env.Root, "manifests", "0000_90_platform-operators_02-servicemonitor.yaml"))
	relabel.Stdin = strings.NewReader(body)
	output, err := relabel.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(output))
	return strings.Split(strings.TrimSpace(string(output)), "\n")
}

// seriesOf returns the series that have an operator's name as the value of a label.
func seriesOf(series []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(series), func(each string) bool { return !strings.Contains(each, `="`+name+`"`) })
}

// keptRow matches a row of the table of the libraries' metrics that Prometheus keeps.
var keptRow = regexp.MustCompile("(?m)^\\| (`[a-z_` ,]+`) \\| ")

func metricsKeptOnPage() (metrics []string) {
	GinkgoHelper()
	page, err := os.ReadFile(filepath.Join(env.Root, "docs", "metrics.md"))
	Expect(err).NotTo(HaveOccurred())
	_, section, found := strings.Cut(string(page), "\n## What Prometheus keeps\n")
	Expect(found).To(BeTrue())
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range keptRow.FindAllStringSubmatch(section, -1) {
		metrics = append(metrics, strings.Split(strings.Trim(row[1], "`"), "`, `")...)
	}
	Expect(len(metrics)).To(BeNumerically(">", 5))
	return metrics
}

var _ = Describe("what Prometheus keeps of the manager's metrics", func() {
	// Promise HRD-C5: As the ServiceMonitor scrapes it, a manager with nothing installed has fewer than 200 series, and each operator
	// adds at most 20. Every metric that alerts and pages use is kept.
	It("[HRD-C5] is fewer than 200 series with nothing installed, and at most 20 more for each operator", func(ctx context.Context) {
		program := buildRelabel(ctx)
		By("starting a manager with nothing installed")
		stopManagerForSpec()
		startManagerForSpec(env.Manager.WithEnv())
		Eventually(func(ctx context.Context) (string, error) {
			_, body, err := scrape(ctx, "/metrics", clientCertificate(ctx, prometheus))
			return body, err
		}).WithContext(ctx).Should(ContainSubstring("\nplatform_operators_undeclared 0"))
		almostEmpty := keptSeries(ctx, program)
		AddReportEntry("series of an almost empty manager", len(almostEmpty))
		Expect(len(almostEmpty)).To(BeNumerically("<", seriesOfNothing), strings.Join(almostEmpty, "\n"))
		for _, metric := range metricsKeptOnPage() {
			Expect(almostEmpty).To(ContainElement(ContainSubstring(`__name__="`+metric+`"`)), "the page lists %s, and the manager does not serve it", metric)
		}

		By("upgrading two operators that have blocked updates, remaining drift and an override")
		limit := `"4.21"`
		names := []string{"scraped", "scraped-too"}
		before := almostEmpty
		for _, name := range names {
			Expect(admin.Publish(ctx, samples.Operator{Package: name, Version: "1.0.0", MaxOpenShiftVersion: limit})).To(Succeed())
			create(ctx, name, "<1.2.0")
			Eventually(admin.Installed).WithContext(ctx).WithArguments(name, "1.0.0").Should(Succeed())
			Expect(admin.Publish(ctx, samples.Operator{Package: name, Version: "1.1.0", Replaces: "1.0.0", MaxOpenShiftVersion: limit, ExtraConfigMap: name},
				samples.Operator{Package: name, Version: "1.2.0", Replaces: "1.1.0", MaxOpenShiftVersion: limit})).To(Succeed())
			Eventually(admin.Installed).WithContext(ctx).WithArguments(name, "1.1.0").Should(Succeed())
			expectRepair(ctx, name)
			patchSpec(ctx, name, `"paused": true, "compatibilityOverrides": [{"openShiftVersion": "4.22", "reason": "Ada", "expires": "2999-01-01T00:00:00Z"}]`)
			Eventually(func(ctx context.Context) []string { return seriesOf(keptSeries(ctx, program), name) }).WithContext(ctx).Should(And(
				ContainElement(ContainSubstring("platform_operators_acknowledged_risk")), ContainElement(ContainSubstring("platform_operators_drift_repairs_total")),
				ContainElement(ContainSubstring(`reason="Range"`)), ContainElement(ContainSubstring(`reason="Paused"`))))
			now := keptSeries(ctx, program)
			AddReportEntry("series of an operator", len(seriesOf(now, name)))
			Expect(len(seriesOf(now, name))).To(BeNumerically("<=", seriesOfAnOperator), strings.Join(seriesOf(now, name), "\n"))
			if name == names[1] { // the first one also adds series that all operators share
				Expect(len(now)-len(before)).To(BeNumerically("<=", seriesOfAnOperator), strings.Join(now, "\n"))
			}
			before = now
		}
	})
})
