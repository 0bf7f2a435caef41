package applyconfiguration

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/klog/v2"

	"github.com/openshift/multi-operator-manager/pkg/library/libraryapplyconfiguration"

	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/operator"
)

const (
	// resultsFile has the result of each controller.
	resultsFile = "controller-results.yaml"
	// runAgainFile and missingFile are in the folder of the mutations, because multi-operator-manager accepts no other files beside
	// resultsFile.
	runAgainFile = "run-again.yaml"
	missingFile  = "missing-content.yaml"
	// retryAfter is the time after which a failed sync is due again.
	retryAfter = time.Minute
)

// Results is the content of controller-results.yaml: what multi-operator-manager defines, and two more fields. A controller has status
// Unknown if one of its syncs needs an object that was not collected, and no other sync failed.
type Results struct {
	libraryapplyconfiguration.ApplyConfigurationRunResult `json:",inline"`
	// Seed is the value of --seed that repeats the run.
	Seed uint64 `json:"seed"`
	// AccessReviewsGranted is the number of access reviews. Without an API server, all of them count as granted.
	AccessReviewsGranted int `json:"accessReviewsGranted"`
}

// RunAgain is the content of run-again.yaml.
type RunAgain struct {
	// Syncs are those that another run must repeat even if nothing changes in the cluster, sorted by controller and key.
	Syncs []DueSync `json:"syncs"`
}

// DueSync is a sync with the time at which it is due.
type DueSync struct {
	Controller string    `json:"controller"`
	Key        string    `json:"key"`
	At         time.Time `json:"at"`
}

// Missing is the content of missing-content.yaml.
type Missing struct {
	Catalogs []MissingCatalog `json:"catalogs"`
	// Images are references, by digest where the manager knows it.
	Images []string `json:"images"`
	// Objects are those that a sync needs and that were not collected. The output has no mutations of such a sync.
	Objects []MissingObjects `json:"objects"`
	// Revisions are the stored revisions whose Secrets have no values.
	Revisions []MissingRevision `json:"revisions"`
}

// MissingCatalog is a catalog without content in the input.
type MissingCatalog struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Folder is the path in the input directory at which the content is expected.
	Folder string `json:"folder"`
	// Packages are those that the controllers requested.
	Packages []string `json:"packages"`
}

// MissingObjects are an object or a collection that a sync needs.
type MissingObjects struct {
	Group    string `json:"group,omitempty"`
	Resource string `json:"resource"`
	// Namespace is empty for cluster-scoped objects and for all namespaces. Name is empty for all objects.
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
	Controller string `json:"controller"`
	Key        string `json:"key"`
}

// results returns the results of the controllers.
func (r *run) results(results []operator.RoundResult) Results {
	all := r.noOutput().Results
	for _, each := range r.concluded(results) {
		all.ControllerResults = append(all.ControllerResults, r.resultOf(each))
	}
	reviews := r.server.AccessReviews()
	all.AccessReviewsGranted = reviews.SelfSubjectAccessReviews + reviews.SubjectAccessReviews + reviews.SelfSubjectRulesReviews
	return all
}

// failed returns an error that lists the failed syncs and the damaged content, or nil.
func (r *run) failed(results []operator.RoundResult) error {
	return errors.Join(errorOf(r.concluded(results)), r.catalogs.Err(), r.images.Err())
}

// concluded returns the results without the errors of syncs that need what was not collected. The cause of these errors is the input, and not
// the cluster.
func (r *run) concluded(results []operator.RoundResult) []operator.RoundResult {
	unknown := r.server.NotCollected()
	var all []operator.RoundResult
	for _, result := range results {
		isUnknown := func(each operator.RoundError) bool {
			return len(unknown[manifestserver.Sync{Controller: result.Controller, Key: each.Key}]) > 0
		}
		result.Errors = slices.DeleteFunc(slices.Clone(result.Errors), isUnknown)
		all = append(all, result)
	}
	return all
}

// isUnknown reports whether a sync of a controller needs what was not collected.
func (r *run) isUnknown(controller string) bool {
	for sync := range r.server.NotCollected() {
		if sync.Controller == controller {
			return true
		}
	}
	return false
}

