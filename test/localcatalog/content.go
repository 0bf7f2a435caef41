package localcatalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/alpha/property"
	"golang.org/x/sync/errgroup"
)

// loadMetas reads catalogs with operator-registry's reader. Therefore both APIs serve the same content as on a cluster, for example
// re-encoded numbers. The result is in the order of roots and of the file names in each root. If packages is empty, it reads all packages.
// It returns an error if a package is missing or is in several catalogs, or if there are no packages.
func loadMetas(ctx context.Context, roots, packages []string) ([]*declcfg.Meta, error) {
	wanted := func(string) bool { return true }
	if len(packages) > 0 {
		wanted = func(p string) bool { return slices.Contains(packages, p) }
	}
	var folders []string
	for _, root := range roots {
		found, err := catalogFolders(root, packages)
		if err != nil {
			return nil, err
		}
		folders = append(folders, found...)
	}

	byFolder := make([][]*declcfg.Meta, len(folders))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0)) // parsing YAML takes most of the time
	for i, folder := range folders {
		group.Go(func() error {
			err := declcfg.WalkMetasFS(ctx, os.DirFS(folder), func(path string, meta *declcfg.Meta, err error) error {
				if err != nil {
					return fmt.Errorf("reading %q: %w", filepath.Join(folder, path), err)
				}
				if wanted(packageOf(meta)) {
					byFolder[i] = append(byFolder[i], meta)
				}
				return nil
			}, declcfg.WithConcurrency(1))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	metas := slices.Concat(byFolder...)
	return metas, checkPresent(metas, packages)
}

// catalogFolders returns the folders to read in a catalog. If packages are selected and folders with the names of some of them exist, it
// returns only those folders. Otherwise it returns all folders, or only root if root also contains files.
func catalogFolders(root string, packages []string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var folders, wantedFolders []string
	for _, entry := range entries {
		path := filepath.Join(root, entry.Name())
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return []string{root}, err
		}
		folders = append(folders, path)
		if slices.Contains(packages, entry.Name()) {
			wantedFolders = append(wantedFolders, path)
		}
	}
	if len(wantedFolders) > 0 {
		return wantedFolders, nil
	}
	return folders, nil
}

func checkPresent(metas []*declcfg.Meta, packages []string) error {
	present := map[string]bool{}
	for _, meta := range metas {
		if meta.Schema == declcfg.SchemaPackage {
			if present[meta.Name] {
				return fmt.Errorf("package %q is in more than one catalog; remove one of the catalogs", meta.Name)
			}
			present[meta.Name] = true
		}
	}
	var errs []error
	for _, p := range packages {
		if !present[p] {
			errs = append(errs, fmt.Errorf("package %q is not in the catalogs; check the name, or add the catalog that has it", p))
		}
	}
	if len(present) == 0 && len(errs) == 0 {
		errs = append(errs, errors.New("no olm.package found; is this a directory of file-based catalogs?"))
	}
	return errors.Join(errs...)
}

// packageOf returns the package that a blob belongs to. For an olm.package blob, that is the blob's name. For a blob without a package, it
// is "".
func packageOf(meta *declcfg.Meta) string {
	if meta.Schema == declcfg.SchemaPackage {
		return meta.Name
	}
	return meta.Package
}

// rewriteImages replaces every image reference in the bundles with a reference to the local registry. If a bundle's directory was
// published, the reference to the bundle's own image becomes the published one. Other references become references to images that the
// registry does not have; see absentReference. Each bundle's blob stays on one line.
func rewriteImages(metas []*declcfg.Meta, host string, published map[bundleID]string) error {
	for _, meta := range metas {
		if meta.Schema != declcfg.SchemaBundle {
			continue
		}
		blob, err := rewriteBundle(meta.Blob, host, published)
		if err != nil {
			return fmt.Errorf("rewriting images of bundle %q of package %q: %w", meta.Name, meta.Package, err)
		}
		meta.Blob = blob
	}
	return nil
}

func rewriteBundle(blob []byte, host string, published map[bundleID]string) ([]byte, error) {
	var bundle declcfg.Bundle
	if err := json.Unmarshal(blob, &bundle); err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{} // keeps fields that declcfg.Bundle does not have
	if err := json.Unmarshal(blob, &fields); err != nil {
		return nil, err
	}
	image := bundle.Image
	local, ok := published[bundleID{bundle.Package, bundleVersion(bundle)}]
	if !ok {
		local = absentReference(host, image)
	}
	for i, related := range bundle.RelatedImages {
		if related.Image == image {
			bundle.RelatedImages[i].Image = local
		} else {
			bundle.RelatedImages[i].Image = absentReference(host, related.Image)
		}
	}
	for field, value := range map[string]any{"image": local, "relatedImages": bundle.RelatedImages} {
		if _, present := fields[field]; !present {
			continue
		}
		encoded, err := encodeLine(value)
		if err != nil {
			return nil, err
		}
		fields[field] = encoded
	}
	return encodeLine(fields)
}

func bundleVersion(bundle declcfg.Bundle) string {
	for _, p := range bundle.Properties {
		var pkg property.Package
		if p.Type == property.TypePackage && json.Unmarshal(p.Value, &pkg) == nil {
			return pkg.Version
		}
	}
	return ""
}

// encodeLine encodes JSON as catalogd does: on one line, without escaping the "<" and ">" of version ranges.
func encodeLine(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return out.Bytes(), err
}

// absentReference returns a reference to the local registry for an image that is not published. The first path segment is the name of the
// original registry, and the digest or tag is kept. The result is valid even if original is not; for "" it is "".
func absentReference(host, original string) string {
	if original == "" {
		return ""
	}
	if ref, err := name.ParseReference(original); err == nil {
		from := strings.NewReplacer(":", "-", "[", "", "]", "").Replace(strings.ToLower(ref.Context().RegistryStr()))
		local := host + "/" + from + "/" + ref.Context().RepositoryStr() + ":" + ref.Identifier()
		if digest, ok := ref.(name.Digest); ok {
			local = host + "/" + from + "/" + ref.Context().RepositoryStr() + "@" + digest.DigestStr()
		}
		// Some registry names are not valid path segments.
		if _, err := name.ParseReference(local); err == nil {
			return local
		}
	}
	return fmt.Sprintf("%s/unreadable@sha256:%x", host, sha256.Sum256([]byte(original)))
}

// writeTree writes metas as JSON lines below root, with a folder for each package, and returns root as a file system. operator-registry
// builds its cache from that file system.
func writeTree(root string, metas []*declcfg.Meta) (fs.FS, error) {
	byPackage := map[string]*bytes.Buffer{}
	for _, meta := range metas {
		p := packageOf(meta)
		if byPackage[p] == nil {
			byPackage[p] = &bytes.Buffer{}
		}
		byPackage[p].Write(meta.Blob)
	}
	for p, lines := range byPackage {
		// A package name may contain path separators, so it is hashed.
		folder := filepath.Join(root, fmt.Sprintf("%x", sha256.Sum256([]byte(p))))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(folder, "catalog.json"), lines.Bytes(), 0o644); err != nil {
			return nil, err
		}
	}
	return os.DirFS(root), nil
}
