package payload

// unboundedFields are those without bounds, and why. An entry ending in "." is for all below.
var unboundedFields = map[string]string{
	"apiVersion": "the API server replaces the schema by its own, and accepts the one version of the request's path",
	"kind":       "the API server replaces the schema by its own, and accepts the one kind of the resource",
	"metadata":   "the API server validates the metadata of all kinds by itself, and permits no bounds but of names",
}

// crdBounds holds every CRD against the cost of its rules and of its objects: nothing can grow without a limit.
func crdBounds(p *payload) []string {
	used := map[string]bool{}
	faults := eachNode(p, func(faults *[]string, crd object, n node) {
		if _, excepted := unboundedFields[n.path]; excepted {
			used[n.path] = true
			return
		}
		for _, missing := range missingBounds(n, isForeign(crd.Obj.GetName(), n)) {
			*faults = append(*faults, crd.String()+": "+n.path+" has no "+missing)
		}
	})
	for path := range unboundedFields {
		expect(&faults, used[path], "unboundedFields has %s, and no schema does", path)
	}
	return faults
}

// missingBounds names the bounds that a part of a schema lacks. An integer of a foreign type is limited by its format: the API server
// refuses a value that does not fit.
func missingBounds(n node, foreign bool) (missing []string) {
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
		byFormat := foreign && (n.Format == "int32" || n.Format == "int64")
		need(byFormat || n.Minimum != nil, "minimum")
		need(byFormat || n.Maximum != nil, "maximum")
	case n.Type != "boolean":
		missing = append(missing, "type that can be bounded")
	}
	return missing
}
