package upgradestep

import "slices"

// RuleNames are the names of the rules, in order.
func RuleNames() (names []string) {
	for _, each := range rules {
		names = append(names, each.name)
	}
	return names
}

// RuleFor names the rule that decides an input.
func RuleFor(in Input) string { return firstRule(in).name }

// GuardOf returns the guard of a rule.
func GuardOf(name string) func(Input) bool {
	return rules[slices.IndexFunc(rules, func(each rule) bool { return each.name == name })].when
}
