package mutants

// All returns the mutants, one for each spec of the tests for openshift-tests that checks a rule of the manager. A test runs them in
// this order. The last mutant must stay last, because no manager removes the objects that it leaves behind.
func All() []Mutant {
	return []Mutant{
		{
			"a package that no catalog has is said on the PlatformOperator, and is no fault of the cluster", "False ValidationFailed",
			"pkg/resolve", "(*Evaluation).Decide", "if e.problem != nil { e.reason = platformv1alpha1.ReasonValidationFailed }",
		},
		{
			"a version range that cannot be read is said with the field, and the right one is taken up", "False SourceFailed",
			"pkg/resolve", "newQuery", `req.VersionRange = ""`,
		},
		{
			"of two PlatformOperators for one package the younger says which one has it, and follows when that goes", "False SourceFailed",
			"pkg/resolve", "comesBefore", "return false",
		},
		{
			"a BundleDeployment that is somebody else's is left alone and survives the PlatformOperator of its name", "False UnpackFailed",
			"pkg/controllers/platformoperator", "(*controller).check", "return false, nil",
		},
		{
			"a paused PlatformOperator says so, and goes on when it is not paused any more", "to have prefix",
			"pkg/operatorstatus", "progressingCondition", "if r.operator.Spec.Paused { return settledCondition(r) }",
		},
		{
			"a catalog selector that selects nothing is said with the field", "to contain substring\n    <string>: spec.package.catalogSelector",
			"pkg/resolve", "selectCatalogs", "req.Selector = nil",
		},
		{
			"a CatalogSource outside the trusted namespaces does not count", "no catalog could be read",
			"pkg/controllers/catalogs", "(*controller).isTrusted", "return true, nil",
		},
		{
			"a BundleDeployment of a class that does not exist says so, and can be deleted", "to have prefix",
			"pkg/controllers/bundledeployment", "readClass", "if _, err := s.c.classes.Get(s.deployment.Spec.ProvisionerClassName); err != nil { return false, nil }",
		},
		{
			"a BundleDeployment of an image that cannot be pulled says which and creates nothing, and can be deleted", "to have prefix",
			"pkg/revision", "(*Machine).unpacked", "if m.content.Err != nil { return condition{corev1alpha2.ConditionUnpacked, isUnknown, corev1alpha2.ReasonUnpacking, notYet} }",
		},
		{
			"a Bundle of an image that cannot be pulled says which, and can be deleted", "to have prefix",
			"pkg/controllers/bundle", "unreadable", `return unpacking("the source")`,
		},
		{
			"a deleted ProvisionerClass of the payload comes back [Serial]", "not found",
			"pkg/controllers/operatorconfig", "CreateOnly.ensure", `if o.Kind == "ProvisionerClass" { return nil }`,
		},
		{
			"a deleted PlatformOperatorManager comes back, and the ClusterOperator never goes [Serial]", "not found",
			"pkg/controllers/operatorconfig", "CreateOnly.ensure", `if o.Kind == "PlatformOperatorManager" { return nil }`,
		},
		{
			"a ClusterOperator that was edited by hand is put back [Serial]", "Somebody wrote this by hand.",
			"pkg/operator", "(*builder).newStatusSyncer", `return factory.New().WithSync(func(context.Context, factory.SyncContext) error { return nil }).ToController("StatusSyncer", b.input.Recorder), nil`,
		},
		{
			"a package that allowedPackages does not have is refused with the field, and taken up when it is allowed [Serial]", "False SourceFailed",
			"pkg/resolve", "Request.allows", "return true",
		},
		{
			"a deleted Deployment of an installed operator comes back, and who deleted what is told [Serial]", "not found",
			"pkg/apply/reconcile", "(*reconciliation).reconcileMissing", "if r.wasApplied() { r.reportMissing(ctx); return }",
		},
		{
			"an edited Deployment of an installed operator is put back, and who edited what is told [Serial]", "ote-somebody-else",
			"pkg/apply/reconcile", "(*reconciliation).leavesChanges", "return r.wasApplied()",
		},
		{
			"an installed operator's BundleDeployment that was edited is put back [Serial]", "behind its PlatformOperator's back",
			"pkg/controllers/platformoperator", "(*controller).update", "return nil",
		},
		{
			"a paused operator's deleted Deployment is left so and told, and comes back when it goes on [Serial]", "to have prefix",
			"pkg/deploymentspec", "overlay", "desired.Paused = false",
		},
		{
			"an operator is installed, and taken down with its PlatformOperator [Serial]", "is gone when its operator is",
			"pkg/controllers/bundledeployment", "(*reconciliation).removeAll", "return apply.Removal{Done: true}, nil",
		},
	}
}
