// Package generate makes stories from the schemas of an operator's kinds, as Acto (Gu et al., SOSP 2023) does: it sets each field of spec
// to several valid and invalid values, in sequences of changes made by several actors.
//
// A Kind consists of the fields of spec in a CustomResourceDefinition, and values for each of them, which come from a file:
//
//	kind: Widget
//	base: {metadata: {name: a}, spec: {size: 1}}
//	fields:
//	  spec.size:
//	    valid: [2, 3]
//	    reported: [100]
//	    refused: [-1]
//	  spec.parts:
//	    whole: true
//	    valid: [[{name: wheel, weight: 2}]]
//	    omitted: "all parts are valid"
//	  spec.legacy: {omitted: "the operator ignores it"}
//	with:
//	  spec.color: {spec.painted: true}
//
// A Generator makes one story from each Seed. The same seed, generator version and files make the same story. An Oracle plays a story and
// checks the result. Minimize shortens a story that fails.
package generate
