package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
)

// packageLines is one package of a catalog: its name, its blobs as JSON lines, and the number of its bundles.
type packageLines struct {
	name    string
	bundles int
	lines   []byte
}

// splitPackages splits a stream of JSON lines by package, in the order of their first lines.
func splitPackages(stream []byte) ([]packageLines, error) {
	var all []packageLines
	at := map[string]int{}
	err := declcfg.WalkMetasReader(bytes.NewReader(stream), func(meta *declcfg.Meta, err error) error {
		if err != nil {
			return err
		}
		name := meta.Package
		if meta.Schema == declcfg.SchemaPackage {
			name = meta.Name
		}
		if _, known := at[name]; !known {
			at[name] = len(all)
			all = append(all, packageLines{name: name})
		}
		p := &all[at[name]]
		if meta.Schema == declcfg.SchemaBundle {
			p.bundles++
		}
		p.lines = append(append(p.lines, bytes.TrimSpace(meta.Blob)...), '\n')
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("splitting a catalog by package: %w", err)
	}
	return all, nil
}

// joinUntil joins packages into a stream until the stream has at least the given number of bytes or no package is left.
func joinUntil(bytes int, packages []packageLines) (stream []byte) {
	for _, p := range packages {
		if len(stream) >= bytes {
			break
		}
		stream = append(stream, p.lines...)
	}
	return stream
}

// largeCatalog repeats packages until the stream has at least this many bytes. Repeated packages get unique names. It returns an error if
// there is no package to repeat.
func largeCatalog(bytes int, packages []packageLines) (stream []byte, err error) {
	seen := map[string]int{}
	for len(stream) < bytes {
		before := len(stream)
		for _, p := range packages {
			if len(stream) >= bytes {
				break
			}
			seen[p.name]++
			lines := p.lines
			if again := seen[p.name]; again > 1 {
				if lines, err = p.renamed(fmt.Sprintf("%s-%d", p.name, again)); err != nil {
					return nil, err
				}
			}
			stream = append(stream, lines...)
		}
		if len(stream) == before {
			return nil, fmt.Errorf("building a catalog of %d bytes: there are no packages to repeat", bytes)
		}
	}
	return stream, nil
}

// renamed returns the lines with a different package name. Bundles and channels keep their names.
func (p packageLines) renamed(name string) ([]byte, error) {
	was, err := json.Marshal(p.name)
	if err != nil {
		return nil, err
	}
	is, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for line := range bytes.Lines(p.lines) {
		var blob map[string]json.RawMessage
		if err := json.Unmarshal(line, &blob); err != nil {
			return nil, fmt.Errorf("renaming package %q: %w", p.name, err)
		}
		key := "package"
		if string(blob["schema"]) == `"`+declcfg.SchemaPackage+`"` {
			key = "name"
		}
		blob[key] = is
		blob["properties"] = bytes.ReplaceAll(blob["properties"], append([]byte(`"packageName":`), was...), append([]byte(`"packageName":`), is...))
		if len(blob["properties"]) == 0 {
			delete(blob, "properties")
		}
		if err := encoder.Encode(blob); err != nil {
			return nil, fmt.Errorf("renaming package %q: %w", p.name, err)
		}
	}
	return out.Bytes(), nil
}
