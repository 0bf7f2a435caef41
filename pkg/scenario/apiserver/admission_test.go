package apiserver

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAValidatingAdmissionPolicyDeniesWrites(t *testing.T) {
	inCluster(t, func(c cluster) {
		policies := c.admin.AdmissionregistrationV1()
		_, err := policies.ValidatingAdmissionPolicies().Create(c.Context(), &admissionregistrationv1.ValidatingAdmissionPolicy{
			ObjectMeta: named("no-secrets-in-data"),
			Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
				MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
					RuleWithOperations: admissionregistrationv1.RuleWithOperations{
						Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
						Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
					},
				}}},
				Validations: []admissionregistrationv1.Validation{{Expression: "!('password' in object.data)", Message: "keep passwords in a Secret"}},
			},
		}, metav1.CreateOptions{})
		c.must(err)
		_, err = policies.ValidatingAdmissionPolicyBindings().Create(c.Context(), &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
			ObjectMeta: named("no-secrets-in-data"),
			Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName: "no-secrets-in-data", ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			},
		}, metav1.CreateOptions{})
		c.must(err)
		time.Sleep(2 * time.Second) // the API server reads policies once a second
		synctest.Wait()
		create := func(name, key string) error {
			configMap := &corev1.ConfigMap{ObjectMeta: named(name), Data: map[string]string{key: "x"}}
			_, err := c.admin.CoreV1().ConfigMaps("a").Create(c.Context(), configMap, metav1.CreateOptions{})
			return err
		}
		c.must(create("allowed", "user"))
		if err := create("denied", "password"); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "keep passwords in a Secret") {
			c.Errorf("a write that the policy denies: %v", err)
		}
	})
}