// resultOf returns a result as multi-operator-manager's types have it. The stack of a panic is logged.
func (r *run) resultOf(result operator.RoundResult) libraryapplyconfiguration.ControllerRunResult {
	out := libraryapplyconfiguration.ControllerRunResult{ControllerName: result.Controller, Status: libraryapplyconfiguration.ControllerRunStatus(result.Status)}
	for _, failed := range result.Errors {
		if failed.Stack != "" {
			klog.Errorf("controller %s, %q: %v\n%s", result.Controller, failed.Key, failed.Err, failed.Stack)
		}
		out.Errors = append(out.Errors, libraryapplyconfiguration.ErrorDetails{Message: fmt.Sprintf("%s: %v", failed.Key, failed.Err)})
	}
	if len(out.Errors) == 0 && result.Status != operator.RoundSkipped && r.isUnknown(result.Controller) {
		out.Status = libraryapplyconfiguration.ControllerRunStatusUnknown
	}
	return out
}

// runAgain returns the syncs that are due again: those that requested a delay, those that have further mutations, and those that failed.
func (r *run) runAgain(results []operator.RoundResult, choice chosen) RunAgain {
	due := map[manifestserver.Sync]time.Time{}
	add := func(sync manifestserver.Sync, at time.Time) {
		if before, isKnown := due[sync]; !isKnown || at.Before(before) {
			due[sync] = at
		}
	}
	for sync, hasMore := range choice.unfinished {
		if hasMore {
			add(sync, r.now)
		}
	}
	for _, result := range r.concluded(results) {
		for _, each := range result.Requeues {
			add(manifestserver.Sync{Controller: result.Controller, Key: each.Key}, r.now.Add(each.After))
		}
		for _, each := range result.Errors {
			add(manifestserver.Sync{Controller: result.Controller, Key: each.Key}, r.now.Add(retryAfter))
		}
	}
	again := RunAgain{Syncs: []DueSync{}}
	for sync, at := range due {
		again.Syncs = append(again.Syncs, DueSync{sync.Controller, sync.Key, at})
	}
	slices.SortFunc(again.Syncs, func(a, b DueSync) int {
		return cmp.Or(cmp.Compare(a.Controller, b.Controller), cmp.Compare(a.Key, b.Key))
	})
	return again
}

// missing returns what the controllers need and the input lacks.
func (r *run) missing() Missing {
	missing := Missing{Catalogs: []MissingCatalog{}, Images: r.images.Missing(), Objects: []MissingObjects{}, Revisions: r.missingRevisions}
	for _, each := range r.catalogs.Missing() {
		missing.Catalogs = append(missing.Catalogs, MissingCatalog{
			Kind: each.Kind, Namespace: each.Namespace, Name: each.Name, Folder: each.Folder, Packages: each.Packages,
		})
	}
	if missing.Images == nil {
		missing.Images = []string{}
	}
	for sync, reads := range r.server.NotCollected() {
		for _, each := range reads {
			if sync != (manifestserver.Sync{}) {
				missing.Objects = append(missing.Objects, MissingObjects{each.Resource.Group, each.Resource.Resource, each.Namespace, each.Name, sync.Controller, sync.Key})
			}
		}
	}
	slices.SortFunc(missing.Objects, func(a, b MissingObjects) int {
		return cmp.Or(cmp.Compare(a.Controller, b.Controller), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	missing.Objects = slices.Compact(missing.Objects)
	return missing
}

// withErrors adds errors of syncs to the results of a round.
func withErrors(results []operator.RoundResult, errs map[manifestserver.Sync]error) []operator.RoundResult {
	results = slices.Clone(results)
	for i := range results {
		each := &results[i]
		each.Errors = slices.Clone(each.Errors)
		for sync, err := range errs {
			if sync.Controller == each.Controller {
				each.Errors = append(each.Errors, operator.RoundError{Key: sync.Key, Err: err})
				if each.Status != operator.RoundPanicked {
					each.Status = operator.RoundFailed
				}
			}
		}
		slices.SortStableFunc(each.Errors, func(a, b operator.RoundError) int { return cmp.Compare(a.Key, b.Key) })
	}
	return results
}
