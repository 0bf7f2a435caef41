package mutants

import (
	"fmt"
	"os"
	"path/filepath"
)

// SwitchVariable is the name of the environment variable that selects mutants in a program with several mutants. Its value lists their IDs,
// separated by commas.
const SwitchVariable = "PLATFORM_OPERATORS_MUTANT"

// SwitchedOverlay is like Overlay, but for one program that contains several mutants. SwitchVariable selects the active mutants when the
// program runs. Without it, no mutant is active. Several mutants may have the same Place. A mutant can store values between two calls in
// mutantState, which all mutants of a package share.
func SwitchedOverlay(root, dir string, mutants ...Mutant) (string, error) {
	sources := map[string][]byte{}
	for _, each := range mutants {
		each.Begin = fmt.Sprintf("if isMutant(%q) {\n%s\n}", each.ID(), each.Begin)
		if err := each.apply(root, sources); err != nil {
			return "", fmt.Errorf("switching off the rule of %q: %w", each.Spec, err)
		}
		path := filepath.Join(root, filepath.FromSlash(each.Package), "ismutant.go")
		if _, err := os.Stat(path); err == nil {
			return "", fmt.Errorf("switching off the rule of %q: file %s exists, and the overlay adds a file of this name; rename it", each.Spec, path)
		}
		sources[path] = fmt.Appendf(nil, switchSource, filepath.Base(filepath.Dir(path)), SwitchVariable)
	}
	return write(dir, sources)
}

// switchSource is the source of the file that is added to each package with mutants.
const switchSource = `package %s

import (
	"os"
	"slices"
	"strings"
	"sync"
)

func isMutant(id string) bool { return slices.Contains(strings.Split(os.Getenv(%q), ","), id) }

var mutantState sync.Map
`
