package admission

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	approvalsTable = "approvals"

	// oddUser has characters that CEL and JSON escape.
	oddUser = `o'connor "qa" \ <qa@example.com>`
)

const (
	needsApprove = `Ask an admin for verb "approve" on bundledeployments.core.rukpak.io "admission-`
	gatedSpec    = "{approval: {mode: Required}}"
	approvedSpec = "{approval: {mode: Required, planDigest: one, approvedBy: " + Owner + "}}"
)

// Approvals returns the requests that change spec.approval of BundleDeployments, and those that move them to another class.
func Approvals() Table {
	return Table{
		Name: approvalsTable, Policy: deploymentsPolicy, Resource: corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments"),
		Objects: []*unstructured.Unstructured{
			deployment(approvalsTable, "admission-free", unscopedSpec),
			deployment(approvalsTable, "admission-gated", gatedSpec),
			deployment(approvalsTable, "admission-approved", approvedSpec),
		},
		Cases: append(append(approvalCreations(), approvalModes()...), append(approvalSignatures(), approvalMoves()...)...),
	}
}

// deployAnd returns the rights to deploy the objects of the table, with additional rights.
func deployAnd(rights ...Right) []Right { return append(unscopedRights(), rights...) }

func approvalCreations() []Case {
	signed := func(by string) *unstructured.Unstructured {
		return deployment(approvalsTable, "admission-new", "{approval: {mode: Required, planDigest: one, approvedBy: "+by+"}}")
	}
	return []Case{
		{Name: "creating with a mode only, without approve", Rights: deployAnd(), Request: create(deployment(approvalsTable, "admission-new", gatedSpec))},
		{Name: "creating with mode None, without approve", Rights: deployAnd(), Request: create(deployment(approvalsTable, "admission-new", "{approval: {mode: None}}"))},
		{Name: "creating with an approval, without approve", User: "admission-creator", Rights: deployAnd(), Request: create(signed("admission-creator")), Denied: `user "admission-creator" may not change spec.approval of BundleDeployment "admission-new". ` + needsApprove + `new"`},
		{Name: "creating with an approval in another name", Rights: deployAnd(approve("")), Request: create(signed("other")), Denied: `as user "other". Set spec.approval.approvedBy to "admission-approvals-3"`},
		{Name: "creating with an approval in the own name", User: "admission-creating-approver", Rights: deployAnd(approve("admission-new")), Request: create(signed("admission-creating-approver"))},
		{Name: "creating by server-side apply with an approval, without approve", Rights: deployAnd(), Request: apply(signed("other")), Denied: needsApprove},
		{Name: "a digest without a name", Rights: []Right{everything}, Request: create(deployment(approvalsTable, "admission-new", "{approval: {planDigest: one}}")), Invalid: "set planDigest and approvedBy together"},
	}
}

func approvalModes() []Case {
	const require, noMode = "{spec: {approval: {mode: Required}}}", "{spec: {approval: {mode: None}}}"
	return []Case{
		{Name: "requiring an approval without approve", Rights: deployAnd(), Request: patch("admission-free", require), Denied: needsApprove},
		{Name: "requiring an approval", Rights: deployAnd(approve("admission-free")), Request: patch("admission-free", require)},
		{Name: "mode None instead of no approval, without approve", Rights: deployAnd(), Request: patch("admission-free", noMode)},
		{Name: "an empty approval instead of none, without approve", Rights: deployAnd(), Request: patch("admission-free", "{spec: {approval: {}}}")},
		{Name: "requiring no approval without approve", Rights: deployAnd(), Request: patch("admission-gated", noMode), Denied: needsApprove},
		{Name: "removing the mode without approve", Rights: deployAnd(), Request: patch("admission-gated", "{spec: {approval: {mode: null}}}"), Denied: needsApprove},
		{Name: "removing spec.approval without approve", Rights: deployAnd(), Request: patch("admission-gated", "{spec: {approval: null}}"), Denied: needsApprove},
		{Name: "requiring no approval", Rights: deployAnd(approve("admission-gated")), Request: patch("admission-gated", noMode)},
	}
}

