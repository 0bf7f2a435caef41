// Package admission has tables of requests that the policies of the payload for BundleDeployments and PlatformOperators admit or deny. The
// same tables are sent to the API server in memory and to a real API server.
//
// All requests of a table are dry runs, so that a manager which runs does not act on them. A BundleDeployment of a table has a
// ProvisionerClass that does not exist, and a PlatformOperator a package that no catalog has.
package admission

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Cluster is the API server to which a table is sent.
type Cluster struct {
	// Admin has all permissions.
	Admin kubernetes.Interface
	// ConfigOf returns the configuration of a client that sends requests as a user, in no group but system:authenticated.
	ConfigOf func(user string) *rest.Config
	// GrantsAtOnce is whether a role is in effect when the request that creates its binding has returned.
	GrantsAtOnce bool
}

// Table is a list of cases for the objects of one resource.
type Table struct {
	// Name distinguishes the tables. It is part of the names of the install namespace, the roles and the users.
	Name string
	// Policy is the name of the policy that denies requests.
	Policy string
	// Resource is the resource of all objects.
	Resource schema.GroupVersionResource
	// Objects exist before the cases. They are created by Owner, who has all permissions.
	Objects []*unstructured.Unstructured
	Cases   []Case
}

// Case is a request of one user, with its result.
type Case struct {
	// Name is a sentence.
	Name string
	// User sends the request. An empty User means a user of this case only.
	User string
	// Rights of the user, in addition to those to write the objects.
	Rights  []Right
	Request Request
	// Denied is a part of the policy's message. Invalid is a part of the message with which the schema rejects the object. The request is
	// admitted if both are empty.
	Denied, Invalid string
}

// Request sends a request.
type Request func(ctx context.Context, client dynamic.ResourceInterface) error

// Owner is the user who creates the objects of tables.
const Owner = "admission-owner"

// installNamespace returns the install namespace of a table's objects.
func installNamespace(table string) string { return "admission-" + table }

// Create creates the namespace and the objects of a table. Remove deletes them.
func (t Table) Create(ctx context.Context, c Cluster) error {
	_, err := c.Admin.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: installNamespace(t.Name)}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the namespace of the table: %w", err)
	}
	if err := c.grant(ctx, t.ownersRole(), Owner, []Right{everything}); err != nil {
		return err
	}
	client, err := c.client(Owner, t.Resource)
	if err != nil {
		return err
	}
	for _, object := range t.Objects {
		if _, err := client.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating the objects of the table: %w", err)
		}
	}
	return nil
}

// Remove deletes the objects, the namespace and the roles that Create and Run create.
func (t Table) Remove(ctx context.Context, c Cluster) error {
	client, err := c.client(Owner, t.Resource)
	if err != nil {
		return err
	}
	var errs []error
	for _, object := range t.Objects {
		errs = append(errs, ignoreNotFound(client.Delete(ctx, object.GetName(), metav1.DeleteOptions{})))
	}
	for i, each := range t.Cases {
		errs = append(errs, c.revoke(ctx, t.role(i), each.Rights))
	}
	errs = append(errs, c.revoke(ctx, t.ownersRole(), nil))
	errs = append(errs, ignoreNotFound(c.Admin.CoreV1().Namespaces().Delete(ctx, installNamespace(t.Name), metav1.DeleteOptions{})))
	return errors.Join(errs...)
}

// Run sends the requests of the table. It returns a line for each case whose result is another one.
func (t Table) Run(ctx context.Context, c Cluster) (mismatches []string) {
	for i, each := range t.Cases {
		if err := t.run(ctx, c, i); err != nil {
			mismatches = append(mismatches, fmt.Sprintf("%s: %v", each.Name, err))
		}
	}
	return mismatches
}

// run sends the request of the case with this index. It returns an error if the result is another one.
func (t Table) run(ctx context.Context, c Cluster, index int) error {
	each, user := t.Cases[index], t.role(index)
	if each.User != "" {
		user = each.User
	}
	if err := c.grant(ctx, t.role(index), user, each.Rights); err != nil {
		return err
	}
	client, err := c.client(user, t.Resource)
	if err != nil {
		return err
	}
	err = each.Request(ctx, client)
	switch {
	case each.Denied != "":
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"+t.Policy+"'") || !strings.Contains(err.Error(), each.Denied) {
			return fmt.Errorf("the response is %w, want a denial with %q", orAdmitted(err), each.Denied)
		}
	case each.Invalid != "":
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), each.Invalid) {
			return fmt.Errorf("the response is %w, want that the object is invalid with %q", orAdmitted(err), each.Invalid)
		}
	case err != nil:
		return fmt.Errorf("the response is %w, want that the request is admitted", err)
	}
	return nil
}

var errAdmitted = errors.New("that the request is admitted")

func orAdmitted(err error) error {
	if err == nil {
		return errAdmitted
	}
	return err
}

// role returns the name of the roles of a case. It is also the name of a user of this case only.
func (t Table) role(index int) string { return fmt.Sprintf("admission-%s-%d", t.Name, index) }

func (t Table) ownersRole() string { return Owner + "-" + t.Name }

func (c Cluster) client(user string, resource schema.GroupVersionResource) (dynamic.ResourceInterface, error) {
	client, err := dynamic.NewForConfig(c.ConfigOf(user))
	if err != nil {
		return nil, fmt.Errorf("building the client of user %q: %w", user, err)
	}
	return client.Resource(resource), nil
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
