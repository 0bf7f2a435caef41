package operator

import (
	"slices"

	"k8s.io/client-go/tools/cache"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
)

// keyFunc returns the queue keys of a controller for the objects in the caches. RunOnce syncs the groups in their order, and the keys of a
// group in any order.
type keyFunc func() [][]string

// defaultKey returns the key of a controller that syncs everything at once.
func defaultKey() [][]string { return [][]string{{factory.DefaultQueueKey}} }

// verdictKeys returns the keys of the upgrade gate: the verdict, the search for its remedies, the verdict with the remedies, and the search
// that each verdict requests. If the last search finds nothing new, no key remains.
func verdictKeys() [][]string {
	return [][]string{{factory.DefaultQueueKey}, {upgradegate.RemediesKey}, {factory.DefaultQueueKey}, {upgradegate.RemediesKey}}
}

// names returns a keyFunc for a controller that syncs each object of an informer by its name.
func names(informer cache.SharedIndexInformer) keyFunc {
	return func() [][]string {
		keys := informer.GetStore().ListKeys()
		slices.Sort(keys)
		return [][]string{keys}
	}
}

// followedBy returns a keyFunc with one more group that has one key.
func followedBy(keys keyFunc, last string) keyFunc {
	return func() [][]string { return append(keys(), []string{last}) }
}
