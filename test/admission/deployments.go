package admission

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	deploymentsTable  = "deployments"
	deploymentsPolicy = "platform-operators-bundledeployments"

	// account and foreign are ServiceAccounts of the install namespace. Nothing needs them to exist.
	account, foreign = "deployer", "foreign"

	garbageCollector = "system:serviceaccount:kube-system:generic-garbage-collector"
)

const (
	scopedSpec   = "{serviceAccountName: " + account + "}"
	unscopedSpec = "{}"
)

// deployment returns a BundleDeployment of ProvisionerClass "first" in the install namespace of a table.
func deployment(table, name string, parts ...string) *unstructured.Unstructured {
	base := "{installNamespace: " + installNamespace(table) + ", provisionerClassName: first, source: {type: image, image: {ref: registry.invalid/admission}}}"
	return object(corev1alpha2.SchemeGroupVersion.String(), "BundleDeployment", name, append([]string{base}, parts...)...)
}

// scopedRights are the rights to a BundleDeployment of class "first" with ServiceAccount "deployer". unscopedRights are those to one without
// a ServiceAccount.
func scopedRights(table string) []Right {
	return []Right{use("first"), impersonate(installNamespace(table), account)}
}

func unscopedRights() []Right { return []Right{use("first"), deployUnscoped("first")} }

// Deployments returns the requests to create, edit and delete BundleDeployments.
func Deployments() Table {
	return Table{
		Name: deploymentsTable, Policy: deploymentsPolicy, Resource: corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments"),
		Objects: []*unstructured.Unstructured{
			deployment(deploymentsTable, "admission-scoped", scopedSpec),
			deployment(deploymentsTable, "admission-unscoped", unscopedSpec),
		},
		Cases: append(append(deploymentCreations(), deploymentEdits()...), append(deploymentTakeovers(), deploymentDeletions()...)...),
	}
}

const (
	needsUse         = `may not use. Ask an admin for verb "use" on provisionerclasses.core.rukpak.io "first"`
	needsImpersonate = `may not impersonate. Ask an admin for verb "impersonate" on serviceaccounts "deployer" in namespace "admission-deployments"`
	needsUnscoped    = `ask an admin for verb "deploy-unscoped" on provisionerclasses.core.rukpak.io "first"`
	neededUse        = `is of ProvisionerClass "first" until now, which`
	neededUnscoped   = `has no spec.serviceAccountName until now`
	neededAccount    = `is applied as ServiceAccount "deployer" of namespace "admission-deployments" until now`
)

func deploymentCreations() []Case {
	scoped, unscoped := deployment(deploymentsTable, "admission-new", scopedSpec), deployment(deploymentsTable, "admission-new", unscopedSpec)
	generated := deployment(deploymentsTable, "", scopedSpec)
	generated.SetName("")
	generated.SetGenerateName("admission-generated-")
	own := impersonate(installNamespace(deploymentsTable), account)
	return []Case{
		{Name: "creating without any right", Request: create(unscoped), Denied: needsUse},
		{Name: "creating without use of the class", Rights: []Right{own, deployUnscoped("first")}, Request: create(scoped), Denied: `BundleDeployment "admission-new" is of ProvisionerClass "first", which user "admission-deployments-1" ` + needsUse},
		{Name: "creating with use of another class", Rights: []Right{own, use("second")}, Request: create(scoped), Denied: needsUse},
		{Name: "creating with a ServiceAccount that the user may not impersonate", Rights: unscopedRights(), Request: create(scoped), Denied: needsImpersonate},
		{Name: "creating with a ServiceAccount that the user may impersonate in another namespace", Rights: []Right{use("first"), impersonate("default", account)}, Request: create(scoped), Denied: needsImpersonate},
		{Name: "creating with a ServiceAccount that the user may impersonate", Rights: scopedRights(deploymentsTable), Request: create(scoped)},
		{Name: "creating with use of all classes", Rights: []Right{use(""), own}, Request: create(scoped)},
		{Name: "creating without a ServiceAccount", Rights: scopedRights(deploymentsTable), Request: create(unscoped), Denied: needsUnscoped},
		{Name: "creating without a ServiceAccount, with deploy-unscoped for another class", Rights: []Right{use("first"), deployUnscoped("second")}, Request: create(unscoped), Denied: needsUnscoped},
		{Name: "creating without a ServiceAccount, with deploy-unscoped", Rights: unscopedRights(), Request: create(unscoped)},
		{Name: "creating by server-side apply without use of the class", Rights: []Right{own}, Request: apply(scoped), Denied: needsUse},
		{Name: "creating by server-side apply", Rights: scopedRights(deploymentsTable), Request: apply(scoped)},
		{Name: "creating with a generated name, without use of the class", Rights: []Right{own}, Request: create(generated), Denied: `BundleDeployment "admission-generated-`},
		{Name: "creating with a generated name", Rights: scopedRights(deploymentsTable), Request: create(generated)},
		{Name: "creating as a cluster admin", Rights: []Right{everything}, Request: create(unscoped)},
	}
}

