package upgrade

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/catalog"
)

const page = "../../docs/upgrade-rules.md"

// An example of the page has lines for parsePackage, rules below a line with their location, and queries. A line "order: " has all versions
// in their order. A line "lint: " has the kind of a finding and parts of its text.
var (
	fenced   = regexp.MustCompile("(?ms)^```example\n(.*?)^```$")
	section  = regexp.MustCompile(`(?m)^##+ (.*)$`)
	owner    = regexp.MustCompile(`^(?:rules( of \S+)?|(property of bundle \S+)):$`)
	question = regexp.MustCompile(`^from (\S+)(?: after (.+?))? to (\S+(?: \(release \S+\))?)(?: without (.+?))?(?: by (\w+))?( among pre-releases only)?: (.+)$`)
	linted   = regexp.MustCompile(`^lint: ([A-Z]\w+)((?: "[^"]*")*)$`)
	refusal  = regexp.MustCompile(`^([A-Z]\w+)((?: "[^"]*")*)$`)
)

func TestExamplesOfThePage(t *testing.T) {
	content := readPage(t)
	headings := section.FindAllStringSubmatchIndex(content, -1)
	asked := map[string]int{}
	for i, heading := range headings {
		end := len(content)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		title := content[heading[2]:heading[3]]
		for n, example := range fenced.FindAllStringSubmatch(content[heading[1]:end], -1) {
			t.Run(fmt.Sprintf("%s %d", title, n+1), func(t *testing.T) {
				asked[title[:3]] += ask(t, example[1])
			})
		}
	}
	for letter := 'a'; letter <= 'l'; letter++ {
		if asked[fmt.Sprintf("(%c)", letter)] == 0 {
			t.Errorf("question (%c) has no example that asks anything", letter)
		}
	}
}

func readPage(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// ask checks one example and returns the number of its queries.
func ask(t *testing.T, example string) (questions int) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(example, "\n"), "\n")
	var offered []string
	pkg := Package{}
	var order string
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch whose := owner.FindStringSubmatch(line); {
		case whose != nil:
			first := i + 1
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ") {
				i++
			}
			addRules(t, &pkg, strings.TrimSpace("the rules "+whose[1]+whose[2]), strings.Join(lines[first:i+1], "\n"))
		case strings.HasPrefix(line, "order: "):
			order = strings.TrimPrefix(line, "order: ")
		case !strings.HasPrefix(line, "from ") && !strings.HasPrefix(line, "lint: "):
			offered = append(offered, line)
		}
	}
	has := parsePackage(t, strings.Join(offered, "\n"))
	pkg.Bundles, pkg.Entries = has.Bundles, has.Entries
	if order != "" {
		questions++
		var got []string
		for _, bundle := range New(pkg).Bundles() {
			got = append(got, bundle.Version.String())
		}
		if diff := cmp.Diff(order, strings.Join(got, " < ")); diff != "" {
			t.Errorf("order (-page +code):\n%s", diff)
		}
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "from ") {
			questions++
			answer(t, pkg, line)
		}
		if finding := linted.FindStringSubmatch(line); finding != nil {
			questions++
			found(t, pkg, finding[1], finding[2])
		}
	}
	return questions
}

// addRules adds rules to a package as the catalog readers do. Unreadable rules are added to Unreadable.
func addRules(t *testing.T, pkg *Package, where, text string) {
	t.Helper()
	raw, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	schema := Schema
	if said := regexp.MustCompile(`(?m)^ *schema: (\S+)$`).FindStringSubmatch(text); said != nil {
		schema = said[1]
	}
	rules, err := ReadRules("example", schema, raw)
	if err != nil {
		pkg.Unreadable = append(pkg.Unreadable, where+": "+err.Error())
		return
	}
	rules.Location = where
	pkg.Rules = append(pkg.Rules, rules)
}

