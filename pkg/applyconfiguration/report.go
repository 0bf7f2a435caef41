package applyconfiguration

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"

	"github.com/openshift/multi-operator-manager/pkg/library/libraryapplyconfiguration"

	"github.com/openshift/platform-operators/pkg/operator"
)

const (
	// resultsFile has the result of each controller.
	resultsFile = "controller-results.yaml"
	// againFile and missingFile are in the folder of the mutations, because multi-operator-manager accepts no other files beside resultsFile.
	againFile   = "run-again.yaml"
	missingFile = "missing-content.yaml"
)

// Results is the content of controller-results.yaml: that of multi-operator-manager, and the assumptions of the run.
type Results struct {
	libraryapplyconfiguration.ApplyConfigurationRunResult `json:",inline"`
	// Seed is the value of --seed that repeats the run.
	Seed uint64 `json:"seed"`
	// AccessReviewsGranted is the number of access reviews. Without an API server, all of them count as granted.
	AccessReviewsGranted int `json:"accessReviewsGranted"`
}

// Again is the content of run-again.yaml.
type Again struct {
	// Syncs are those that another run would repeat although nothing changes in the cluster, by controller and key.
	Syncs []AgainSync `json:"syncs"`
}

// AgainSync is a key of a controller, and the earliest time to sync it again.
type AgainSync struct {
	Controller string    `json:"controller"`
	Key        string    `json:"key"`
	At         time.Time `json:"at"`
}

// Missing is the content of missing-content.yaml: what the controllers looked for in the folder "content" of the input directory.
type Missing struct {
	Catalogs []MissingCatalog `json:"catalogs"`
	// Images are references, by digest where the manager knows it.
	Images []string `json:"images"`
}

// MissingCatalog is a catalog that the input directory lacks.
type MissingCatalog struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Folder is the path in the input directory at which the content is expected.
	Folder string `json:"folder"`
	// Packages are those that the controllers wanted.
	Packages []string `json:"packages"`
}

// writeReports writes the results of the controllers, and next to the mutations what to run again and what is missing.
func (r *run) writeReports(results []operator.RoundResult) error {
	all := Results{Seed: r.seed}
	all.ControllerResults = []libraryapplyconfiguration.ControllerRunResult{}
	for _, each := range results {
		all.ControllerResults = append(all.ControllerResults, resultOf(each))
	}
	if r.server != nil {
		reviews := r.server.AccessReviews()
		all.AccessReviewsGranted = reviews.SelfSubjectAccessReviews + reviews.SubjectAccessReviews + reviews.SelfSubjectRulesReviews
	}
	if err := r.writeFile(resultsFile, all); err != nil || r.server == nil {
		return err
	}
	if err := r.writeFile(filepath.Join(configurationFolder, againFile), r.again(results)); err != nil {
		return err
	}
	return r.writeFile(filepath.Join(configurationFolder, missingFile), r.missing())
}

// resultOf returns a result in the type of multi-operator-manager.
func resultOf(result operator.RoundResult) libraryapplyconfiguration.ControllerRunResult {
	out := libraryapplyconfiguration.ControllerRunResult{ControllerName: result.Controller, Status: libraryapplyconfiguration.ControllerRunStatus(result.Status)}
	for _, failed := range result.Errors {
		if failed.Stack != "" {
			klog.Errorf("controller %s, %q: %v\n%s", result.Controller, failed.Key, failed.Err, failed.Stack)
		}
		out.Errors = append(out.Errors, libraryapplyconfiguration.ErrorDetails{Message: fmt.Sprintf("%s: %v", failed.Key, failed.Err)})
	}
	return out
}

func (r *run) again(results []operator.RoundResult) Again {
	again := Again{Syncs: []AgainSync{}}
	for _, result := range results {
		for _, each := range result.Again {
			again.Syncs = append(again.Syncs, AgainSync{result.Controller, each.Key, r.now.Add(each.After)})
		}
	}
	return again
}

func (r *run) missing() Missing {
	missing := Missing{Catalogs: []MissingCatalog{}, Images: r.images.Missing()}
	for _, each := range r.catalogs.Missing() {
		missing.Catalogs = append(missing.Catalogs, MissingCatalog{
			Kind: each.Kind, Namespace: each.Namespace, Name: each.Name, Folder: each.Folder, Packages: each.Packages,
		})
	}
	if missing.Images == nil {
		missing.Images = []string{}
	}
	return missing
}

// writeFile writes a value as YAML to a path below the output directory.
func (r *run) writeFile(name string, value any) error {
	content, err := yaml.Marshal(value)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", name, err)
	}
	path := filepath.Join(r.OutputDir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}
