package admission

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

const operatorsTable = "operators"

const (
	scopedInstall   = "{install: {namespace: admission-operators, serviceAccountName: " + account + "}}"
	gatedInstall    = "{install: {approval: {mode: Required}}}"
	manuallyUpgrade = "{upgrades: {approval: Manual, approvedVersion: 1.0.0}}"
)

const (
	needsUseOfAll      = `may not use every class. Ask an admin for verb "use" on all provisionerclasses.core.rukpak.io`
	needsUnscopedOfAll = `ask an admin for verb "deploy-unscoped" on all provisionerclasses.core.rukpak.io`
	needsInstaller     = `may not impersonate. Ask an admin for verb "impersonate" on serviceaccounts "deployer" in namespace "admission-operators"`
	neededInstaller    = `is installed as ServiceAccount "deployer" of namespace "admission-operators" until now`
	neededUnscopedAll  = `has no spec.install.serviceAccountName until now`
)

// operator returns a PlatformOperator. parts are YAML of its spec.
func operator(name string, parts ...string) *unstructured.Unstructured {
	base := "{package: {name: " + name + "}}"
	return object(platformv1alpha1.SchemeGroupVersion.String(), "PlatformOperator", name, append([]string{base}, parts...)...)
}

// installScoped are the rights to a PlatformOperator with ServiceAccount "deployer". installUnscoped are those to one without a
// ServiceAccount.
func installScoped(rights ...Right) []Right {
	return append([]Right{use(""), impersonate(installNamespace(operatorsTable), account)}, rights...)
}

func installUnscoped(rights ...Right) []Right {
	return append([]Right{use(""), deployUnscoped("")}, rights...)
}

// Operators returns the requests to create, edit and delete PlatformOperators.
func Operators() Table {
	return Table{
		Name: operatorsTable, Policy: "platform-operators-platformoperators", Resource: platformv1alpha1.SchemeGroupVersion.WithResource("platformoperators"),
		Objects: []*unstructured.Unstructured{
			operator("admission-po", manuallyUpgrade),
			operator("admission-scoped-po", scopedInstall),
			operator("admission-gated-po", gatedInstall),
		},
		Cases: append(append(operatorCreations(), operatorEdits()...), append(operatorTakeovers(), operatorDeletions()...)...),
	}
}

func operatorCreations() []Case {
	scoped, unscoped := operator("admission-new", scopedInstall), operator("admission-new")
	own := impersonate(installNamespace(operatorsTable), account)
	return []Case{
		{Name: "creating without any right", Request: create(unscoped), Denied: needsUseOfAll},
		{Name: "creating with use of one class", Rights: []Right{use("first"), own}, Request: create(scoped), Denied: `PlatformOperator "admission-new" is installed with the ProvisionerClass of its bundle, and user "admission-operators-1" ` + needsUseOfAll},
		{Name: "creating with a ServiceAccount that the user may not impersonate", Rights: installUnscoped(), Request: create(scoped), Denied: needsInstaller},
		{Name: "creating with a ServiceAccount", Rights: installScoped(), Request: create(scoped)},
		{Name: "creating without a ServiceAccount", Rights: installScoped(), Request: create(unscoped), Denied: needsUnscopedOfAll},
		{Name: "creating without a ServiceAccount, with deploy-unscoped for one class", Rights: []Right{use(""), deployUnscoped("first")}, Request: create(unscoped), Denied: needsUnscopedOfAll},
		{Name: "creating without a ServiceAccount, with deploy-unscoped", Rights: installUnscoped(), Request: create(unscoped)},
		{Name: "creating with a mode of approval, without approve", Rights: installUnscoped(), Request: create(operator("admission-new", gatedInstall))},
		{Name: "creating by server-side apply without use", Rights: []Right{own}, Request: apply(scoped), Denied: needsUseOfAll},
		{Name: "creating by server-side apply", Rights: installScoped(), Request: apply(scoped)},
		{Name: "creating as a cluster admin", Rights: []Right{everything}, Request: create(unscoped)},
		{Name: "a ServiceAccount without an install namespace", Rights: []Right{everything}, Request: create(operator("admission-new", "{install: {serviceAccountName: deployer}}")), Invalid: "install.serviceAccountName needs install.namespace"},
	}
}

