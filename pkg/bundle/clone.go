package bundle

import "maps"

// CloneMetadata copies the parts of an object's metadata that callers may change: the map itself, its labels and its annotations. All other
// values are shared. It returns nil if value is not a map.
func CloneMetadata(value any) map[string]any {
	from, _ := value.(map[string]any)
	metadata := maps.Clone(from)
	for _, field := range []string{"labels", "annotations"} {
		if m, ok := metadata[field].(map[string]any); ok {
			metadata[field] = maps.Clone(m)
		}
	}
	return metadata
}
