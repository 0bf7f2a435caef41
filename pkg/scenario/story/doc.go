// Package story runs stories about an operator that are written as YAML: steps that change a cluster in memory, what must hold after each
// step, and a golden file of everything else that happened.
//
//	title: A widget is resized
//	steps:
//	- title: The admin creates a Widget
//	  create: {apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {size: 1}}
//	  then:
//	  - {object: Widget/a, conditions: {Ready: "True/Running"}}
//	- title: The API server refuses the operator's next update
//	  fail: {verb: update, resource: deployments.apps, code: 500, times: 1}
//	- wait: 1h
//
// A step has one verb. Those of this package are in Verbs; an operator's tests add their own. After each step the runner waits until the
// cluster has settled, and compares what the step's expectations name. Then it reports the state that the tests describe, the writes of the
// operator, and the Events. Golden compares the report with a file.
//
// A fault of a story is an error with the story's file and line.
package story
