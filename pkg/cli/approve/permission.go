package approve

import (
	"context"
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/shell"
)

// maxHolders is the maximum number of users, groups and ServiceAccounts that an error names.
const maxHolders = 10

// checkPermission returns an error if the user lacks a permission. The error names those who have it, as far as the user may read that.
func (o *Options) checkPermission(ctx context.Context, asked cluster.Permission) error {
	return o.invocation.Limit(ctx, func(ctx context.Context) error {
		isPermitted, err := o.connection.IsPermitted(ctx, asked)
		if err != nil || isPermitted {
			return err
		}
		return fmt.Errorf("you lack verb %q on %s.%s %q. %s", asked.Verb, asked.Resource, asked.Group, asked.Name, o.holders(ctx, asked))
	})
}

// holders returns sentences that say who has a permission, or how to find out, and how an admin grants it.
func (o *Options) holders(ctx context.Context, asked cluster.Permission) string {
	resource, client := asked.Resource+"."+asked.Group, o.connection.Kubectl()
	grant := fmt.Sprintf("To grant it, a cluster admin runs: %[1]s create clusterrole %[2]s --verb=get,%[3]s --resource=%[4]s --resource-name=%[5]s && "+
		"%[1]s create clusterrolebinding %[2]s --clusterrole=%[2]s --user=USER", client, shell.Quote("approve-"+asked.Name), verbsWith(asked.Verb), resource,
		shell.Quote(asked.Name))
	roles, bindings, isComplete, err := o.connection.Roles(ctx)
	switch {
	case ctx.Err() != nil:
		return grant
	case cluster.IsForbidden(err):
		return fmt.Sprintf("Who has it is not known, because you may not list ClusterRoles and ClusterRoleBindings: ask a cluster admin, who "+
			"sees it with: %s get clusterrolebindings -o wide. %s", client, grant)
	case err != nil:
		return fmt.Sprintf("Who has it is not known: %v. %s", err, grant)
	}
	return heldBy(roles, bindings, asked, isComplete) + " " + grant
}

// verbsWith returns the verbs that an approval needs beside get, separated by commas.
func verbsWith(verb string) string {
	if verb == "patch" {
		return verb
	}
	return "patch," + verb
}

// heldBy returns a sentence with those who have a permission.
func heldBy(roles []rbacv1.ClusterRole, bindings []rbacv1.ClusterRoleBinding, asked cluster.Permission, isComplete bool) string {
	holders := holdersOf(roles, bindings, asked)
	text := "ClusterRoleBindings grant it to " + printer.First(maxHolders, holders)
	if len(holders) == 0 {
		text = "No ClusterRoleBinding grants it"
	}
	if !isComplete {
		text += ", among the first that were read"
	}
	return strings.TrimSpace(text) + "."
}
