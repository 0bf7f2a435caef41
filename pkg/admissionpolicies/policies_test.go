package admissionpolicies

import (
	"context"
	"errors"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func policy() *admissionregistrationv1.ValidatingAdmissionPolicy {
	fail := admissionregistrationv1.Fail
	return &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "deploy"}, Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
		FailurePolicy: &fail, Validations: []admissionregistrationv1.Validation{{Expression: "false"}},
	}}
}

func binding() *admissionregistrationv1.ValidatingAdmissionPolicyBinding {
	return &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "deploy"}, Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: "deploy", ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
	}}
}

func TestENG_A8_NotInForce(t *testing.T) {
	changedPolicy := func(change func(*admissionregistrationv1.ValidatingAdmissionPolicy)) []runtime.Object {
		changed := policy()
		change(changed)
		return []runtime.Object{changed, binding()}
	}
	changedBinding := func(change func(*admissionregistrationv1.ValidatingAdmissionPolicyBinding)) []runtime.Object {
		changed := binding()
		change(changed)
		return []runtime.Object{policy(), changed}
	}
	now := metav1.Now()
	for name, c := range map[string]struct {
		objects []runtime.Object
		want    string
	}{
		"in force":  {[]runtime.Object{policy(), binding()}, ""},
		"no policy": {[]runtime.Object{binding()}, `ValidatingAdmissionPolicy "deploy" does not exist`},
		"a policy that is being deleted": {changedPolicy(func(p *admissionregistrationv1.ValidatingAdmissionPolicy) {
			p.DeletionTimestamp, p.Finalizers = &now, []string{"a"}
		}), `ValidatingAdmissionPolicy "deploy" is being deleted`},
		"a policy that denies nothing": {changedPolicy(func(p *admissionregistrationv1.ValidatingAdmissionPolicy) { p.Spec.Validations = nil }),
			`the spec of ValidatingAdmissionPolicy "deploy" was changed`},
		"a policy that ignores failures": {changedPolicy(func(p *admissionregistrationv1.ValidatingAdmissionPolicy) {
			*p.Spec.FailurePolicy = admissionregistrationv1.Ignore
		}), `the spec of ValidatingAdmissionPolicy "deploy" was changed`},
		"no binding": {[]runtime.Object{policy()}, `ValidatingAdmissionPolicyBinding "deploy" does not exist`},
		"a binding that is being deleted": {changedBinding(func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
			b.DeletionTimestamp, b.Finalizers = &now, []string{"a"}
		}), `ValidatingAdmissionPolicyBinding "deploy" is being deleted`},
		"a binding that only audits": {changedBinding(func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
			b.Spec.ValidationActions = []admissionregistrationv1.ValidationAction{admissionregistrationv1.Audit, admissionregistrationv1.Warn}
		}), "has no validation action Deny"},
		"a binding that also audits": {changedBinding(func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
			b.Spec.ValidationActions = append(b.Spec.ValidationActions, admissionregistrationv1.Audit)
		}), ""},
		"a binding of another policy": {changedBinding(func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) { b.Spec.PolicyName = "other" }),
			`binds another policy, "other"`},
		"a binding with a parameter": {changedBinding(func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
			b.Spec.ParamRef = &admissionregistrationv1.ParamRef{Name: "a"}
		}), "does not bind all objects"},
		"a binding of some objects": {changedBinding(func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
			b.Spec.MatchResources = &admissionregistrationv1.MatchResources{ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}}
		}), "does not bind all objects"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := NewReader(fake.NewClientset(c.objects...).AdmissionregistrationV1(), policy()).NotInForce(context.Background())
			if err != nil || !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("%q, error %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestNotInForceReturnsFailures(t *testing.T) {
	for _, resource := range []string{"validatingadmissionpolicies", "validatingadmissionpolicybindings"} {
		client := fake.NewClientset(policy(), binding())
		client.PrependReactor("get", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("down") })
		if got, err := NewReader(client.AdmissionregistrationV1(), policy()).NotInForce(t.Context()); got != "" || err == nil || !strings.Contains(err.Error(), "down") {
			t.Errorf("%s: %q, error %v", resource, got, err)
		}
	}
}
