package approve

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// say writes a sentence to standard output, unless that is for programs.
func (a *approval) say(sentence string) { a.write(printer.Indented(sentence, "", a.invocation.Width)) }

// sayIndented writes a detail of the last sentence.
func (a *approval) sayIndented(sentence string) {
	a.write(printer.Indented(sentence, "  ", a.invocation.Width))
}

// write writes text for people to standard output. It remembers the first error, which the next question or the end of the command returns.
func (a *approval) write(text string) {
	if a.isForPrograms() || a.writeErr != nil {
		return
	}
	_, a.writeErr = io.WriteString(a.invocation.Streams.Out, text)
}

// printReport writes the report as JSON or YAML.
func (a *approval) printReport() error {
	_, err := a.Output.Layout(a.invocation.Width).WriteForPrograms(a.invocation.Streams.Out, a.report, nil)
	return err
}

// nothingSentence returns the sentence before the conditions that say why nothing waits for an approval.
func (r *Report) nothingSentence() string {
	subject := "PlatformOperator " + r.Operator
	if r.Operator == "" {
		subject = "BundleDeployment " + r.Deployment
	}
	return subject + ": nothing waits for an approval."
}

// sentences returns sentences about a version: which one waits, and the path to it.
func (v *Version) sentences(operator string) []string {
	first := fmt.Sprintf("PlatformOperator %s: version %s of package %s waits for an approval.", operator, v.Version, v.Package)
	if v.Installed != "" {
		first = fmt.Sprintf("PlatformOperator %s: version %s of package %s waits for an approval. Version %s is installed.", operator, v.Version,
			v.Package, v.Installed)
	}
	found := []string{first}
	if len(v.Path) > 0 {
		path := v.Path
		if v.PathIsCut {
			path = append(slices.Clone(path), "...", v.Version)
		}
		found = append(found, upgradePath(v.Installed, path))
	}
	if len(v.Channels) > 0 {
		found = append(found, "Channels: "+strings.Join(v.Channels, ", "))
	}
	return append(found, "The approval covers all versions on the path.")
}

// showPlan writes the summary and the whole text of a plan. If shown is not nil, another plan was shown before: then it writes the difference
// instead of the text.
func (a *approval) showPlan(s subject, shown *planText, text planText) error {
	a.report.name(s)
	a.report.Plan = newPlan(s, text)
	p := a.report.Plan
	if shown != nil {
		a.say("The plan has changed since it was shown.")
	}
	a.say(p.title(s))
	for _, section := range p.sections() {
		a.sayIndented(section)
	}
	if text.unread != nil {
		a.sayIndented("Other grants of permissions: not known, because you may not read the text of the plan")
	}
	switch {
	case text.unread != nil:
		a.invocation.Warn(text.unread.Error() + ". " + readRemedy(a.connection.Kubectl(), s.name(), s.deployment.Status.Plan))
	case shown != nil && shown.unread == nil:
		difference, err := differenceOf(shown.lines+shown.permissions, text.lines+text.permissions)
		if err != nil {
			return fmt.Errorf("comparing the plans: %w", err)
		}
		a.write("\n" + printer.Visible(difference))
	default:
		a.write("\n" + printer.Visible(text.lines))
		if text.permissions != "" {
			a.write("\n" + printer.Indented("The ServiceAccount lacks these roles:", "", a.invocation.Width) + printer.Visible(text.permissions))
		}
	}
	a.write("\n")
	return a.writeErr
}

// title returns the sentence that names the plan.
func (p *Plan) title(s subject) string {
	of := fmt.Sprintf("revision %d", p.Revision)
	if p.Version != "" {
		of += fmt.Sprintf(" (version %s)", p.Version)
	}
	return fmt.Sprintf("BundleDeployment %s: the plan of %s waits for an approval.", s.name(), of)
}

// sections returns the summary: the digest, the path, the numbers of objects, and what a reader must not overlook.
func (p *Plan) sections() []string {
	found := []string{"Digest: " + p.Digest}
	if len(p.Path) > 0 {
		found = append(found, upgradePath(p.Installed, p.Path))
	}
	found = append(found, fmt.Sprintf("Objects: %d created, %d updated, %d deleted", p.Created, p.Updated, p.Deleted))
	for _, each := range []struct {
		title   string
		entries []string
	}{
		{"Grants unlimited permissions", p.Unlimited},
		{"Unsafe change", p.Unsafe},
		{"Missing permission", p.Missing},
		{"Kind that the cluster does not serve", p.KindsMissing},
		{"Warning", p.Warnings},
	} {
		for _, entry := range each.entries {
			found = append(found, each.title+": "+entry)
		}
	}
	return found
}

// upgradePath returns a line with the installed version, unless nothing is installed, and the versions of an upgrade path.
func upgradePath(installed string, path []string) string {
	if installed != "" {
		path = append([]string{installed}, path...)
	}
	return "Upgrade path: " + printer.Path(path, true)
}

// nextSteps returns sentences about what follows the approval of the plan.
func (p *Plan) nextSteps() string {
	var missing []string
	if len(p.KindsMissing) > 0 {
		missing = append(missing, "the cluster serves the missing kinds")
	}
	if len(p.Missing) > 0 {
		missing = append(missing, "somebody has granted the missing permissions")
	}
	next := fmt.Sprintf("The manager applies revision %d now.", cmp.Or(p.Revision, 1))
	if len(missing) > 0 {
		next = fmt.Sprintf("The manager applies revision %d when %s.", cmp.Or(p.Revision, 1), strings.Join(missing, " and "))
	}
	if len(p.Path) > 1 {
		next += fmt.Sprintf(" The plan of each later version on the path (%s) needs an approval, too: run the command again.", printer.First(3, p.Path[1:]))
	}
	return next
}