func operatorEdits() []Case {
	return []Case{
		{Name: "adopting all objects without use", Rights: []Right{deployUnscoped("")}, Request: patch("admission-po", "{spec: {install: {adoption: Any}}}"), Denied: needsUseOfAll},
		{Name: "adopting all objects without deploy-unscoped", Rights: []Right{use("")}, Request: patch("admission-po", "{spec: {install: {adoption: Any}}}"), Denied: needsUnscopedOfAll},
		{Name: "adopting all objects", Rights: installUnscoped(), Request: patch("admission-po", "{spec: {install: {adoption: Any}}}")},
		{Name: "deleting CustomResourceDefinitions without rights", Request: patch("admission-po", "{spec: {deletion: {crds: Delete}}}"), Denied: needsUseOfAll},
		{Name: "changing the versions without rights", Request: patch("admission-po", "{spec: {package: {version: '>=1.0.0'}}}"), Denied: needsUseOfAll},
		{Name: "pausing without rights", Request: patch("admission-po", "{spec: {paused: true}}"), Denied: needsUseOfAll},
		{Name: "changing upgrades.edges and the approved version without rights", Request: patch("admission-po", "{spec: {upgrades: {edges: SelfCertified, approvedVersion: 2.0.0}}}"), Denied: needsUseOfAll},
		{Name: "removing upgrades without rights", Request: patch("admission-po", "{spec: {upgrades: null}}"), Denied: needsUseOfAll},
		{Name: "approving a version without rights", Request: patch("admission-po", "{spec: {upgrades: {approvedVersion: 2.0.0}}}")},
		{Name: "approving the first version without rights", Request: patch("admission-scoped-po", "{spec: {upgrades: {approvedVersion: 2.0.0}}}")},
		{Name: "withdrawing the approval of a version without rights", Request: patch("admission-po", "{spec: {upgrades: {approvedVersion: null}}}")},
		{Name: "approving a version and retrying without rights", Request: patch("admission-po", "{metadata: {annotations: {platform.openshift.io/retry: a}}, spec: {upgrades: {approvedVersion: 2.0.0}}}"), Denied: needsUseOfAll},
		{Name: "retrying without rights", Request: patch("admission-po", "{metadata: {annotations: {platform.openshift.io/retry: a}}}"), Denied: needsUseOfAll},
		{Name: "retrying", Rights: installUnscoped(), Request: patch("admission-po", "{metadata: {annotations: {platform.openshift.io/retry: a}}}")},
		{Name: "setting an owner that does not exist, without rights", Request: patch("admission-po", "{metadata: {ownerReferences: [{apiVersion: v1, kind: Node, name: none, uid: none}]}}"), Denied: needsUseOfAll},
		{Name: "changing other metadata without rights", Request: patch("admission-po", "{metadata: {labels: {a: b}, annotations: {a: b}}}")},
		{Name: "an update that changes nothing, without rights", Request: patch("admission-po", "{spec: {upgrades: {approval: Manual}}}")},
		{Name: "an update by the garbage collector", User: garbageCollector, Request: patch("admission-po", "{metadata: {finalizers: [foregroundDeletion]}}")},
	}
}