func deploymentEdits() []Case {
	const paused, image = "{spec: {paused: true}}", "{spec: {source: {image: {ref: registry.invalid/other}}}}"
	return []Case{
		{Name: "editing without use of the class", Rights: []Right{deployUnscoped("first")}, Request: patch("admission-unscoped", paused), Denied: needsUse},
		{Name: "editing without deploy-unscoped", Rights: []Right{use("first")}, Request: patch("admission-unscoped", paused), Denied: needsUnscoped},
		{Name: "editing an unscoped deployment", Rights: unscopedRights(), Request: patch("admission-unscoped", paused)},
		{Name: "editing a scoped deployment", Rights: scopedRights(deploymentsTable), Request: patch("admission-scoped", image)},
		{Name: "editing as a cluster admin", Rights: []Right{everything}, Request: patch("admission-scoped", image)},
		{Name: "changing the source with approve, but without use of the class", Rights: []Right{approve("admission-unscoped"), deployUnscoped("first")}, Request: patch("admission-unscoped", image), Denied: needsUse},
		{Name: "changing a label without rights", Request: patch("admission-scoped", "{metadata: {labels: {a: b}}}"), Denied: needsUse},
		{Name: "changing a label", Rights: scopedRights(deploymentsTable), Request: patch("admission-scoped", "{metadata: {labels: {a: b}}}")},
		{Name: "changing an annotation without impersonate", Rights: []Right{use("first")}, Request: patch("admission-scoped", "{metadata: {annotations: {platform.openshift.io/retry: a}}}"), Denied: needsImpersonate},
		{Name: "changing finalizers without deploy-unscoped", Rights: []Right{use("first")}, Request: patch("admission-unscoped", "{metadata: {finalizers: [example.com/a]}}"), Denied: needsUnscoped},
		{Name: "setting an owner that does not exist, without rights", Request: patch("admission-scoped", "{metadata: {ownerReferences: [{apiVersion: v1, kind: Node, name: none, uid: none}]}}"), Denied: needsUse},
		{Name: "an update that changes nothing, without rights", Request: patch("admission-scoped", "{spec: {provisionerClassName: first}}")},
		{Name: "an update by the garbage collector", User: garbageCollector, Request: patch("admission-scoped", "{metadata: {finalizers: [foregroundDeletion]}}")},
	}
}

// deploymentTakeovers returns edits whose user has the rights to the object before or after the edit, but not to both.
func deploymentTakeovers() []Case {
	const move = "{spec: {provisionerClassName: second}}"
	both := all(scopedRights(deploymentsTable), unscopedRights())
	own := impersonate(installNamespace(deploymentsTable), account)
	return []Case{
		{Name: "removing the ServiceAccount without deploy-unscoped", Rights: scopedRights(deploymentsTable), Request: patch("admission-scoped", "{spec: {serviceAccountName: null}}"), Denied: needsUnscoped},
		{Name: "removing the ServiceAccount without impersonating it", Rights: unscopedRights(), Request: patch("admission-scoped", "{spec: {serviceAccountName: null}}"), Denied: neededAccount},
		{Name: "removing the ServiceAccount", Rights: both, Request: patch("admission-scoped", "{spec: {serviceAccountName: null}}")},
		{Name: "setting a ServiceAccount without deploy-unscoped", Rights: scopedRights(deploymentsTable), Request: patch("admission-unscoped", "{spec: {serviceAccountName: deployer}}"), Denied: neededUnscoped},
		{Name: "setting a ServiceAccount", Rights: both, Request: patch("admission-unscoped", "{spec: {serviceAccountName: deployer}}")},
		{Name: "naming a ServiceAccount that the user may not impersonate", Rights: both, Request: patch("admission-scoped", "{spec: {serviceAccountName: foreign}}"), Denied: `is applied as ServiceAccount "foreign" of namespace "admission-deployments", which`},
		{Name: "replacing a ServiceAccount that the user may not impersonate", Rights: []Right{use("first"), impersonate(installNamespace(deploymentsTable), foreign)}, Request: patch("admission-scoped", "{spec: {serviceAccountName: foreign}}"), Denied: neededAccount},
		{Name: "editing a deployment with a foreign ServiceAccount", Rights: []Right{use("first"), impersonate(installNamespace(deploymentsTable), foreign)}, Request: patch("admission-scoped", "{spec: {paused: true}}"), Denied: needsImpersonate},
		{Name: "moving to a class that the user may not use", Rights: []Right{use("first"), own, approve("admission-scoped")}, Request: patch("admission-scoped", move), Denied: `is of ProvisionerClass "second", which`},
		{Name: "moving from a class that the user may not use", Rights: []Right{use("second"), own, approve("admission-scoped")}, Request: patch("admission-scoped", move), Denied: neededUse},
		{Name: "moving an unscoped deployment with deploy-unscoped for the new class only", Rights: []Right{use(""), deployUnscoped("second"), approve("")}, Request: patch("admission-unscoped", move), Denied: neededUnscoped},
	}
}

func deploymentDeletions() []Case {
	own := impersonate(installNamespace(deploymentsTable), account)
	return []Case{
		{Name: "deleting without use of the class", Rights: []Right{own}, Request: remove("admission-scoped"), Denied: `BundleDeployment "admission-scoped" is of ProvisionerClass "first", which`},
		{Name: "deleting without impersonate", Rights: unscopedRights(), Request: remove("admission-scoped"), Denied: needsImpersonate},
		{Name: "deleting a scoped deployment", Rights: scopedRights(deploymentsTable), Request: remove("admission-scoped")},
		{Name: "deleting without deploy-unscoped", Rights: scopedRights(deploymentsTable), Request: remove("admission-unscoped"), Denied: needsUnscoped},
		{Name: "deleting an unscoped deployment", Rights: unscopedRights(), Request: remove("admission-unscoped")},
		{Name: "deleting a collection without impersonate", Rights: unscopedRights(), Request: removeAll("admission-scoped"), Denied: `BundleDeployment "admission-scoped" is applied as ServiceAccount`},
		{Name: "deleting a collection", Rights: scopedRights(deploymentsTable), Request: removeAll("admission-scoped")},
		{Name: "a deletion by the garbage collector", User: garbageCollector, Request: remove("admission-unscoped")},
	}
}
