package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// class is a kind of word that a pattern recognizes. The first class whose pattern matches a word checks it. check returns the problem with
// the word, or "" if the word exists.
type class struct {
	pattern *regexp.Regexp
	check   func(v *vocabulary, q quoted) string
}

var classes = []class{
	{regexp.MustCompile(`^(kubectl|oc|make|go|hack/\S+\.sh|STEPS=\S+|platform-operators) `), (*vocabulary).command},
	{regexp.MustCompile(`^-{1,2}[a-z]`), (*vocabulary).flag},
	{regexp.MustCompile(`^(func )?(Test|Fuzz)[A-Z]?\w*(/|…|$)`), (*vocabulary).test},
	{regexp.MustCompile(`\bplatform_operators_|\bby \(`), (*vocabulary).query},
	{regexp.MustCompile(`^([a-z_]+)="([a-z_]+)"$`), (*vocabulary).matcher},
	{regexp.MustCompile(`^[A-Z]\w*=(True|False|Unknown)`), (*vocabulary).condition},
	{regexp.MustCompile(`^[A-Z]\w*=\w`), (*vocabulary).condition},
	{regexp.MustCompile(`^"?(True|False|Unknown)"?/`), (*vocabulary).condition},
	{literal, func(*vocabulary, quoted) string { return "" }},
	{regexp.MustCompile(`\.(go|md|ya?ml|json|sh|golden)(\.txt)?$|^\d+_\d+_|^(cmd|pkg|test|hack|docs|manifests|_output)/`), (*vocabulary).path},
	{regexp.MustCompile(`^[A-Za-z]+\.[A-Z]\w*$`), (*vocabulary).declaration},
	{regexp.MustCompile(`^\.?[a-z][\w./-]*(\[\])?: `), (*vocabulary).setting},
	{regexp.MustCompile(`^(spec|status|metadata)?\.`), (*vocabulary).field},
	{service, (*vocabulary).service},
	{regexp.MustCompile(`[ …]|\b[A-Z]{4,}\b`), (*vocabulary).message},
	{regexp.MustCompile(`.`), (*vocabulary).name},
}

// literal matches numbers, versions, version ranges, durations, addresses and truth values. They are not names, and are always accepted.
var literal = regexp.MustCompile(`^(~?|[<>=!^]*)"?(v?\d[\w.-]*|True|False|Unknown|true|false|null)"?([ ,|]+[<>=!^~]*v?\d[\w.-]*)*$`)

// service matches the DNS name of a Service. Its groups are the name and the namespace.
var service = regexp.MustCompile(`^([a-z-]+)\.([a-z-]+)\.svc(:\d+)?$`)

func (v *vocabulary) service(q quoted) string {
	found := service.FindStringSubmatch(q.text)
	if !v.manifests["Service/"+found[1]] || !v.manifests[found[2]+"/"+found[1]] {
		return "manifests/ has no such Service"
	}
	return ""
}

// problem returns the problem with a quoted text, or "" if the text exists.
func (v *vocabulary) problem(q quoted) string {
	for _, each := range classes {
		if each.pattern.MatchString(q.text) {
			return each.check(v, q)
		}
	}
	return "the word matches no class"
}

// flag checks flags of tests and of the go command, which have one dash. A test of cmd/platform-operators checks flags with two
// dashes.
func (v *vocabulary) flag(q quoted) string {
	if strings.HasPrefix(q.text, "--") {
		return ""
	}
	for word := range strings.FieldsSeq(q.text) {
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "-"), "=")
		if strings.HasPrefix(word, "-") && !slices.Contains(goFlags, name) && !slices.Contains(v.literals, name) && !v.declared["flag "+name] {
			return fmt.Sprintf("neither the go command nor a program or test of the project has flag -%s", name)
		}
	}
	return ""
}

var goFlags = []string{"args", "count", "cpu", "race", "run", "trimpath", "vet"}

