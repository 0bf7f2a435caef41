// Package docs compares statements on the pages in docs/ with the code, so that a change of the code cannot make a page wrong
// unnoticed.
package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// reasonsInCode returns the reasons of all conditions that users read. The value is the constant that declares the reason.
func reasonsInCode(t *testing.T) map[string]string {
	t.Helper()
	reasons := map[string]string{}
	for name, value := range apiConstants(t, "Reason") {
		reasons[value] = name
	}
	for _, folder := range []string{"pkg/health", "pkg/compat", "pkg/controllers/deniedwrites"} { // they write the operator resource
		for name, value := range constantsIn(t, folder, "Reason") {
			reasons[value] = folder + " " + name
		}
	}
	for _, value := range reasonsOfLibraryGo(t) {
		if reasons[value] == "" {
			reasons[value] = "of library-go"
		}
	}
	return reasons
}

func TestConditionsPageListsEveryReasonAndNoOther(t *testing.T) {
	page, err := os.ReadFile("../../docs/conditions.md")
	if err != nil {
		t.Fatal(err)
	}
	inCode := reasonsInCode(t)
	if len(inCode) < 20 {
		t.Fatalf("found only %d reasons in the code, want at least 20", len(inCode))
	}
	onPage := map[string]bool{}
	for _, line := range strings.Split(string(page), "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 5 {
			for _, word := range codeWord.FindAllStringSubmatch(cells[2], -1) {
				onPage[word[1]] = true
			}
		}
	}
	for reason, name := range inCode {
		if !onPage[reason] {
			t.Errorf("docs/conditions.md does not list reason %q (%s)", reason, name)
		}
		if !regexp.MustCompile(`^[A-Z][A-Za-z]+$`).MatchString(reason) {
			t.Errorf("reason %q (%s) is not CamelCase without digits", reason, name)
		}
	}
	for reason := range onPage {
		if inCode[reason] == "" {
			t.Errorf("docs/conditions.md lists %q, which no code writes", reason)
		}
	}
	expectUsed(t, apiConstants(t, "Reason"))
}
