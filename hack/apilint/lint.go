package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/kube-api-linter/pkg/plugin/base"
	_ "sigs.k8s.io/kube-api-linter/pkg/registration" // its init functions register the linters
)

// finding is one report of a linter.
type finding struct {
	linter, file string
	line         int
	message      string
}

func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %s (%s)", f.file, f.line, f.message, f.linter)
}

// lint returns the findings of kube-api-linter in the packages that match patterns in the module at root, sorted by file, line and message.
func lint(root string, s settings, patterns ...string) ([]finding, error) {
	plugin, err := base.New(map[string]any{"linters": s.Linters, "lintersConfig": s.LintersConfig})
	if err != nil {
		return nil, fmt.Errorf("reading the settings of the linters: %w", err)
	}
	analyzers, err := plugin.BuildAnalyzers()
	if err != nil {
		return nil, fmt.Errorf("configuring the linters: %w", err)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: root}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("loading the packages: %w", err)
	}
	if err := loadErrors(loaded); err != nil {
		return nil, err
	}
	graph, err := checker.Analyze(analyzers, loaded, nil)
	if err != nil {
		return nil, fmt.Errorf("running the linters: %w", err)
	}
	root, err = filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, action := range graph.Roots {
		if action.Err != nil {
			return nil, fmt.Errorf("running %s: %w", action, action.Err)
		}
		for _, diagnostic := range action.Diagnostics {
			at := action.Package.Fset.Position(diagnostic.Pos)
			file, err := filepath.Rel(root, at.Filename)
			if err != nil {
				return nil, err
			}
			found = append(found, finding{action.Analyzer.Name, file, at.Line, diagnostic.Message})
		}
	}
	slices.SortFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.message, b.message))
	})
	return found, nil
}

// loadErrors returns the errors of packages that cannot be loaded, or an error if no package matches.
func loadErrors(loaded []*packages.Package) error {
	var all []error
	if len(loaded) == 0 {
		all = append(all, errors.New("no package matches"))
	}
	for _, each := range loaded {
		for _, err := range each.Errors {
			all = append(all, fmt.Errorf("loading %s: %w", each.PkgPath, err))
		}
	}
	return errors.Join(all...)
}
