package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/memorybudget"
	"github.com/openshift/platform-operators/test/provenance"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

const (
	// memoryOperators is the number of installed operators.
	memoryOperators = 100
	// rereadings is the number of times that the manager reads all catalogs again.
	rereadings = 3
	// memoryPrefix is the prefix of the operators' packages.
	memoryPrefix = "memory"
)

// memoryPhase is the manager's peak memory in a phase, in bytes.
type memoryPhase struct {
	name string
	// resident holds two peaks: that of anonymous memory, which is sampled every few milliseconds, and that of total memory, which is the
	// kernel's high-water mark.
	resident residentMemory
	// live is the largest heap size after a garbage collection.
	live float64
}

// withPeaksOf returns m, in which each value is the larger of the values of m and other.
func (m memoryPhase) withPeaksOf(other memoryPhase) memoryPhase {
	m.resident.anonymous = max(m.resident.anonymous, other.resident.anonymous)
	m.resident.total = max(m.resident.total, other.resident.total)
	m.live = max(m.live, other.live)
	return m
}

// memoryPeaks holds the manager's peak memory in each phase, and the number and total size of the catalogs.
type memoryPeaks struct {
	catalogs, catalogBytes                                     int
	idle, installing, installed, reading, rereading, restarted memoryPhase
}

func (m memoryPeaks) phases() []memoryPhase {
	return []memoryPhase{m.idle, m.installing, m.installed, m.reading, m.rereading, m.restarted}
}

// figures returns the largest values across all phases. The Deployment's memory request is derived from them.
func (m memoryPeaks) figures() memorybudget.Figures {
	var most memoryPhase
	for _, phase := range m.phases() {
		most = most.withPeaksOf(phase)
	}
	return memorybudget.Figures{
		Operators: memoryOperators, Catalogs: m.catalogs, CatalogBytes: int64(m.catalogBytes),
		PeakRSS: int64(most.resident.total), PeakAnonymousRSS: int64(most.resident.anonymous), LiveHeap: int64(most.live),
	}
}

// measureMemory measures the manager while it installs operators and reads full-size catalogs over gRPC and HTTPS.
func measureMemory(ctx context.Context, dir string, packages []packageLines, logf func(string, ...any)) (part, error) {
	streams, err := fullSizeCatalogs(packages, largeCatalogs)
	if err != nil {
		return part{}, err
	}
	operators := operatorsNamed(memoryPrefix, memoryOperators)
	return withCluster(ctx, dir, environment.Options{Samples: operators}, logf, func(ctx context.Context, l *live) (part, error) {
		catalogs, err := l.addCatalogs(ctx, filepath.Join(dir, "catalogs"), streams)
		if err != nil {
			return part{}, err
		}
		logf("serving %d catalogs of together %s", len(streams), size.format(float64(length(streams))))
		measured := memoryPeaks{catalogs: len(streams), catalogBytes: length(streams)}
		streams = nil
		if err := l.measureMemory(ctx, &measured, catalogs, operators); err != nil {
			return part{}, err
		}
		p := memoryPart(measured)
		figures := measured.figures()
		p.memory = &figures
		return p, nil
	})
}

// fullSizeCatalogs returns catalogs of the given sizes, in bytes. It repeats the packages until a catalog has its size. The packages with
// the most bundles get the names of installed packages, so that the manager keeps all their versions.
func fullSizeCatalogs(packages []packageLines, sizes []int) ([][]byte, error) {
	packages = mostBundlesFirst(packages)
	for i := range min(largeWanted, len(packages)) {
		name := fmt.Sprintf("%s-%d", memoryPrefix, i)
		lines, err := packages[i].renamed(name)
		if err != nil {
			return nil, err
		}
		packages[i] = packageLines{name: name, bundles: packages[i].bundles, lines: lines}
	}
	return each(sizes, func(bytes int) ([]byte, error) { return largeCatalog(bytes, packages) })
}

