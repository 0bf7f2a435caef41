package plan

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// maxValue is the maximum length of one value of a changed field in the text of a plan, in bytes.
	maxValue = 1024
	// maxContent is the maximum length of the content of a created object in the text of a plan, in bytes.
	maxContent = 64 << 10
)

// Text returns the lines of a plan as text, without line feeds: the terms, the permissions that are granted, and one line for each object.
// conceal returns the text that stands for a value of a Secret. If withContent is true, the lines of created objects have their content. A
// line feed in the name of an object or a user is shown as \n, so that a bundle cannot add a line to its plan.
func (p *Plan) Text(conceal func(value string) string, withContent bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range p.lines(conceal, withContent) {
			if !yield(strings.ReplaceAll(line, "\n", `\n`)) {
				return
			}
		}
	}
}

// lines returns the lines of Text, of which one has a line feed if the name of an object or a user has one.
func (p *Plan) lines(conceal func(value string) string, withContent bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, each := range p.head() {
			if !yield(each) {
				return
			}
		}
		for _, each := range p.Create {
			if !yield(createLine(each, conceal, withContent)) {
				return
			}
		}
		for _, each := range p.Update {
			if !yield(updateLine(each, conceal)) {
				return
			}
		}
		for _, each := range p.Delete {
			if !yield("delete " + title(each)) {
				return
			}
		}
		for _, each := range p.Keep {
			if !yield("keep " + title(each) + ", which the new revision does not declare") {
				return
			}
		}
	}
}

// head returns the lines about the terms and the permissions.
func (p *Plan) head() []string {
	identity := "the manager"
	if p.Terms.ServiceAccount != "" {
		identity = fmt.Sprintf("ServiceAccount %s/%s (UID %s)", p.Terms.InstallNamespace, p.Terms.ServiceAccount, p.Terms.UID)
	}
	lines := []string{
		"digest " + p.Digest,
		"BundleDeployment " + p.Terms.Deployment,
		"applied by " + identity,
		"install namespace " + p.Terms.InstallNamespace,
		"existing objects that may be taken over: " + string(p.Terms.Adoption),
		"CustomResourceDefinitions when the BundleDeployment is deleted: " + string(p.Terms.CRDs),
	}
	lines = append(lines, "check of changed CustomResourceDefinitions: "+p.Terms.CRDSafety)
	for _, each := range p.Findings {
		lines = append(lines, findingLine(each))
	}
	for _, each := range p.Grants {
		mark := ""
		if each.IsUnlimited() {
			mark = "unlimited permissions: "
		}
		lines = append(lines, mark+each.String()+rulesText(each))
	}
	return lines
}

// findingLine returns the line about an unsafe change of a CustomResourceDefinition.
func findingLine(finding corev1alpha2.CRDFinding) string {
	return strings.TrimSpace(fmt.Sprintf("%s change of CustomResourceDefinition %s by rule %s: %s %s", strings.ToLower(string(finding.Outcome)), finding.CRD, finding.Rule,
		finding.Path, finding.Message))
}

// rulesText returns the rules of a grant as the end of a line.
func rulesText(grant Grant) string {
	switch {
	case !grant.IsDeclared:
		return ", a role that the bundle does not declare"
	case grant.Rules == nil:
		return ", with the rules of the roles that are aggregated into it"
	}
	encoded, err := json.Marshal(grant.Rules)
	if err != nil {
		return "" // not reached: a rule consists of strings
	}
	return ", with the rules " + string(encoded)
}

// title returns the kind with its group, and the namespace and name.
func title(o Object) string {
	kind := o.Kind
	if o.Group != "" {
		kind += "." + o.Group
	}
	if o.Namespace == "" {
		return kind + " " + o.Name
	}
	return kind + " " + o.Namespace + "/" + o.Name
}

func createLine(o Object, conceal func(string) string, withContent bool) string {
	line := "create " + title(o)
	if withContent {
		content := encoded(concealed(o, o.Content(), conceal))
		if len(content) <= maxContent {
			return line + " " + content
		}
	}
	return fmt.Sprintf("%s (content sha256:%x)", line, o.Digest)
}

func updateLine(update Update, conceal func(string) string) string {
	var line strings.Builder
	line.WriteString("update " + title(update.Object) + ":")
	for i, each := range update.Changes {
		if i > 0 {
			line.WriteString(";")
		}
		from, to := each.From, each.To
		if isSecretValue(update.Object, each.Path) {
			from, to = concealedValue(from, conceal), concealedValue(to, conceal)
		}
		fmt.Fprintf(&line, " %s %s -> %s", each.Path, valueText(from), valueText(to))
	}
	if update.More > 0 {
		fmt.Fprintf(&line, "; and %d more fields", update.More)
	}
	return line.String()
}

