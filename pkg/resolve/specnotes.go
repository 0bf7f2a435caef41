package resolve

import (
	"slices"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// notes returns notes on settings in the spec that have no effect, or that should be removed. It omits settings that prevent a decision,
// because the decision's reason reports them.
func (r Request) notes(selection catalogSelection) (notes []string) {
	for _, missing := range r.missingChannels(selection) {
		notes = append(notes, reason.Text(missing))
	}
	if r.Edges == platformv1alpha1.EdgesSelfCertified && r.InstalledVersion != "" {
		notes = append(notes, reason.Text(reason.SelfCertified{}))
	}
	return notes
}

// missingChannels returns a reason for each requested channel that no catalog contains, if at least one other requested channel exists.
// While a catalog has not been read, it returns none, because that catalog may contain the channel.
func (r Request) missingChannels(selection catalogSelection) (missing []reason.MissingChannel) {
	if len(selection.unread) > 0 {
		return nil
	}
	var existing []string
	for _, offer := range selection.offering {
		for _, channel := range offer.Package.Channels {
			existing = append(existing, channel.Name)
		}
	}
	slices.Sort(existing)
	existing = slices.Compact(existing)
	for _, requested := range r.Channels {
		if !slices.Contains(existing, requested) {
			missing = append(missing, reason.MissingChannel{Channel: requested, Existing: existing})
		}
	}
	if len(missing) == len(r.Channels) {
		return nil
	}
	return missing
}
