package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
	"github.com/openshift/platform-operators/test/memorybudget"
	"github.com/openshift/platform-operators/test/provenance"
)

const help = `Measures platform-operators and writes docs/benchmarks.md. "make bench" runs it without flags:

  go run -C test/bench .                            measure all parts and write the document
  go run -C test/bench . --only catalog,resolve     measure and print some parts
  go run -C test/bench . --only plugin --merge      measure some parts and replace their sections in the document

Part memory always writes %s, too, from which the Deployment's memory request is derived.
A run takes some minutes, in which the machine should be idle. Paths are relative to the root of the checkout.
Parts: %s

Flags:
`

const mainModule = "github.com/openshift/platform-operators"

// catalogNames are the folders of the catalogs below the data folder. resolvedNames are the packages for which part "resolve" measures
// decisions for a single operator: the package with the most bundles, and one with about a tenth as many. fewPackages are the packages that
// part "catalog" reads selectively.
var (
	catalogNames  = []string{"community-v4.20", "certified-v4.20"}
	resolvedNames = []string{"project-quay", "multi-nic-cni-operator"}
	fewPackages   = []string{"nfs-provisioner-operator", "project-quay", "rabbitmq-cluster-operator"}
)

// partNames are the names of all parts, in the order of the document.
var partNames = []string{"catalog", "snapshots", "resolve", "upgrade", "render", "plan", "install", "bulk", "removal", "drift", "steady", "scoped", "platform", "verdict", "policies", "memory", "takeover", "unpack", "pulls", "mirrors", "story", "plugin", "once"}

