package plan

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// InstallNamespace is what a decision about an install namespace is made from.
type InstallNamespace struct {
	Name string
	// Named says that a user chose the namespace; false where it is only the bundle's suggestion or the default.
	Named bool
	// Exists says that the namespace is there, and Terminating that it is being deleted.
	Exists, Terminating bool
	// Made says that the manager created the namespace, for this or for another BundleDeployment.
	Made bool
	// Requester is the user who asked for the namespace (annotation openshift.io/requester); empty when nobody is known.
	Requester string
	// Installed says that the deployment was installed in a namespace of this name. InstalledUID is the UID of that namespace, and UID
	// of the one that is there; empty where unknown.
	Installed         bool
	InstalledUID, UID types.UID
	// Manager is the manager's own namespace.
	Manager string
}

// NamespaceUse is what becomes of an install namespace.
type NamespaceUse string

// The uses of an install namespace.
const (
	// NamespaceCreated: it is missing, and the manager creates it.
	NamespaceCreated NamespaceUse = "Create"
	// NamespaceUsed: it is used as it is.
	NamespaceUsed NamespaceUse = "Use"
	// NamespaceUsedWithWarning: it is used, and status has a warning.
	NamespaceUsedWithWarning NamespaceUse = "UseWithWarning"
	// NamespaceRefused: nothing is written.
	NamespaceRefused NamespaceUse = "Refuse"
)

// NamespaceReason is why an install namespace is refused, or used with a warning; empty in the other cases.
type NamespaceReason string

// The reasons of a refusal or a warning.
const (
	// NamespaceProtected: it is one of the cluster's or the manager's own.
	NamespaceProtected NamespaceReason = "Protected"
	// NamespacePreexisting: it exists, and the manager did not create it.
	NamespacePreexisting NamespaceReason = "Preexisting"
	// NamespaceTerminating: it exists, the manager did not create it, and it is being deleted.
	NamespaceTerminating NamespaceReason = "Terminating"
	// NamespaceReplaced: somebody deleted the namespace that the deployment was installed in, and created another of the same name.
	NamespaceReplaced NamespaceReason = "Replaced"
)

// NamespaceDecision is whether an install namespace may be used.
type NamespaceDecision struct {
	Use    NamespaceUse
	Reason NamespaceReason
	// Message says why, and Remedy what a user can do about it; both are empty where Reason is.
	Message, Remedy string
}

// Decide says whether a bundle may be installed in a namespace. A namespace that the manager did not create belongs to somebody:
// whoever has rights in it can read the operator's Secrets and run Pods as its ServiceAccounts. So it is used only when a user
// has named it, with a warning. The cluster's own namespaces and the manager's are never begun with. Where the deployment's
// objects are already, they stay.
func (n InstallNamespace) Decide() NamespaceDecision {
	switch {
	case n.Installed && n.protected():
		return NamespaceDecision{NamespaceUsedWithWarning, NamespaceProtected,
			n.protectedMessage() + "; the operator stays there because it was installed there before", "delete it and create it again with another spec.installNamespace"}
	case n.protected():
		return NamespaceDecision{NamespaceRefused, NamespaceProtected, n.protectedMessage(), "choose another spec.installNamespace"}
	case !n.Exists:
		return NamespaceDecision{Use: NamespaceCreated}
	case n.Made:
		return NamespaceDecision{Use: NamespaceUsed}
	case n.Installed && !n.replaced() || n.Named:
		return NamespaceDecision{NamespaceUsedWithWarning, NamespacePreexisting,
			"it was not created by the manager: users with rights in it can read the operator's Secrets and run Pods as its ServiceAccounts",
			"restrict who may read Secrets and create Pods in it; it is not deleted with the operator"}
	case n.Terminating:
		return NamespaceDecision{NamespaceRefused, NamespaceTerminating, "it was not created by the manager" + n.requestedBy() + ", and is being deleted",
			"wait until it is gone; then the manager creates it"}
	case n.replaced():
		return NamespaceDecision{NamespaceRefused, NamespaceReplaced,
			"it was deleted and created again, not by the manager" + n.requestedBy() + ", and spec.install.namespace does not name it",
			fmt.Sprintf("delete it (\"kubectl delete namespace %s\"); then the manager creates it and installs the operator again", n.Name)}
	}
	return NamespaceDecision{NamespaceRefused, NamespacePreexisting, "it exists, was not created by the manager" + n.requestedBy() + ", and spec.install.namespace does not name it",
		fmt.Sprintf("set spec.install.namespace to %q to install there all the same, or to another name", n.Name)}
}

// replaced says that the namespace is another one than that which the deployment was installed in.
func (n InstallNamespace) replaced() bool {
	return n.Installed && n.InstalledUID != "" && n.UID != "" && n.InstalledUID != n.UID
}

func (n InstallNamespace) protected() bool {
	return n.Name == "default" || strings.HasPrefix(n.Name, "kube-") || n.Name == n.Manager
}

func (n InstallNamespace) protectedMessage() string {
	if n.Name == n.Manager {
		return "operators must not be installed in the manager's own namespace"
	}
	return "operators must not be installed in namespace default, or in one whose name begins with kube-"
}

func (n InstallNamespace) requestedBy() string {
	if n.Requester == "" {
		return ""
	}
	return " but requested by " + truncate.Quote(n.Requester)
}
