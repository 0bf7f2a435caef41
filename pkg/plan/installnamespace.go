package plan

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// InstallNamespace is the input of the decision about an install namespace.
type InstallNamespace struct {
	Name string
	// Named means that a user chose the namespace. If it is false, the namespace is only the bundle's suggestion or the default.
	Named bool
	// Exists means that the namespace exists, and Terminating that it is being deleted.
	Exists, Terminating bool
	// Created means that the manager created the namespace, for this or a different BundleDeployment.
	Created bool
	// Labels are the labels of the namespace. The decision does not depend on them.
	Labels map[string]string
	// Requester is the user who requested the namespace (annotation openshift.io/requester); empty if unknown.
	Requester string
	// Installed means that the deployment was installed in a namespace with this name. InstalledUID is the UID of that namespace, and UID
	// is the UID of the current one; empty if unknown.
	Installed         bool
	InstalledUID, UID types.UID
	// Manager is the manager's own namespace.
	Manager string
	// Deployment is the name of the BundleDeployment. OwnedByOperator means that a PlatformOperator owns it, so that users choose the
	// namespace in the PlatformOperator.
	Deployment      string
	OwnedByOperator bool
}

// NamespaceUse says how an install namespace may be used.
type NamespaceUse string

// Uses of an install namespace.
const (
	// NamespaceCreated: the namespace does not exist, and the manager creates it.
	NamespaceCreated NamespaceUse = "Create"
	// NamespaceUsed: the namespace is used as it is.
	NamespaceUsed NamespaceUse = "Use"
	// NamespaceUsedWithWarning: the namespace is used, and status reports a warning.
	NamespaceUsedWithWarning NamespaceUse = "UseWithWarning"
	// NamespaceRefused: the namespace is not used, and nothing is written.
	NamespaceRefused NamespaceUse = "Refuse"
)

// NamespaceReason says why an install namespace is refused or used with a warning; otherwise it is empty.
type NamespaceReason string

// Reasons of a refusal or a warning.
const (
	// NamespaceProtected: the namespace belongs to the cluster or to the manager.
	NamespaceProtected NamespaceReason = "Protected"
	// NamespacePreexisting: the namespace exists, and the manager did not create it.
	NamespacePreexisting NamespaceReason = "Preexisting"
	// NamespaceTerminating: the namespace is being deleted, and the manager did not create it.
	NamespaceTerminating NamespaceReason = "Terminating"
	// NamespaceReplaced: the namespace that the deployment was installed in was deleted, and a new one with the same name was created.
	NamespaceReplaced NamespaceReason = "Replaced"
)

// NamespaceDecision says whether an install namespace may be used, and why.
type NamespaceDecision struct {
	Use    NamespaceUse
	Reason NamespaceReason
	// Message is the explanation, and Remedy is what a user can do. Both are empty if Reason is empty.
	Message, Remedy string
}

// Decide returns whether a bundle may be installed in a namespace. Users with access to a namespace that the manager did not create can
// read the operator's Secrets and run Pods as its ServiceAccounts. So such a namespace is used only if a user has named it or the operator
// is already installed in it, and then with a warning. A first installation never uses namespaces of the cluster or the manager; an
// existing installation stays there.
func (n InstallNamespace) Decide() NamespaceDecision {
	switch {
	case n.Installed && n.isProtected():
		return NamespaceDecision{NamespaceUsedWithWarning, NamespaceProtected,
			n.protectedMessage() + "; the operator stays there because it was installed there before", "delete it and create it again with another spec.installNamespace"}
	case n.isProtected():
		return NamespaceDecision{NamespaceRefused, NamespaceProtected, n.protectedMessage(), n.otherNamespace()}
	case !n.Exists:
		return NamespaceDecision{Use: NamespaceCreated}
	case n.Created:
		return NamespaceDecision{Use: NamespaceUsed}
	case n.Installed && !n.isReplaced() || n.Named:
		return NamespaceDecision{NamespaceUsedWithWarning, NamespacePreexisting,
			"it was not created by the manager: users with rights in it can read the operator's Secrets and run Pods as its ServiceAccounts",
			"restrict who may read Secrets and create Pods in it; it is not deleted with the operator"}
	case n.Terminating:
		return NamespaceDecision{NamespaceRefused, NamespaceTerminating, "it was not created by the manager" + n.requestedBy() + ", and is being deleted",
			"wait until it is gone; then the manager creates it"}
	case n.isReplaced():
		return NamespaceDecision{NamespaceRefused, NamespaceReplaced,
			"it was deleted and created again, not by the manager" + n.requestedBy() + ", and spec.install.namespace of the PlatformOperator does not name it",
			fmt.Sprintf("delete it (\"kubectl delete namespace %s\"); then the manager creates it and installs the operator again", n.Name)}
	}
	return NamespaceDecision{NamespaceRefused, NamespacePreexisting, "it already exists, was not created by the manager" + n.requestedBy() + ", and spec.install.namespace of the PlatformOperator does not name it",
		fmt.Sprintf("set spec.install.namespace of the PlatformOperator to %q to install there anyway, or to another name", n.Name)}
}

// isReplaced reports whether the namespace is not the one that the deployment was installed in.
func (n InstallNamespace) isReplaced() bool {
	return n.Installed && n.InstalledUID != "" && n.UID != "" && n.InstalledUID != n.UID
}

func (n InstallNamespace) isProtected() bool {
	return n.Name == "default" || strings.HasPrefix(n.Name, "kube-") || n.Name == n.Manager
}

func (n InstallNamespace) protectedMessage() string {
	if n.Name == n.Manager {
		return "operators must not be installed in the manager's own namespace"
	}
	return "operators must not be installed in namespace default, or in one whose name begins with kube-"
}

// otherNamespace returns a text that says how a user chooses a different namespace, with an example if the deployment's name permits one.
func (n InstallNamespace) otherNamespace() string {
	example := ""
	if name := n.Deployment + "-system"; n.Deployment != "" && len(validation.IsDNS1123Label(name)) == 0 {
		example = fmt.Sprintf(", such as %q", name)
	}
	if n.OwnedByOperator {
		return "set spec.install.namespace of the PlatformOperator to a namespace that only this operator uses" + example
	}
	return "delete the BundleDeployment, and create it again with spec.installNamespace set to a namespace that only this operator uses" + example
}

func (n InstallNamespace) requestedBy() string {
	if n.Requester == "" {
		return ""
	}
	return " but requested by " + truncate.Quote(n.Requester)
}
