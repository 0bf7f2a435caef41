package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/operator-framework/rukpak/pkg/convert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

// rendering is the result for one bundle. If a side refuses the bundle, that side has an error, and its cost is the cost of the refusal.
// Only bundles that both sides accept are compared.
type rendering struct {
	name                     string
	objects                  int
	refusal, baselineRefusal error
	ours, written, theirs    cost
}

func (r rendering) comparable() bool { return r.refusal == nil && r.baselineRefusal == nil }

// measureRender measures rendering every bundle, from the files on disk to objects.
func measureRender(folders []string, n int, logf func(format string, args ...any)) (part, error) {
	var all []rendering
	for i, folder := range folders {
		r, err := compareRendering(shortName(folder), os.DirFS(folder), n)
		if err != nil {
			return part{}, err
		}
		all = append(all, r)
		if (i+1)%10 == 0 || i+1 == len(folders) {
			logf("rendered %d of %d bundles", i+1, len(folders))
		}
	}
	return renderPart(all, n), nil
}

func compareRendering(name string, bundle fs.FS, n int) (rendering, error) {
	r := rendering{name: name}
	objects, err := render(bundle)
	r.objects, r.refusal = len(objects), err
	_, r.baselineRefusal = convertBundle(bundle)

	costs, err := measureAlternately(n,
		subject{"pkg/bundle/registryv1", func() error { _, err := render(bundle); return checkOutcome(r.refusal, err) }},
		subject{"rukpak", func() error { _, err := convertBundle(bundle); return checkOutcome(r.baselineRefusal, err) }},
		subject{"pkg/bundle/registryv1 and JSON", func() error { return checkOutcome(r.refusal, renderJSON(bundle, io.Discard)) }})
	if err != nil {
		return rendering{}, fmt.Errorf("rendering bundle %s: %w", name, err)
	}
	r.ours, r.theirs, r.written = costs[0], costs[1], costs[2]
	return r, nil
}

// checkOutcome compares two attempts to render the same bundle. It returns an error if only one of them failed.
func checkOutcome(first, now error) error {
	if (first == nil) == (now == nil) {
		return nil
	}
	return fmt.Errorf("the outcome changed from %q to %q", outcome(first), outcome(now))
}

func render(files fs.FS) ([]unstructured.Unstructured, error) {
	b, err := registryv1.Load(files)
	if err != nil {
		return nil, err
	}
	return b.Render(bundle.Options{InstallNamespace: b.Metadata().InstallNamespace(), Certificates: bundle.ServiceCA})
}

// renderInto renders a bundle for an install namespace.
func renderInto(files fs.FS, namespace string) ([]unstructured.Unstructured, error) {
	b, err := registryv1.Load(files)
	if err != nil {
		return nil, err
	}
	return b.Render(bundle.Options{InstallNamespace: namespace, Certificates: bundle.ServiceCA})
}

// renderJSON renders a bundle and writes the rendered objects to w as JSON lines.
func renderJSON(bundle fs.FS, w io.Writer) error {
	objects, err := render(bundle)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(w)
	encoder := json.NewEncoder(buffered)
	for i := range objects {
		if err := encoder.Encode(objects[i].Object); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// convertBundle is the baseline for rendering: rukpak's converter. Like render, it renders for all namespaces, into the suggested
// namespace.
func convertBundle(bundle fs.FS) (fs.FS, error) {
	return convert.RegistryV1ToPlain(bundle, "", []string{""})
}

func renderPart(all []rendering, n int) part {
	p := part{
		title: "Rendering bundles",
		text:  "The time from a bundle's files, which are in the page cache, to the objects to apply, for all namespaces. The sums include the bundles that both sides accept. The baseline is rukpak v0.24's converter, built with the same Kubernetes libraries. It returns YAML, so that the second sum adds writing our objects as JSON.",
		ours:  "`pkg/bundle/registryv1`", baseline: "rukpak v0.24's `pkg/convert`",
	}
	var ours, written, theirs, total cost
	var both, accepted, objects int
	for _, r := range all {
		total.add(r.ours)
		if r.refusal == nil {
			accepted++
			objects += r.objects
		}
		if r.comparable() {
			both++
			ours.add(r.ours)
			written.add(r.written)
			theirs.add(r.theirs)
		}
	}
	p.figures = append(p.figures, costFigures(fmt.Sprintf("%d bundles, to objects", both), ours, theirs, n)...)
	p.figures = append(p.figures, costFigures(fmt.Sprintf("%d bundles, written out", both), written, theirs, n)...)
	p.figures = append(p.figures, costFigures(fmt.Sprintf("all %d bundles, rendered or refused", len(all)), total, cost{}, n)...)
	p.notes = []string{
		fmt.Sprintf("Our renderer accepts %[2]d of %[1]d bundles, with %[3]d objects in total. The time of a refused bundle is the time until the refusal, without a ratio. Reasons are truncated.", len(all), accepted, objects),
	}
	p.details = renderTable(all)
	return p
}

func renderTable(all []rendering) table {
	t := table{
		caption: "Each bundle, rendered to objects; ratios are baseline ÷ ours.",
		head:    []string{"bundle", "outcome", "objects", "time", "allocations", "rukpak", "rukpak time", "rukpak allocations", "time ratio", "allocation ratio"},
	}
	for _, r := range all {
		row := []string{
			r.name, outcome(r.refusal), "—", seconds.format(r.ours.time.Seconds()), count.format(r.ours.allocations),
			outcome(r.baselineRefusal), seconds.format(r.theirs.time.Seconds()), count.format(r.theirs.allocations), "—", "—",
		}
		if r.refusal == nil {
			row[2] = fmt.Sprint(r.objects)
		}
		if r.comparable() {
			row[8] = formatRatio(float64(r.theirs.time) / float64(r.ours.time))
			row[9] = formatRatio(r.theirs.allocations / r.ours.allocations)
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// outcome returns "rendered", or the truncated reason of a refusal without the prefix that names the bundle.
func outcome(refusal error) string {
	if refusal == nil {
		return "rendered"
	}
	text, _, _ := strings.Cut(refusal.Error(), "\n")
	if strings.HasPrefix(text, "validating bundle ") || strings.HasPrefix(text, "loading bundle ") {
		if _, rest, found := strings.Cut(text, ": "); found {
			text = rest
		}
	}
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest-1]) + "…"
	}
	return "refused: " + text
}
