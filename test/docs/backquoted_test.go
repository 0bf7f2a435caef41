package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// quoted is what a page, or a comment of a manifest, has in back quotes, and where.
type quoted struct {
	file string // from the checkout's root
	text string
}

// generatedPages are written by programs from what they measured; the names in them are of tests that ran.
var generatedPages = []string{"docs/benchmarks.md", "docs/soak.md"}

// TestHRD_C8_WhatIsInBackQuotesExists looks up fields, conditions, reasons, metrics, verbs, files, commands and all else.
// Flags of the manager are looked up by cmd/platform-operators, which has them.
//
// Promise HRD-C8: Every word in back quotes on the pages and in the manifests' comments exists in schemas, code or the manager's flags.
// Every link of a page leads to a file or a heading.
func TestHRD_C8_WhatIsInBackQuotesExists(t *testing.T) {
	all := allQuoted(t)
	if len(all) < 1000 {
		t.Fatalf("found %d words in back quotes; the pages must have moved", len(all))
	}
	names, used := newVocabulary(t), map[string]bool{}
	for _, each := range all {
		if foreign[each.text] != "" {
			used[each.text] = true
			continue
		}
		if problem := names.problem(each); problem != "" {
			t.Errorf("%s: `%s`: %s", each.file, each.text, problem)
		}
	}
	for word, whose := range foreign {
		if !used[word] {
			t.Errorf("`%s` (%s) is on no page any more; remove it from the list of foreign words", word, whose)
		}
	}
}

// A word that does not exist has to be noticed, whatever it looks like.
func TestHRD_C8_AWordThatDoesNotExistIsNoticed(t *testing.T) {
	names := newVocabulary(t)
	for _, text := range []string{
		"spec.install.progressDeadline", "status.history.revision", "spec.install.onFailure: Retry", "drift.policy: Enforced", ".onFail", "approvedVersions",
		"DeadlineMissed", "Progressing=False/DeadlineMissed", "Healthy=Off", "Healthy=True/DeadlineExceeded", "False/DeadlineMissed",
		"platform_operators_conditions", "count by (reason) (platform_operators_hops)", `outcome="done"`,
		"kubectl get plops", "kubectl gets plop", "kubectl explain plop.specs", "make test-everything", "go run ./hack/nothing", "oc adm updates",
		"docs/nothing.md", "test/docs/nothing_test.go", "nothing_test.go", "pkg/catalog.Nothing", "pkg/nothing", "story.Nothing",
		"TestNothing", "TestNothing/at all", "FuzzNothing", "platform-operators-nothing", "Deployment/platform-operators-nothing",
		"core.rukpak.io/nothing", "nothing.config.openshift.io", "deployments.nothing", "a message that …, and nobody writes",
	} {
		if names.problem(quoted{file: "docs/page.md", text: text}) == "" {
			t.Errorf("`%s` passes", text)
		}
	}
}

// allQuoted gives what is in back quotes on each page that people write, and in the manifests' comments.
func allQuoted(t *testing.T) []quoted {
	t.Helper()
	var all []quoted
	for _, page := range pages(t, "docs") {
		if slices.Contains(generatedPages, page) {
			continue
		}
		text := readFile(t, page)
		all = append(all, quotedOf(t, page, prose(text))...)
	}
	manifests, err := filepath.Glob(filepath.Join(root, "manifests", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range manifests {
		file, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, quotedOf(t, file, comments(readFile(t, file)))...)
	}
	return all
}

// pages are the Markdown files of a folder and of those in it, from the checkout's root.
func pages(t *testing.T, folder string) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"*.md", "*/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			file, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, file)
		}
	}
	return found
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

var fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```$")

// prose is a page without its fenced blocks.
func prose(text string) string { return fenced.ReplaceAllString(text, "\n\n") }

// comments are those of a YAML file, one below the other; those that do not follow one another are apart.
func comments(text string) string {
	var found strings.Builder
	for line := range strings.Lines(text) {
		comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !isComment {
			comment = ""
		}
		found.WriteString(comment + "\n")
	}
	return found.String()
}

var (
	paragraphs = regexp.MustCompile(`\n\s*\n|\n *(?:[|#]|[-*] |\d+\. )`)
	inQuotes   = regexp.MustCompile("`([^`]+)`")
	blanks     = regexp.MustCompile(`\s+`)
)

// quotedOf gives what is in back quotes in a text. A pair of them may span lines, but not paragraphs, rows or items.
func quotedOf(t *testing.T, file, text string) []quoted {
	t.Helper()
	var found []quoted
	for _, paragraph := range paragraphs.Split(text, -1) {
		if strings.Count(paragraph, "`")%2 != 0 {
			t.Errorf("%s: a back quote has no other one: %s", file, paragraph)
			continue
		}
		for _, match := range inQuotes.FindAllStringSubmatch(paragraph, -1) {
			found = append(found, quoted{file, blanks.ReplaceAllString(match[1], " ")})
		}
	}
	return found
}
