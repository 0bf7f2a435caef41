package bundledeployment

import (
	"context"
	"slices"
	"time"

	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

// watchedInterval is the time between two checks for a watched namespace that does not exist, because no watch reports that it was created.
const watchedInterval = 30 * time.Second

// watchedNamespaces holds what is known about the namespaces that the configuration names.
type watchedNamespaces struct {
	names []string
	// missing holds the namespaces that did not exist at the last check. checked is the time of that check; zero before the first.
	missing []string
	checked time.Time
}

// addTo returns the warnings, with warnings about missing namespaces added. It removes warnings about namespaces that the configuration
// does not name or that exist. Before the first check, it adds none.
func (w watchedNamespaces) addTo(warnings []string) []string {
	if w.checked.IsZero() {
		return revision.WithWatchedNamespaces(warnings, w.names, nil)
	}
	return revision.WithWatchedNamespaces(warnings, nil, w.missing)
}

// checkWatched checks whether the namespaces that the configuration names exist. It checks missing ones again every watchedInterval. If a
// namespace is deleted later, the operator does not get a warning until the manager starts again. A failed check changes nothing, because
// only a warning depends on it.
func (s *reconciliation) checkWatched(ctx context.Context) {
	known, now := &s.memory.watched, s.c.clock.Now()
	if names := revision.WatchedNamespaces(s.deployment.Spec); !slices.Equal(names, known.names) {
		*known = watchedNamespaces{names: names}
	}
	if len(known.names) == 0 || !known.checked.IsZero() && len(known.missing) == 0 {
		return
	}
	if wait := known.checked.Add(watchedInterval).Sub(now); wait > 0 {
		s.retry(wait)
		return
	}
	var missing []string
	for _, name := range known.names {
		found, err := s.c.checker.InstallNamespace(ctx, apply.Owner{Name: s.deployment.Name}, name)
		if err != nil {
			klog.V(2).Infof("checking the watched namespaces of BundleDeployment %q: %v", s.deployment.Name, err)
			s.retry(watchedInterval)
			return
		}
		if !found.Exists {
			missing = append(missing, name)
		}
	}
	if known.missing, known.checked = missing, now; len(missing) > 0 {
		s.retry(watchedInterval)
	}
}
