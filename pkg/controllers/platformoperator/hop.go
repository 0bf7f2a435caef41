package platformoperator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// hop is a decision about moving: to is the bundle to run (nil: leave everything as it is), and blocked says why a move
// that is wanted does not start now.
type hop struct {
	to      *platformv1alpha1.InstalledBundle
	blocked string
	// unhealthy says that it is because what runs is not healthy.
	unhealthy bool
	// next is the version that is moved to as soon as status tells of the one that was reached.
	next string
	// began is how the move to another bundle begins; only with one.
	began *beginning
}

// beginning is what is written down of a hop in the write that starts it, so that no restart forgets it.
type beginning struct {
	Started metav1.Time              `json:"started"`
	Trigger platformv1alpha1.Trigger `json:"trigger"`
	// Wish is a digest of what the spec said of versions and upgrades.
	Wish string `json:"wish"`
	// Restores says that the BundleDeployment is in the place of one that was deleted, under which a version had been ready.
	Restores bool `json:"restores,omitempty"`
}

// situation is what a hop is decided in.
type situation struct {
	// record is the bundle that the deployment points at, installed the one that status tells of.
	record, installed *platformv1alpha1.InstalledBundle
	deployment        *corev1alpha2.BundleDeployment
	// began is how the hop to record began, nil when nobody knows.
	began *beginning
	// wish is what the spec says now, as in beginning, and edited that nothing has been decided by this spec yet.
	wish   string
	edited bool
	// readyTold says that there is nothing left to tell in history of the hop to record, should that have been ready.
	readyTold bool
	// updating is the version that the cluster itself is being updated to; empty when it is not.
	updating string
	// versions is the range that the spec permits, empty for any.
	versions string
	// manual says that moves need a word, approved that the spec names the target, which is another version than the installed.
	manual, approved bool
	// away says that the catalog which record was chosen from cannot be read.
	away bool
	// start is when a hop starts that is decided now.
	start metav1.Time
}

// decideHop decides which bundle the BundleDeployment should point at now. It is pure.
//
// A hop begins when the one before is healthy. A version that began to roll out and is not healthy is held, because moving
// on over a failure hides it and may make it worse; it is left as soon as it is no longer wanted: the spec says something
// else about versions than when the hop began, or the author withdrew it from the catalog. A version of which nothing is
// applied (its image cannot be pulled, its content cannot be rendered, it was rolled back) holds nobody. While the cluster
// itself is being updated no hop begins, but first installations, those that are approved by name, and those that lead out of
// a hop which is stuck. A bundle that its author has built anew is moved to like a version, and not on an approval of
// its version that has been followed.
func decideHop(in situation, decision resolve.Decision) hop {
	if in.deployment != nil && in.deployment.DeletionTimestamp != nil {
		return hop{} // what becomes of it is decided when it has gone
	}
	if in.deployment == nil && in.record != nil {
		return in.restore()
	}
	if decision.Chosen == nil {
		return hop{}
	}
	wanted := bundleOf(*decision.Chosen)
	if in.record == nil {
		return in.begin(wanted, decision)
	}
	if sameBundle(in.runs(), wanted) {
		return hop{to: in.keepImage(wanted)}
	}
	if in.manual && decision.Awaiting != nil && in.record.Bundle == wanted.Bundle {
		return hop{} // that another version waits for approval is what there is to tell
	}
	if in.manual && !in.approved && in.everReady() && in.record.Bundle == wanted.Bundle {
		return hop{blocked: fmt.Sprintf(
			"bundle %s has another image in catalog %s now, %s, and is not moved to it: no version tells the two apart that spec.upgrades.approvedVersion could name. It is moved to when spec.upgrades.approval is Automatic, and left when a later version is approved.",
			wanted.Bundle, wanted.Catalog, wanted.Image)}
	}
	if problem := rolloutProblem(in.deployment); problem != "" && !in.escapes() && in.stillWanted(decision) {
		if in.restoring() {
			return hop{} // that it is put back is what there is to tell
		}
		return hop{unhealthy: true, blocked: fmt.Sprintf(
			"version %s is available, and is not moved to while version %s is not healthy: %s. Repair it, or leave %s by excluding it in spec.package.version, for example %q.",
			wanted.Version, in.record.Version, problem, in.record.Version, excluding(in.versions, in.record.Version))}
	}
	if in.updating != "" && in.installed != nil && in.everReady() && !in.approved && !in.escapes() {
		return hop{blocked: fmt.Sprintf(
			"version %s is available, and no hop begins while the cluster itself is being updated to %s. It begins when that has completed; to move at once, set spec.upgrades.approval to Manual and spec.upgrades.approvedVersion to %q.",
			wanted.Version, in.updating, decision.Target.Version)}
	}
	return in.begin(wanted, decision)
}

