package registryv1_test

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// configured returns the rendered Deployment of the sample. pod is YAML that replaces the pod's containers. config is a deploymentConfig as
// JSON.
func configured(t *testing.T, pod, config string) *appsv1.Deployment {
	t.Helper()
	text := csv(
		"name: sample.v1.2.3", "name: sample.v1.2.3\n  annotations: {from: the CSV, both: the CSV}",
		"metadata: {labels: {app: sample}}", "metadata: {labels: {app: sample}, annotations: {own: the template, both: the template}}",
		"              containers:\n              - {name: manager, image: example.com/sample}\n", pod)
	for _, o := range renderWith(t, load(t, sample(map[string]string{"manifests/csv.yaml": text})), bundle.Options{Config: []byte(`{"deploymentConfig": ` + config + `}`)}) {
		if o.GetKind() == "Deployment" {
			d := &appsv1.Deployment{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, d); err != nil {
				t.Fatal(err)
			}
			return d
		}
	}
	t.Fatal("no Deployment")
	return nil
}

// Promise ENG-F5: Pods of a registry+v1 bundle carry the CSV's annotations, the target namespaces and the name of the operator. The
// deploymentConfig replaces resources and node selector, adds tolerations, and overrides variables, volumes and mounts.
func TestENG_F5_Deployments(t *testing.T) {
	const containers = "              containers:\n              - {name: one, image: i%}\n              - {name: two, image: i}\n"
	with := func(fields string) string { return strings.Replace(containers, "i%", "i, "+fields, 1) }
	plain := strings.Replace(containers, "i%", "i", 1)
	pod := func(fields string) string { return plain + "              " + fields + "\n" }
	first := func(d *appsv1.Deployment) corev1.Container { return d.Spec.Template.Spec.Containers[0] }
	operator := corev1.EnvVar{Name: "OPERATOR_CONDITION_NAME", Value: "sample.v1.2.3"}
	cases := map[string]struct {
		pod, config string
		get         func(d *appsv1.Deployment) any
		want        any
	}{
		"pods have the template's annotations, over them the CSV's, and what is watched": {plain, `{}`,
			func(d *appsv1.Deployment) any { return d.Spec.Template.Annotations },
			map[string]string{"own": "the template", "from": "the CSV", "both": "the CSV", "olm.targetNamespaces": "", "olm.operatorNamespace": "install-ns"}},
		"the Deployment itself has none of them":   {plain, `{}`, func(d *appsv1.Deployment) any { return d.Annotations }, map[string]string(nil)},
		"one old ReplicaSet is kept":               {plain, `{}`, func(d *appsv1.Deployment) any { return *d.Spec.RevisionHistoryLimit }, int32(1)},
		"every container has the operator's name":  {plain, `{}`, func(d *appsv1.Deployment) any { return d.Spec.Template.Spec.Containers[1].Env }, []corev1.EnvVar{operator}},
		"the operator's name cannot be overridden": {with("env: [{name: OPERATOR_CONDITION_NAME, value: x}]"), `{"env": [{"name": "OPERATOR_CONDITION_NAME", "value": "y"}]}`, func(d *appsv1.Deployment) any { return first(d).Env }, []corev1.EnvVar{operator}},
		"annotations are added to Deployment and pods": {plain, `{"annotations": {"more": "config"}}`, func(d *appsv1.Deployment) any {
			return []string{d.Annotations["more"], d.Spec.Template.Annotations["more"]}
		}, []string{"config", "config"}},
		"annotations do not win over the bundle's": {plain, `{"annotations": {"both": "config", "own": "config", "olm.targetNamespaces": "config"}}`, func(d *appsv1.Deployment) any {
			a := d.Spec.Template.Annotations
			return []string{a["both"], a["own"], a["olm.targetNamespaces"]}
		}, []string{"the CSV", "the template", ""}},
		"a variable wins, in the place of the bundle's": {with("env: [{name: A, value: own}, {name: B, value: own}]"), `{"env": [{"name": "C", "value": "config"}, {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}`, func(d *appsv1.Deployment) any { return first(d).Env }, []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}, {Name: "B", Value: "own"}, {Name: "C", Value: "config"}, operator}},
		"sources of variables are added, once":          {with("envFrom: [{configMapRef: {name: a}}]"), `{"envFrom": [{"configMapRef": {"name": "a"}}, {"configMapRef": {"name": "a", "optional": true}}, {"secretRef": {"name": "a"}, "prefix": "P"}]}`, func(d *appsv1.Deployment) any { return len(first(d).EnvFrom) }, 3},
		"resources are replaced, in every container": {with("resources: {requests: {cpu: 1}, limits: {cpu: 2}}"), `{"resources": {"limits": {"memory": "1Gi"}}}`, func(d *appsv1.Deployment) any {
			r := first(d).Resources
			return []int{len(r.Requests), len(r.Limits), len(d.Spec.Template.Spec.Containers[1].Resources.Limits)}
		}, []int{0, 1, 1}},
		"resources that are absent change nothing":     {with("resources: {requests: {cpu: 1}}"), `{}`, func(d *appsv1.Deployment) any { return len(first(d).Resources.Requests) }, 1},
		"the node selector is replaced":                {pod("nodeSelector: {own: x}"), `{"nodeSelector": {"config": "x"}}`, func(d *appsv1.Deployment) any { return d.Spec.Template.Spec.NodeSelector }, map[string]string{"config": "x"}},
		"an empty node selector removes the pods' one": {pod("nodeSelector: {own: x}"), `{"nodeSelector": {}}`, func(d *appsv1.Deployment) any { return len(d.Spec.Template.Spec.NodeSelector) }, 0},
		"the node selector stays without another":      {pod("nodeSelector: {own: x}"), `{}`, func(d *appsv1.Deployment) any { return d.Spec.Template.Spec.NodeSelector }, map[string]string{"own": "x"}},
		"tolerations are added, once":                  {pod("tolerations: [{key: a, operator: Exists}]"), `{"tolerations": [{"key": "a", "operator": "Exists"}, {"key": "a", "operator": "Exists", "effect": "NoSchedule"}]}`, func(d *appsv1.Deployment) any { return d.Spec.Template.Spec.Tolerations }, []corev1.Toleration{{Key: "a", Operator: "Exists"}, {Key: "a", Operator: "Exists", Effect: "NoSchedule"}}},
		"a volume wins, in the place of the bundle's":  {pod("volumes: [{name: a, emptyDir: {}}, {name: b, emptyDir: {}}]"), `{"volumes": [{"name": "c", "emptyDir": {}}, {"name": "a", "secret": {"secretName": "s"}}]}`, func(d *appsv1.Deployment) any { return d.Spec.Template.Spec.Volumes }, []corev1.Volume{{Name: "a", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s"}}}, {Name: "b", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}, {Name: "c", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}},
		"a mount wins over one of its volume":          {with("volumeMounts: [{name: a, mountPath: /own}, {name: a, mountPath: /also}]"), `{"volumeMounts": [{"name": "b", "mountPath": "/b"}, {"name": "a", "mountPath": "/config"}]}`, func(d *appsv1.Deployment) any { return first(d).VolumeMounts }, []corev1.VolumeMount{{Name: "a", MountPath: "/config"}, {Name: "a", MountPath: "/also"}, {Name: "b", MountPath: "/b"}}},
		"a mount wins over one at its path":            {with("volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /b}]"), `{"volumeMounts": [{"name": "c", "mountPath": "/b"}]}`, func(d *appsv1.Deployment) any { return first(d).VolumeMounts }, []corev1.VolumeMount{{Name: "a", MountPath: "/a"}, {Name: "c", MountPath: "/b"}}},
		"a mount is in every container":                {plain, `{"volumeMounts": [{"name": "c", "mountPath": "/c"}]}`, func(d *appsv1.Deployment) any { return d.Spec.Template.Spec.Containers[1].VolumeMounts }, []corev1.VolumeMount{{Name: "c", MountPath: "/c"}}},
		"affinity is replaced member by member":        {pod("affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1}]}, podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: own}]}, podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: own}]}}"), `{"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "config"}]}, "podAntiAffinity": {}}}`, affinity, "node:1 pod:config anti:none"},
		"an empty affinity removes the pods' one":      {pod("affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: own}]}}"), `{"affinity": {}}`, func(d *appsv1.Deployment) any { return d.Spec.Template.Spec.Affinity }, (*corev1.Affinity)(nil)},
		"affinity whose last member goes, goes":        {pod("affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: own}]}}"), `{"affinity": {"podAffinity": {}}}`, func(d *appsv1.Deployment) any { return d.Spec.Template.Spec.Affinity }, (*corev1.Affinity)(nil)},
		"affinity where the bundle has none":           {plain, `{"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "config"}]}}}`, affinity, "node:0 pod:config anti:none"},
		"init containers are left alone":               {plain + "              initContainers: [{name: init, image: i}]\n", `{"env": [{"name": "A"}], "volumeMounts": [{"name": "c", "mountPath": "/c"}], "resources": {"limits": {"cpu": "1"}}}`, func(d *appsv1.Deployment) any { return d.Spec.Template.Spec.InitContainers }, []corev1.Container{{Name: "init", Image: "i"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := gocmp.Diff(c.want, c.get(configured(t, c.pod, c.config))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// affinity summarizes the fields of a pod's affinity.
func affinity(d *appsv1.Deployment) any {
	a := d.Spec.Template.Spec.Affinity
	if a == nil {
		return "none at all"
	}
	node, pod, anti := "0", "none", "none"
	if a.NodeAffinity != nil {
		node = "1"
	}
	if a.PodAffinity != nil {
		pod = a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].TopologyKey
	}
	if a.PodAntiAffinity != nil {
		anti = a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].TopologyKey
	}
	return "node:" + node + " pod:" + pod + " anti:" + anti
}
