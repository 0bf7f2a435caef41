package plain

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// clusterServiceVersion is the kind of object from which OLM v0 installs an operator.
var clusterServiceVersion = schema.GroupKind{Group: "operators.coreos.com", Kind: "ClusterServiceVersion"}

// warnOfOLM adds a warning for each ClusterServiceVersion, which is applied as written. OLM may install an operator from it, and the
// manager knows neither the objects of that operator nor the cluster versions that the operator supports.
func (b *Bundle) warnOfOLM() {
	for _, o := range b.objects {
		if groupKind(o) == clusterServiceVersion {
			b.meta.Warnings = append(b.meta.Warnings, fmt.Sprintf(
				"%s is applied as written: if OLM installs an operator from it, the cluster upgrade gate does not count that operator", o))
		}
	}
}