// operatorTakeovers returns edits that would have the BundleDeployment lose its ServiceAccount or its approval.
func operatorTakeovers() []Case {
	const noAccount, noMode = "{spec: {install: {serviceAccountName: null}}}", "{spec: {install: {approval: {mode: None}}}}"
	own := impersonate(installNamespace(operatorsTable), account)
	return []Case{
		{Name: "removing the ServiceAccount without deploy-unscoped", Rights: installScoped(), Request: patch("admission-scoped-po", noAccount), Denied: needsUnscopedOfAll},
		{Name: "removing spec.install without deploy-unscoped", Rights: installScoped(), Request: patch("admission-scoped-po", "{spec: {install: null}}"), Denied: needsUnscopedOfAll},
		{Name: "removing the ServiceAccount without impersonating it", Rights: installUnscoped(), Request: patch("admission-scoped-po", noAccount), Denied: neededInstaller},
		{Name: "removing the ServiceAccount", Rights: installUnscoped(own), Request: patch("admission-scoped-po", noAccount)},
		{Name: "naming a ServiceAccount that the user may not impersonate", Rights: installScoped(), Request: patch("admission-scoped-po", "{spec: {install: {serviceAccountName: foreign}}}"), Denied: `is installed as ServiceAccount "foreign" of namespace "admission-operators", which`},
		{Name: "setting a ServiceAccount without deploy-unscoped", Rights: installScoped(), Request: patch("admission-po", "{spec: {install: {namespace: admission-operators, serviceAccountName: deployer}}}"), Denied: neededUnscopedAll},
		{Name: "setting a ServiceAccount", Rights: installUnscoped(own), Request: patch("admission-po", "{spec: {install: {namespace: admission-operators, serviceAccountName: deployer}}}")},
		{Name: "requiring no approval without approve", Rights: installUnscoped(), Request: patch("admission-gated-po", noMode), Denied: `may not change spec.install.approval of PlatformOperator "admission-gated-po". Ask an admin for verb "approve" on bundledeployments.core.rukpak.io "admission-gated-po"`},
		{Name: "removing spec.install.approval without approve", Rights: installUnscoped(), Request: patch("admission-gated-po", "{spec: {install: {approval: null}}}"), Denied: "may not change spec.install.approval"},
		{Name: "removing spec.install without approve", Rights: installUnscoped(), Request: patch("admission-gated-po", "{spec: {install: null}}"), Denied: "may not change spec.install.approval"},
		{Name: "requiring an approval without approve", Rights: installUnscoped(), Request: patch("admission-po", "{spec: {install: {approval: {mode: Required}}}}"), Denied: "may not change spec.install.approval"},
		{Name: "requiring no approval with approve for another deployment", Rights: installUnscoped(approve("admission-po")), Request: patch("admission-gated-po", noMode), Denied: "may not change spec.install.approval"},
		{Name: "requiring no approval with approve only", Rights: []Right{approve("")}, Request: patch("admission-gated-po", noMode), Denied: needsUseOfAll},
		{Name: "requiring no approval", Rights: installUnscoped(approve("admission-gated-po")), Request: patch("admission-gated-po", noMode)},
		{Name: "mode None instead of no approval, without approve", Rights: installUnscoped(), Request: patch("admission-po", noMode)},
	}
}

func operatorDeletions() []Case {
	return []Case{
		{Name: "deleting without use", Rights: []Right{deployUnscoped("")}, Request: remove("admission-po"), Denied: `PlatformOperator "admission-po" is installed with the ProvisionerClass of its bundle`},
		{Name: "deleting without deploy-unscoped", Rights: installScoped(), Request: remove("admission-po"), Denied: needsUnscopedOfAll},
		{Name: "deleting without impersonate", Rights: installUnscoped(), Request: remove("admission-scoped-po"), Denied: needsInstaller},
		{Name: "deleting", Rights: installUnscoped(), Request: remove("admission-po")},
		{Name: "deleting with a ServiceAccount", Rights: installScoped(), Request: remove("admission-scoped-po")},
		{Name: "deleting a collection without deploy-unscoped", Rights: installScoped(), Request: removeAll("admission-po"), Denied: needsUnscopedOfAll},
		{Name: "deleting a collection", Rights: installUnscoped(), Request: removeAll("admission-po")},
		{Name: "a deletion by the garbage collector", User: garbageCollector, Request: remove("admission-po")},
	}
}
