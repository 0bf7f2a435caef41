package cvo

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// merge returns the object that the CVO would write, given the live object and the object wanted from the manifest. It modifies neither. It
// adds and overwrites labels and annotations, and never removes one. The rule of the kind merges the other fields.
func merge(live, wanted *unstructured.Unstructured) *unstructured.Unstructured {
	merged, wanted := live.DeepCopy(), wanted.DeepCopy()
	mergeMetadata(merged, wanted)
	rule, known := rules[wanted.GetKind()]
	if !known {
		rule = replaceWhole
	}
	rule(merged.Object, wanted.Object)
	return merged
}

func mergeMetadata(merged, wanted *unstructured.Unstructured) {
	if labels := united(merged.GetLabels(), wanted.GetLabels()); labels != nil {
		merged.SetLabels(labels)
	}
	if annotations := united(merged.GetAnnotations(), wanted.GetAnnotations()); annotations != nil {
		merged.SetAnnotations(annotations)
	}
	owners := merged.GetOwnerReferences()
	for _, owner := range wanted.GetOwnerReferences() {
		at := slices.IndexFunc(owners, func(o metav1.OwnerReference) bool { return o.UID == owner.UID })
		if at < 0 {
			owners = append(owners, owner)
		} else {
			owners[at] = owner
		}
	}
	merged.SetOwnerReferences(owners)
}

func united(live, wanted map[string]string) map[string]string {
	if len(wanted) == 0 {
		return live
	}
	if live == nil {
		live = map[string]string{}
	}
	for key, value := range wanted {
		live[key] = value
	}
	return live
}

// rules maps each kind in the project's manifests to the CVO's rule for merging the manifest into the live object. The rule for other kinds
// is replaceWhole.
var rules = map[string]func(merged, wanted map[string]any){
	"Namespace":                func(_, _ map[string]any) {},
	"ClusterOperator":          func(_, _ map[string]any) {},
	"ConfigMap":                func(m, w map[string]any) { force(m, w, "data"); force(m, w, "binaryData") },
	"ServiceAccount":           func(m, w map[string]any) { take(m, w, "automountServiceAccountToken") },
	"Service":                  mergeService,
	"Role":                     func(m, w map[string]any) { put(m, w, "rules") },
	"RoleBinding":              func(m, w map[string]any) { put(m, w, "subjects"); put(m, w, "roleRef") },
	"ClusterRole":              mergeClusterRole,
	"ClusterRoleBinding":       func(m, w map[string]any) { put(m, w, "subjects"); put(m, w, "roleRef") },
	"CustomResourceDefinition": func(m, w map[string]any) { put(m, w, "spec") },
	"Deployment":               mergeDeployment,
}

// replaceWhole is the rule for kinds without a rule of their own: it replaces each top-level field that the manifest has, except status.
func replaceWhole(merged, wanted map[string]any) {
	for field := range wanted {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, field) {
			put(merged, wanted, field)
		}
	}
}

// put sets a field to the manifest's value. If the manifest lacks the field, put removes it.
func put(merged, wanted map[string]any, field string) {
	value, found := wanted[field]
	if !found {
		delete(merged, field)
		return
	}
	merged[field] = value
}

// take sets a field to the manifest's value. If the manifest lacks the field, take keeps the live value.
func take(merged, wanted map[string]any, field string) {
	if _, found := wanted[field]; found {
		put(merged, wanted, field)
	}
}

// force sets every key that the manifest has in a map field, and keeps other keys.
func force(merged, wanted map[string]any, field string) {
	from := object(wanted[field])
	if len(from) == 0 {
		return
	}
	into := object(merged[field])
	for key := range from {
		into[key] = from[key]
	}
	merged[field] = into
}

// object returns the value if it is a map, and an empty map otherwise.
func object(value any) map[string]any {
	if m, ok := value.(map[string]any); ok {
		return m
	}
	return map[string]any{}
}

// mergeClusterRole replaces the aggregation rule and the rules. If the manifest has an aggregation rule, it keeps the live rules, which a
// controller of Kubernetes writes.
func mergeClusterRole(merged, wanted map[string]any) {
	put(merged, wanted, "aggregationRule")
	if wanted["aggregationRule"] == nil {
		put(merged, wanted, "rules")
	}
}

func mergeService(merged, wanted map[string]any) {
	live, spec := object(merged["spec"]), object(wanted["spec"])
	live["ports"] = byName(live["ports"], spec["ports"], func(m, w map[string]any) {
		for field := range w {
			m[field] = w[field]
		}
	})
	put(live, spec, "selector")
	take(live, spec, "type")
	merged["spec"] = live
}

// mergeDeployment sets the fields that the CVO sets, including the number of replicas, which is 1 if the manifest has none. It keeps the
// live imagePullPolicy, terminationMessagePolicy, startupProbe and other fields.
func mergeDeployment(merged, wanted map[string]any) {
	live, spec := object(merged["spec"]), object(wanted["spec"])
	if spec["replicas"] == nil {
		spec["replicas"] = int64(1)
	}
	for _, field := range []string{"replicas", "selector", "strategy"} {
		put(live, spec, field)
	}
	template, wantedTemplate := object(live["template"]), object(spec["template"])
	metadata, wantedMetadata := object(template["metadata"]), object(wantedTemplate["metadata"])
	force(metadata, wantedMetadata, "labels")
	force(metadata, wantedMetadata, "annotations")
	template["metadata"] = metadata
	template["spec"] = mergePod(object(template["spec"]), object(wantedTemplate["spec"]))
	live["template"] = template
	merged["spec"] = live
}

func mergePod(live, wanted map[string]any) map[string]any {
	for _, field := range []string{"serviceAccountName", "priorityClassName", "securityContext", "restartPolicy", "hostNetwork", "dnsPolicy",
		"affinity", "terminationGracePeriodSeconds", "automountServiceAccountToken", "shareProcessNamespace"} {
		take(live, wanted, field)
	}
	force(live, wanted, "nodeSelector")
	put(live, wanted, "volumes")
	tolerations, _ := live["tolerations"].([]any)
	more, _ := wanted["tolerations"].([]any)
	for _, toleration := range more {
		if !slices.ContainsFunc(tolerations, func(t any) bool { return equality.Semantic.DeepEqual(t, toleration) }) {
			tolerations = append(tolerations, toleration)
		}
	}
	if len(tolerations) > 0 {
		live["tolerations"] = tolerations
	}
	for _, field := range []string{"containers", "initContainers"} {
		if live[field] != nil || wanted[field] != nil {
			live[field] = byName(live[field], wanted[field], mergeContainer)
		}
	}
	return live
}

func mergeContainer(live, wanted map[string]any) {
	for _, field := range []string{"command", "args", "env", "envFrom", "resources", "ports", "volumeMounts", "livenessProbe", "readinessProbe", "securityContext"} {
		put(live, wanted, field)
	}
	take(live, wanted, "image")
	take(live, wanted, "workingDir")
}

// byName returns the manifest's entries, each merged into the live entry with the same name. It drops other live entries.
func byName(live, wanted any, mergeInto func(live, wanted map[string]any)) []any {
	have, _ := live.([]any)
	want, _ := wanted.([]any)
	var result []any
	for _, entry := range want {
		entry := object(entry)
		at := slices.IndexFunc(have, func(h any) bool { return object(h)["name"] == entry["name"] })
		if at < 0 {
			result = append(result, entry)
			continue
		}
		existing := object(have[at])
		mergeInto(existing, entry)
		result = append(result, existing)
	}
	return result
}