// excluding is a range without a version.
func excluding(versions, version string) string {
	switch {
	case versions == "":
		return "!=" + version
	case strings.Contains(versions, "||"): // each side would need it
		return "…, !=" + version
	}
	return versions + ", !=" + version
}

// begin is the hop to a bundle that the deployment does not point at.
func (in situation) begin(to platformv1alpha1.InstalledBundle, decision resolve.Decision) hop {
	h := hop{to: &to, began: &beginning{Started: in.start, Wish: in.wish}}
	h.began.Restores = in.began != nil && in.began.Restores && in.deployment != nil && in.deployment.Status.ActiveRevision == 0
	switch {
	case in.installed == nil:
		h.began.Trigger = platformv1alpha1.TriggerInstallation
	case len(decision.Path) > 0 && slices.ContainsFunc(decision.Path[0].Sources, selfCertified):
		h.began.Trigger = platformv1alpha1.TriggerSelfCertified
	case in.approved:
		h.began.Trigger = platformv1alpha1.TriggerApproved
	case in.began != nil && in.began.Wish != in.wish && (in.edited || in.escapes()):
		h.began.Trigger = platformv1alpha1.TriggerSpecChange
	default:
		h.began.Trigger = platformv1alpha1.TriggerAutomatic
	}
	return h
}

func selfCertified(source upgrade.Source) bool { return source.Kind == upgrade.FromSelfCertified }

// escapes says whether the spec has said something else since the hop to record began, and that hop has not ended: what is
// said after that is about the next one.
func (in situation) escapes() bool {
	ended := in.installed != nil && sameBundle(*in.installed, *in.record) && in.everReady()
	return in.began != nil && in.began.Wish != in.wish && (!ended || in.restoring())
}

// everReady says whether any version has been ready. Before that it is the first installation that goes on, whichever version
// that ends with: the cluster's own installation, which counts as an update, may be waiting for it.
func (in situation) everReady() bool {
	return in.deployment != nil && everReady(in.deployment, in.began)
}

// stillWanted says whether the bundle that a hop leads to could still be moved to: it fits, or is on the way to what does.
// Where nobody knows what the spec said when the hop began, being on the way does not count: else a version that the spec
// excludes would be held for ever. One that is in no catalog any more has been withdrawn only if the one that had it can be read.
func (in situation) stillWanted(decision resolve.Decision) bool {
	is := func(c resolve.Candidate) bool { return sameBundle(in.runs(), bundleOf(c)) }
	if slices.ContainsFunc(decision.Available, is) ||
		in.began != nil && slices.ContainsFunc(decision.Updates, func(u resolve.Update) bool { return is(u.Candidate) && u.Reachable }) {
		return true
	}
	return in.away && !slices.ContainsFunc(decision.Refused, func(r resolve.Refusal) bool { return is(r.Candidate) })
}

// wishOf is a digest of what a spec says of versions and upgrades.
func wishOf(spec platformv1alpha1.PlatformOperatorSpec) string {
	said, err := json.Marshal([]any{spec.Package, spec.Upgrades})
	if err != nil {
		return "" // both are made of strings; Marshal cannot refuse them.
	}
	digest := sha256.Sum256(said)
	return hex.EncodeToString(digest[:8])
}

// afterRecording puts a move off until status tells of the bundle that is left, as installed and as having been ready: the record
// of it goes with the write that starts the next hop, and the upgrade gate, authors' steps and the rule against downgrades go by
// status.
func (h hop) afterRecording(in situation) hop {
	if h.to == nil || in.record == nil || in.deployment == nil || sameBundle(*in.record, *h.to) {
		return h
	}
	told := in.installed != nil && sameBundle(*in.installed, *in.record)
	if !told && hopDone(in.deployment, in.installed == nil) || !in.readyTold && hopDone(in.deployment, false) {
		return hop{next: h.to.Version}
	}
	return h
}
