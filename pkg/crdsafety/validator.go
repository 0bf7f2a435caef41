package crdsafety

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// maxViolations is the maximum number of violations of one object.
	maxViolations = 5
	// maxField and maxViolation are the maximum sizes of texts in a Violation, in bytes.
	maxField, maxViolation = 256, 512
)

// Validator says which violations of the schemas an upgrade brings to stored custom resources. Its methods are safe for concurrent use.
type Validator struct {
	resource schema.GroupVersionResource
	// checks are the schemas to compare an object with, keyed by the version of the object.
	checks map[string][]versionCheck
}

// versionCheck is one schema that objects must fit, and one that they may have violated before. old is nil if it cannot be compiled.
type versionCheck struct {
	old, updated *objectValidator
}

// Violation is a field of a stored object that fits the current schema and does not fit the new one.
type Violation struct {
	// Field is the path of the field, for example "spec.ports[0].name". It has 1 to 256 bytes.
	Field string
	// Message says what the new schema requires, in at most 512 bytes. It does not contain the value of the field, unless the author of
	// the schema put it into the message of a validation rule.
	Message string
}

// AffectsObjects reports whether a change could make a stored custom resource invalid: whether it changes a schema that Validator uses, apart
// from the documentation. It returns false for a new CustomResourceDefinition.
func (c Change) AffectsObjects() (bool, error) {
	if c.Old == nil || isSame(c.Old, c.New) {
		return false, nil
	}
	before, after, err := c.parse()
	if err != nil {
		return false, err
	}
	for _, pairs := range pairsToCheck(before, after) {
		for _, each := range pairs {
			if !equality.Semantic.DeepEqual(each.old.Schema, each.updated.Schema) {
				return true, nil
			}
		}
	}
	return false, nil
}

// NewValidator compiles the schemas of a change, which can take seconds and tens of MiB for a large definition. The caller passes NewValidator
// and Validate to panics.ToError. The change must have an old definition.
func NewValidator(change Change) (*Validator, error) {
	before, after, err := change.parse()
	if err != nil {
		return nil, err
	}
	v := &Validator{
		resource: schema.GroupVersionResource{Group: before.Spec.Group, Version: listedVersion(before, after), Resource: before.Spec.Names.Plural},
		checks:   map[string][]versionCheck{},
	}
	for version, pairs := range pairsToCheck(before, after) {
		for _, each := range pairs {
			if equality.Semantic.DeepEqual(each.old.Schema, each.updated.Schema) {
				continue
			}
			check, err := newVersionCheck(each, before.Spec.Group)
			if err != nil {
				return nil, fmt.Errorf("compiling the schema of version %s of the new CustomResourceDefinition %s: %s; correct the manifest",
					truncate.Quote(each.updated.Name), truncate.Quote(change.Name()), truncate.OneLine(err.Error(), maxCause))
			}
			v.checks[version] = append(v.checks[version], check)
		}
	}
	return v, nil
}

func newVersionCheck(pair versionPair, group string) (versionCheck, error) {
	updated, err := newObjectValidator(pair.updated.Schema.OpenAPIV3Schema, group+"/"+pair.updated.Name)
	if err != nil {
		return versionCheck{}, err
	}
	old, err := newObjectValidator(pair.old.Schema.OpenAPIV3Schema, group+"/"+pair.old.Name)
	if err != nil {
		return versionCheck{updated: updated}, nil //nolint:nilerr // a definition from before today's rules for schemas
	}
	return versionCheck{old, updated}, nil
}

// Resource returns the resource to list stored objects with. The cluster serves its version before the upgrade.
func (v *Validator) Resource() schema.GroupVersionResource { return v.resource }

// Validate returns the violations that an object has with the new schemas and did not have with the old ones, sorted by field: at most five.
// It returns none if a webhook converts the object, because only the webhook knows the result. Validate does not change the object.
func (v *Validator) Validate(ctx context.Context, object *unstructured.Unstructured) []Violation {
	var violations []Violation
	for _, check := range v.checks[object.GroupVersionKind().Version] {
		updated := check.updated.validate(ctx, object)
		if len(updated) == 0 {
			continue
		}
		var old map[string]string
		if check.old != nil {
			old = check.old.validate(ctx, object)
		}
		for field, message := range updated {
			if _, wasInvalid := old[field]; !wasInvalid {
				violations = append(violations, Violation{truncate.OneLine(field, maxField), truncate.OneLine(message, maxViolation)})
			}
		}
	}
	slices.SortFunc(violations, func(a, b Violation) int { return strings.Compare(a.Field+"\x00"+a.Message, b.Field+"\x00"+b.Message) })
	violations = slices.Compact(violations)
	return violations[:min(len(violations), maxViolations)]
}

// versionPair is a version of the old definition and one of the new definition.
type versionPair struct {
	old, updated *apiextensionsv1.CustomResourceDefinitionVersion
}

// pairsToCheck returns the schemas that objects of each version of the old definition must fit, keyed by version: those of the same version,
// and without a webhook also those of the version in which the next write stores the object.
func pairsToCheck(before, after *apiextensionsv1.CustomResourceDefinition) map[string][]versionPair {
	pairs := map[string][]versionPair{}
	storage := storageVersion(after)
	for i := range before.Spec.Versions {
		old := &before.Spec.Versions[i]
		same := versionNamed(after, old.Name)
		if same != nil {
			pairs[old.Name] = append(pairs[old.Name], versionPair{old, same})
		}
		if hasWebhook(after) || storage == nil || storage == same {
			continue
		}
		if stored := versionNamed(before, storage.Name); stored != nil {
			old = stored
		}
		pairs[before.Spec.Versions[i].Name] = append(pairs[before.Spec.Versions[i].Name], versionPair{old, storage})
	}
	return pairs
}

// listedVersion returns the served version of the old definition in which objects are listed: one that stays, if possible the storage version.
func listedVersion(before, after *apiextensionsv1.CustomResourceDefinition) string {
	best, bestRank := "", 0
	for _, each := range before.Spec.Versions {
		if !each.Served {
			continue
		}
		rank := 1
		if versionNamed(after, each.Name) != nil {
			rank += 2
		}
		if each.Storage {
			rank++
		}
		if rank > bestRank {
			best, bestRank = each.Name, rank
		}
	}
	return best
}
