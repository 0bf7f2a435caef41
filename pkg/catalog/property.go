package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Property types that are used; all others are ignored.
const (
	propertyPackage         = "olm.package"
	propertyMaxOpenShift    = "olm.maxOpenShiftVersion"
	propertyCSVMetadata     = "olm.csv.metadata"
	propertyBundleObject    = "olm.bundle.object"
	propertyGVK             = "olm.gvk"
	propertyGVKRequired     = "olm.gvk.required"
	propertyPackageRequired = "olm.package.required"
	propertyConstraint      = "olm.constraint"
	propertyMediaType       = "olm.bundle.mediatype"
)

// isRead reports whether a property of this type is used.
func isRead(kind string) bool {
	switch kind {
	case propertyPackage, propertyMaxOpenShift, propertyCSVMetadata, propertyBundleObject, propertyGVK, propertyGVKRequired,
		propertyPackageRequired, propertyConstraint, propertyMediaType:
		return true
	}
	return IsUpgradeSchema(kind)
}

const (
	// maxProperties is the maximum number of values of olm.maxOpenShiftVersion, and of olm.bundle.mediatype, that are retained. More than
	// one is already invalid.
	maxProperties = 8
	// maxRawValue is the maximum size of one such value, in bytes. A longer value is truncated, so that it does not parse.
	maxRawValue = 256
)

// AddProperty sets the bundle's fields from one property, whose value is raw JSON. It ignores property types that are not used. It also
// ignores upgrade rules, because they belong to the package (Builder.AddUpgradeRules). If the value does not have the shape of its type,
// AddProperty returns an error, and the bundle should not be used.
func (b *Bundle) AddProperty(kind string, value []byte) error {
	var err error
	switch kind {
	case propertyPackage:
		err = b.addPackage(value)
	case propertyMaxOpenShift:
		b.addMaxOpenShift(value)
	case propertyCSVMetadata:
		err = b.addCSV(value)
	case propertyBundleObject:
		err = b.addObject(value)
	case propertyGVK:
		err = b.addProvided(value)
	case propertyGVKRequired:
		err = b.addRequiredGVK(value)
	case propertyPackageRequired:
		err = b.addRequiredPackage(value)
	case propertyConstraint:
		b.addConstraint(value)
	case propertyMediaType:
		b.addMediaType(value)
	}
	if err != nil {
		return fmt.Errorf("reading property %q: %w", kind, err)
	}
	return nil
}

func (b *Bundle) addPackage(value []byte) error {
	version, release := b.Version, b.Release
	if err := readTexts(value, map[string]*string{"version": &version, "release": &release}); err != nil {
		return err
	}
	b.Version, b.Release = version, release
	return nil
}

func (b *Bundle) addMaxOpenShift(value []byte) {
	if len(b.MaxOpenShiftVersions) >= maxProperties {
		return
	}
	b.MaxOpenShiftVersions = append(b.MaxOpenShiftVersions, boundedRaw(string(bytes.TrimSpace(value))))
}

// addMediaType adds any format, even an unknown one, because a bundle of an unknown format must not be treated as registry+v1.
func (b *Bundle) addMediaType(value []byte) {
	value = bytes.TrimSpace(value)
	format, err := text(value)
	if err != nil || format == "" {
		format = string(value)
	}
	format = boundedRaw(format)
	if at, known := slices.BinarySearch(b.MediaTypes, format); !known && len(b.MediaTypes) < maxProperties {
		b.MediaTypes = slices.Insert(b.MediaTypes, at, format)
	}
}

// boundedRaw returns a value of at most maxRawValue bytes. If it truncates a longer value, the result does not parse.
func boundedRaw(raw string) string {
	return truncate.Bytes(raw, maxRawValue)
}

