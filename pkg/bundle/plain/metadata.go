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

// maxVersion bounds a version's text; no catalog's is longer.
const maxVersion = 128

// loadMetadata reads what the bundle says about itself. All of it may be left out; what is there twice must say the same.
func loadMetadata(fsys fs.FS, annotations map[string]string) (bundle.Metadata, error) {
	properties, err := bundle.LoadProperties(fsys)
	if err != nil {
		return bundle.Metadata{}, err
	}
	// Values of olm.maxOpenShiftVersion that are doubled or cannot be read are no error here: who reads them closes the gate.
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
		return bundle.Metadata{}, fmt.Errorf("reading metadata: package name %s: %s; write a lower-case name such as my-operator", truncate.Quote(meta.Package), strings.Join(problems, ", "))
	}
	if meta.Version != "" {
		meta.Name = meta.Package + ".v" + meta.Version
	}
	return meta, nil
}

func addPackage(onto *bundle.Metadata, value json.RawMessage) error {
	var said struct {
		PackageName string `json:"packageName"`
		Version     string `json:"version"`
	}
	if err := json.Unmarshal(value, &said); err != nil {
		return fmt.Errorf("%s has not the form {packageName, version}, both of them strings: %w", truncate.Bytes(string(value), truncate.MaxQuoted), err)
	}
	if said.PackageName == "" || said.Version == "" {
		return fmt.Errorf("%s lacks packageName or version; both are needed", truncate.Bytes(string(value), truncate.MaxQuoted))
	}
	if _, err := semver.StrictNewVersion(said.Version); err != nil || len(said.Version) > maxVersion {
		return fmt.Errorf("version %s is no semantic version; write it like 1.2.3", truncate.Quote(said.Version))
	}
	if onto.Package != "" && onto.Package != said.PackageName {
		return fmt.Errorf("the package is %s here and %s before; it has one name", truncate.Quote(said.PackageName), truncate.Quote(onto.Package))
	}
	if onto.Version != "" && onto.Version != said.Version {
		return fmt.Errorf("the version is %s here and %s before; it has one", truncate.Quote(said.Version), truncate.Quote(onto.Version))
	}
	onto.Package, onto.Version = said.PackageName, said.Version
	return nil
}