func (v *vocabulary) test(q quoted) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(q.text, "func "), "/")
	if prefix, cut := strings.CutSuffix(name, "…"); cut {
		for declared := range v.declared {
			if strings.HasPrefix(declared, prefix) {
				return ""
			}
		}
		return "no test has this prefix"
	}
	if !v.declared[name] {
		return "there is no such test"
	}
	return ""
}

var wordOfQuery = regexp.MustCompile(`[a-z_]{3,}`)

// query returns the first word of a PromQL query that is no metric or label of the manager, as a problem, or "".
func (v *vocabulary) query(q quoted) string {
	for _, word := range wordOfQuery.FindAllString(q.text, -1) {
		if !v.metrics[word] && !v.labels[word] && !slices.Contains([]string{"count", "min", "max", "sum"}, word) {
			return fmt.Sprintf("the manager has no metric or label %s", word)
		}
	}
	return ""
}

func (v *vocabulary) matcher(q quoted) string {
	label, value, _ := strings.Cut(q.text, "=")
	if !v.labels[label] || !v.constants[strings.Trim(value, `"`)] {
		return "no metric has this label with this value"
	}
	return ""
}

// condition checks texts of the forms Type=Status, Type=Status/Reason and Status/Reason. It also accepts the assignment of an environment
// variable.
func (v *vocabulary) condition(q quoted) string {
	kind, rest, hasKind := strings.Cut(q.text, "=")
	if !hasKind {
		kind, rest = "", q.text
	}
	status, reason, hasReason := strings.Cut(rest, "/")
	switch {
	case hasKind && v.isVariable(kind):
		return ""
	case hasKind && !v.conditions[kind]:
		return fmt.Sprintf("no object has condition %s", kind)
	case !slices.Contains([]string{"True", "False", "Unknown"}, strings.Trim(status, `"`)):
		return fmt.Sprintf("%s is no status of a condition", status)
	case hasReason && hasKind && !v.written[kind][reason]:
		return fmt.Sprintf("no code gives condition %s the reason %s", kind, reason)
	case hasReason && strings.Trim(reason, `"`) != "Reason" && !v.reasons[reason]:
		return fmt.Sprintf("no code writes reason %s", reason)
	}
	return ""
}

// isVariable reports whether the Makefile or a program reads an environment variable.
func (v *vocabulary) isVariable(name string) bool { return v.declared["$"+name] }

// path checks that a file or declaration exists in the checkout. It accepts every path in _output, because those files exist only after a
// command, and above the checkout.
func (v *vocabulary) path(q quoted) string {
	name := strings.TrimSuffix(q.text, "…")
	if strings.HasPrefix(name, "_output/") || strings.HasPrefix(name, "../") {
		return ""
	}
	if folder, declared, isDeclaration := strings.Cut(filepath.Base(name), "."); isDeclaration && declared != "" && v.declared[filepath.Dir(name)+"/"+folder+"."+declared] {
		return ""
	}
	for _, folder := range []string{root, filepath.Join(root, "manifests")} {
		if found, err := filepath.Glob(filepath.Join(folder, name)); err == nil && len(found) > 0 {
			return ""
		}
	}
	if v.files[name] || v.manifests[name] || strings.HasPrefix(name, ".") && len(name) < 7 {
		return ""
	}
	return "there is no such file or declaration"
}

func (v *vocabulary) declaration(q quoted) string {
	of, name, _ := strings.Cut(q.text, ".")
	if v.declared[q.text] || (of == "t" || v.declared[of]) && v.declared["."+name] { // a method or a field
		return ""
	}
	return "the code declares no such name"
}

// setting checks a text of the form "path: value": the field must exist and accept the value. A path that is no field may be in a scenario,
// a manifest or a message.
func (v *vocabulary) setting(q quoted) string {
	path, value, _ := strings.Cut(q.text, ": ")
	accepted, found := v.fields.find(path)
	switch {
	case !found && (v.isInStories(q, path) || v.manifests[path] || v.isCombined(path)):
		return ""
	case !found:
		return v.message(q)
	case len(accepted) > 0 && !slices.Contains(accepted, strings.Trim(value, `"`)):
		return fmt.Sprintf("%s accepts %q", path, accepted)
	}
	return ""
}

