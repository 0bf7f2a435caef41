package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHRD_C8_LinksLeadSomewhere checks that the links on every page of the checkout lead to files and headings.
func TestHRD_C8_LinksLeadSomewhere(t *testing.T) {
	followed := 0
	for _, page := range slices.Concat(pages(t, "."), pages(t, "test"), pages(t, "docs")) {
		if strings.HasPrefix(page, "vendor/") || strings.HasPrefix(page, "_output/") {
			continue
		}
		for _, target := range links(prose(readFile(t, page))) {
			followed++
			if problem := checkLink(page, target); problem != "" {
				t.Errorf("%s: link to %s: %s", page, target, problem)
			}
		}
	}
	if followed < 50 {
		t.Errorf("found only %d links, want at least 50", followed)
	}
	for _, invalid := range []string{"nothing.md", "#nothing", "conditions.md#nothing", "../README.md#nothing", "../hack/nothing"} {
		if checkLink("docs/install.md", invalid) == "" {
			t.Errorf("a link to %s is accepted, and it leads nowhere", invalid)
		}
	}
}

var (
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings   = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// links returns the targets of a text's links to files and headings of the checkout.
func links(text string) []string {
	var found []string
	for _, match := range linkTarget.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(match[1], "://") {
			found = append(found, match[1])
		}
	}
	return found
}

// checkLink returns the problem with a link of a page, or "" if the link leads to a file or heading.
func checkLink(page, target string) string {
	path, heading, hasHeading := strings.Cut(target, "#")
	file := page
	if path != "" {
		file = filepath.Join(filepath.Dir(page), path)
	}
	if !fileExists(file) {
		return "there is no such file"
	}
	if !hasHeading {
		return ""
	}
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return err.Error()
	}
	if !slices.Contains(slugs(string(content)), heading) {
		return fmt.Sprintf("%s has no such heading", file)
	}
	return ""
}

// slugs returns the anchors that GitHub generates for the headings of a page.
func slugs(text string) []string {
	var all []string
	for _, heading := range headings.FindAllStringSubmatch(prose(text), -1) {
		slug := strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-")
		if times := len(slices.DeleteFunc(slices.Clone(all), func(other string) bool { return other != slug })); times > 0 {
			slug = fmt.Sprintf("%s-%d", slug, times)
		}
		all = append(all, slug)
	}
	return all
}
