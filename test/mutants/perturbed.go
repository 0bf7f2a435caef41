package mutants

import "slices"

// Defect is a mistake that perturbed or generated stories detect, although other stories pass.
type Defect struct {
	// Mistake describes the mistake; "it" is the manager.
	Mistake string
	Mutants []Mutant
	// Passes is a story that passes in spite of the mistake, as for the go command's flag -run. Fails is the test that detects the mistake:
	// a perturbation of that story, or the test of generated stories.
	Passes, Fails string
	// Flags are additional flags for the test Fails.
	Flags []string
	// Failures are parts of the expected error. All of them must occur.
	Failures []string
}

// perturbed returns the flags that play perturbations of a story.
func perturbed(story string) []string { return []string{"-perturb=" + story} }

const generatedStory = "TestOM_18_GeneratedStoriesEndAsDeclared"

// replayed returns the flags that play a story in folder testdata as if it were a generated one.
func replayed(story string) []string {
	return []string{"-replay=../mutants/testdata/" + story + ".yaml"}
}

// Perturbed returns the defects: at least one for each pattern of perturbations, and some that generated stories detect. If a mutant must
// forget what it stored in mutantState when the manager restarts, the key contains the controller or its cache.
func Perturbed() []Defect {
	return slices.Concat(restarts(), events(), backups(), generated())
}

func restarts() []Defect {
	return []Defect{
		{
			Mistake: "it reports a version only if the same process observed its rollout",
			Mutants: []Mutant{{
				Package: "pkg/controllers/platformoperator", Function: "(*controller).decide",
				Begin: `if d := r.current.Deployment; d != nil && r.current.Recorded != nil {
					key := [3]any{c, d.UID, d.Generation}
					isReported := r.current.Installed != nil && upgradestep.SameBundle(*r.current.Installed, *r.current.Recorded)
					if !upgradestep.IsComplete(d, r.current.Installed == nil) {
						mutantState.Store(key, true)
					} else if _, seen := mutantState.Load(key); !seen && !isReported {
						return true, nil
					}
				}`,
			}},
			Passes: "TestStories/install-upgrade-remove", Fails: "OM_17/step_2:_restart_after_.*_create_deployments", Flags: perturbed("install-upgrade-remove"),
			Failures: []string{"step 2: restart after write", "platformoperators.platform.openshift.io  memo", `"state": "Installing"`},
		},
		{
			Mistake: "it lists its objects from the API server's cache, and replaces an object that the list lacks",
			Mutants: []Mutant{{
				Package: "pkg/apply/livecache", Function: "(*ownedOnly).list",
				Begin: `listed, err := o.client.List(ctx, metav1.ListOptions{LabelSelector: ownerSelector, ResourceVersion: "0"})
				if err != nil {
					return nil, err
				}
				o.mu.Lock()
				defer o.mu.Unlock()
				o.passed = map[string]string{}
				for i := range listed.Items {
					o.passed[storeKey(listed.Items[i].GetNamespace(), listed.Items[i].GetName())], _ = ownership.MarksOf(&listed.Items[i]).Owner()
				}
				return listed, nil`,
			}, {
				Package: "pkg/apply/reconcile", Function: "writer.create",
				Begin: `if found, err := w.get(ctx); err == nil && found.GetLabels()[corev1alpha2.LabelOwnerName] == w.owner.Name {
					byUID := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(found.GetUID()))}
					if err := w.client.Delete(ctx, w.key.Name, byUID); err != nil {
						return nil, err
					}
				}`,
			}},
			Passes: "TestStories/memo-is-installed", Fails: "OM_17/step_2:_stale_restart_after_.*_create_services.*,_lists_1_write",
			Flags:    perturbed("memo-is-installed"),
			Failures: []string{"step 2: stale restart after write", "services memo memo-metrics: created 2 times and deleted 1 times"},
		},
	}
}

