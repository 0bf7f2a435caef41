package scenarios

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/test/samples"
)

// unreadyObjects returns an unready object of every kind with health, except APIServices.
func (s *Story) unreadyObjects(namespace string) []unstructured.Unstructured {
	s.Helper()
	pods := fmt.Sprintf("{metadata: {labels: {app: sick, %s: 'true'}}, spec: {containers: [{name: main, image: samples.invalid/sick}]}}", samples.NeverReadyLabel)
	claim := "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: sick}, spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}}"
	texts := []string{
		`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: patients.sick.example.com}, spec: {group: sick.example.com,
			scope: Namespaced, names: {kind: Patient, listKind: PatientList, plural: patients, singular: target},
			versions: [{name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`,
		`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: nurses.sick.example.com}, spec: {group: sick.example.com,
			scope: Namespaced, names: {kind: Nurse, listKind: NurseList, plural: nurses, singular: nurse},
			versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`,
		"{apiVersion: v1, kind: Service, metadata: {name: sick}, spec: {ports: [{port: 443}]}}",
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: sick}, spec: {selector: {matchLabels: {app: sick}}, template: " + pods + "}}",
		"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: sick}, spec: {serviceName: sick, selector: {matchLabels: {app: sick}}, template: " + pods + "}}",
		"{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: sick}, spec: {selector: {matchLabels: {app: sick}}, template: " + pods + "}}",
		"{apiVersion: batch/v1, kind: Job, metadata: {name: sick}, spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: main, image: samples.invalid/sick}]}}}}",
		claim,
		`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: sick}, webhooks: [{name: sick.example.com, sideEffects: None,
			admissionReviewVersions: [v1], clientConfig: {service: {namespace: ` + namespace + `, name: sick}},
			rules: [{apiGroups: [nobody.sick.example.com], apiVersions: [v1], operations: [CREATE], resources: [none]}]}]}`,
		`{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: sick}, webhooks: [{name: sick.example.com, sideEffects: None,
			admissionReviewVersions: [v1], clientConfig: {service: {namespace: ` + namespace + `, name: sick}},
			rules: [{apiGroups: [nobody.sick.example.com], apiVersions: [v1], operations: [CREATE], resources: [none]}]}]}`,
		"{apiVersion: sick.example.com/v1, kind: Patient, metadata: {name: sick}, spec: {}}",
	}
	for i := range 4 { // with these, more unready objects than status names
		texts = append(texts, strings.Replace(claim, "name: sick", fmt.Sprintf("name: sick-%d", i), 1))
	}
	var objects []unstructured.Unstructured
	for _, text := range texts {
		var object unstructured.Unstructured
		s.Expect(yaml.Unmarshal([]byte(text), &object.Object)).To(Succeed())
		clusterScoped := []string{"CustomResourceDefinition", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}
		if !slices.Contains(clusterScoped, object.GetKind()) {
			object.SetNamespace(namespace)
		}
		objects = append(objects, object)
	}
	return objects
}
