package main

import (
	"fmt"
	"strings"

	"github.com/openshift/platform-operators/test/provenance"
)

// merge returns a document in which the sections of the parts are replaced. Each of them begins with the facts about its own run. A part
// without a section is added at the end. merge returns an error if the text is not a document.
func merge(text string, facts []provenance.Fact, parts []part) (string, error) {
	sections := strings.SplitAfter(text, "\n\n## ")
	if !strings.HasPrefix(text, preamble) || len(sections) < 2 {
		return "", fmt.Errorf("the document does not begin as one that make bench has written; run make bench without --only")
	}
	for i, section := range sections[:len(sections)-1] { // from "…\n\n## " + "title\n…" to "…\n" + "\n## title\n…"
		sections[i], sections[i+1] = strings.TrimSuffix(section, "\n## "), "\n## "+sections[i+1]
	}
	for _, p := range parts {
		p.text = "Measured in a run of its own: " + joinFacts(facts) + ".\n\n" + p.text
		var out strings.Builder
		p.write(&out)
		isFound := false
		for i, section := range sections {
			if strings.HasPrefix(section, "\n## "+p.title+"\n") {
				sections[i], isFound = out.String(), true
			}
		}
		if !isFound {
			sections = append(sections, out.String())
		}
	}
	return strings.Join(sections, ""), nil
}

func joinFacts(facts []provenance.Fact) string {
	all := make([]string, len(facts))
	for i, fact := range facts {
		all[i] = fact[0] + " " + fact[1]
	}
	return strings.Join(all, "; ")
}
