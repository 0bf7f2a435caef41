package admission

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Propagations are the propagation policies with which the garbage collector deletes the dependents of an object.
var Propagations = []metav1.DeletionPropagation{metav1.DeletePropagationForeground, metav1.DeletePropagationBackground}

// Dependent is a BundleDeployment with a ClusterRole of the same name as its owner. No manager deletes either of them.
type Dependent struct {
	Name       string
	Kubernetes kubernetes.Interface
	Dynamic    dynamic.Interface
}

// Create creates the owner and the BundleDeployment.
func (d Dependent) Create(ctx context.Context) error {
	owner, err := d.Kubernetes.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: d.Name}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("creating the owner of BundleDeployment %q: %w", d.Name, err)
	}
	dependent := deployment(d.Name, d.Name)
	dependent.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole", Name: d.Name, UID: owner.UID, BlockOwnerDeletion: ptr.To(true),
	}})
	_, err = d.deployments().Create(ctx, dependent, metav1.CreateOptions{})
	return err
}

// DeleteOwner deletes the owner.
func (d Dependent) DeleteOwner(ctx context.Context, propagation metav1.DeletionPropagation) error {
	return d.Kubernetes.RbacV1().ClusterRoles().Delete(ctx, d.Name, metav1.DeleteOptions{PropagationPolicy: &propagation})
}

// IsGone reports whether neither the owner nor the BundleDeployment exists.
func (d Dependent) IsGone(ctx context.Context) (bool, error) {
	_, ownerErr := d.Kubernetes.RbacV1().ClusterRoles().Get(ctx, d.Name, metav1.GetOptions{})
	_, err := d.deployments().Get(ctx, d.Name, metav1.GetOptions{})
	for _, each := range []error{ownerErr, err} {
		if each != nil && !apierrors.IsNotFound(each) {
			return false, each
		}
	}
	return ownerErr != nil && err != nil, nil
}

func (d Dependent) deployments() dynamic.ResourceInterface {
	return d.Dynamic.Resource(corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments"))
}