type options struct {
	data, out, dir, only string
	samples, rounds      int
	merge                bool
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", "../shared/data", "folder with the real catalogs and bundles")
	flag.StringVar(&o.out, "out", "docs/benchmarks.md", "the document to write")
	flag.StringVar(&o.dir, "dir", "", "folder for the files of the local cluster (default: a temporary folder, removed at the end)")
	flag.StringVar(&o.only, "only", "", "parts to measure, separated by commas; prints them instead of writing --out")
	flag.BoolVar(&o.merge, "merge", false, "with --only: replace the sections of these parts in --out instead of printing them")
	flag.IntVar(&o.samples, "samples", 7, "number of samples of each figure")
	flag.IntVar(&o.rounds, "rounds", 3, "number of rounds of an installation")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), help, memorybudget.File, strings.Join(partNames, ", "))
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := start(o, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// start measures, or is the main function of a baseline's own process if the arguments say so.
func start(o options, arguments []string) error {
	if len(arguments) > 0 {
		switch rest := arguments[1:]; arguments[0] {
		case extractArgument:
			return extract(rest)
		case loadArgument, validateArgument:
			return loadCatalogs(rest, arguments[0] == validateArgument)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, o)
}

func run(ctx context.Context, o options) error {
	parts, err := o.parts()
	if err != nil {
		return err
	}
	if err := enterRoot(); err != nil {
		return err
	}
	command := strings.Join(append([]string{"go run -C test/bench ."}, os.Args[1:]...), " ")
	facts, err := provenance.Describe(o.out, command, time.Now())
	if err != nil {
		return err
	}
	b := bench{options: o, start: time.Now()}
	doc := document{facts: facts}
	for _, name := range parts {
		p, err := b.measure(ctx, name)
		if err != nil {
			return fmt.Errorf("measuring part %q: %w", name, err)
		}
		if p.memory != nil {
			if err := writeMemory(*p.memory, facts); err != nil {
				return err
			}
		}
		doc.parts = append(doc.parts, p)
		b.logf("measured %q", p.title)
	}
	if err := o.publish(doc); err != nil {
		return err
	}
	if o.only == "" || o.merge {
		b.logf("wrote %s", o.out)
	}
	return nil
}

// publish prints the document, writes it, or merges it into the one that was written last, as the options say.
func (o options) publish(doc document) error {
	var text bytes.Buffer
	if err := doc.write(&text); err != nil {
		return err
	}
	content := text.String()
	switch {
	case o.only != "" && !o.merge:
		_, err := os.Stdout.WriteString(content)
		return err
	case o.merge:
		before, err := os.ReadFile(o.out)
		if err != nil {
			return fmt.Errorf("reading the document: %w", err)
		}
		if content, err = merge(string(before), doc.facts, doc.parts); err != nil {
			return err
		}
	}
	if err := os.WriteFile(o.out, []byte(content), 0o644); err != nil {
		return fmt.Errorf("writing the document: %w", err)
	}
	return nil
}

// parts returns the names of the parts to measure, in the order of the document.
func (o options) parts() ([]string, error) {
	if o.samples < 1 || o.rounds < 1 {
		return nil, errors.New("--samples and --rounds must be at least 1")
	}
	if o.only == "" {
		if o.merge {
			return nil, errors.New("--merge: name the parts with --only")
		}
		return partNames, nil
	}
	selected := strings.Split(o.only, ",")
	for _, name := range selected {
		if !slices.Contains(partNames, name) {
			return nil, fmt.Errorf("--only: there is no part %q; there are %s", name, strings.Join(partNames, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(partNames), func(name string) bool { return !slices.Contains(selected, name) }), nil
}

// bench is one run of the command.
type bench struct {
	options
	start time.Time
	// lines contains the catalogs as JSON lines, keyed by catalog name. They are read when a part first needs them, and freed before a part
	// starts a cluster.
	lines map[string][]byte
}

// logf prints progress with the time since the start.
func (b *bench) logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%7.1fs  %s\n", time.Since(b.start).Seconds(), fmt.Sprintf(format, args...))
}

func (b *bench) measure(ctx context.Context, name string) (part, error) {
	switch name {
	case "catalog":
		lines, err := b.catalogs(ctx)
		if err != nil {
			return part{}, err
		}
		var streams [][]byte
		for _, name := range catalogNames {
			streams = append(streams, lines[name])
		}
		return measureCatalogRead(streams, fewPackages, b.samples)
	case "resolve":
		packages, err := b.packages(ctx)
		if err != nil {
			return part{}, err
		}
		return measureResolve(packages, resolvedNames, largeSizes, b.samples)
	case "snapshots":
		all, err := b.packageLines(ctx)
		if err != nil {
			return part{}, err
		}
		return measureSnapshots(all, largeCatalogs, largeWanted, min(b.samples, maxLongSamples))
	case "upgrade":
		catalogs, err := b.packages(ctx)
		if err != nil {
			return part{}, err
		}
		var all []upgrade.Package
		for _, name := range catalogNames {
			packages, err := upgradePackages(catalogs[name])
			if err != nil {
				return part{}, fmt.Errorf("reading catalog %q: %w", name, err)
			}
			all = append(all, packages...)
		}
		return measureUpgrade(all, largeBundles, b.samples, b.logf)
	case "render":
		folders, err := bundleFolders(filepath.Join(b.data, "bundles"))
		if err != nil {
			return part{}, err
		}
		return measureRender(folders, b.samples, b.logf)
	case "plan":
		return measurePlan(plannedObjects, b.samples)
	case "memory", "plugin":
		all, err := b.packageLines(ctx)
		if err != nil {
			return part{}, err
		}
		return b.onCluster(ctx, name, all)
	default:
		return b.onCluster(ctx, name, nil)
	}
}

// onCluster measures a part that needs the local cluster. It removes the temporary folder unless the part fails. packages are the packages
// of the real catalogs for parts "memory" and "plugin", and nil for the other parts.
func (b *bench) onCluster(ctx context.Context, name string, packages []packageLines) (p part, failed error) {
	b.lines = nil // frees memory for the local cluster
	dir := b.dir
	if dir == "" {
		temporary, err := os.MkdirTemp("", "platform-operators-bench-")
		if err != nil {
			return part{}, fmt.Errorf("making a folder for the local cluster: %w", err)
		}
		dir = temporary
		defer func() {
			if failed == nil { // keeps the logs after a failure
				failed = os.RemoveAll(temporary)
			}
		}()
	}
	dir, err := filepath.Abs(filepath.Join(dir, name))
	if err != nil {
		return part{}, err
	}
	switch name {
	case "bulk":
		return measureBulk(ctx, dir, b.rounds, b.logf)
	case "removal":
		return measureRemoval(ctx, dir, b.logf)
	case "drift":
		return measureDrift(ctx, dir, b.logf)
	case "steady":
		return measureSteady(ctx, dir, b.logf)
	case "scoped":
		return measureScoped(ctx, dir, b.rounds, b.logf)
	case "platform":
		return measurePlatform(ctx, dir, b.logf)
	case "verdict":
		return measureVerdict(ctx, dir, b.logf)
	case "policies":
		return measurePolicies(ctx, dir, b.logf)
	case "memory":
		return measureMemory(ctx, dir, packages, b.logf)
	case "plugin":
		var folders []string
		for _, each := range catalogNames {
			folders = append(folders, filepath.Join(b.data, "catalogs", each))
		}
		return measurePlugin(ctx, dir, realCatalogs{folders, packages}, b.samples, b.logf)
	case "once":
		return measureOnce(ctx, dir, b.samples, b.logf)
	case "takeover":
		return measureTakeover(ctx, dir, b.logf)
	case "unpack":
		return measureUnpack(ctx, dir, b.rounds, b.logf)
	case "pulls":
		return measurePulls(ctx, dir, b.logf)
	case "mirrors":
		return measureMirrors(ctx, dir, b.samples, b.rounds, b.logf)
	case "story":
		return measureStories(ctx, dir, b.rounds, b.logf)
	default:
		return measureInstall(ctx, dir, b.rounds, b.logf)
	}
}

// catalogs returns the catalogs as JSON lines, keyed by catalog name. It caches them until a part starts a cluster.
func (b *bench) catalogs(ctx context.Context) (map[string][]byte, error) {
	if b.lines != nil {
		return b.lines, nil
	}
	lines := map[string][]byte{}
	for _, name := range catalogNames {
		var err error
		if lines[name], err = readCatalog(ctx, filepath.Join(b.data, "catalogs", name)); err != nil {
			return nil, err
		}
		b.logf("converted catalog %s to JSON lines, %s", name, size.format(float64(len(lines[name]))))
	}
	b.lines = lines
	return lines, nil
}

// packageLines returns the packages of all catalogs as JSON lines.
func (b *bench) packageLines(ctx context.Context) ([]packageLines, error) {
	lines, err := b.catalogs(ctx)
	if err != nil {
		return nil, err
	}
	var all []packageLines
	for _, name := range catalogNames {
		packages, err := splitPackages(lines[name])
		if err != nil {
			return nil, fmt.Errorf("reading catalog %q: %w", name, err)
		}
		all = append(all, packages...)
	}
	return all, nil
}

// packages returns the packages of the catalogs, keyed by catalog name.
func (b *bench) packages(ctx context.Context) (map[string][]catalog.Package, error) {
	lines, err := b.catalogs(ctx)
	if err != nil {
		return nil, err
	}
	packages := map[string][]catalog.Package{}
	for name, content := range lines {
		if packages[name], err = catalog.Read(bytes.NewReader(content), nil); err != nil {
			return nil, fmt.Errorf("reading catalog %q: %w", name, err)
		}
	}
	return packages, nil
}

// enterRoot changes the working folder to the root of the main module, from any folder inside the checkout. It returns an error outside a
// checkout.
func enterRoot() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && modfile.ModulePath(content) == mainModule {
			return os.Chdir(dir)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return fmt.Errorf("looking for module %s: it is in no folder above the working folder; run this inside the checkout", mainModule)
		}
		dir = parent
	}
}
