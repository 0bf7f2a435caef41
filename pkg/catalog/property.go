package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Property types that are read; all others are ignored.
const (
	propertyPackage      = "olm.package"
	propertyMaxOpenShift = "olm.maxOpenShiftVersion"
	propertyCSVMetadata  = "olm.csv.metadata"
	propertyBundleObject = "olm.bundle.object"
)

const (
	// maxProperties is how many olm.maxOpenShiftVersion values are kept: more than one is unreadable already.
	maxProperties = 8
	// maxRawValue bounds one such value; what is cut off no longer parses, which is what a value this long deserves.
	maxRawValue = 256
)

// AddProperty takes from one property of the bundle, its value as raw JSON, what this package keeps. Other types are
// ignored. An error says that the value has not the shape that its type demands; the bundle is then unchanged.
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
	}
	if err != nil {
		return fmt.Errorf("reading property %q: %w", kind, err)
	}
	return nil
}

func (b *Bundle) addPackage(value []byte) error {
	return object(value, func(key, raw []byte) error {
		if !is(key, "version") {
			return nil
		}
		version, err := text(raw)
		if err != nil {
			return fmt.Errorf("version: %w", err)
		}
		b.Version = version
		return nil
	})
}

func (b *Bundle) addMaxOpenShift(value []byte) {
	if len(b.MaxOpenShiftVersions) >= maxProperties {
		return
	}
	raw := bytes.TrimSpace(value)
	b.MaxOpenShiftVersions = append(b.MaxOpenShiftVersions, string(raw[:min(len(raw), maxRawValue)]))
}

// addCSV reads olm.csv.metadata, or the spec of a ClusterServiceVersion: the two fields have the same names there.
func (b *Bundle) addCSV(value []byte) error {
	minKube, modes := "", map[string]bool(nil)
	err := object(value, func(key, raw []byte) (err error) {
		switch {
		case is(key, "annotations"): // olm.csv.metadata has the CSV's annotations here
			err = b.addAnnotations(raw)
		case is(key, "minKubeVersion"):
			minKube, err = text(raw)
		case is(key, "installModes"):
			modes, err = installModes(raw)
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
	return nil
}

// annotationSuggestedNamespace on a ClusterServiceVersion is where its author wants it installed.
const annotationSuggestedNamespace = "operatorframework.io/suggested-namespace"

func (b *Bundle) addAnnotations(raw []byte) error {
	return object(raw, func(key, raw []byte) error {
		if string(key) != annotationSuggestedNamespace {
			return nil
		}
		namespace, err := text(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", annotationSuggestedNamespace, err)
		}
		b.SuggestedNamespace = namespace
		return nil
	})
}

func installModes(raw []byte) (map[string]bool, error) {
	var list []struct {
		Type      string `json:"type"`
		Supported bool   `json:"supported"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	if list == nil {
		return nil, nil
	}
	modes := make(map[string]bool, len(list))
	for _, mode := range list {
		modes[mode.Type] = mode.Supported
	}
	return modes, nil
}

// addObject reads a manifest that the catalog carries, base64 in a property: catalogs before olm.csv.metadata have
// the ClusterServiceVersion there.
func (b *Bundle) addObject(value []byte) error {
	var property struct {
		Data []byte `json:"data"`
	}
	if err := json.Unmarshal(value, &property); err != nil {
		return err
	}
	return b.AddManifest(property.Data)
}

// AddManifest takes minKubeVersion, install modes and suggested namespace from a manifest, as JSON, if it is a ClusterServiceVersion; any
// other manifest is ignored.
func (b *Bundle) AddManifest(manifest []byte) error {
	if !json.Valid(manifest) {
		return fmt.Errorf("manifest that begins with %s: %w", excerpt(manifest), errMalformed)
	}
	var kind string
	var spec, metadata []byte
	err := object(manifest, func(key, raw []byte) (err error) {
		switch string(key) {
		case "kind":
			kind, err = text(raw)
		case "spec":
			spec = raw
		case "metadata":
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
		if string(key) != "annotations" {
			return nil
		}
		return b.addAnnotations(raw)
	})
}