func (l *live) measureMemory(ctx context.Context, measured *memoryPeaks, catalogs []*servedCatalog, operators []samples.Operator) error {
	for _, phase := range []struct {
		name string
		into *memoryPhase
		run  func(context.Context) error
	}{
		{"no PlatformOperator", &measured.idle, func(ctx context.Context) error { return sleep(ctx, quietTime) }},
		{fmt.Sprintf("%d operators being installed", len(operators)), &measured.installing, func(ctx context.Context) error { return l.installPinned(ctx, operators) }},
		{fmt.Sprintf("%d operators installed", len(operators)), &measured.installed, func(ctx context.Context) error { return sleep(ctx, quietTime) }},
		{fmt.Sprintf("%d catalogs read for the first time", len(catalogs)), &measured.reading, func(ctx context.Context) error { return l.announceAll(ctx, catalogs) }},
	} {
		if err := l.phase(ctx, phase.into, phase.name, phase.run); err != nil {
			return err
		}
	}
	for round := range rereadings {
		if err := changeAll(ctx, catalogs, round); err != nil {
			return err
		}
		var again memoryPhase
		err := l.phase(ctx, &again, fmt.Sprintf("%d catalogs read again", len(catalogs)), func(ctx context.Context) error { return l.announceAll(ctx, catalogs) })
		if err != nil {
			return err
		}
		measured.rereading = again.withPeaksOf(measured.rereading)
	}
	if err := l.Manager.Stop(); err != nil {
		return err
	}
	return l.restartedPhase(ctx, &measured.restarted, catalogs)
}

// installPinned installs the operators and waits until they are healthy. It pins them to the samples' catalog, because the full-size
// catalogs contain packages with the same names.
func (l *live) installPinned(ctx context.Context, operators []samples.Operator) error {
	step := installStep(operators)
	step.Within = waitLimit
	step.Act = func(ctx context.Context, admin *story.Admin) error {
		for _, each := range operators {
			operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: each.Package}}
			operator.Spec.Package.Name = each.Package
			operator.Spec.Package.CatalogSelector = &metav1.LabelSelector{MatchLabels: map[string]string{platformv1alpha1.LabelCatalogName: environment.CatalogName}}
			if _, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, operator, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		return nil
	}
	return step.Run(ctx, l.admin)
}

// writeMemory writes the figures to memorybudget.File, with the commit, machine, command and date of the run.
func writeMemory(figures memorybudget.Figures, facts []provenance.Fact) error {
	for _, fact := range facts {
		switch fact[0] {
		case "commit":
			figures.Commit = fact[1]
		case "machine":
			figures.Machine = fact[1]
		case "command":
			figures.Command = strings.Trim(fact[1], "`")
		case "date":
			figures.Date = fact[1]
		}
	}
	return figures.Write(memorybudget.File)
}

func memoryPart(m memoryPeaks) part {
	figures := m.figures()
	p := part{
		title: "Reading full-size catalogs",
		text: fmt.Sprintf("The manager's peak memory while it reads %d catalogs of %s in total, with %d operators installed. Each catalog is served over gRPC as a CatalogSource and over HTTPS as a ClusterCatalog. The catalogs repeat the real packages under other names. The %d packages with the most bundles have the names of installed packages, so that the manager keeps all their versions. It reads all catalogs at once: for the first time, %d times with other content, and after a restart.\n\n"+
			"“Anonymous” is the heap and stacks, read every %s. “Total” is the kernel's high-water mark, with the pages of the binary. “Live heap” is the largest heap after a garbage collection. The baseline is the same process with the operators installed and without these catalogs. The figures are also in `%s`; the Deployment's memory request and GOMEMLIMIT follow from them.", m.catalogs, size.format(float64(m.catalogBytes)), memoryOperators, largeWanted, rereadings, sampleInterval, memorybudget.File),
		ours: "manager", baseline: "manager before reading",
		details: table{caption: "Peaks by phase:", head: []string{"phase", "anonymous RSS", "total RSS", "live heap"}},
		notes: []string{fmt.Sprintf("The memory request is %s, the peak plus a tenth. GOMEMLIMIT is %s, the request without the pages of the binary.",
			size.format(float64(figures.Request())), size.format(float64(figures.GoLimit(figures.Request()))))},
	}
	for _, phase := range []memoryPhase{m.reading, m.rereading, m.restarted} {
		p.figures = append(p.figures,
			figure{name: phase.name + ": peak anonymous RSS", unit: size, ours: phase.resident.anonymous, baseline: m.installed.resident.anonymous, n: 1},
			figure{name: phase.name + ": peak total RSS", unit: size, ours: phase.resident.total, baseline: m.installed.resident.total, n: 1},
			figure{name: phase.name + ": live heap", unit: size, ours: phase.live, baseline: m.installed.live, n: 1})
	}
	for _, phase := range m.phases() {
		p.details.rows = append(p.details.rows, []string{phase.name, size.format(phase.resident.anonymous), size.format(phase.resident.total), size.format(phase.live)})
	}
	return p
}
