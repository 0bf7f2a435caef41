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

// rendering is what became of one bundle on both sides. A side that refuses the bundle has an error, and its cost is that of
// refusing; only what both accept is compared.
type rendering struct {
	name                  string
	objects               int
	refusal, baseRefusal  error
	ours, written, theirs cost
}

func (r rendering) comparable() bool { return r.refusal == nil && r.baseRefusal == nil }

// measureRender measures rendering every bundle, from the files on disk to objects.
func measureRender(folders []string, n int, say func(format string, args ...any)) (part, error) {
	var all []rendering
	for i, folder := range folders {
		r, err := compareRendering(shortName(folder), os.DirFS(folder), n)
		if err != nil {
			return part{}, err
		}
		all = append(all, r)
		if (i+1)%10 == 0 || i+1 == len(folders) {
			say("rendered %d of %d bundles", i+1, len(folders))
		}
	}
	return renderPart(all, n), nil
}

func compareRendering(name string, bundle fs.FS, n int) (rendering, error) {
	r := rendering{name: name}
	objects, err := render(bundle)
	r.objects, r.refusal = len(objects), err
	_, r.baseRefusal = convertBundle(bundle)

	costs, err := inTurns(n,
		subject{"pkg/bundle/registryv1", func() error { _, err := render(bundle); return changed(r.refusal, err) }},
		subject{"rukpak", func() error { _, err := convertBundle(bundle); return changed(r.baseRefusal, err) }},
		subject{"pkg/bundle/registryv1 and JSON", func() error { return changed(r.refusal, renderJSON(bundle, io.Discard)) }})
	if err != nil {
		return rendering{}, fmt.Errorf("rendering bundle %s: %w", name, err)
	}
	r.ours, r.theirs, r.written = costs[0], costs[1], costs[2]
	return r, nil
}

// changed is nil as long as a bundle is refused, or accepted, again and again.
func changed(first, now error) error {
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

// renderInto renders a bundle for a namespace.
func renderInto(files fs.FS, namespace string) ([]unstructured.Unstructured, error) {
	b, err := registryv1.Load(files)
	if err != nil {
		return nil, err
	}
	return b.Render(bundle.Options{InstallNamespace: namespace, Certificates: bundle.ServiceCA})
}

// renderJSON renders and writes the objects out, one a line.
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

// convertBundle is the baseline. It installs for all namespaces, as ours does, into the namespace that the bundle suggests.
func convertBundle(bundle fs.FS) (fs.FS, error) {
	return convert.RegistryV1ToPlain(bundle, "", []string{""})
}

func renderPart(all []rendering, n int) part {
	p := part{
		title: "Rendering bundles",
		text: "From a bundle's folder (its files are in the page cache) to the objects to apply, for all namespaces. The sums are over those bundles that both sides accept. " +
			"rukpak v0.24's converter is built here with the same Kubernetes libraries as ours. It returns YAML text, ours objects, hence the second sum: ours with the objects written as JSON.",
		ours: "`pkg/bundle/registryv1`", baseline: "rukpak v0.24's `pkg/convert`",
	}
	var ours, written, theirs, every cost
	var both, accepted, objects int
	for _, r := range all {
		every.add(r.ours)
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
	p.figures = append(p.figures, costFigures(fmt.Sprintf("all %d bundles, rendered or refused", len(all)), every, cost{}, n)...)
	p.notes = []string{
		fmt.Sprintf("Of %d bundles ours renders %d, to %d objects together. The time of a refused bundle is the time it takes to refuse it; it has no ratio. Reasons are cut to their first words.", len(all), accepted, objects),
	}
	p.details = renderTable(all)
	return p
}

func renderTable(all []rendering) table {
	t := table{
		caption: "Each bundle; the ratios are baseline ÷ ours, to objects.",
		head:    []string{"bundle", "outcome", "objects", "time", "allocations", "rukpak", "rukpak time", "rukpak allocations", "time ratio", "allocation ratio"},
	}
	for _, r := range all {
		row := []string{
			r.name, outcome(r.refusal), "—", seconds.format(r.ours.time.Seconds()), count.format(r.ours.allocations),
			outcome(r.baseRefusal), seconds.format(r.theirs.time.Seconds()), count.format(r.theirs.allocations), "—", "—",
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

// outcome is "rendered", or the beginning of the reason why not, after the prefix that names the bundle.
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