func events() []Defect {
	return []Defect{
		{
			Mistake: "it trusts its last write until it sees exactly that version",
			Mutants: []Mutant{
				{Package: "pkg/apply/livecache", Function: "(*Cache).confirm", Begin: `if live, isLive := delivered.(*Live); isLive && !deleted {
					c.setFault(nil)
					mutantState.Store([2]any{c, live.ResourceVersion}, true)
					return
				}`},
				{Package: "pkg/apply/livecache", Function: "(*Cache).hasPassed", Begin: `_, seen := mutantState.Load([2]any{c, version})
				return seen`},
				{Package: "pkg/apply/livecache", Function: "(*Cache).Get", Begin: `c.mu.Lock()
				written, isRecent := c.recent[storeKey(key.Namespace, key.Name)]
				c.mu.Unlock()
				if isRecent && !c.hasPassed(written.live.ResourceVersion) {
					return written.live, true
				}`},
			},
			Passes: "TestStories/memo-is-installed", Fails: "OM_17/step_2:_merged_event_1_of_deployments", Flags: perturbed("memo-is-installed"),
			Failures: []string{"merged event 1 of deployments.apps memo/memo (added)", "platformoperators.platform.openshift.io  memo"},
		},
		{
			Mistake: "it treats its cache as stale forever if the cache lacks a write after 20 seconds",
			Mutants: []Mutant{{
				Package: "pkg/lastwrite", Function: "Write.IsBehind",
				Begin: `order, err := resourceversion.CompareResourceVersion(cached.GetResourceVersion(), w.ResourceVersion)
				if w.ResourceVersion != "" && err == nil && order < 0 && now.Sub(w.Time) > 20*time.Second {
					mutantState.Store(w, true)
				}
				if _, isLost := mutantState.Load(w); isLost {
					return time.Minute, true
				}`,
			}},
			Passes: "TestStories/memo-is-installed", Fails: "OM_17/step_2:_delayed_event_[0-9]_of_bundledeployments", Flags: perturbed("memo-is-installed"),
			Failures: []string{" of bundledeployments.core.rukpak.io memo (modified)", "bundledeployments.core.rukpak.io  memo"},
		},
		{
			Mistake: "it does not update observedGeneration if the spec equals the one that it saw last",
			Mutants: []Mutant{{
				Package: "pkg/controllers/platformoperator", Function: "(*controller).writeStatus",
				Begin: `last, seen := mutantState.Swap([2]any{c, r.operator.UID}, r.operator.Spec.DeepCopy())
				isSame := seen && equality.Semantic.DeepEqual(last, &r.operator.Spec)
				if isSame && r.status != nil && r.operator.DeletionTimestamp == nil {
					r.status.ObservedGeneration = r.operator.Status.ObservedGeneration
				}`,
			}},
			Passes: "TestStories/operator-is-paused-by-mistake", Fails: "OM_17/step_1:_merged_steps", Flags: perturbed("operator-is-paused-by-mistake"),
			Failures: []string{"step 1: merged steps", `rule generation: PlatformOperator "memo" has generation 3, but status.observedGeneration is 1`},
		},
	}
}

func backups() []Defect {
	return []Defect{
		{
			Mistake: "it remembers its revisions, and does not check whether they still exist",
			Mutants: []Mutant{{Package: "pkg/controllers/bundledeployment", Function: "(*memory).isNewerThan", Begin: "return false"}},
			Passes:  "TestStories/version-range", Fails: "OM_17/step_2:_restart_and_restored_snapshot_after_.*_create_secrets", Flags: perturbed("version-range"),
			Failures: []string{"step 2: restart and restored snapshot after write", "the cluster differs"},
		},
		{
			Mistake: "it never decides on a version that is older than its last write",
			Mutants: []Mutant{{
				Package: "pkg/lastwrite", Function: "Write.IsBehind",
				Begin: `order, err := resourceversion.CompareResourceVersion(cached.GetResourceVersion(), w.ResourceVersion)
				if w.ResourceVersion != "" && err == nil && order < 0 {
					return time.Minute, true
				}`,
			}},
			Passes: "TestStories/version-range", Fails: "OM_17/step_2:_restored_snapshot_after_.*_create_secrets", Flags: perturbed("version-range"),
			Failures: []string{"step 2: restored snapshot after write", `rule stored: status.revisions of BundleDeployment "memo" lacks revision "1"`},
		},
	}
}

