package simulate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/catalog/content"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// maxRulesFile is the maximum size of a file with rules, in bytes. The blob of one package may have 64 KiB.
const maxRulesFile = 4 << 20

// readRulesFile reads a file with planned rules. An error has code exit.Usage if the file cannot be read, and exit.Invalid if its content
// is invalid.
func readRulesFile(path string, packages []catalog.Package) (map[string]upgrade.Rules, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("reading --rules: %w", err))
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxRulesFile+1))
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("reading --rules: %w", err))
	}
	rules, err := readRules(raw, packages)
	if err != nil {
		return nil, exit.With(exit.Invalid, fmt.Errorf("rules file %s: %w", path, err))
	}
	return rules, nil
}

// readRules returns the rules in raw, keyed by package. raw consists of YAML documents, or of one JSON object, each with the rules of one
// package. The field schema is optional, as in a catalog's property. The field package is optional if there is only one package.
func readRules(raw []byte, packages []catalog.Package) (map[string]upgrade.Rules, error) {
	if len(raw) > maxRulesFile {
		return nil, fmt.Errorf("it has more than %d bytes", maxRulesFile)
	}
	all := map[string]upgrade.Rules{}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(raw)))
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = addRules(all, document, packages)
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", number, err)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("it has no rules; write the rules of a package with schema %s", upgrade.Schema)
	}
	return all, nil
}

// addRules adds the rules of one YAML document, unless it is empty.
func addRules(all map[string]upgrade.Rules, document []byte, packages []catalog.Package) error {
	blob, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return fmt.Errorf("it is not YAML: %w", catalog.ExplainYAMLError(document, err))
	}
	if bytes.Equal(blob, []byte("null")) {
		return nil
	}
	var owner struct {
		Schema  string `json:"schema"`
		Package string `json:"package"`
	}
	if err := json.Unmarshal(blob, &owner); err != nil {
		return fmt.Errorf("it is not an object with the rules of a package: %w", err)
	}
	name := owner.Package
	switch {
	case name == "" && len(packages) == 1:
		name = packages[0].Name
	case name == "":
		return fmt.Errorf("its package is missing, and the catalog has %d: set package, or select one with --package", len(packages))
	case !slices.ContainsFunc(packages, func(p catalog.Package) bool { return p.Name == name }):
		return fmt.Errorf("its package %q is not in the catalog, or --package excludes it: the packages are %s", name, content.Names(packages))
	}
	if _, isKnown := all[name]; isKnown {
		return fmt.Errorf("the file has the rules of package %q already: a package has one blob of rules", name)
	}
	if owner.Schema == "" {
		owner.Schema = upgrade.Schema
	}
	rules, err := upgrade.ReadRules(name, owner.Schema, blob)
	if err != nil {
		return fmt.Errorf("the rules of package %q cannot be used: %w", name, err)
	}
	rules.Location = "the planned rules"
	all[name] = rules
	return nil
}