func approvalSignatures() []Case {
	signed := func(by string) string { return "{spec: {approval: {planDigest: two, approvedBy: " + by + "}}}" }
	const quoted = `'o''connor "qa" \ <qa@example.com>'`
	return []Case{
		{Name: "approving without approve", User: "admission-tenant", Rights: deployAnd(), Request: patch("admission-gated", signed("admission-tenant")), Denied: needsApprove + `gated"`},
		{Name: "approving with approve for another deployment", User: "admission-other", Rights: deployAnd(approve("admission-approved")), Request: patch("admission-gated", signed("admission-other")), Denied: needsApprove + `gated"`},
		{Name: "approving in the own name", User: "admission-approver", Rights: deployAnd(approve("admission-gated")), Request: patch("admission-gated", signed("admission-approver"))},
		{Name: "approving in another name", Rights: deployAnd(approve("")), Request: patch("admission-gated", signed("other")), Denied: `may not approve BundleDeployment "admission-gated" as user "other"`},
		{Name: "approving in another name as a cluster admin", Rights: []Right{everything}, Request: patch("admission-gated", signed("other")), Denied: `as user "other"`},
		{Name: "approving without any right to deploy", User: "admission-only-approver", Rights: []Right{approve("")}, Request: patch("admission-gated", signed("admission-only-approver"))},
		{Name: "withdrawing an approval without any right to deploy", Rights: []Right{approve("")}, Request: patch("admission-approved", "{spec: {approval: {planDigest: null, approvedBy: null}}}")},
		{Name: "approving and changing another field, without a right to deploy", User: "admission-approving-editor", Rights: []Right{approve("")}, Request: patch("admission-gated", "{spec: {paused: true, approval: {planDigest: two, approvedBy: admission-approving-editor}}}"), Denied: needsUse},
		{Name: "approving and adding an annotation, without a right to deploy", User: "admission-approving-annotator", Rights: []Right{approve("")}, Request: patch("admission-gated", "{metadata: {annotations: {a: b}}, spec: {approval: {planDigest: two, approvedBy: admission-approving-annotator}}}"), Denied: needsUse},
		{Name: "requiring no approval, without a right to deploy", Rights: []Right{approve("")}, Request: patch("admission-approved", "{spec: {approval: {mode: None}}}"), Denied: needsUse},
		{Name: "approving another digest in the name that is set", Rights: deployAnd(approve("")), Request: patch("admission-approved", "{spec: {approval: {planDigest: two}}}"), Denied: `as user "` + Owner + `"`},
		{Name: "changing the name only, to another one", Rights: deployAnd(approve("")), Request: patch("admission-approved", "{spec: {approval: {approvedBy: other}}}"), Denied: `as user "other"`},
		{Name: "withdrawing an approval without approve", Rights: deployAnd(), Request: patch("admission-approved", "{spec: {approval: {planDigest: null, approvedBy: null}}}"), Denied: needsApprove + `approved"`},
		{Name: "withdrawing an approval", Rights: deployAnd(approve("admission-approved")), Request: patch("admission-approved", "{spec: {approval: {planDigest: null, approvedBy: null}}}")},
		{Name: "another change of an approved deployment, without approve", Rights: deployAnd(), Request: patch("admission-approved", "{spec: {paused: true}}")},
		{Name: "deleting an approved deployment, without approve", Rights: deployAnd(), Request: remove("admission-approved")},
		{Name: "approving in the own name, which has quotes", User: oddUser, Rights: deployAnd(approve("admission-gated")), Request: patch("admission-gated", signed(quoted))},
		{Name: "approving in another name that has quotes", Rights: deployAnd(approve("")), Request: patch("admission-gated", signed(quoted)), Denied: `as user "o'connor \"qa\" \\ <qa@example.com>"`},
		{Name: "approving in another name that has two lines", Rights: deployAnd(approve("")), Request: patch("admission-gated", signed(`"a\nb"`)), Denied: `as user "a\nb"`},
	}
}

func approvalMoves() []Case {
	const move = "{spec: {provisionerClassName: second}}"
	rights := []Right{use("first"), use("second"), deployUnscoped("first"), deployUnscoped("second")}
	return []Case{
		{Name: "moving to another class without approve", Rights: rights, Request: patch("admission-free", move), Denied: `may not move BundleDeployment "admission-free" from ProvisionerClass "first" to "second"`},
		{Name: "moving to another class", Rights: append(rights, approve("admission-free")), Request: patch("admission-free", move)},
	}
}
