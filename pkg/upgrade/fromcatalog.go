package upgrade

import (
	"fmt"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// FromCatalog returns a catalog's package as its author wrote it: every bundle with a semantic version, the entries of all channels, and
// the rules. Rules that cannot be read are in Unreadable. The findings are about content of the catalog that a Package cannot represent, in
// a stable order; Lint finds the other problems.
func FromCatalog(from *catalog.Package) (pkg Package, findings []Finding) {
	pkg = Package{Name: from.Name}
	for _, fault := range from.Faults {
		findings = append(findings, Finding{
			Kind: UnusableContent, Subject: "the package", Problem: "has content that cannot be used: " + fault, Remedy: "correct it",
		})
	}
	releases := 0
	for i := range from.Bundles {
		bundle := &from.Bundles[i]
		version, err := ParseVersion(bundle.Version, bundle.Release)
		if err != nil {
			findings = append(findings, Finding{
				Kind: UnreadableVersion, Subject: fmt.Sprintf("bundle %.80q", bundle.Name),
				Problem: "cannot be installed: its version " + err.Error(),
				Remedy:  "give it a property olm.package with a version like 1.2.3",
			})
			continue
		}
		if !version.IsPrerelease() {
			releases++
		}
		pkg.Bundles = append(pkg.Bundles, Bundle{Name: bundle.Name, Version: version, Deprecated: bundle.Deprecated != ""})
	}
	pkg.OnlyPrereleases = releases == 0
	for _, channel := range from.Channels {
		for _, entry := range channel.Entries {
			pkg.Entries = append(pkg.Entries, Entry{Channel: channel.Name, Entry: entry})
		}
	}
	pkg.Rules, pkg.Unreadable = rulesFromCatalog(from)
	return pkg, findings
}

// rulesFromCatalog parses the rules of a package. Like the manager, it treats different rules in one catalog as contradictory, and uses
// none of them.
func rulesFromCatalog(from *catalog.Package) (rules []Rules, unreadable []string) {
	if blobs := from.UpgradeRules; len(blobs) > 1 {
		return nil, []string{fmt.Sprintf("there are %d different ones: %s, and %s", len(blobs), blobs[0].Location, blobs[1].Location)}
	}
	for _, blob := range from.UpgradeRules {
		if blob.Fault != "" {
			return nil, []string{blob.Location + ": " + blob.Fault}
		}
		read, err := ReadRules(from.Name, blob.Schema, []byte(blob.Raw))
		if err != nil {
			return nil, []string{fmt.Sprintf("%s: %v", blob.Location, err)}
		}
		read.Location = blob.Location
		rules = append(rules, read)
	}
	return rules, nil
}

// EffectiveSemantics returns the semantics that apply to a package: those of its first rules, or Default if it has no rules, or Channel if
// Default is empty. It ignores Override.
func (p *Package) EffectiveSemantics() Semantics {
	pkg := *p
	pkg.Override = ""
	return semanticsOf(pkg)[0]
}
