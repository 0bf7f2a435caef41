// Package story runs tests of an operator that are written in YAML, called stories. A story has steps that change an in-memory cluster, and
// expectations about objects after each step. The report of a run lists everything else that happened, for comparison with a golden file.
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
// A step has one verb. Verbs returns the verbs of this package; an operator's tests can add their own. After each step, the Runner waits
// until the cluster has settled, and reports the changed state, the operator's writes and the Events. Then it checks the step's
// expectations. Golden compares the report with a file.
//
// Errors in a story and failed expectations name the story's file and line.
package story
