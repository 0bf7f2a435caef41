package plain

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// clusterServiceVersion is the kind of object from which OLM v0 installs an operator.
var clusterServiceVersion = schema.GroupKind{Group: "operators.coreos.com", Kind: "ClusterServiceVersion"}

// warnOfOLM adds a warning for each ClusterServiceVersion, which is applied as written. OLM installs an operator from it, and the manager
// knows neither the operator's objects nor the cluster versions that it supports.
func (b *Bundle) warnOfOLM() {
	for _, o := range b.objects {
		if groupKind(o) == clusterServiceVersion {
			b.meta.Warnings = append(b.meta.Warnings, fmt.Sprintf(
				"%s is applied as written: if OLM installs an operator from it, the cluster upgrade gate does not count that operator", o))
		}
	}
}
