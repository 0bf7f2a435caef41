// Package mutants builds managers that each lack one rule, to show that tests detect this: the tests for the rule must fail against such a
// manager.
//
// A mutant names a function of the manager, and a statement that is inserted at the start of the function's body. Overlay finds the
// function by its name in the syntax trees of its package. Therefore, a mutant stays valid if the function moves to another file or its
// body changes. The go command compiles the manager with an overlay, so that no file in the checkout changes.
package mutants
