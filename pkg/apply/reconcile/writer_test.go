package reconcile

import (
	"testing"
)

func TestAWriteOfTheRecordAloneIsNoRepair(t *testing.T) {
	before := parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, resourceVersion: "1", managedFields: [{manager: a}]}, data: {a: x}}`)
	for _, test := range []struct {
		name, after string
		want        bool
	}{
		{"nothing was written", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, resourceVersion: "1", managedFields: [{manager: a}]}, data: {a: x}}`, true},
		{"the record of field managers", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, resourceVersion: "2", managedFields: [{manager: b}]}, data: {a: x}}`, true},
		{"a value", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, resourceVersion: "2", managedFields: [{manager: a}]}, data: {a: y}}`, false},
		{"a label", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, resourceVersion: "2", labels: {a: b}, managedFields: [{manager: a}]}, data: {a: x}}`, false},
	} {
		if got := sameContent(before, parse(t, test.after)); got != test.want {
			t.Errorf("%s: the same content: %t, want %t", test.name, got, test.want)
		}
	}
}
