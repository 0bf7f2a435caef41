package bundledeployment

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

// identities provides the identities of ServiceAccounts. *identity.ServiceAccounts implements it.
type identities interface {
	Of(namespace, name, deployment string) (apply.Identity, error)
	Forget(deployment string)
}

// identityOf returns the identity that writes objects: a ServiceAccount of the install namespace, or the manager if the name is empty.
func (s *reconciliation) identityOf(serviceAccount string) (apply.Identity, error) {
	if serviceAccount == "" {
		return apply.Identity{}, nil
	}
	return s.c.identities.Of(s.deployment.Spec.InstallNamespace, serviceAccount, s.deployment.Name)
}

// accountUID reads the UID of a ServiceAccount of the install namespace; empty for the manager. It returns a refusal if the ServiceAccount does
// not exist, or is not the one that has applied the newest revision.
func (s *reconciliation) accountUID(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if s.c.isOneRound {
		return "", s.refuseAccount(name, "this process only computes the changes, and another user applies them",
			"let the manager run in the cluster, or remove spec.serviceAccountName")
	}
	namespace, known := s.deployment.Spec.InstallNamespace, s.memory.history.AccountUID(name)
	live, err := s.c.accounts.ServiceAccounts(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) && known != "":
		return "", s.refuseAccount(name, fmt.Sprintf("it does not exist, and no other one of its name is used, because the objects were applied as the one with UID %s", known),
			anotherAccount)
	case apierrors.IsNotFound(err):
		return "", s.refuseAccount(name, "it does not exist, so nothing is written as it",
			"create it and grant it the permissions, or set spec.serviceAccountName to another ServiceAccount")
	case err != nil:
		return "", fmt.Errorf("reading ServiceAccount %s/%s: %w", namespace, name, err)
	case known != "" && known != string(live.UID):
		return "", s.refuseAccount(name, fmt.Sprintf("it was deleted and created again: it has UID %s, and the objects were applied as the one with UID %s", live.UID, known),
			anotherAccount)
	}
	return string(live.UID), nil
}

// anotherAccount is the remedy for a ServiceAccount that is not the one that has applied the objects.
const anotherAccount = "set spec.serviceAccountName to a ServiceAccount of another name"

func (s *reconciliation) refuseAccount(name, why, remedy string) error {
	return &apply.Refusal{
		Object: apply.Key{GroupKind: schema.GroupKind{Kind: "ServiceAccount"}, Namespace: s.deployment.Spec.InstallNamespace, Name: name},
		Err:    errors.New(why), Remedy: remedy,
	}
}

// confirmAccount returns an error if objects must not be written as the ServiceAccount of a revision.
func (s *reconciliation) confirmAccount(ctx context.Context, of *revision.Revision) error {
	_, err := s.accountUID(ctx, of.ServiceAccount)
	return err
}

// removingAccount returns the ServiceAccount that removes the objects of an earlier revision: the one that has applied them, or, if that one is
// gone, the one of the active revision.
func (s *reconciliation) removingAccount(ctx context.Context, of *revision.Revision) (string, error) {
	err := s.confirmAccount(ctx, of)
	if refusal := (*apply.Refusal)(nil); !errors.As(err, &refusal) {
		return of.ServiceAccount, err
	}
	active := s.machine.Active()
	if active == nil || active.ServiceAccount == "" || active.ServiceAccount == of.ServiceAccount {
		return "", err
	}
	return active.ServiceAccount, s.confirmAccount(ctx, active)
}

// removingIdentity returns the identity that removes all objects: the ServiceAccount in the spec, or the manager. So an admin who may deploy
// without a ServiceAccount can end a removal for which the ServiceAccount has no permission.
func (s *reconciliation) removingIdentity(ctx context.Context) (apply.Identity, error) {
	name := s.deployment.Spec.ServiceAccountName
	if _, err := s.accountUID(ctx, name); err != nil {
		return apply.Identity{}, err
	}
	return s.identityOf(name)
}
