package payload

// unboundedFields are the fields that need no bounds, with the reason, by path.
var unboundedFields = map[string]string{
	"apiVersion": "the API server uses its own schema, and accepts only the version of the request's path",
	"kind":       "the API server uses its own schema, and accepts only the kind of the resource",
	"metadata":   "the API server validates metadata itself, and permits no bounds except for names",
}

// crdBounds checks that the size of every object and the cost of its validation rules are bounded.
func crdBounds(p *payload) []string {
	used := map[string]bool{}
	violations := eachNode(p, func(violations *[]string, crd object, n node) {
		if _, hasCondition := unboundedFields[n.path]; hasCondition {
			used[n.path] = true
			return
		}
		for _, missing := range missingBounds(n, isExternal(crd.Obj.GetName(), n)) {
			*violations = append(*violations, crd.String()+": "+n.path+" has no "+missing)
		}
	})
	for path := range unboundedFields {
		expect(&violations, used[path], "unboundedFields has %s, which is in no schema", path)
	}
	return violations
}

// missingBounds returns the names of the bounds that a node lacks. An integer of an external type with the format int32 or int64
// needs none, because the API server rejects values that do not fit.
func missingBounds(n node, external bool) (missing []string) {
	need := func(has bool, what string) {
		if !has {
			missing = append(missing, what)
		}
	}
	switch {
	case n.XIntOrString:
		need(n.MaxLength != nil, "maxLength")
	case n.Type == "string":
		need(n.MaxLength != nil || len(n.Enum) > 0 || n.Format == "date-time", "maxLength") // the format has a length
	case n.Type == "array":
		need(n.MaxItems != nil, "maxItems")
	case n.Type == "object":
		fields := n.AdditionalProperties == nil && (n.XPreserveUnknownFields == nil || !*n.XPreserveUnknownFields)
		need(fields || n.MaxProperties != nil, "maxProperties")
	case n.Type == "integer":
		byFormat := external && (n.Format == "int32" || n.Format == "int64")
		need(byFormat || n.Minimum != nil, "minimum")
		need(byFormat || n.Maximum != nil, "maximum")
	case n.Type != "boolean":
		missing = append(missing, "type that can be bounded")
	}
	return missing
}
