// Package mutants builds managers that lack one rule each. Tests that check the rule have to fail against them.
//
// A mutant names a function of the manager and the statement that its body begins with instead. The function is found by its name in the
// syntax trees of its package, so that it may move to another file, and its body may change. The manager is compiled from the checkout
// with an overlay of the go command, which changes no file of the checkout.
package mutants
