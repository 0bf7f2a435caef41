package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// quoted is a text in back quotes on a page or in a comment of a manifest.
type quoted struct {
	file string // from the checkout's root
	text string
}

// generatedPages are the pages that programs write. The tests skip them, because they contain the names of tests that ran.
var generatedPages = []string{"docs/benchmarks.md", "docs/soak.md"}

// TestHRD_C8_WhatIsInBackQuotesExists checks that every name in back quotes exists: fields, conditions, reasons, metrics,
// verbs, files, commands and others. A test of cmd/platform-operators checks the manager's flags.
//
// Promise HRD-C8: Every word in back quotes on the pages and in the manifests' comments exists in schemas, code or the
// manager's flags. Every link of a page leads to a file or a heading.
func TestHRD_C8_WhatIsInBackQuotesExists(t *testing.T) {
	all := allQuoted(t)
	if len(all) < 1000 {
		t.Fatalf("found only %d words in back quotes, want at least 1000; are the pages in another folder?", len(all))
	}
	names, used := newVocabulary(t), map[string]bool{}
	for _, each := range all {
		if externalWords[each.text] != "" {
			used[each.text] = true
			continue
		}
		if problem := names.problem(each); problem != "" {
			t.Errorf("%s: `%s`: %s", each.file, each.text, problem)
		}
	}
	for word, whose := range externalWords {
		if !used[word] {
			t.Errorf("`%s` (%s) is on no page; remove it from externalWords", word, whose)
		}
	}
}

// TestHRD_C8_AWordThatDoesNotExistIsNoticed checks that each class of words reports an unknown word.
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
			t.Errorf("`%s` is accepted, and it does not exist", text)
		}
	}
}

// allQuoted returns the texts in back quotes on all pages that are not generated, and in the manifests' comments.
func allQuoted(t *testing.T) []quoted {
	t.Helper()
	var all []quoted
	for _, page := range pages(t, "docs") {
		if slices.Contains(generatedPages, page) {
			continue
		}
		text := readFile(t, page)
		all = append(all, quotedWords(t, page, prose(text))...)
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
		all = append(all, quotedWords(t, file, comments(readFile(t, file)))...)
	}
	return all
}

// pages returns the Markdown files in a folder and its subfolders, relative to the root of the checkout.
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

var codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```$")

// prose returns a page without its code blocks.
func prose(text string) string { return codeBlock.ReplaceAllString(text, "\n\n") }

// comments returns the comments of a YAML file, one per line. Other lines are empty, so that they separate comments.
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
	paragraphBreak = regexp.MustCompile(`\n\s*\n|\n *(?:[|#]|[-*] |\d+\. )`)
	backQuoted     = regexp.MustCompile("`([^`]+)`")
	whitespace     = regexp.MustCompile(`\s+`)
)

// quotedWords returns the texts in back quotes, with each run of white space as one space. A pair of back quotes may span lines, but not
// paragraphs, rows or list items. An odd number of back quotes in a paragraph fails the test.
func quotedWords(t *testing.T, file, text string) []quoted {
	t.Helper()
	var found []quoted
	for _, paragraph := range paragraphBreak.Split(text, -1) {
		if strings.Count(paragraph, "`")%2 != 0 {
			t.Errorf("%s: a paragraph has an odd number of back quotes: %s", file, paragraph)
			continue
		}
		for _, match := range backQuoted.FindAllStringSubmatch(paragraph, -1) {
			found = append(found, quoted{file, whitespace.ReplaceAllString(match[1], " ")})
		}
	}
	return found
}
