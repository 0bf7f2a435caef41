package simulate

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// page is the page for catalog authors.
const page = "../../../../docs/upgrade-rules.md"

var (
	yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")
	// rulesBlock matches the indented rules in an example, below a line with their location.
	rulesBlock = regexp.MustCompile(`(?m)^(?:rules(?: of \S+)?|property of bundle \S+):\n((?:  .*\n)+)`)
	isInvalid  = regexp.MustCompile(`(?m)^from .*: RulesInvalid "`)
)

// TestCLI_17_TheRulesOfThePageAreRead reads the rules that the page shows as a file for --rules: complete blobs, and the rules in the
// examples. Rules that the page calls invalid are refused.
func TestCLI_17_TheRulesOfThePageAreRead(t *testing.T) {
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	packages := []catalog.Package{{Name: "example"}}
	blobs := yamlBlock.FindAllStringSubmatch(string(content), -1)
	for _, blob := range blobs {
		rules, err := readRules([]byte(blob[1]), packages)
		if err != nil || len(rules["example"].Steps) != 1 {
			t.Errorf("got %+v, error %v, for:\n%s", rules, err, blob[1])
		}
		unquoted := strings.ReplaceAll(blob[1], `"1.3.x"`, "1.3")
		if _, err := readRules([]byte(unquoted), packages); err == nil || !strings.Contains(err.Error(), "write it in quotes") {
			t.Errorf("without quotes: got error %v", err)
		}
	}
	valid, invalid := 0, 0
	for _, example := range regexp.MustCompile("(?ms)^```example\n(.*?)^```$").FindAllStringSubmatch(string(content), -1) {
		for _, rules := range rulesBlock.FindAllStringSubmatch(example[1], -1) {
			_, err := readRules([]byte(rules[1]), packages)
			if isInvalid.MatchString(example[1]) != (err != nil) {
				t.Errorf("got error %v for:\n%s", err, rules[1])
			}
			if err == nil {
				valid++
			} else {
				invalid++
			}
		}
	}
	if len(blobs) == 0 || valid < 10 || invalid < 3 {
		t.Errorf("the page has %d blobs, %d valid and %d invalid rules", len(blobs), valid, invalid)
	}
}

// TestCLI_17_RulesFilesAreBounded checks that a huge file, and one with many documents, end with an error or a result soon.
func TestCLI_17_RulesFilesAreBounded(t *testing.T) {
	packages := []catalog.Package{{Name: "example"}}
	if _, err := readRules(make([]byte, maxRulesFile+1), packages); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a file that is too large: got error %v", err)
	}
	many := "semantics: semver\n" + strings.Repeat("---\n# nothing\n", 10_000)
	if rules, err := readRules([]byte(many), packages); err != nil || len(rules) != 1 {
		t.Errorf("many empty documents: got %d rules, error %v", len(rules), err)
	}
	for _, text := range []string{"- a", "5", "text", `{"package": 5}`} {
		if _, err := readRules([]byte(text), packages); err == nil || !strings.Contains(fmt.Sprint(err), "it is not an object with the rules") {
			t.Errorf("%q: got error %v", text, err)
		}
	}
	if rules, err := readRules([]byte(`{"package":"example","semantics":"semver"}`), packages); err != nil || len(rules) != 1 {
		t.Errorf("JSON: got %d rules, error %v", len(rules), err)
	}
}
