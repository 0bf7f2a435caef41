package admissionpolicies

import (
	"context"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	admissionregistrationclient "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
)

// Reader reads policies and their bindings. Each binding has the name of its policy. It is safe for concurrent use.
type Reader struct {
	client admissionregistrationclient.AdmissionregistrationV1Interface
	wanted []*admissionregistrationv1.ValidatingAdmissionPolicy
}

// NewReader returns a Reader for the given policies.
func NewReader(client admissionregistrationclient.AdmissionregistrationV1Interface, wanted ...*admissionregistrationv1.ValidatingAdmissionPolicy) *Reader {
	return &Reader{client: client, wanted: wanted}
}

// NotInForce returns a clause about the first policy that is missing, that differs from the wanted one, or whose binding does not deny every
// request that the policy rejects. It is empty if all policies are in force. It returns an error if a request fails.
func (r *Reader) NotInForce(ctx context.Context) (string, error) {
	for _, wanted := range r.wanted {
		problem, err := r.policyProblem(ctx, wanted)
		if problem == "" && err == nil {
			problem, err = r.bindingProblem(ctx, wanted.Name)
		}
		if problem != "" || err != nil {
			return problem, err
		}
	}
	return "", nil
}

func (r *Reader) policyProblem(ctx context.Context, wanted *admissionregistrationv1.ValidatingAdmissionPolicy) (string, error) {
	live, err := r.client.ValidatingAdmissionPolicies().Get(ctx, wanted.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("ValidatingAdmissionPolicy %q does not exist", wanted.Name), nil
	case err != nil:
		return "", fmt.Errorf("reading ValidatingAdmissionPolicy %q: %w", wanted.Name, err)
	case live.DeletionTimestamp != nil:
		return fmt.Sprintf("ValidatingAdmissionPolicy %q is being deleted", wanted.Name), nil
	case !equality.Semantic.DeepEqual(live.Spec, wanted.Spec):
		return fmt.Sprintf("the spec of ValidatingAdmissionPolicy %q was changed", wanted.Name), nil
	}
	return "", nil
}

func (r *Reader) bindingProblem(ctx context.Context, name string) (string, error) {
	live, err := r.client.ValidatingAdmissionPolicyBindings().Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("ValidatingAdmissionPolicyBinding %q does not exist", name), nil
	case err != nil:
		return "", fmt.Errorf("reading ValidatingAdmissionPolicyBinding %q: %w", name, err)
	case live.DeletionTimestamp != nil:
		return fmt.Sprintf("ValidatingAdmissionPolicyBinding %q is being deleted", name), nil
	case live.Spec.PolicyName != name:
		return fmt.Sprintf("ValidatingAdmissionPolicyBinding %q binds another policy, %q", name, live.Spec.PolicyName), nil
	case !slices.Contains(live.Spec.ValidationActions, admissionregistrationv1.Deny):
		return fmt.Sprintf("ValidatingAdmissionPolicyBinding %q has no validation action Deny", name), nil
	case live.Spec.ParamRef != nil || live.Spec.MatchResources != nil && !equality.Semantic.DeepEqual(*live.Spec.MatchResources, everything):
		return fmt.Sprintf("ValidatingAdmissionPolicyBinding %q does not bind all objects", name), nil
	}
	return "", nil
}

// everything is what the API server stores for matchResources without a limit.
var everything = admissionregistrationv1.MatchResources{
	NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{}, MatchPolicy: matchEquivalent(),
}

func matchEquivalent() *admissionregistrationv1.MatchPolicyType {
	equivalent := admissionregistrationv1.Equivalent
	return &equivalent
}
