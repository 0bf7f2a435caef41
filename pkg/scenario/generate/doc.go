// Package generate makes stories from the schemas of an operator's kinds, as research on testing operators suggests: it gives each field of
// spec several valid and invalid values, in sequences of changes by several actors.
//
// A Kind has the leaves of spec in a CustomResourceDefinition, and values for each of them from a file:
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
//	  spec.legacy: {omitted: "the operator ignores it"}
//	with:
//	  spec.color: {spec.painted: true}
//
// A Generator makes one story from each Seed. The same seed, generator version and files make the same story. Minimize removes the steps of
// a failing story that its failure does not need. This package does not run stories; see package trial.
package generate
