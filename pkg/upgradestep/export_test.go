package upgradestep

// RuleNames returns the names of the rules, in order.
func RuleNames() (names []string) {
	for _, each := range rules {
		names = append(names, each.name)
	}
	return names
}

// RuleFor returns the name of the rule that decides an input.
func RuleFor(in Input) string { return firstRule(in).name }
