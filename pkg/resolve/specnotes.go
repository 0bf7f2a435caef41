package resolve

import (
	"slices"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// notes returns notes on settings of the spec that have no effect, or that should not stay. Settings that prevent a decision are reported as
// its reason instead.
func (r Request) notes(selection catalogSelection) (notes []string) {
	for _, missing := range r.missingChannels(selection) {
		notes = append(notes, reason.Text(missing))
	}
	if r.Edges == platformv1alpha1.EdgesSelfCertified && r.InstalledVersion != "" {
		notes = append(notes, reason.Text(reason.SelfCertified{}))
	}
	return notes
}

// missingChannels returns a reason for each requested channel that no catalog has, if another requested one exists. While a catalog has not
// been read, it returns none, because that catalog may have the channel.
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
