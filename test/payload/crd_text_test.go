package payload

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

const (
	// maxCRD is the maximum size of an object's annotations, in bytes. A CRD must be smaller, because kubectl apply stores the
	// whole object in an annotation.
	maxCRD = 256 << 10
	// maxSentence is the maximum number of words in a sentence of a description.
	maxSentence = 25
)

// crdTexts checks the description of every field, which kubectl explain prints, against the schema. It checks the size of every
// CRD as well.
func crdTexts(p *payload) []string {
	fields := 0
	violations := eachNode(p, func(violations *[]string, crd object, n node) {
		if n.isProperty() && !isInExternalType(n) && n.path != "metadata" { // the API server describes metadata
			fields++
			expect(violations, n.Description != "", "%s: %s has no description", crd, n.path)
		}
		if n.Description == "" || isExternal(crd.Obj.GetName(), n) {
			expect(violations, !isInExternalType(n) || n.Description == "", "%s: %s has a description, but its type belongs to Kubernetes", crd, n.path)
			return
		}
		for _, violation := range textViolations(n) {
			*violations = append(*violations, fmt.Sprintf("%s: %s: %s", crd, n.path, violation))
		}
	})
	expect(&violations, fields > 150, "found only %d fields, want more than 150", fields)
	for _, crd := range p.ofKind("CustomResourceDefinition") {
		content, err := json.Marshal(crd.Obj)
		expect(&violations, err == nil && len(content) < maxCRD && len(p.files[crd.file]) < maxCRD, "%s has %d bytes, at most %d are permitted", crd, len(content), maxCRD)
	}
	return violations
}

// textViolations returns what is wrong with the description of a field or a type of this project.
func textViolations(n node) (violations []string) {
	text := strings.Join(strings.Fields(n.Description), " ")
	if n.isProperty() {
		expect(&violations, strings.HasPrefix(text, n.name()+" "), "the description does not begin with the name of the field")
	}
	expect(&violations, strings.HasSuffix(text, "."), "the description does not end with a full stop")
	for _, sentence := range regexp.MustCompile(`[.:] (?:[A-Z"]|$)`).Split(text, -1) {
		words := len(strings.Fields(sentence))
		expect(&violations, words <= maxSentence, "a sentence has %d words, at most %d are permitted: %s", words, maxSentence, sentence)
	}
	for _, want := range boundsOf(n) {
		expect(&violations, strings.Contains(strings.ToLower(text), want), "the description does not say %q", want)
	}
	for _, value := range n.Enum {
		expect(&violations, hasWord(text, strings.Trim(string(value.Raw), `"`)), "the description does not name the value %s", value.Raw)
	}
	if n.Default != nil {
		expect(&violations, strings.Contains(text, "Defaults to "+strings.Trim(string(n.Default.Raw), `"`)), "the description does not say the default %s", n.Default.Raw)
	}
	if n.isProperty() && !n.isRequired() && len(n.Properties) == 0 {
		expect(&violations, regexp.MustCompile(`\b[Dd]efaults? to |\babsent\b`).MatchString(text), "the description does not say what an absent field means")
	}
	for _, rule := range n.XValidations {
		expect(&violations, rule.Message != "", "the rule %s has no message", rule.Rule)
	}
	return violations
}

// boundsOf returns the phrases, in lower case, by which a description has to state the bounds of a field and of its list items.
func boundsOf(n node) []string {
	var all []string
	add := func(low, high *int64, unit string) {
		switch {
		case high == nil:
		case low == nil || *low == 0:
			all = append(all, fmt.Sprintf("at most %d %s", *high, unit))
		default:
			all = append(all, fmt.Sprintf("%d to %d %s", *low, *high, unit))
		}
	}
	add(n.MinLength, n.MaxLength, "characters")
	add(n.MinItems, n.MaxItems, "entries")
	add(n.MinProperties, n.MaxProperties, "entries")
	if n.Minimum != nil && n.Maximum != nil {
		all = append(all, fmt.Sprintf("from %.0f to %.0f", *n.Minimum, *n.Maximum))
	}
	if n.Items != nil && n.Items.Schema != nil && n.Items.Schema.Type == "string" {
		items := n.Items.Schema
		add(items.MinLength, items.MaxLength, "characters")
	}
	return all
}

// hasWord reports whether a text contains a whole word.
func hasWord(text, word string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).MatchString(text)
}
