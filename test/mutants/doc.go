// Package mutants builds managers that each lack one rule. The tests for that rule must fail against such a manager.
//
// A mutant names a function of the manager and a statement that is inserted at the start of the function's body. Overlay finds the function
// by its name in the syntax trees of its package. The function can therefore move to another file, and its body can change. The go command
// compiles the manager from the checkout with an overlay, so that no file in the checkout changes.
package mutants
