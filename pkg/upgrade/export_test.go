package upgrade

import "fmt"

func (f Finding) String() string {
	under := ""
	if f.Semantics != "" {
		under = fmt.Sprintf("under %s semantics ", f.Semantics)
	}
	return fmt.Sprintf("%s: %s%s %s; %s", f.Kind, under, f.Subject, f.Problem, f.Remedy)
}