// valueText returns a value as JSON, shortened, or "absent" for no value.
func valueText(value any) string {
	if value == nil {
		return "absent"
	}
	return truncate.Bytes(encoded(value), maxValue)
}

func encoded(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%v", value) // no decoder creates a value that JSON cannot represent
	}
	return string(text)
}

// isSecret reports whether an object is a Secret.
func isSecret(o Object) bool { return o.Group == "" && o.Kind == "Secret" }

// secretFields are the fields of a Secret that hold its values.
var secretFields = [...]string{"data", "stringData"}

// isSecretValue reports whether a JSON pointer is to a value of a Secret, or to all of them. The annotation with the last applied
// configuration counts, because it repeats the values.
func isSecretValue(o Object, pointer string) bool {
	if !isSecret(o) {
		return false
	}
	if strings.HasPrefix(pointer, "/metadata/annotations") {
		return true
	}
	for _, each := range secretFields {
		if pointer == "/"+each || strings.HasPrefix(pointer, "/"+each+"/") {
			return true
		}
	}
	return false
}

// concealed returns the content of an object. In a copy of a Secret, it replaces the values.
func concealed(o Object, content map[string]any, conceal func(string) string) map[string]any {
	if !isSecret(o) {
		return content
	}
	shown := make(map[string]any, len(content))
	for name, value := range content {
		shown[name] = value
	}
	for _, field := range secretFields {
		if value, exists := shown[field]; exists {
			shown[field] = concealedValue(value, conceal)
		}
	}
	if metadata, ok := shown["metadata"].(map[string]any); ok && metadata["annotations"] != nil {
		copied := make(map[string]any, len(metadata))
		for name, value := range metadata {
			copied[name] = value
		}
		copied["annotations"] = concealedValue(copied["annotations"], conceal)
		shown["metadata"] = copied
	}
	return shown
}

// concealedValue replaces a value, or each value of a map, and keeps the names.
func concealedValue(value any, conceal func(string) string) any {
	switch value := value.(type) {
	case nil:
		return nil
	case map[string]any:
		shown := make(map[string]any, len(value))
		for name, each := range value {
			shown[name] = concealedValue(each, conceal)
		}
		return shown
	case string:
		return conceal(value)
	}
	return conceal(encoded(value))
}

// Summary returns the counts, the first objects and the first unlimited grants of a plan, for status. The warnings and the missing permissions
// of the result are empty.
func (p *Plan) Summary() corev1alpha2.Plan {
	create, remove := make([]Update, len(p.Create)), make([]Update, len(p.Delete))
	for i, each := range p.Create {
		create[i].Object = each
	}
	for i, each := range p.Delete {
		remove[i].Object = each
	}
	return corev1alpha2.Plan{
		Digest: p.Digest, Create: summaryOf(create), Update: summaryOf(p.Update), Delete: summaryOf(remove), UnlimitedGrants: p.unlimitedGrants(),
	}
}

// unlimitedGrants returns clauses about the first grants of all verbs on all resources.
func (p *Plan) unlimitedGrants() []string {
	var clauses []string
	for _, each := range p.Grants {
		if each.IsUnlimited() && len(clauses) < maxPlanned {
			clauses = append(clauses, truncate.Bytes(each.String(), maxGrant))
		}
	}
	return clauses
}

const (
	// maxPlanned is the maximum number of entries of each list in status.plan, and maxPaths that of the paths of an object.
	maxPlanned = 20
	maxPaths   = 10
	// maxPath is the maximum length of a path in status, and maxGrant that of a clause about a grant, in bytes.
	maxPath  = 512
	maxGrant = 1024
)

func summaryOf(updates []Update) corev1alpha2.PlannedObjects {
	if len(updates) == 0 {
		return corev1alpha2.PlannedObjects{}
	}
	summary := corev1alpha2.PlannedObjects{Total: int32(min(len(updates), 1_000_000))} //nolint:gosec // bounded
	for _, each := range updates[:min(len(updates), maxPlanned)] {
		planned := corev1alpha2.PlannedObject{Object: corev1alpha2.AppliedObject{
			Group: each.Group, Kind: each.Kind, Namespace: each.Namespace, Name: each.Name,
		}}
		for _, change := range each.Changes[:min(len(each.Changes), maxPaths)] {
			planned.Paths = append(planned.Paths, truncate.Bytes(change.Path, maxPath))
		}
		summary.Objects = append(summary.Objects, planned)
	}
	return summary
}
