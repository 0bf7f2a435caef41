// Package crdsafety says what an upgrade could break by changing a CustomResourceDefinition: Check compares the definitions, and a Validator
// compares the stored custom resources with them.
//
// The rules for single fields are those of sigs.k8s.io/crdify, with the settings and the names of OLM v1. A change without a rule is
// unsafe. The package differs from OLM v1 where its findings are known to be wrong or incomplete:
//
//   - Documentation is not compared: descriptions, titles, examples, and the messages of validation rules.
//   - Constraints may be relaxed: a pattern or a validation rule may go, null or unknown fields may become valid, a list may become atomic.
//   - The type of a map may change, on which only server-side apply depends.
//   - A removed field has one finding, and not one for each of its properties. The schemas of list items and map values are compared like
//     those of fields; in OLM v1, a new optional field there is a change without a rule.
//   - If a CustomResourceDefinition loses its conversion webhook, differences between its served versions are new findings.
//
// The package does not read the cluster: callers pass in the definitions and the objects. It also does not decide what follows from a
// finding without a waiver.
package crdsafety
