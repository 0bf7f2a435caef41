package samples

import (
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// ValidatePath, MutatePath and ConvertPath are the paths of the webhooks that AddWebhooks adds. The webhooks' Service has port 443.
const (
	ValidatePath = "/validate"
	MutatePath   = "/mutate"
	ConvertPath  = "/convert"
)

// Group is the API group of the sample operators' kinds.
const Group = "samples.platform.openshift.io"

// AddWebhooks adds a webhook of each type to the operator's bundle, which Write must have written below root as registry+v1. It adds
// version v2 to the operator's kind, in which spec.replicas replaces spec.size. The webhooks belong to the operator's Deployment. On the
// local cluster no containers run, so calls fail unless a test serves the webhooks.
func AddWebhooks(root string, operator Operator) error {
	manifests := filepath.Join(root, "bundles", operator.Package, operator.Version, "manifests")
	if err := edit(filepath.Join(manifests, operator.Package+".clusterserviceversion.yaml"), func(csv map[string]any) error {
		spec, ok := csv["spec"].(map[string]any)
		if !ok {
			return fmt.Errorf("it has no spec")
		}
		spec["webhookdefinitions"] = webhookDefinitions(operator)
		return nil
	}); err != nil {
		return err
	}
	return edit(filepath.Join(manifests, operator.Package+".crd.yaml"), func(definition map[string]any) error {
		spec, ok := definition["spec"].(map[string]any)
		if !ok {
			return fmt.Errorf("it has no spec")
		}
		spec["preserveUnknownFields"] = false
		spec["versions"] = []any{kindVersion("v1", "size", true), kindVersion("v2", "replicas", false)}
		return nil
	})
}

func webhookDefinitions(operator Operator) []any {
	rules := []any{map[string]any{
		"apiGroups": []any{Group}, "apiVersions": []any{"v1"}, "resources": []any{operator.Plural()},
		"operations": []any{"CREATE", "UPDATE"},
	}}
	webhook := func(kind, path string, more map[string]any) map[string]any {
		definition := map[string]any{
			"type": kind, "generateName": path[1:] + "." + operator.Package + ".example.com", "webhookPath": path,
			"deploymentName": operator.Package, "containerPort": 443, "targetPort": 9443,
			"admissionReviewVersions": []any{"v1"}, "sideEffects": "None",
		}
		for key, value := range more {
			definition[key] = value
		}
		return definition
	}
	admission := map[string]any{"rules": rules, "failurePolicy": "Fail", "timeoutSeconds": 10}
	return []any{
		webhook("ValidatingAdmissionWebhook", ValidatePath, admission),
		webhook("MutatingAdmissionWebhook", MutatePath, admission),
		webhook("ConversionWebhook", ConvertPath, map[string]any{"conversionCRDs": []any{operator.Plural() + "." + Group}}),
	}
}

// kindVersion returns a version of the operator's kind whose spec has one integer field. storage is true if the version is the stored one.
func kindVersion(name, field string, storage bool) map[string]any {
	return map[string]any{"name": name, "served": true, "storage": storage, "schema": map[string]any{
		"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{
			"spec": map[string]any{"type": "object", "properties": map[string]any{field: map[string]any{"type": "integer"}}},
		}},
	}}
}

// edit reads an object from a YAML file, calls change with it, and writes the object back to the file. It writes nothing if change returns
// an error.
func edit(path string, change func(object map[string]any) error) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("changing sample file: %w", err)
	}
	object := map[string]any{}
	if err := yaml.Unmarshal(content, &object); err != nil {
		return fmt.Errorf("changing sample file %q: %w", path, err)
	}
	if err := change(object); err != nil {
		return fmt.Errorf("changing sample file %q: %w", path, err)
	}
	if content, err = yaml.Marshal(object); err != nil {
		return fmt.Errorf("changing sample file %q: %w", path, err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("changing sample file: %w", err)
	}
	return nil
}
