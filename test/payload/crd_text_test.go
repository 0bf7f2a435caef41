package payload

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

const (
	// maxCRD is the number of bytes of an annotation: what kubectl apply writes down of an object has to fit in it.
	maxCRD = 256 << 10
	// maxSentence is the number of words of the longest sentence.
	maxSentence = 25
)

// crdTexts holds the text of every field, which kubectl explain prints, against its schema: the text names each bound and each default.
func crdTexts(p *payload) []string {
	fields := 0
	faults := eachNode(p, func(faults *[]string, crd object, n node) {
		if n.isProperty() && !belowForeign(n) && n.path != "metadata" { // which the API server describes
			fields++
			expect(faults, n.Description != "", "%s: %s has no description", crd, n.path)
		}
		if n.Description == "" || isForeign(crd.Obj.GetName(), n) {
			expect(faults, !belowForeign(n) || n.Description == "", "%s: %s has a description, and is in a type of Kubernetes", crd, n.path)
			return
		}
		for _, fault := range textFaults(n) {
			*faults = append(*faults, fmt.Sprintf("%s: %s: %s", crd, n.path, fault))
		}
	})
	expect(&faults, fields > 150, "found %d fields; they must have moved", fields)
	for _, crd := range p.ofKind("CustomResourceDefinition") {
		content, err := json.Marshal(crd.Obj)
		expect(&faults, err == nil && len(content) < maxCRD && len(p.files[crd.file]) < maxCRD, "%s has %d bytes, at most %d are permitted", crd, len(content), maxCRD)
	}
	return faults
}

// textFaults says what is wrong with the description of a field or a type of ours.
func textFaults(n node) (faults []string) {
	text := strings.Join(strings.Fields(n.Description), " ")
	if n.isProperty() {
		expect(&faults, strings.HasPrefix(text, n.name()+" "), "the description does not begin with the name of the field")
	}
	expect(&faults, strings.HasSuffix(text, "."), "the description does not end with a full stop")
	for _, sentence := range regexp.MustCompile(`[.:] (?:[A-Z"]|$)`).Split(text, -1) {
		words := len(strings.Fields(sentence))
		expect(&faults, words <= maxSentence, "a sentence has %d words, at most %d are permitted: %s", words, maxSentence, sentence)
	}
	for _, want := range boundsOf(n) {
		expect(&faults, strings.Contains(strings.ToLower(text), want), "the description does not say %q", want)
	}
	for _, value := range n.Enum {
		expect(&faults, hasWord(text, strings.Trim(string(value.Raw), `"`)), "the description does not name the value %s", value.Raw)
	}
	if n.Default != nil {
		expect(&faults, strings.Contains(text, "Defaults to "+strings.Trim(string(n.Default.Raw), `"`)), "the description does not say the default %s", n.Default.Raw)
	}
	if n.isProperty() && !n.isRequired() && len(n.Properties) == 0 {
		expect(&faults, regexp.MustCompile(`\b[Dd]efaults? to |\babsent\b`).MatchString(text), "the description does not say what absence means")
	}
	for _, rule := range n.XValidations {
		expect(&faults, rule.Message != "", "the rule %s has no message", rule.Rule)
	}
	return faults
}

// boundsOf returns how the description of a field says its bounds, and those of the items of a list, in lower case.
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

// hasWord says whether a word is in a text, not as a part of another word.
func hasWord(text, word string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).MatchString(text)
}
