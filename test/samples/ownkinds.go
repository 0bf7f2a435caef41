package samples

import (
	"fmt"
	"os"
	"path/filepath"
)

// AddCustomResource adds a custom resource to the operator's bundle, which Write must have written below root as plain manifests. The
// bundle also contains the CustomResourceDefinition, but the file of the custom resource sorts before it, so that the manager must order
// them.
func AddCustomResource(root string, operator Operator) error {
	manifest := fmt.Sprintf("apiVersion: %s/v1\nkind: %s\nmetadata: {name: first}\nspec: {size: 3}\n", Group, operator.Kind())
	path := filepath.Join(root, "bundles", operator.Package, operator.Version, "manifests", "0-first.yaml")
	if err := os.WriteFile(path, []byte(manifest), 0o644); err != nil {
		return fmt.Errorf("writing sample file: %w", err)
	}
	return nil
}

// AddOwnKind adds a CustomResourceDefinition and a custom resource of its kind to the operator's bundle, which Write must have
// written below root. The kind is PodMonitor, because the bundle format permits PodMonitors and the local cluster does not have
// the kind. The custom resource has the operator's version in spec.podTargetLabels.
func AddOwnKind(root string, operator Operator) error {
	manifests := filepath.Join(root, "bundles", operator.Package, operator.Version, "manifests")
	for name, content := range map[string]string{
		"podmonitors.crd.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: podmonitors.monitoring.coreos.com
spec:
  group: monitoring.coreos.com
  names: {kind: PodMonitor, listKind: PodMonitorList, plural: podmonitors, singular: podmonitor}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`,
		"podmonitor.yaml": fmt.Sprintf(`apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  name: %[1]s
spec:
  selector:
    matchLabels: {app: %[1]s}
  podTargetLabels: ["version-%[2]s"]
`, operator.Package, operator.Version),
	} {
		if err := os.WriteFile(filepath.Join(manifests, name), []byte(content), 0o644); err != nil {
			return fmt.Errorf("writing sample file: %w", err)
		}
	}
	return nil
}
