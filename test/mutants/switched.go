package mutants

import (
	"fmt"
	"os"
	"path/filepath"
)

// SwitchVariable is the environment variable that selects the mutant in a program that SwitchedOverlay has built. Its value is the Place of
// the mutant.
const SwitchVariable = "PLATFORM_OPERATORS_MUTANT"

// SwitchedOverlay is like Overlay, for one program with several mutants. SwitchVariable selects the mutant when the program runs. Without
// it, the program behaves as one without mutants. Each mutant needs a Place of its own.
func SwitchedOverlay(root, dir string, mutants ...Mutant) (string, error) {
	sources := map[string][]byte{}
	for _, each := range mutants {
		each.Begin = fmt.Sprintf("if isMutant(%q) {\n%s\n}", each.Place(), each.Begin)
		if err := each.apply(root, sources); err != nil {
			return "", fmt.Errorf("switching off the rule of %q: %w", each.Spec, err)
		}
		path := filepath.Join(root, filepath.FromSlash(each.Package), "ismutant.go")
		if _, err := os.Stat(path); err == nil {
			return "", fmt.Errorf("switching off the rule of %q: file %s exists, and the overlay adds a file of this name; rename it", each.Spec, path)
		}
		sources[path] = fmt.Appendf(nil, "package %s\n\nimport \"os\"\n\nfunc isMutant(place string) bool { return os.Getenv(%q) == place }\n",
			filepath.Base(path[:len(path)-len("/ismutant.go")]), SwitchVariable)
	}
	return write(dir, sources)
}