// answer checks the result of one query against the page.
func answer(t *testing.T, pkg Package, line string) {
	t.Helper()
	asked := question.FindStringSubmatch(line)
	if asked == nil {
		t.Fatalf("%q is no question", line)
	}
	from, after, to, without, by, prereleases, want := asked[1], asked[2], asked[3], asked[4], asked[5], asked[6], asked[7]
	pkg.SelfCertified, pkg.OnlyPrereleases = by == "SelfCertified", prereleases != ""
	if by != "" && by != "SelfCertified" {
		pkg.Override = Semantics(strings.ToLower(by))
	}
	pkg.Bundles = slices.DeleteFunc(slices.Clone(pkg.Bundles), func(b Bundle) bool {
		return slices.Contains(strings.Split(without, ", "), b.Version.String())
	})
	var ready []Version
	if after != "" {
		ready = versions(t, strings.Split(after, ", ")...)
	}
	r := New(pkg).From(installedAt(t, from), ready)
	wanted := refusal.FindStringSubmatch(want)
	if wanted != nil {
		want = wanted[1]
	}
	if got := way(t, r, to); got != want {
		t.Errorf("%s\ngot %s %s", line, got, why(t, r, to))
		return
	}
	if wanted != nil {
		for _, part := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(wanted[2], -1) {
			contains(t, why(t, r, to), part[1])
		}
	}
}

// found checks that Lint returns a finding of this kind with these quoted words.
func found(t *testing.T, pkg Package, kind, words string) {
	t.Helper()
	for _, finding := range Lint(pkg) {
		if string(finding.Kind) == kind {
			for _, part := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(words, -1) {
				contains(t, finding.String(), part[1])
			}
			return
		}
	}
	t.Errorf("there is no %s among %v", kind, Lint(pkg))
}

func TestSamplesOfThePageAreValid(t *testing.T) {
	content := readPage(t)
	want := []string{"semantics semver", "<1.3.0 → any of 1.3.x → >=1.4.0 # 1.3 migrates stored objects"}
	for language, where := range map[string]string{"yaml": "blob ", "json": "property "} {
		samples := regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(content, -1)
		if len(samples) != 1 {
			t.Fatalf("there are %d samples in %s", len(samples), language)
		}
		packages, err := catalog.Read(strings.NewReader(samples[0][1]), nil)
		if err != nil || len(packages) != 1 || len(packages[0].UpgradeRules) != 1 {
			t.Fatalf("%s: %+v, %v", language, packages, err)
		}
		blob := packages[0].UpgradeRules[0]
		rules, err := ReadRules("example", blob.Schema, []byte(blob.Raw))
		if err != nil || blob.Fault != "" || !strings.HasPrefix(blob.Location, where) || rules.SemanticsUnset {
			t.Fatalf("%s: %+v, %v", language, blob, err)
		}
		if diff := cmp.Diff(want, outlined(rules)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", language, diff)
		}
		if language != "yaml" {
			continue
		}
		unquoted := strings.Replace(samples[0][1], `through: "1.3.x"`, "through: 1.3", 1)
		packages, err = catalog.Read(strings.NewReader(unquoted), nil)
		if err != nil || unquoted == samples[0][1] || len(packages[0].UpgradeRules) != 1 {
			t.Fatalf("without quotes: %+v, %v", packages, err)
		}
		if _, err = ReadRules("example", Schema, []byte(packages[0].UpgradeRules[0].Raw)); err == nil || !strings.Contains(err.Error(), "steps.through is a number") {
			t.Errorf("without quotes: %v", err)
		}
	}
}

func TestPageListsEveryReasonAndEveryFinding(t *testing.T) {
	content := readPage(t)
	for file, constants := range map[string]struct{ kind, table string }{
		"refusal.go": {"Reason", "## What a refusal says"},
		"lint.go":    {"FindingKind", "## Check a package before you publish it"},
	} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, found := range regexp.MustCompile(`(?m)^\t\w+ +`+constants.kind+` = "(\w+)"$`).FindAllStringSubmatch(string(source), -1) {
			want = append(want, found[1])
		}
		_, table, found := strings.Cut(content, constants.table)
		if !found || len(want) < 5 {
			t.Fatalf("%s: found %d constants, and the section %q: %v", file, len(want), constants.table, found)
		}
		table, _, _ = strings.Cut(table, "\n## ")
		var got []string
		for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(table, -1) {
			got = append(got, row[1])
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-code +page):\n%s", file, diff)
		}
	}
}
