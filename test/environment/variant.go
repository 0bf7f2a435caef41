package environment

import (
	"fmt"
	"os"
	"path/filepath"
)

// Scoped is the folder of the variant of the manifests in which the manager may neither bind nor escalate; see docs/permissions.md.
const Scoped = "manifests-scoped"

// manifestsOf returns the folder of the manifests to apply. Without a variant this is manifests of the checkout. Otherwise it is a copy in
// dir, in which the files of the variant, which is a folder of the checkout, replace those with the same names, as its users do it.
func manifestsOf(root, variant, dir string) (string, error) {
	shipped := filepath.Join(root, "manifests")
	if variant == "" {
		return shipped, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making the folder of the manifests: %w", err)
	}
	for _, from := range []string{shipped, filepath.Join(root, variant)} {
		files, err := filepath.Glob(filepath.Join(from, "*.yaml"))
		if err != nil {
			return "", fmt.Errorf("listing the manifests in %q: %w", from, err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o644)
			}
			if err != nil {
				return "", fmt.Errorf("copying the manifests of %q: %w", from, err)
			}
		}
	}
	return dir, nil
}
