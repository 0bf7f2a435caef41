package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// occupants are the kinds of Kubernetes and OpenShift that are looked for before a namespace is deleted: what holds users'
// data, runs users' work or leads to it. Custom resources of every kind of the cluster are looked for as well.
var occupants = []schema.GroupVersionResource{
	{Version: "v1", Resource: "pods"},
	{Version: "v1", Resource: "persistentvolumeclaims"},
	{Version: "v1", Resource: "services"},
	{Version: "v1", Resource: "configmaps"},
	{Version: "v1", Resource: "secrets"},
	{Version: "v1", Resource: "serviceaccounts"},
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "apps", Version: "v1", Resource: "statefulsets"},
	{Group: "apps", Version: "v1", Resource: "daemonsets"},
	{Group: "batch", Version: "v1", Resource: "jobs"},
	{Group: "batch", Version: "v1", Resource: "cronjobs"},
}

// definitionKind is the kind of CustomResourceDefinitions, definitionsAt where they are.
var (
	definitionKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	definitionsAt  = schema.GroupVersionResource{Group: definitionKind.Group, Version: "v1", Resource: "customresourcedefinitions"}
)

const (
	// grantName is what the right to look into a namespace is called there.
	grantName = rolePrefix + "removal"
	// grantTries and grantWait bound the wait for the API server to know of it.
	grantTries = 20
	grantWait  = 100 * time.Millisecond
)

// occupied says why a namespace must stay; empty when everything in it is what every namespace has. What cannot be looked
// at counts as something: a namespace too many is nothing beside lost data.
//
// The manager's roles let it see the kinds that it deals with. To see whether others have something in this one namespace it
// grants itself, there, to list the rest by name; the grant goes with the namespace, or is withdrawn when that stays.
func (r *taking) occupied(ctx context.Context, namespace string) (string, error) {
	definitions, err := r.namespacedResources(ctx)
	if err != nil {
		return "", err
	}
	resources := append(slices.Clone(occupants), definitions...)
	found, unseen, err := r.look(ctx, namespace, resources)
	if err != nil || found != "" || len(unseen) == 0 {
		return found, err
	}
	if err := r.grant(ctx, namespace, unseen); err != nil {
		return "", err
	}
	for range grantTries {
		if found, unseen, err = r.look(ctx, namespace, unseen); err != nil || found != "" || len(unseen) == 0 {
			return found, err
		}
		timer := time.NewTimer(grantWait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return "", ctx.Err()
		case <-timer.C:
		}
	}
	return fmt.Sprintf("the manager may not see whether it holds %s", unseen[0].GroupResource()), nil
}

// look looks for the resources in a namespace. It gives the first object that is not everywhere, and else the resources that
// the manager may not list.
func (r *taking) look(ctx context.Context, namespace string, resources []schema.GroupVersionResource) (string, []schema.GroupVersionResource, error) {
	found, forbidden, errs := make([]string, len(resources)), make([]bool, len(resources)), make([]error, len(resources))
	var group sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, each := range resources {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			var err error
			found[i], err = r.occupant(ctx, namespace, each)
			switch {
			case apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err):
			case apierrors.IsForbidden(err):
				forbidden[i] = true
			case unconvertible(err):
				found[i] = fmt.Sprintf("it still holds %s, which cannot be read: %s", each.GroupResource(), bounded(err.Error()))
			case err != nil:
				errs[i] = fmt.Errorf("looking for %s in namespace %q: %w", each.GroupResource(), namespace, err)
			}
		})
	}
	group.Wait()
	var unseen []schema.GroupVersionResource
	for i, each := range resources {
		if found[i] != "" {
			return found[i], nil, nil
		}
		if forbidden[i] {
			unseen = append(unseen, each)
		}
	}
	return "", unseen, foremost(errs)
}

// occupant names the first object of a resource that is neither in every namespace nor goes with the set.
func (r *taking) occupant(ctx context.Context, namespace string, resource schema.GroupVersionResource) (string, error) {
	options := metav1.ListOptions{Limit: 50}
	for {
		page, err := r.client.Resource(resource).Namespace(namespace).List(ctx, options)
		if err != nil {
			return "", err
		}
		for i := range page.Items {
			if !everywhere(resource.Resource, &page.Items[i]) && !r.dependent(&page.Items[i]) {
				return fmt.Sprintf("it still holds %s %q", resource.GroupResource(), page.Items[i].GetName()), nil
			}
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return "", nil
		}
	}
}

