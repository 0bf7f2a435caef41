package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// settings are the settings of kube-api-linter's golangci-lint plugin, with exceptions.
type settings struct {
	Linters       map[string]any `json:"linters"`
	LintersConfig map[string]any `json:"lintersConfig"`
	Exceptions    []exception    `json:"exceptions"`
}

// exception suppresses the findings of some linters about some fields.
type exception struct {
	// Fields lists the fields by the names that findings use, such as "BundleDeploymentSpec.Paused".
	Fields []string `json:"fields"`
	// Linters are the names of the linters.
	Linters []string `json:"linters"`
	// Reason is why the finding does not apply.
	Reason string `json:"reason"`
}

func readSettings(path string) (settings, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return settings{}, err
	}
	var s settings
	if err := yaml.UnmarshalStrict(content, &s); err != nil {
		return settings{}, fmt.Errorf("reading %s: %w", path, err)
	}
	for _, each := range s.Exceptions {
		if each.Reason == "" || len(each.Fields) == 0 || len(each.Linters) == 0 {
			return settings{}, fmt.Errorf("reading %s: an exception for %v needs fields, linters and a reason", path, each.Fields)
		}
	}
	return s, nil
}

// except returns one line for each finding that no exception covers, and one for each pair of field and linter in an exception that matches
// no finding.
func except(found []finding, exceptions []exception) []string {
	type key struct{ field, linter string }
	used := map[key]bool{}
	var left []string
	for _, each := range found {
		words := strings.FieldsFunc(each.message, func(r rune) bool { return r == ' ' || r == ':' })
		excepted := false
		for _, exception := range exceptions {
			for _, field := range exception.Fields {
				if slices.Contains(exception.Linters, each.linter) && slices.Contains(words, field) {
					excepted, used[key{field, each.linter}] = true, true
				}
			}
		}
		if !excepted {
			left = append(left, each.String())
		}
	}
	for _, exception := range exceptions {
		for _, field := range exception.Fields {
			for _, linter := range exception.Linters {
				if !used[key{field, linter}] {
					left = append(left, fmt.Sprintf("settings.yaml has an exception of %s from %s, which has no finding there: remove it", field, linter))
				}
			}
		}
	}
	return left
}