func generated() []Defect {
	return []Defect{
		{
			Mistake: "it ignores a change of spec.install.drift",
			Mutants: []Mutant{{
				Package: "pkg/deploymentspec", Function: "overlay", Begin: `if onto.Source.Type != "" { desired.Drift = onto.Drift }`,
			}},
			Passes: "TestStories/drift-is-repaired", Fails: generatedStory, Flags: []string{"-generated=1", "-generated-seed=4-322"},
			Failures: []string{"differs from the reference", "bundledeployments.core.rukpak.io  memo", `"drift": {`, "spec.install.drift.ignore"},
		},
		{
			Mistake: "it ignores the removal of spec.install.onFailure",
			Mutants: []Mutant{{
				Package: "pkg/deploymentspec", Function: "Merge",
				Begin: `if desired.Spec.OnFailure == "" { desired.Spec.OnFailure = existing.Spec.OnFailure }`,
			}},
			Passes: "TestStories/failed-version-is-rolled-back", Fails: generatedStory, Flags: replayed("policy-is-removed"),
			Failures: []string{"differs from the reference", "bundledeployments.core.rukpak.io  memo", `"onFailure": "Rollback"`},
		},
		{
			Mistake: "it does not notice that a bad value is corrected",
			Mutants: []Mutant{{
				Package: "pkg/resolve", Function: "RequestFor",
				Begin: `if _, err := metav1.LabelSelectorAsSelector(operator.Spec.Package.CatalogSelector); err != nil {
					mutantState.Store(operator.UID, true)
				} else if _, isRefused := mutantState.Load(operator.UID); isRefused {
					return Request{}, errors.New("spec.package.catalogSelector cannot be read")
				}`,
			}},
			Passes: "TestStories/typo-is-corrected", Fails: generatedStory, Flags: replayed("selector-is-corrected"),
			Failures: []string{"has nothing installed, but must have installed version 1.1.0"},
		},
		{
			Mistake: "it keeps the default approval that it first saw",
			Mutants: []Mutant{{
				Package: "pkg/resolve", Function: "(*Request).addUpgrades",
				Begin: `first, _ := mutantState.LoadOrStore([2]any{"approval", operator.UID}, approval)
				approval = first.(platformv1alpha1.Approval)`,
			}},
			Passes: "TestStories/manual-approval", Fails: generatedStory, Flags: replayed("approval-is-not-needed"),
			Failures: []string{"has version 1.0.0 installed, but must have been upgraded to 1.1.0"},
		},
		{
			Mistake: "it needs no approval after a pause",
			Mutants: []Mutant{{
				Package: "pkg/resolve", Function: "OverridesOf",
				Begin: `if operator.Spec.Paused { mutantState.Store([2]string{"paused", operator.Name}, true) }`,
			}, {
				Package: "pkg/resolve", Function: "(*query).approvedTarget",
				Begin: `if _, wasPaused := mutantState.Load([2]string{"paused", q.request.Operator}); wasPaused { return best, true }`,
			}},
			Passes: "TestStories/manual-approval", Fails: generatedStory, Flags: replayed("pause-stays"),
			Failures: []string{"finishing the story", `was moved from version "1.0.0" to "1.1.0", which no spec`},
		},
		{
			Mistake: "it applies all objects again when it starts",
			Mutants: []Mutant{{Package: "pkg/revision", Function: "(*Machine).wasSettled", Begin: "return false"}},
			Passes:  "TestStories/manual-approval", Fails: generatedStory, Flags: replayed("policy-is-removed"),
			Failures: []string{"excess writes after a restart", `apply services "memo/memo-metrics": 200`},
		},
	}
}
