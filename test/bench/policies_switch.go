package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	admissionregistrationclient "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
)

const (
	// switchLimit is the maximum time until the API server has noticed a binding that was created or deleted, and switchInterval the time
	// between two checks of that.
	switchLimit, switchInterval = time.Minute, 200 * time.Millisecond
)

// policySwitch puts the policies in force, or out of force, by their bindings.
type policySwitch struct {
	client   admissionregistrationclient.ValidatingAdmissionPolicyBindingInterface
	bindings []*admissionregistrationv1.ValidatingAdmissionPolicyBinding
}

// newPolicySwitch reads the bindings of the policies, which are in force.
func (l *live) newPolicySwitch(ctx context.Context) (*policySwitch, error) {
	s := &policySwitch{client: l.admin.Kubernetes.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()}
	for _, name := range []string{"platform-operators-bundledeployments", "platform-operators-platformoperators"} {
		binding, err := s.client.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("reading the binding of policy %q: %w", name, err)
		}
		s.bindings = append(s.bindings, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: binding.Spec})
	}
	return s, nil
}

// set creates or deletes the bindings, and waits until the API server denies the requests of an outsider, or admits them, and admits those of
// the tenant.
func (s *policySwitch) set(ctx context.Context, isInForce bool, requests []policyRequest) error {
	for _, each := range s.bindings {
		var err error
		if isInForce {
			_, err = s.client.Create(ctx, each, metav1.CreateOptions{})
		} else {
			err = s.client.Delete(ctx, each.Name, metav1.DeleteOptions{})
		}
		if err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) {
			return fmt.Errorf("changing the binding of policy %q: %w", each.Name, err)
		}
	}
	var last error
	err := wait.PollUntilContextTimeout(ctx, switchInterval, switchLimit, true, func(ctx context.Context) (bool, error) {
		found := checkPolicies(ctx, isInForce, requests)
		if ctx.Err() == nil { // an earlier result says more than the end of the time
			last = found
		}
		return found == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the API server: %w", errors.Join(err, last))
	}
	return nil
}

// checkPolicies returns an error if a request of the tenant is not admitted, or one of the outsider is admitted although the policies are in
// force, or denied although they are not.
func checkPolicies(ctx context.Context, isInForce bool, requests []policyRequest) error {
	for _, each := range requests {
		if err := each.send(ctx, each.asTenant); err != nil {
			return fmt.Errorf("the request of the tenant (%s) is not admitted: %w", each.name, err)
		}
		switch err := each.send(ctx, each.asOutsider); {
		case isInForce && err == nil:
			return fmt.Errorf("the request of the outsider (%s) is admitted", each.name)
		case isInForce && !apierrors.IsForbidden(err), !isInForce && err != nil:
			return fmt.Errorf("the request of the outsider (%s) is not admitted: %w", each.name, err)
		}
	}
	return nil
}

// secondsInPolicies returns the time that admitted updates have spent in ValidatingAdmissionPolicies since the API server started.
func (l *live) secondsInPolicies(ctx context.Context) (float64, error) {
	content, err := l.admin.Kubernetes.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("reading the API server's metrics: %w", err)
	}
	series, err := parseSeries(bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	value, found := series[policySeconds]
	if !found {
		return 0, fmt.Errorf("reading the API server's metrics: %s is missing", policySeconds)
	}
	return value, nil
}
