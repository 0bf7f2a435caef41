package crdsafety

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// comparison collects the findings of one CustomResourceDefinition.
type comparison struct {
	name     string
	rules    []comparator[apiextensionsv1.JSONSchemaProps]
	findings []Finding
	// counts are the numbers of findings by rule, with those beyond maxFindings.
	counts map[string]int
}

// compare returns the comparison of a changed CustomResourceDefinition.
func compare(change Change) (*comparison, error) {
	c := &comparison{name: change.Name(), rules: schemaRules(), counts: map[string]int{}}
	if change.Old == nil || isSame(change.Old, change.New) {
		return c, nil
	}
	before, after, err := change.parse()
	if err != nil {
		return nil, err
	}
	c.definitions(before, after)
	for i := range before.Spec.Versions {
		old := &before.Spec.Versions[i]
		if updated := versionNamed(after, old.Name); updated != nil {
			c.schemas(&schemaPair{old: old.Schema.OpenAPIV3Schema, updated: updated.Schema.OpenAPIV3Schema, versions: old.Name}, nil)
		}
	}
	c.servedVersions(before, after)
	return c, nil
}

// isSame reports whether two definitions have the same versions, scope and conversion. It costs much less than a comparison.
func isSame(before, after *unstructured.Unstructured) bool {
	if before.GetAPIVersion() != after.GetAPIVersion() {
		return false
	}
	for _, path := range [][]string{{"spec", "versions"}, {"spec", "scope"}, {"spec", "preserveUnknownFields"}, {"spec", "conversion", "strategy"}} {
		old, _, _ := unstructured.NestedFieldNoCopy(before.Object, path...) // a malformed object differs, or is refused by the API server
		updated, _, _ := unstructured.NestedFieldNoCopy(after.Object, path...)
		if path[len(path)-1] == "strategy" && old != "Webhook" && updated != "Webhook" {
			continue // the API server adds the strategy None
		}
		if !equality.Semantic.DeepEqual(old, updated) {
			return false
		}
	}
	return true
}

// definitions compares what is not part of a schema.
func (c *comparison) definitions(before, after *apiextensionsv1.CustomResourceDefinition) {
	if storage := storageVersion(before); len(before.Status.StoredVersions) == 0 && storage != nil {
		before.Status.StoredVersions = []string{storage.Name}
	}
	paths := map[string]string{RuleScope: "spec.scope", RuleStoredVersionRemoval: "status.storedVersions"}
	for _, rule := range definitionRules() {
		for _, message := range rule.Compare(before, after).Errors {
			c.add(rule.Name(), paths[rule.Name()], message)
		}
	}
}

// add adds a finding, unless there are enough of its rule.
func (c *comparison) add(rule, path, message string) {
	if c.counts[rule]++; c.counts[rule] > maxFindings {
		return
	}
	message = truncate.OneLine(strings.Replace(message, " : ", ": ", 1), maxMessage)
	c.findings = append(c.findings, Finding{CRD: c.name, Rule: rule, Path: truncate.Bytes(path, maxPath), Message: message})
}

// schemaPair is an old and a new schema of one field.
type schemaPair struct {
	old, updated *apiextensionsv1.JSONSchemaProps
	// versions names the versions that are compared, as a path begins.
	versions string
	// known is a pair of schemas of the same field whose findings are not findings of this pair, or nil. Its schemas may be nil.
	known *schemaPair
}

// schemas compares two schemas and all schemas below them.
func (c *comparison) schemas(pair *schemaPair, at *location) {
	for _, each := range c.ofSchema(pair) {
		c.add(each.rule, pair.versions+": "+at.text(maxPath), each.message)
	}
	for _, each := range childrenOf(pair.old) {
		below := &schemaPair{old: each.schema, updated: each.at(pair.updated), versions: pair.versions}
		if pair.known != nil {
			below.known = &schemaPair{old: each.at(pair.known.old), updated: each.at(pair.known.updated)}
		}
		where := &location{at, child{kind: each.kind, name: each.name}}
		switch {
		case below.updated != nil:
			c.schemas(below, where)
		case below.known == nil || below.known.old == nil || below.known.updated != nil:
			c.add(RuleExistingFieldRemoval, pair.versions+": "+where.text(maxPath), "field removed: the API server drops its values")
		}
	}
}

// ruleMessage is a finding of one schema.
type ruleMessage struct{ rule, message string }

// ofSchema returns the findings of a pair of schemas, without those of the schemas below them.
func (c *comparison) ofSchema(pair *schemaPair) []ruleMessage {
	old, updated := withoutChildren(pair.old, pair.updated)
	if equality.Semantic.DeepEqual(old, updated) {
		return nil
	}
	added := sets.New(updated.Required...).Difference(sets.New(old.Required...))
	var found []ruleMessage
	for _, rule := range c.rules {
		for _, message := range rule.Compare(&old, &updated).Errors {
			if rule.Name() == ruleRequired {
				message = "new required fields: " + strings.Join(sets.List(added), ", ") // crdify's order is random
			}
			found = append(found, ruleMessage{rule.Name(), message})
		}
	}
	if !equality.Semantic.DeepEqual(old, updated) {
		found = append(found, ruleMessage{RuleUnhandled, differences(&old, &updated)})
	}
	if len(found) == 0 || pair.known == nil || pair.known.old == nil || pair.known.updated == nil {
		return found
	}
	known := c.ofSchema(pair.known)
	return slices.DeleteFunc(found, func(each ruleMessage) bool { return slices.Contains(known, each) })
}