// dependent says whether an object goes with objects of the set, which are gone by now: the garbage collector is on its way
// to what was made for them, such as the certificate of a Service.
func (r *taking) dependent(object *unstructured.Unstructured) bool {
	owners := object.GetOwnerReferences()
	for _, owner := range owners {
		kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind()
		if isCRD(kind) || !r.set.Has(Key{kind, object.GetNamespace(), owner.Name}) && !r.set.Has(Key{kind, "", owner.Name}) {
			return false
		}
	}
	return len(owners) > 0
}

// unconvertible tells that there are custom resources which nobody converts any more: that does not pass, and what was asked
// for is there.
func unconvertible(err error) bool {
	return apierrors.IsInternalError(err) && strings.Contains(err.Error(), "conversion webhook")
}

// namespacedResources are the namespaced resources that the CustomResourceDefinitions of the cluster define.
func (r *taking) namespacedResources(ctx context.Context) ([]schema.GroupVersionResource, error) {
	var resources []schema.GroupVersionResource
	options := metav1.ListOptions{Limit: 100}
	for {
		page, err := r.client.Resource(definitionsAt).List(ctx, options)
		if err != nil {
			return nil, fmt.Errorf("listing CustomResourceDefinitions, to see whether their custom resources are in the namespace: %w", err)
		}
		for i := range page.Items {
			if d := definitionOf(&page.Items[i]); d.namespaced {
				if resource, ok := d.resource(); ok {
					resources = append(resources, resource)
				}
			}
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return resources, nil
		}
	}
}

// everywhere says whether an object is one that Kubernetes or OpenShift puts into every namespace, or is on its way out.
func everywhere(resource string, object *unstructured.Unstructured) bool {
	if object.GetDeletionTimestamp() != nil {
		return true
	}
	name := object.GetName()
	switch resource {
	case "configmaps":
		return name == "kube-root-ca.crt" || name == "openshift-service-ca.crt"
	case "serviceaccounts":
		return name == "default" || name == "builder" || name == "deployer"
	case "secrets":
		kind, _, _ := unstructured.NestedString(object.Object, "type")
		made := object.GetAnnotations()[corev1.ServiceAccountNameKey] != "" || object.GetAnnotations()["openshift.io/internal-registry-auth-token.service-account"] != ""
		return kind == string(corev1.SecretTypeServiceAccountToken) || kind == string(corev1.SecretTypeDockercfg) && made
	case "clusterserviceversions":
		return object.GetLabels()["olm.copiedFrom"] != "" // OLM copies those of global operators into every namespace
	}
	return false
}

// grant lets the manager list resources in one namespace.
func (r *taking) grant(ctx context.Context, namespace string, resources []schema.GroupVersionResource) error {
	user, err := r.self(ctx)
	if err != nil {
		return err
	}
	labels := map[string]string{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment, corev1alpha2.LabelOwnerName: r.set.owner.Name}
	meta := metav1.ObjectMeta{Name: grantName, Namespace: namespace, Labels: labels}
	role := &rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"}, ObjectMeta: meta}
	for _, each := range resources {
		role.Rules = append(role.Rules, rbacv1.PolicyRule{APIGroups: []string{each.Group}, Resources: []string{each.Resource}, Verbs: []string{"list"}})
	}
	binding := &rbacv1.RoleBinding{
		TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"}, ObjectMeta: meta,
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: grantName},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	// What an earlier call left may be of other kinds than are needed now.
	if err := r.withdraw(ctx, namespace); err != nil {
		return err
	}
	for resource, object := range map[string]runtime.Object{"roles": role, "rolebindings": binding} {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return fmt.Errorf("encoding the right to look into namespace %q: %w", namespace, err)
		}
		_, err = r.client.Resource(rbacv1.SchemeGroupVersion.WithResource(resource)).Namespace(namespace).
			Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{FieldManager: r.set.owner.Manager()})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("granting the manager to look into namespace %q: %w", namespace, err)
		}
	}
	return nil
}

// withdraw takes a grant back.
func (r *taking) withdraw(ctx context.Context, namespace string) error {
	for _, resource := range []string{"rolebindings", "roles"} {
		err := r.client.Resource(rbacv1.SchemeGroupVersion.WithResource(resource)).Namespace(namespace).Delete(ctx, grantName, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("withdrawing the right to look into namespace %q: %w", namespace, err)
		}
	}
	return nil
}

// self gives the user that the API server takes the manager for.
func (r *taking) self(ctx context.Context) (string, error) {
	review := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}}
	answer, err := r.client.Resource(schema.GroupVersionResource{Group: "authentication.k8s.io", Version: "v1", Resource: "selfsubjectreviews"}).
		Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("asking the API server who the manager is: %w", err)
	}
	name, _, _ := unstructured.NestedString(answer.Object, "status", "userInfo", "username")
	if name == "" {
		return "", errors.New("asking the API server who the manager is: it does not say")
	}
	return name, nil
}
