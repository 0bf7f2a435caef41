package parity

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Answer is a response in which placeholders replace the values that change from run to run. The placeholder of a UID or of an object's
// resourceVersion names the request whose response first contained the value. Equal placeholders in two responses mean equal values. Times,
// resourceVersions of lists, continue tokens and generated names become <time>, <version>, <token> and <name>. Entries of managedFields are
// sorted.
type Answer struct {
	// Code is the HTTP status code.
	Code int `json:"code"`
	// Body is the decoded JSON of the response, or its text if it is not JSON. If the request succeeded and has Request.Pick, Body contains
	// only the picked fields, keyed by path.
	Body any `json:"body,omitempty"`
	// Events are the events of a watch; nil for other requests.
	Events []any `json:"events,omitempty"`
	// Warnings are the texts of the Warning headers, in their order.
	Warnings []string `json:"warnings,omitempty"`
}

// mask replaces the values that change from run to run in the responses of one sequence. request is the name of the current request. uids
// and versions map UIDs and resourceVersions to their placeholders.
type mask struct {
	request        string
	uids, versions map[string]string
}

func newMask() *mask { return &mask{uids: map[string]string{}, versions: map[string]string{}} }

func (m *mask) answer(request string, raw response, pick []string) Answer {
	m.request = request
	answer := Answer{Code: raw.code, Body: m.value("", raw.body), Warnings: raw.warnings}
	for _, event := range raw.events {
		answer.Events = append(answer.Events, m.value("", event))
	}
	if len(pick) == 0 || raw.code >= 400 {
		return answer
	}
	for i, event := range answer.Events {
		answer.Events[i] = pickFields(event, pick)
	}
	if answer.Events == nil {
		answer.Body = pickFields(answer.Body, pick)
	}
	return answer
}

// pickFields returns the fields of value at dotted paths, keyed by path. It omits paths that value does not have.
func pickFields(value any, paths []string) map[string]any {
	fields := map[string]any{}
	for _, path := range paths {
		if value, found := field(value, path); found {
			fields[path] = value
		}
	}
	return fields
}

var (
	timestamp     = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)
	quotedVersion = regexp.MustCompile(`\(\d+\)`)
	schemeName    = regexp.MustCompile(`in scheme "[^"]+"`)
	uid           = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
)

// absentUID is the UID that requests use for an object that does not exist. The mask does not replace it.
const absentUID = "00000000-0000-0000-0000-000000000000"

func (m *mask) value(name string, value any) any {
	switch value := value.(type) {
	case map[string]any:
		return m.object(value)
	case []any:
		masked := make([]any, len(value))
		for i, each := range value {
			masked[i] = m.value(name, each)
		}
		if name == "managedFields" {
			slices.SortStableFunc(masked, func(a, b any) int { return cmp.Compare(sortKey(a), sortKey(b)) })
		}
		return masked
	case string:
		switch {
		case name == "resourceVersion" && value != "":
			return m.placeholderFor(m.versions, "version", value)
		case timestamp.MatchString(value):
			return "<time>"
		}
		return m.jsonText(value)
	}
	return value
}

// jsonText masks a string: names of schemes, UIDs, and resourceVersions in parentheses, as in kube-apiserver's messages. It keeps a number
// in parentheses that is not the resourceVersion of an earlier response.
func (m *mask) jsonText(value string) string {
	value = schemeName.ReplaceAllString(value, `in scheme "<file>"`) // the name contains the path of a source file
	value = uid.ReplaceAllStringFunc(value, func(found string) string {
		if found == absentUID {
			return found
		}
		return m.placeholderFor(m.uids, "UID", found)
	})
	return quotedVersion.ReplaceAllStringFunc(value, func(found string) string {
		version := strings.Trim(found, "()")
		if m.versions[version] == "" {
			return found
		}
		return "(" + m.versions[version] + ")"
	})
}

// object masks an object's fields in the order of their names, so that placeholders do not depend on the order of a map.
func (m *mask) object(object map[string]any) map[string]any {
	masked := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value := object[name]
		if metadata, isObject := value.(map[string]any); isObject && name == "metadata" {
			_, list := object["items"]
			value = maskGenerated(metadata, list || isBookmark(metadata))
		}
		masked[m.jsonText(name)] = m.value(name, value) // keys of managedFields contain UIDs
	}
	return masked
}

// maskGenerated returns a copy of metadata in which placeholders replace the name and the continue token that the API server generated. If
// ofMany is true, metadata belongs to a list or bookmark, and its resourceVersion is replaced as well.
func maskGenerated(metadata map[string]any, ofMany bool) map[string]any {
	metadata = maps.Clone(metadata)
	if prefix, generated := metadata["generateName"].(string); generated {
		metadata["name"] = prefix + "<name>"
	}
	if token, _ := metadata["continue"].(string); token != "" {
		metadata["continue"] = "<token>"
	}
	if _, found := metadata["resourceVersion"]; found && ofMany {
		delete(metadata, "resourceVersion")
		metadata["resourceVersion of many"] = "<version>"
	}
	return metadata
}

func isBookmark(metadata map[string]any) bool {
	annotations, _ := metadata["annotations"].(map[string]any)
	return annotations["k8s.io/initial-events-end"] != nil
}

func (m *mask) placeholderFor(all map[string]string, what, value string) string {
	if all[value] == "" {
		all[value] = "<" + what + " of " + m.request + ">"
	}
	return all[value]
}

func sortKey(value any) string {
	jsonText, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(jsonText)
}

// field returns the value at a dotted path, in which numbers are indexes of lists. The bool is false if the path does not exist in value.
func field(value any, path string) (any, bool) {
	for name := range strings.SplitSeq(path, ".") {
		switch inner := value.(type) {
		case map[string]any:
			var found bool
			if value, found = inner[name]; !found {
				return nil, false
			}
		case []any:
			position, err := strconv.Atoi(name)
			if err != nil || position < 0 || position >= len(inner) {
				return nil, false
			}
			value = inner[position]
		default:
			return nil, false
		}
	}
	return value, true
}
