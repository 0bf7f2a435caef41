package cvo

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// merge returns the object that the CVO would write for the manifest wanted if live exists. It changes neither. Labels and annotations are added and
// never removed; of the rest, each kind has a rule, and a kind without one has its top-level fields replaced whole.
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

// rules are those of the kinds that the CVO knows, as far as a component of ours uses them.
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

// replaceWhole is for kinds that the CVO does not know: what a manifest has at its top level is there as it stands.
func replaceWhole(merged, wanted map[string]any) {
	for field := range wanted {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, field) {
			put(merged, wanted, field)
		}
	}
}

// put sets a field to the manifest's value, and removes it if the manifest lacks it.
func put(merged, wanted map[string]any, field string) {
	value, found := wanted[field]
	if !found {
		delete(merged, field)
		return
	}
	merged[field] = value
}

// take sets a field to the manifest's value, if there is one.
func take(merged, wanted map[string]any, field string) {
	if _, found := wanted[field]; found {
		put(merged, wanted, field)
	}
}

// force sets every key of a map that the manifest has, and keeps other keys.
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

// object is a map; an empty one that is not there yet.
func object(value any) map[string]any {
	if m, ok := value.(map[string]any); ok {
		return m
	}
	return map[string]any{}
}

// mergeClusterRole leaves the rules of an aggregated role to the controller that gathers them.
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

// mergeDeployment forces what the CVO forces: among it the number of replicas, which is 1 where a manifest does not say. It leaves
// imagePullPolicy, terminationMessagePolicy, startupProbe and others as they were when the Deployment was created.
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

// byName returns the manifest's entries, each merged into the live entry of its name, and drops other live entries.
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
