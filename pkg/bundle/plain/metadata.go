package plain

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/Masterminds/semver/v3"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// propertyPackage is the property that names the package and the version.
const propertyPackage = "olm.package"

// maxVersion is the maximum length of a version, in bytes. Versions in catalogs are shorter.
const maxVersion = 128

// loadMetadata reads the metadata that the bundle declares. All of it is optional. The package and the version may be declared more than
// once, but only with equal values.
func loadMetadata(fsys fs.FS, annotations map[string]string) (bundle.Metadata, error) {
	properties, err := bundle.LoadProperties(fsys)
	if err != nil {
		return bundle.Metadata{}, err
	}
	// Duplicate or invalid values of olm.maxOpenShiftVersion are not an error here: the upgrade gate reports them.
	meta := bundle.Metadata{Package: annotations[bundle.AnnotationPackage], MaxOpenShiftVersions: bundle.MaxOpenShiftVersions(properties)}
	for _, p := range properties {
		if p.Type != propertyPackage {
			continue
		}
		if err := addPackage(&meta, p.Value); err != nil {
			return bundle.Metadata{}, fmt.Errorf("reading %q: property %q: %w", bundle.PropertiesFile, propertyPackage, err)
		}
	}
	if meta.Package == "" {
		return meta, nil
	}
	if problems := utilvalidation.IsDNS1123Subdomain(meta.Package); len(problems) > 0 {
		return bundle.Metadata{}, fmt.Errorf("reading metadata: package name %s: %s; use a lower-case name such as my-operator",
			truncate.Quote(meta.Package), strings.Join(problems, ", "))
	}
	if meta.Version != "" {
		meta.Name = meta.Package + ".v" + meta.Version
	}
	return meta, nil
}

func addPackage(onto *bundle.Metadata, value json.RawMessage) error {
	var declared struct {
		PackageName string `json:"packageName"`
		Version     string `json:"version"`
	}
	if err := json.Unmarshal(value, &declared); err != nil {
		return fmt.Errorf("%s must have the form {packageName, version}, with two strings: %w",
			truncate.Bytes(string(value), truncate.MaxQuoted), err)
	}
	if declared.PackageName == "" || declared.Version == "" {
		return fmt.Errorf("%s lacks packageName or version; both are required", truncate.Bytes(string(value), truncate.MaxQuoted))
	}
	if _, err := semver.StrictNewVersion(declared.Version); err != nil || len(declared.Version) > maxVersion {
		return fmt.Errorf("version %s is not a semantic version; use one such as 1.2.3", truncate.Quote(declared.Version))
	}
	if onto.Package != "" && onto.Package != declared.PackageName {
		return fmt.Errorf("it names package %s, but package %s is declared before; correct one",
			truncate.Quote(declared.PackageName), truncate.Quote(onto.Package))
	}
	if onto.Version != "" && onto.Version != declared.Version {
		return fmt.Errorf("it has version %s, but version %s is declared before; correct one",
			truncate.Quote(declared.Version), truncate.Quote(onto.Version))
	}
	onto.Package, onto.Version = declared.PackageName, declared.Version
	return nil
}
