package drift

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/csaupgrade"
)

const ours = "platform-operators/memo"

// record is one object as an API server stores it, with the API server's own managedFields. Only the API server's defaults are missing.
type record struct {
	t      testing.TB
	fields *managedfields.FieldManager
	live   runtime.Object
}

func posted(t testing.TB, declared *unstructured.Unstructured) *record {
	t.Helper()
	kind := declared.GroupVersionKind()
	fields, err := managedfields.NewDefaultFieldManager(applyconfigurations.NewTypeConverter(scheme.Scheme), scheme.Scheme, noDefaults{}, scheme.Scheme, kind, kind.GroupVersion(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := scheme.Scheme.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	empty.GetObjectKind().SetGroupVersionKind(kind)
	r := &record{t: t, fields: fields, live: empty}
	r.update(ours, func(map[string]any) {}, declared)
	return r
}

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

func (r *record) object() *unstructured.Unstructured {
	r.t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(r.live)
	if err != nil {
		r.t.Fatal(err)
	}
	delete(content, "status")
	return &unstructured.Unstructured{Object: content}
}

// update writes the whole object, as PUT, POST and kubectl edit do. It changes the live object, or a copy of instead if that is given.
func (r *record) update(manager string, change func(map[string]any), instead ...*unstructured.Unstructured) {
	r.t.Helper()
	wanted := r.object()
	if len(instead) > 0 {
		wanted = instead[0].DeepCopy()
	}
	change(wanted.Object)
	typed, err := scheme.Scheme.New(wanted.GroupVersionKind())
	if err != nil {
		r.t.Fatal(err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(wanted.Object, typed); err != nil {
		r.t.Fatal(err)
	}
	if r.live, err = r.fields.Update(r.live, typed, manager); err != nil {
		r.t.Fatalf("updating as %s: %v", manager, err)
	}
}

// apply applies an object by server-side apply, with force.
func (r *record) apply(manager string, wanted *unstructured.Unstructured) {
	r.t.Helper()
	var err error
	if r.live, err = r.fields.Apply(r.live, wanted, manager, true); err != nil {
		r.t.Fatalf("applying as %s: %v", manager, err)
	}
}

// applied has functions that write an object in the ways in which the manager's last write may have been made, by name.
var applied = map[string]func(testing.TB, *unstructured.Unstructured) *record{
	"posted": func(t testing.TB, declared *unstructured.Unstructured) *record { return posted(t, declared) },
	"applied": func(t testing.TB, declared *unstructured.Unstructured) *record {
		r := posted(t, declared)
		if err := csaupgrade.UpgradeManagedFields(r.live, sets.New(ours), ours); err != nil {
			t.Fatal(err)
		}
		r.apply(ours, declared)
		return r
	},
}

// put sets a value at a JSON pointer, and returns the changed value. "-" appends to a list. If gone is true, put removes the value at the
// pointer instead.
func put(from any, pointer string, value any, gone bool) any {
	token, rest, deeper := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	switch from := from.(type) {
	case map[string]any:
		switch {
		case deeper:
			from[token] = put(from[token], rest, value, gone)
		case gone:
			delete(from, token)
		default:
			from[token] = value
		}
		return from
	case []any:
		if token == "-" {
			return append(from, value)
		}
		index, err := strconv.Atoi(token)
		switch {
		case err != nil || index >= len(from):
			panic(fmt.Sprintf("no item %q in %v", token, from))
		case deeper:
			from[index] = put(from[index], rest, value, gone)
		case gone:
			return slices.Delete(from, index, index+1)
		default:
			from[index] = value
		}
		return from
	}
	panic(fmt.Sprintf("nothing at %q in %v", pointer, from))
}

func at(from any, pointer string) any {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch value := from.(type) {
		case map[string]any:
			from = value[token]
		case []any:
			if index, err := strconv.Atoi(token); err == nil && index < len(value) {
				from = value[index]
			} else {
				return nil
			}
		default:
			return nil
		}
	}
	return from
}
