package approve

import (
	"fmt"
	"strings"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// Outcome is what the command came to.
type Outcome string

// The outcomes.
const (
	// OutcomeApproved means that everything that was shown is approved.
	OutcomeApproved Outcome = "Approved"
	// OutcomeVersionApproved means that the version is approved, and its plan is not.
	OutcomeVersionApproved Outcome = "VersionApproved"
	// OutcomeOtherPlan means that no plan is approved, because it is not the one of --digest, or not the one that was shown.
	OutcomeOtherPlan Outcome = "OtherPlan"
	// OutcomeNothing means that nothing waits for an approval.
	OutcomeNothing Outcome = "NothingAwaited"
	// OutcomeWithdrawn means that the approval of the plan is withdrawn.
	OutcomeWithdrawn Outcome = "Withdrawn"
	// OutcomeDryRun means that nothing is changed.
	OutcomeDryRun Outcome = "DryRun"
)

// Report is the result of the command.
type Report struct {
	printer.Type `json:",inline"`
	// Operator is the PlatformOperator; empty for a BundleDeployment that is approved alone. Deployment is the BundleDeployment; empty if there
	// is none.
	Operator   string  `json:"operator,omitempty"`
	Deployment string  `json:"bundleDeployment,omitempty"`
	Outcome    Outcome `json:"outcome"`
	// User is the name of the user who approves the plan; empty if no plan is to be approved.
	User string `json:"user,omitempty"`
	// State are sentences that say why nothing waits for an approval.
	State []string `json:"states,omitempty"`
	// Version is the version that waits for an approval; nil if none does.
	Version *Version `json:"versionApproval,omitempty"`
	// Plan is the plan that waits for an approval; nil if none does.
	Plan *Plan `json:"plan,omitempty"`
}

// Version is a version that waits for an approval.
type Version struct {
	Version   string   `json:"version"`
	Installed string   `json:"installedVersion,omitempty"`
	Package   string   `json:"package,omitempty"`
	Channels  []string `json:"channels,omitempty"`
	// Path holds the versions from the first upgrade step to this version. PathIsCut means that the status has only the beginning.
	Path      []string `json:"path,omitempty"`
	PathIsCut bool     `json:"pathIsCut,omitempty"`
	// Approved means that the command has approved the version.
	Approved bool `json:"approved"`
}

// Plan is a plan that waits for an approval.
type Plan struct {
	Digest   string `json:"digest"`
	Revision int64  `json:"revision,omitempty"`
	// Version is the version that the plan installs, and Installed the installed one. Path holds the versions that the upgrade goes
	// through, Version first.
	Version   string   `json:"version,omitempty"`
	Installed string   `json:"installedVersion,omitempty"`
	Path      []string `json:"path,omitempty"`
	// Created, Updated and Deleted are numbers of objects.
	Created int `json:"createCount"`
	Updated int `json:"updateCount"`
	Deleted int `json:"deleteCount"`
	// Unsafe are sentences about unsafe changes of CustomResourceDefinitions, Missing about permissions that are missing to apply the plan,
	// and Unlimited about grants of all verbs on all resources. KindsMissing are kinds that the cluster does not serve.
	Unsafe       []string `json:"unsafeChanges,omitempty"`
	Missing      []string `json:"missingPermissions,omitempty"`
	Unlimited    []string `json:"unlimitedGrants,omitempty"`
	KindsMissing []string `json:"missingKinds,omitempty"`
	Warnings     []string `json:"warnings,omitempty"`
	// Text is the whole plan; empty if the user may not read it. Permissions are the roles that the ServiceAccount lacks, as YAML.
	Text        string `json:"text,omitempty"`
	Permissions string `json:"permissions,omitempty"`
}

func newReport() *Report { return &Report{Type: printer.TypeOf("Approval")} }

// name sets the names of the objects.
func (r *Report) name(s subject) {
	if s.operator != nil {
		r.Operator = s.operator.Name
	}
	if s.deployment != nil {
		r.Deployment = s.deployment.Name
	}
}

// newVersion returns a version of a PlatformOperator that waits for an approval.
func newVersion(operator *platformv1alpha1.PlatformOperator, update platformv1alpha1.AvailableUpdate) *Version {
	version := &Version{
		Version: update.Version, Package: operator.Spec.Package.Name, Channels: update.Channels, Path: update.Path,
		PathIsCut: len(update.Path) == platformv1alpha1.MaxPath && update.Path[len(update.Path)-1] != update.Version,
	}
	if installed := operator.Status.Installed; installed != nil {
		version.Installed = installed.Version
	}
	return version
}

// newPlan returns the plan that waits for an approval.
func newPlan(s subject, text planText) *Plan {
	of := s.deployment.Status.Plan
	p := &Plan{
		Digest: of.Digest, Revision: of.Revision, Version: s.plannedVersion(), Warnings: of.Warnings, Text: text.lines, Permissions: text.permissions,
		Created: total(of.Create), Updated: total(of.Update), Deleted: total(of.Delete), Unlimited: of.UnlimitedGrants,
	}
	if s.operator != nil && s.operator.Status.Target != nil {
		p.Path = s.operator.Status.Target.Path
	}
	if s.operator != nil && s.operator.Status.Installed != nil {
		p.Installed = s.operator.Status.Installed.Version
	}
	for _, each := range of.CRDFindings {
		p.Unsafe = append(p.Unsafe, strings.TrimSpace(fmt.Sprintf("CustomResourceDefinition %s, rule %s (%s): %s %s", each.CRD, each.Rule, each.Outcome,
			each.Path, each.Message)))
	}
	for _, each := range of.PermissionsMissing {
		p.Missing = append(p.Missing, missingSentence(each))
	}
	for _, each := range of.KindsMissing {
		p.KindsMissing = append(p.KindsMissing, strings.Trim(each.Kind+"."+each.Version+"."+each.Group, "."))
	}
	return p
}

func total(objects corev1alpha2.PlannedObjects) int { return int(objects.Total) }

// missingSentence returns a clause such as "ServiceAccount deployer lacks create, patch on configmaps in namespace memo".
func missingSentence(missing corev1alpha2.MissingPermission) string {
	text := "the manager lacks "
	if missing.ServiceAccountName != "" {
		text = "ServiceAccount " + missing.ServiceAccountName + " lacks "
	}
	text += strings.Join(missing.Verbs, ", ") + " on "
	if missing.Resource == "" {
		return text + strings.Join(missing.NonResourceURLs, ", ")
	}
	text += strings.Trim(missing.Resource+"."+missing.Group, ".")
	if len(missing.ResourceNames) > 0 {
		text += " " + strings.Join(missing.ResourceNames, ", ")
	}
	if missing.Namespace != "" {
		text += " in namespace " + missing.Namespace
	}
	return text
}