func (v *vocabulary) field(q quoted) string {
	if _, found := v.fields.find(q.text); found || fileExists(q.text) {
		return ""
	}
	return "no kind of the project has such a field"
}

// packagesOfPages has, by page, the packages whose names the page uses without the package name.
var packagesOfPages = map[string][]string{
	"docs/scenarios.md":     {"pkg/scenario", "pkg/scenario/story", "pkg/scenario/builtin", "test/scenarios"},
	"docs/upgrade-rules.md": {"pkg/upgrade"},
	"docs/development.md":   {"cmd/platform-operators-tests-ext/spec", "cmd/platform-operators-tests-ext/specs"},
}

// isInStories reports whether a word is in the YAML of scenarios and the page is one that describes scenarios.
func (v *vocabulary) isInStories(q quoted, word string) bool {
	return slices.Contains([]string{"docs/scenarios.md", "docs/testing.md", "docs/development.md"}, q.file) && v.storyWords[word]
}

// placeholders matches the variable parts of messages, and the separators that code inserts.
var placeholders = regexp.MustCompile(`…|[:;] |\b[A-Z]{4,}\b|\d+(\.\d+)+|ClusterCatalog/example`)

// message checks that each part of a message between placeholders is in a string of the code.
func (v *vocabulary) message(q quoted) string {
	for _, part := range placeholders.Split(q.text, -1) {
		part = strings.Trim(part, " ;:,.")
		if len(part) < 4 {
			continue
		}
		if !slices.ContainsFunc(v.literals, func(text string) bool { return strings.Contains(text, part) }) {
			return fmt.Sprintf("no string in the code contains %q; add a word of another project to externalWords", part)
		}
	}
	return ""
}

// name checks a single word that no other class recognizes.
func (v *vocabulary) name(q quoted) string {
	word := q.text
	isKnown := v.constants[word] || v.conditions[word] || v.reasons[word] || v.resources[word] || v.manifests[word] || v.isVariable(word) ||
		v.fields.acceptsValue(word) || v.exact[word] || v.isInStories(q, word) || v.targets[word] && q.file == "docs/development.md"
	if _, found := v.fields.find(word); isKnown || found {
		return ""
	}
	if v.isCombined(word) || v.isCombined(strings.Trim(word, `"`)) {
		return ""
	}
	if part, reason, isUnion := strings.Cut(word, "_"); isUnion && v.reasons[reason] { // library-go's reasons on a ClusterOperator
		for condition := range v.conditions {
			if strings.HasPrefix(condition, part) {
				return ""
			}
		}
	}
	if fields, isList := strings.CutPrefix(word, "steps[]."); isList && v.exact["steps"] && v.exact[fields] { // upgrade rules
		return ""
	}
	for _, folder := range packagesOfPages[q.file] {
		if v.declared[folder+"."+word] || filepath.Base(folder) == word {
			return ""
		}
	}
	if q.file == "docs/testing.md" && v.files[word+"_test.go"] { // a file of specs
		return ""
	}
	if _, err := os.Stat(filepath.Join(root, word)); err == nil && strings.Contains(word, "/") {
		return ""
	}
	for _, separator := range []string{"/", "."} { // namespace/name, kind/name, resource.group, resource/subresource
		if before, after, isPair := strings.Cut(word, separator); isPair && before != "" && v.isKnown(before) && v.isKnown(after) {
			return ""
		}
	}
	return "it is no field, condition, reason, metric, right or name in manifests/; add a word of another project to externalWords"
}

// isCombined reports whether code concatenates the word from an API group and a suffix, or whether a field accepts it as a
// value.
func (v *vocabulary) isCombined(word string) bool {
	group, rest, hasGroup := strings.Cut(word, "/")
	return hasGroup && v.resources[group] && v.exact["/"+rest] || v.fields.acceptsValue(word)
}

func (v *vocabulary) isKnown(word string) bool {
	return v.manifests[word] || v.resources[word] || v.constants[word]
}
