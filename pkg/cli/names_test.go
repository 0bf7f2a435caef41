package cli

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/cli/approve"
	"github.com/openshift/platform-operators/pkg/cli/catalog/lint"
	"github.com/openshift/platform-operators/pkg/cli/catalog/simulate"
	"github.com/openshift/platform-operators/pkg/cli/explain"
	"github.com/openshift/platform-operators/pkg/cli/graph"
	"github.com/openshift/platform-operators/pkg/cli/list"
	"github.com/openshift/platform-operators/pkg/cli/search"
	"github.com/openshift/platform-operators/pkg/cli/status"
	"github.com/openshift/platform-operators/pkg/cli/updates"
)

// TestCLI_12_EachNameInJSONHasOneType checks that a program can treat a field of the same name in the same way in each report.
func TestCLI_12_EachNameInJSONHasOneType(t *testing.T) {
	known := map[string]string{}
	for _, report := range []any{
		list.Report{}, status.Report{}, search.Report{}, updates.Report{}, explain.Report{}, graph.Report{}, lint.Report{}, simulate.Report{},
		approve.Report{},
	} {
		compareFields(t, reflect.TypeOf(report), known)
	}
	if len(known) < 50 {
		t.Errorf("found only %d fields", len(known))
	}
}

// compareFields compares the fields of a type, and of those that it contains, with the types of known names.
func compareFields(t *testing.T, of reflect.Type, known map[string]string) {
	t.Helper()
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() {
		return
	}
	for field := range of.Fields() {
		if !field.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		compareFields(t, field.Type, known)
		if name == "" { // inline, or not in JSON
			continue
		}
		kind := kindInJSON(field.Type)
		if before, isKnown := known[name]; isKnown && before != kind {
			t.Errorf("field %q of %s is of type %s, and another one of type %s", name, of, kind, before)
		}
		known[name] = kind
	}
}

func kindInJSON(of reflect.Type) string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case of == reflect.TypeFor[time.Time]():
		return "string"
	case of.Kind() == reflect.Slice:
		return "array"
	case of.Kind() == reflect.Struct:
		return "object"
	case of.Kind() == reflect.Int:
		return "number"
	}
	return of.Kind().String()
}
