package mutants

// Invariants returns mutants that violate the rules of test/invariants, at least one for each rule. Spec is a story that violates the rule,
// and Failure is the part of the error that names the rule.
func Invariants() []Mutant {
	return []Mutant{
		{
			"TestStories/install-upgrade-remove", "rule deletes-by-uid: ",
			"pkg/controllers/platformoperator", "(*controller).deleteDeployment",
			"if d := r.current.Deployment; d.DeletionTimestamp == nil { return c.deploymentClient.Delete(ctx, d.Name, metav1.DeleteOptions{}) }",
		},
		{
			"TestOwnership/HRD-S2_an_object_that_has_only_the_labels", "rule deletes-own-objects: ",
			"pkg/apply/object", "Owner.Owns", "return true",
		},
		{
			"TestStories/install-upgrade-remove", "rule keeps-custom-resources: ",
			"pkg/apply/teardown", "(*teardown).definition", "t.deleteCRDs = true",
		},
		{
			"TestStories/install-upgrade-remove", "rule keeps-active-revision: ",
			"pkg/apply/teardown", "(*teardown).removeObject", "t.keep = nil",
		},
		{
			"TestStories/failed-version-is-held", "rule activates-when-ready: ",
			"pkg/revision", "(*Machine).isComplete", "return true",
		},
		{
			"TestAPausedOperator", "rule pause: ",
			"pkg/deploymentspec", "overlay", "desired.Paused = false",
		},
		{
			"TestAdoption/.*the_older_BundleDeployment_keeps_its_object", "rule one-writer: ",
			"pkg/ownership", "decideOther", "return Verdict{Action: Adopt, Reason: OwnedByYounger, Other: other}",
		},
		{
			"TestStories/memo-is-installed", "rule keeps-user-specs: ",
			"pkg/finalizer", "MergePatch",
			`return json.Marshal(map[string]any{
				"metadata": map[string]any{"resourceVersion": object.GetResourceVersion(), "finalizers": finalizers},
				"spec":     map[string]any{"upgrades": nil},
			})`,
		},
		{
			"TestStories/gate-blocks-until-overridden", "rule gate: ",
			"pkg/compat", "findBlockers", "return nil",
		},
		{
			// The gate closes after five seconds, before the cluster is at rest. Only the check one second after the last write fails.
			"TestStories/gate-blocks-until-overridden", "rule gate: ",
			"pkg/controllers/upgradegate", "(*controller).sync", "time.Sleep(5 * time.Second)",
		},
		{
			"TestStories/memo-is-installed", "rule installed: ",
			"pkg/revision", "(*Machine).installed",
			`return condition{corev1alpha2.ConditionInstalled, isFalse, corev1alpha2.ReasonInstallPending, "Nothing is installed."}`,
		},
		{
			"TestStories/version-range", "rule generation: ",
			"pkg/operatorstatus", "newReport", "in.Operator = in.Operator.DeepCopy(); in.Operator.Generation = 1",
		},
		{
			"TestStories/drift-is-repaired", "rule drift: ",
			"pkg/drift", "Comparison.Differences", "return nil",
		},
		{
			"TestStories/pods-crash", "rule healthy: ",
			"pkg/revision", "(*Machine).healthy",
			`if m.desired != nil && m.desired == m.active {
				return condition{corev1alpha2.ConditionHealthy, isTrue, corev1alpha2.ReasonHealthy, fmt.Sprintf("All %d objects are applied and ready.", m.report.Total)}
			}`,
		},
		{
			"TestStories/install-upgrade-remove", "rule stored: ",
			"pkg/revision", "fit", "return slices.DeleteFunc(revisions, func(each corev1alpha2.Revision) bool { return each.Number != active })",
		},
		{
			"TestStories/install-upgrade-remove", "rule removed: ",
			"pkg/controllers/bundledeployment", "(*reconciliation).removeAll", "return apply.Removal{Done: true}, nil",
		},
	}
}
