package mutants

// All returns one mutant for each spec for openshift-tests that checks a rule of the manager. A test runs the specs against the mutants in
// this order. The last mutant must stay last, because no manager removes the objects that it leaves behind.
func All() []Mutant {
	return []Mutant{
		{
			"a package that no catalog has is reported by the PlatformOperator, and does not degrade the ClusterOperator", "False ValidationFailed",
			"pkg/resolve", "(*Evaluation).Decide", "if e.problem != nil { e.reason = platformv1alpha1.ReasonValidationFailed }",
		},
		{
			"an invalid version range is reported with the field, and its correction takes effect", "False SourceFailed",
			"pkg/resolve", "newQuery", `req.VersionRange = ""`,
		},
		{
			"of two PlatformOperators for one package, the younger names the older, and replaces it after its deletion", "False SourceFailed",
			"pkg/resolve", "comesBefore", "return false",
		},
		{
			"a BundleDeployment without an owner is not changed, and outlives the PlatformOperator with its name", "False UnpackFailed",
			"pkg/controllers/platformoperator", "(*controller).check", "return false, nil",
		},
		{
			"a paused PlatformOperator reports it, and continues after the pause", "to have prefix",
			"pkg/operatorstatus", "progressingCondition", "if r.operator.Spec.Paused { return settledCondition(r) }",
		},
		{
			"a catalog selector that matches no catalog is reported with the field", "to contain substring\n    <string>: spec.package.catalogSelector",
			"pkg/resolve", "selectCatalogs", "req.Selector = nil",
		},
		{
			"a CatalogSource outside the trusted namespaces is ignored", "no catalog could be read",
			"pkg/controllers/catalogs", "(*controller).isTrusted", "return true, nil",
		},
		{
			"a BundleDeployment whose class does not exist reports it, and can be deleted", "to have prefix",
			"pkg/controllers/bundledeployment", "readClass", "if _, err := s.c.classes.Get(s.deployment.Spec.ProvisionerClassName); err != nil { return false, nil }",
		},
		{
			"a BundleDeployment whose image cannot be pulled names the image, creates nothing, and can be deleted", "to have prefix",
			"pkg/revision", "(*Machine).unpacked", "if m.content.Err != nil { return condition{corev1alpha2.ConditionUnpacked, isUnknown, corev1alpha2.ReasonUnpacking, notYet} }",
		},
		{
			"a Bundle whose image cannot be pulled names the image, and can be deleted", "to have prefix",
			"pkg/controllers/bundle", "unreadable", `return unpacking("the source")`,
		},
		{
			"the manager creates a deleted ProvisionerClass of the payload again [Serial]", "not found",
			"pkg/controllers/operatorconfig", "CreateOnly.ensure", `if o.Kind == "ProvisionerClass" { return nil }`,
		},
		{
			"the manager creates a deleted PlatformOperatorManager again and keeps the ClusterOperator [Serial]", "not found",
			"pkg/controllers/operatorconfig", "CreateOnly.ensure", `if o.Kind == "PlatformOperatorManager" { return nil }`,
		},
		{
			"the manager reverts an edit of the ClusterOperator [Serial]", "Somebody wrote this by hand.",
			"pkg/operator", "(*builder).newStatusSyncer", `return factory.New().WithSync(func(context.Context, factory.SyncContext) error { return nil }).ToController("StatusSyncer", b.input.Recorder), nil`,
		},
		{
			"a package that allowedPackages lacks is refused with the field, and resolved when it is allowed [Serial]", "False SourceFailed",
			"pkg/resolve", "Request.allows", "return true",
		},
		{
			"a deleted Deployment of an installed operator is created again, and the deletion is reported [Serial]", "not found",
			"pkg/apply/reconcile", "(*reconciliation).reconcileMissing", "if r.wasApplied() { r.reportMissing(ctx); return }",
		},
		{
			"an edited Deployment of an installed operator is reverted, and the edit and its author are reported [Serial]", "ote-somebody-else",
			"pkg/apply/reconcile", "(*reconciliation).leavesChanges", "return r.wasApplied()",
		},
		{
			"an edited BundleDeployment of an installed operator is reverted [Serial]", "behind its PlatformOperator's back",
			"pkg/controllers/platformoperator", "(*controller).update", "return nil",
		},
		{
			"a deleted Deployment of a paused operator is reported, and created again after the pause [Serial]", "to have prefix",
			"pkg/deploymentspec", "overlay", "desired.Paused = false",
		},
		{
			"an operator is installed, and removed with its PlatformOperator [Serial]", "is gone when its operator is",
			"pkg/controllers/bundledeployment", "(*reconciliation).removeAll", "return apply.Removal{Done: true}, nil",
		},
	}
}