// addCSV sets the bundle's fields from olm.csv.metadata, or from the spec of a ClusterServiceVersion, whose fields have the same names
// except for case.
func (b *Bundle) addCSV(value []byte) error {
	minKube, modes, services := "", map[string]bool(nil), false
	err := object(value, func(key, raw []byte) (err error) {
		switch {
		case matchesKey(key, "annotations"): // the CSV's annotations, in olm.csv.metadata
			err = b.addAnnotations(raw)
		case matchesKey(key, "minKubeVersion"):
			minKube, err = text(raw)
		case matchesKey(key, "installModes"):
			modes, err = installModes(raw)
		case matchesKey(key, "apiServiceDefinitions"):
			services, err = ownsAny(raw)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if minKube != "" {
		b.MinKubeVersion = minKube
	}
	if modes != nil {
		b.InstallModes = modes
	}
	b.APIServices = b.APIServices || services
	return nil
}

// ownsAny reports whether a CSV's definitions, such as its apiServiceDefinitions, contain owned ones.
func ownsAny(raw []byte) (bool, error) {
	if bytes.Equal(raw, []byte("null")) {
		return false, nil
	}
	owned := false
	err := object(raw, func(key, list []byte) error {
		if !matchesKey(key, "owned") {
			return nil
		}
		return array(list, func([]byte) error {
			owned = true
			return nil
		})
	})
	return owned, err
}

const (
	// annotationSuggestedNamespace is the annotation of a ClusterServiceVersion that contains the install namespace suggested by the
	// author.
	annotationSuggestedNamespace = "operatorframework.io/suggested-namespace"
	// annotationCreatedAt is the annotation of a ClusterServiceVersion that contains the version's creation date, as the author wrote it.
	annotationCreatedAt = "createdAt"
	// maxCreatedAt is the maximum size of that date, in bytes. Every date format is shorter.
	maxCreatedAt = 64
)

func (b *Bundle) addAnnotations(raw []byte) error {
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return object(raw, func(key, raw []byte) error {
		switch string(key) {
		case annotationSuggestedNamespace:
			namespace, err := text(raw)
			if err != nil {
				return fmt.Errorf("%s: %w", annotationSuggestedNamespace, err)
			}
			b.SuggestedNamespace = namespace
		case annotationCreatedAt:
			// No decision depends on it, so an invalid value does not make the bundle unusable.
			if created, err := text(raw); err == nil && len(created) <= maxCreatedAt {
				b.CreatedAt = created
			}
		}
		return nil
	})
}

// maxInstallModes is the maximum number of install modes of a bundle; OLM has four.
const maxInstallModes = 16

func installModes(raw []byte) (map[string]bool, error) {
	if bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	modes := map[string]bool{}
	add := func(mode installMode) error {
		if modes[mode.Type] = mode.Supported; len(modes) > maxInstallModes {
			return fmt.Errorf("it has more than %d install modes", maxInstallModes)
		}
		return nil
	}
	var list []installMode
	if decodeShortList(raw, &list) {
		for _, mode := range list {
			if err := add(mode); err != nil {
				return modes, err
			}
		}
		return modes, nil
	}
	err := array(raw, func(element []byte) error {
		var mode installMode
		if err := json.Unmarshal(element, &mode); err != nil {
			return err
		}
		return add(mode)
	})
	return modes, err
}

// installMode is an entry of a ClusterServiceVersion's spec.installModes.
type installMode struct {
	Type      string `json:"type"`
	Supported bool   `json:"supported"`
}

// addObject sets the bundle's fields from an olm.bundle.object, which contains a manifest in base64. Catalogs from before olm.csv.metadata
// contain the ClusterServiceVersion there.
func (b *Bundle) addObject(value []byte) error {
	var property struct {
		Data []byte `json:"data"`
	}
	if err := json.Unmarshal(value, &property); err != nil {
		return err
	}
	return b.AddManifest(property.Data)
}

// AddManifest sets the bundle's fields from a manifest, as JSON, if it is a ClusterServiceVersion. It sets the same fields as
// olm.csv.metadata, and ignores other manifests. It returns an error if the manifest is not valid JSON or a field has the wrong shape.
func (b *Bundle) AddManifest(manifest []byte) error {
	if !json.Valid(manifest) {
		return fmt.Errorf("manifest that begins with %s: %w", excerpt(manifest), errMalformed)
	}
	var kind string
	var spec, metadata []byte
	err := object(manifest, func(key, raw []byte) (err error) {
		switch {
		case string(key) == "kind":
			kind, err = text(raw)
		case matchesKey(key, "spec"):
			spec = raw
		case string(key) == "metadata":
			metadata = raw
		}
		return err
	})
	if err != nil || kind != "ClusterServiceVersion" || spec == nil {
		return err
	}
	if err := b.addMetadata(metadata); err != nil {
		return err
	}
	return b.addCSV(spec)
}

func (b *Bundle) addMetadata(raw []byte) error {
	if raw == nil {
		return nil
	}
	return object(raw, func(key, raw []byte) error {
		if !matchesKey(key, "annotations") {
			return nil
		}
		return b.addAnnotations(raw)
	})
}
