package mustgather

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// maxDepth is the maximum depth of nested values. OpenAPI schemas in CRDs nest about sixty deep.
const maxDepth = 256

// decodeFile returns the object in a YAML file, or nil after adding an error.
func (r *reader) decodeFile(e entry) map[string]any {
	if e.err != nil {
		r.fault(e.path, e.err)
		return nil
	}
	content, err := r.readFile(e)
	if err != nil {
		r.fault(e.path, err)
		return nil
	}
	if content == nil {
		return nil
	}
	object, err := decode(content)
	if err != nil {
		r.fault(e.path, err)
	}
	return object
}

// readFile returns the content of a file. It returns nil once all files together are too large.
func (r *reader) readFile(e entry) ([]byte, error) {
	if r.bytes > r.limits.all {
		return nil, nil
	}
	file, err := r.fsys.Open(e.target)
	if err != nil {
		return nil, fmt.Errorf("%w; check its permissions", shorten(err))
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, r.limits.file+1))
	if err != nil {
		return nil, fmt.Errorf("%w; copy it again", shorten(err))
	}
	if int64(len(content)) > r.limits.file {
		return nil, fmt.Errorf("it has more than %d bytes; delete it, and list its resource in %s", r.limits.file, notCollectedFile)
	}
	if r.bytes += int64(len(content)); r.bytes > r.limits.all {
		return nil, fmt.Errorf("the files up to this one have more than %d bytes; delete resources that are not needed, and list them in %s",
			r.limits.all, notCollectedFile)
	}
	return content, nil
}

// decode returns the only object in a YAML or JSON text. A cut between two lines often leaves valid YAML; callers notice it by a missing
// kind, which oc adm inspect writes after the items of a List.
func decode(content []byte) (map[string]any, error) {
	switch count := countDocuments(content); {
	case count == 0:
		return nil, errors.New("it has no content; " + remedy)
	case count > 1:
		return nil, fmt.Errorf("it has %d YAML documents, but one is expected; split it into one file for each object", count)
	}
	var value any
	if err := utilyaml.UnmarshalStrict(content, &value); err != nil {
		if inner := errors.Unwrap(err); inner != nil { // without the library's words about JSON
			err = inner
		}
		return nil, fmt.Errorf("it is not valid YAML: %w; %s", shorten(err), remedy)
	}
	object, isObject := value.(map[string]any)
	if !isObject {
		return nil, errors.New("it has no object at its top level, but a list or a single value; " + remedy)
	}
	// YAML of oc adm inspect ends with a line break, and a line that is cut is often valid: "replicas: 10" becomes "replicas: 1". Lists and
	// JSON need no line break: the kind stands after the items of a List, and JSON ends with a brace.
	if _, isList := object["items"]; !isList && content[len(content)-1] != '\n' && bytes.TrimSpace(content)[0] != '{' {
		return nil, errors.New("its last line has no line break at its end, so that it may be cut short; if it is complete, add the line break")
	}
	if isDeeper(object, maxDepth) {
		return nil, fmt.Errorf("its values are nested deeper than %d levels; correct or delete it", maxDepth)
	}
	return object, nil
}

// countDocuments returns the number of YAML documents that are not empty. The decoder reads the first one only.
func countDocuments(content []byte) int {
	count := 0
	isEmpty := true
	for line := range bytes.Lines(content) {
		if len(line) >= 3 && (string(line[:3]) == "---" || string(line[:3]) == "...") && len(bytes.TrimLeft(line[3:4], " \t\r\n")) == 0 {
			isEmpty = true
			line = line[3:]
		}
		if !isEmpty || line[0] == '%' { // a directive belongs to the next document
			continue
		}
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '#' {
			isEmpty = false
			count++
		}
	}
	return count
}

// isDeeper reports whether values are nested deeper than a number of levels.
func isDeeper(value any, levels int) bool {
	if levels < 0 {
		return true
	}
	switch value := value.(type) {
	case map[string]any:
		for _, inner := range value {
			if isDeeper(inner, levels-1) {
				return true
			}
		}
	case []any:
		for _, inner := range value {
			if isDeeper(inner, levels-1) {
				return true
			}
		}
	}
	return false
}

// shortened is an error with its text on one line of bounded size.
type shortened struct{ error }

// shorten shortens an error of the YAML library or the file system. Callers add the path that the latter has.
func shorten(err error) error {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	return shortened{err}
}

func (s shortened) Error() string { return truncate.OneLine(s.error.Error(), maxText) }

func (s shortened) Unwrap() error { return s.error }
