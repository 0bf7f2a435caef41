package upgrade

import (
	"slices"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// parsePackage reads a package from lines:
//
//	1.2.0                                a bundle, named p.v1.2.0
//	1.3.0 deprecated
//	1.3.5 unfit needs Kubernetes 1.40    the rest of the line is the reason
//	1.3.6 outside spec.package.version   no path may continue from it
//	1.0.0 release 2
//	stable: 1.3.0 replaces 1.2.0 skips 1.2.1 1.2.2 skipRange >=1.0.0 <1.3.0
func parsePackage(tb testing.TB, lines string) Package {
	tb.Helper()
	pkg := Package{Name: "p"}
	for _, line := range strings.Split(lines, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if channel, entry, ok := strings.Cut(line, ": "); ok {
			pkg.Entries = append(pkg.Entries, Entry{Channel: channel, Entry: parseEntry(tb, entry)})
			continue
		}
		text, rest, _ := strings.Cut(line, " ")
		bundle := Bundle{Name: "p.v" + text}
		release := ""
		switch word, more, _ := strings.Cut(rest, " "); word {
		case "":
		case "deprecated":
			bundle.Deprecated = true
		case "unfit":
			bundle.Unfit = more
		case "outside":
			bundle.Avoid = "is " + rest
		case "release":
			release = more
			bundle.Name += "-" + more
		default:
			tb.Fatalf("%q: what is %q?", line, word)
		}
		version, err := ParseVersion(text, release)
		if err != nil {
			tb.Fatal(err)
		}
		bundle.Version = version
		pkg.Bundles = append(pkg.Bundles, bundle)
	}
	return pkg
}

func parseEntry(tb testing.TB, line string) catalog.Entry {
	tb.Helper()
	line, covered, _ := strings.Cut(line, " skipRange ")
	words := strings.Fields(line)
	entry := catalog.Entry{Name: "p.v" + words[0], SkipRange: covered}
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "replaces":
			i++
			entry.Replaces = "p.v" + words[i]
		case "skips":
			for i+1 < len(words) {
				i++
				entry.Skips = append(entry.Skips, "p.v"+words[i])
			}
		default:
			tb.Fatalf("%q: what is %q?", line, words[i])
		}
	}
	return entry
}

// steps adds rules with these semantics to a package and returns it. Each line is one step: from → through → to [latest] [# reason].
func steps(tb testing.TB, pkg Package, semantics Semantics, lines ...string) Package {
	tb.Helper()
	rules := Rules{Location: "the rules", Semantics: semantics}
	for _, line := range lines {
		line, reason, _ := strings.Cut(line, " # ")
		step := Step{Select: Any, Reason: reason}
		if before, latest := strings.CutSuffix(line, " latest"); latest {
			line, step.Select = before, Latest
		}
		parts := strings.Split(line, " → ")
		for i, into := range []*Range{&step.From, &step.Through, &step.To} {
			parsed, err := ParseRange(parts[i])
			if err != nil {
				tb.Fatal(err)
			}
			*into = parsed
		}
		rules.Steps = append(rules.Steps, step)
	}
	pkg.Rules = append(slices.Clone(pkg.Rules), rules)
	return pkg
}

// installedAt returns a bundle with this version. A package need not have the bundle.
func installedAt(tb testing.TB, text string) Bundle {
	tb.Helper()
	version, err := ParseVersion(text, "")
	if err != nil {
		tb.Fatal(err)
	}
	return Bundle{Name: "p.v" + text, Version: version}
}

func versions(tb testing.TB, texts ...string) []Version {
	tb.Helper()
	var all []Version
	for _, text := range texts {
		all = append(all, installedAt(tb, text).Version)
	}
	return all
}

// index returns the index of the bundle whose version has this text. The test fails if there is none.
func index(tb testing.TB, g *Graph, version string) int {
	tb.Helper()
	for i, bundle := range g.Bundles() {
		if bundle.Version.String() == version {
			return i
		}
	}
	tb.Fatalf("there is no version %s", version)
	return -1
}

// way returns the path to a version as text, such as "1.3.5 1.4.0", or the reason why there is none.
func way(tb testing.TB, r *Reachability, to string) string {
	tb.Helper()
	at := index(tb, r.graph, to)
	path, ok := r.Path(at)
	if !ok {
		return string(r.Refusal(at).Reason)
	}
	var hops []string
	for _, hop := range path {
		hops = append(hops, r.graph.Bundles()[hop.Bundle].Version.String())
	}
	return strings.Join(hops, " ")
}

// why returns the message of the refusal of a version.
func why(tb testing.TB, r *Reachability, to string) string {
	tb.Helper()
	return r.Refusal(index(tb, r.graph, to)).Message
}
