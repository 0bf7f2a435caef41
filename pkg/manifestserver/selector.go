package manifestserver

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

const namespaceField = "metadata.namespace"

// selector returns a function that reports whether the selectors of a list select an object.
func (c *call) selector(options metav1.ListOptions) (func(*entry) (bool, error), error) {
	label, err := labels.Parse(options.LabelSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	selected, err := fields.ParseSelector(options.FieldSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	var inObject []string
	for _, requirement := range selected.Requirements() {
		switch name := requirement.Field; {
		case name == metav1.ObjectNameField, name == namespaceField && c.resource.Is(kinds.Namespaced):
		case slices.Contains(c.resource.Selectable, name):
			inObject = append(inObject, name)
		case c.resource.Custom || len(c.resource.Selectable) > 0:
			return nil, apierrors.NewBadRequest("field label not supported: " + name)
		default:
			return nil, apierrors.NewBadRequest(fmt.Sprintf(`%q is not a known field selector: only "metadata.name", "metadata.namespace"`, name))
		}
	}
	exact := exactLabels(label)
	return func(one *entry) (bool, error) {
		for name, value := range exact { // faster than Matches, which evaluates each requirement in general
			if one.labels[name] != value {
				return false, nil
			}
		}
		if !label.Matches(one.labels) {
			return false, nil
		}
		values, err := one.fields(inObject)
		return err == nil && selected.Matches(values), err
	}, nil
}

// exactLabels returns the labels for which a selector requires one value that is not empty.
func exactLabels(selector labels.Selector) labels.Set {
	requirements, _ := selector.Requirements() // Matches handles a selector that selects nothing
	exact := labels.Set{}
	for _, each := range requirements {
		if value, isExact := selector.RequiresExactMatch(each.Key()); isExact && value != "" {
			exact[each.Key()] = value
		}
	}
	return exact
}

// fields returns the name, the namespace, and other fields of an object. It decodes the object only for others.
func (e *entry) fields(others []string) (fields.Set, error) {
	values := fields.Set{metav1.ObjectNameField: e.name, namespaceField: e.namespace}
	if len(others) == 0 {
		return values, nil
	}
	object, err := e.object()
	if err != nil {
		return nil, err
	}
	for _, name := range others {
		value, found, err := unstructured.NestedFieldNoCopy(object.Object, strings.Split(name, ".")...)
		if err == nil && found {
			values[name] = fmt.Sprint(value)
		}
	}
	return values, nil
}
