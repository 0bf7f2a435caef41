package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// class is words of one form: the first class that a word looks like decides. Check gives what is wrong with the word.
type class struct {
	looks *regexp.Regexp
	check func(v *vocabulary, q quoted) string
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

// literal is a number, a version or a range of such, a duration, an address, or a truth value: what people write, not a name.
var literal = regexp.MustCompile(`^(~?|[<>=!^]*)"?(v?\d[\w.-]*|True|False|Unknown|true|false|null)"?([ ,|]+[<>=!^~]*v?\d[\w.-]*)*$`)

// service is the address of a Service.
var service = regexp.MustCompile(`^([a-z-]+)\.([a-z-]+)\.svc(:\d+)?$`)

func (v *vocabulary) service(q quoted) string {
	found := service.FindStringSubmatch(q.text)
	if !v.manifests["Service/"+found[1]] || !v.manifests[found[2]+"/"+found[1]] {
		return "there is no such Service in manifests/"
	}
	return ""
}

// problem says what is wrong with what is in back quotes; it is empty if that exists.
func (v *vocabulary) problem(q quoted) string {
	for _, each := range classes {
		if each.looks.MatchString(q.text) {
			return each.check(v, q)
		}
	}
	return "it looks like nothing known"
}

// flag leaves flags of the manager to cmd/platform-operators. One dash is a flag of a test or of the go command.
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
		return "no test's name begins so"
	}
	if !v.declared[name] {
		return "there is no such test"
	}
	return ""
}

var wordOfQuery = regexp.MustCompile(`[a-z_]{3,}`)

// query looks up what is neither an operator nor a function of Prometheus.
func (v *vocabulary) query(q quoted) string {
	for _, word := range wordOfQuery.FindAllString(q.text, -1) {
		if !v.metrics[word] && !v.labels[word] && !slices.Contains([]string{"count", "min", "max", "sum"}, word) {
			return fmt.Sprintf("%s is neither a metric nor a label of the manager's", word)
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

// condition looks up Type=Status, Type=Status/Reason and Status/Reason.
func (v *vocabulary) condition(q quoted) string {
	kind, rest, hasKind := strings.Cut(q.text, "=")
	if !hasKind {
		kind, rest = "", q.text
	}
	status, reason, hasReason := strings.Cut(rest, "/")
	switch {
	case hasKind && v.variable(kind):
		return ""
	case hasKind && !v.conditions[kind]:
		return fmt.Sprintf("no object has condition %s", kind)
	case !slices.Contains([]string{"True", "False", "Unknown"}, strings.Trim(status, `"`)):
		return fmt.Sprintf("a condition is never %s", status)
	case hasReason && hasKind && !v.written[kind][reason]:
		return fmt.Sprintf("no code gives condition %s the reason %s", kind, reason)
	case hasReason && strings.Trim(reason, `"`) != "Reason" && !v.reasons[reason]:
		return fmt.Sprintf("no code writes reason %s", reason)
	}
	return ""
}

// variable is whether the Makefile or a program reads an environment variable.
func (v *vocabulary) variable(name string) bool { return v.declared["$"+name] }

// path looks up files of the checkout; what is below _output is there only after a command.
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
	return "there is no such file, and no such declaration"
}

func (v *vocabulary) declaration(q quoted) string {
	of, name, _ := strings.Cut(q.text, ".")
	if v.declared[q.text] || (of == "t" || v.declared[of]) && v.declared["."+name] { // a method or a field
		return ""
	}
	return "the code declares no such name"
}

// setting looks up "path: value".
func (v *vocabulary) setting(q quoted) string {
	path, value, _ := strings.Cut(q.text, ": ")
	accepted, found := v.fields.find(path)
	switch {
	case !found && (v.inStories(q, path) || v.manifests[path] || v.combined(path)):
		return ""
	case !found:
		return v.message(q)
	case len(accepted) > 0 && !slices.Contains(accepted, strings.Trim(value, `"`)):
		return fmt.Sprintf("%s accepts %q", path, accepted)
	}
	return ""
}

func (v *vocabulary) field(q quoted) string {
	if _, found := v.fields.find(q.text); found || exists(q.text) {
		return ""
	}
	return "no kind of the project has such a field"
}

// packagesOfPages are those that a page is about; it leaves their names out.
var packagesOfPages = map[string][]string{
	"docs/scenarios.md":     {"pkg/scenario", "pkg/scenario/story", "pkg/scenario/builtin", "test/scenarios"},
	"docs/upgrade-rules.md": {"pkg/upgrade"},
	"docs/development.md":   {"cmd/platform-operators-tests-ext/spec", "cmd/platform-operators-tests-ext/specs"},
}

// inStories is whether a word is of the YAML of stories, on a page about these.
func (v *vocabulary) inStories(q quoted, word string) bool {
	return slices.Contains([]string{"docs/scenarios.md", "docs/testing.md", "docs/development.md"}, q.file) && v.ofStories[word]
}

// placeholders are what differs in a message from one time to the next, and what code puts between its parts.
var placeholders = regexp.MustCompile(`…|[:;] |\b[A-Z]{4,}\b|\d+(\.\d+)+|ClusterCatalog/example`)

// message looks up a message, or part of one, with a placeholder for what differs: what is between these has to be in one string
// of the code.
func (v *vocabulary) message(q quoted) string {
	for _, part := range placeholders.Split(q.text, -1) {
		part = strings.Trim(part, " ;:,.")
		if len(part) < 4 {
			continue
		}
		if !slices.ContainsFunc(v.literals, func(text string) bool { return strings.Contains(text, part) }) {
			return fmt.Sprintf("no string of the code has %q; a word that is not the project's is put into the list of foreign words", part)
		}
	}
	return ""
}

// name looks up a word that stands alone.
func (v *vocabulary) name(q quoted) string {
	word := q.text
	known := v.constants[word] || v.conditions[word] || v.reasons[word] || v.resources[word] || v.manifests[word] || v.variable(word) ||
		v.fields.accepts(word) || v.exact[word] || v.inStories(q, word) || v.targets[word] && q.file == "docs/development.md"
	if _, found := v.fields.find(word); known || found {
		return ""
	}
	if v.combined(word) || v.combined(strings.Trim(word, `"`)) {
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
		if before, after, isPair := strings.Cut(word, separator); isPair && before != "" && v.known(before) && v.known(after) {
			return ""
		}
	}
	return "neither a field, a condition, a reason, a metric, a right, nor a name in manifests/; a word that is not the project's is put into the list of foreign words"
}

// combined is whether code makes a name of an API group and what follows it, and whether the quotes of a value are left out.
func (v *vocabulary) combined(word string) bool {
	group, rest, hasGroup := strings.Cut(word, "/")
	return hasGroup && v.resources[group] && v.exact["/"+rest] || v.fields.accepts(word)
}

func (v *vocabulary) known(word string) bool {
	return v.manifests[word] || v.resources[word] || v.constants[word]
}
