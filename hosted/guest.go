package hosted

import (
	_ "embed" // for the file below
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed guest-excluded.yaml
var guestExcluded []byte

// excludedManifest is an entry of guest-excluded.yaml.
type excludedManifest struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// GuestManifests returns the names of the files in a folder of the payload's manifests that the cluster-version operator applies in the
// guest. It returns an error if guest-excluded.yaml lists a file that does not exist.
func GuestManifests(dir string) ([]string, error) {
	excluded, err := readExcluded()
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("listing the payload's manifests: %w", err)
	}
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	for _, each := range excluded {
		if !slices.Contains(names, each.File) {
			return nil, fmt.Errorf("guest-excluded.yaml lists %s, which is not in %q", each.File, dir)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(excluded, func(each excludedManifest) bool { return each.File == name })
	}), nil
}

// CopyGuestManifests copies the files that GuestManifests returns to another folder, which must exist.
func CopyGuestManifests(from, to string) error {
	names, err := GuestManifests(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return fmt.Errorf("copying the guest's manifests: %w", err)
		}
		if err := os.WriteFile(filepath.Join(to, name), content, 0o600); err != nil {
			return fmt.Errorf("copying the guest's manifests: %w", err)
		}
	}
	return nil
}

// readExcluded returns the entries of guest-excluded.yaml. It returns an error if an entry has no reason.
func readExcluded() ([]excludedManifest, error) {
	var excluded []excludedManifest
	if err := yaml.UnmarshalStrict(guestExcluded, &excluded); err != nil {
		return nil, fmt.Errorf("reading guest-excluded.yaml: %w", err)
	}
	for _, each := range excluded {
		if strings.TrimSpace(each.Reason) == "" {
			return nil, fmt.Errorf("guest-excluded.yaml has no reason for %s", each.File)
		}
	}
	return excluded, nil
}
