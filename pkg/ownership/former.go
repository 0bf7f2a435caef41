package ownership

import (
	"fmt"
	"strings"
)

// Prefixes of the value of the annotation that names the previous owner of a CustomResourceDefinition that a removal retained.
const (
	packagePrefix    = "package/"
	deploymentPrefix = "bundledeployment/"
)

// PackageMark returns the value of annotation platform.openshift.io/orphaned-from on a CRD that was kept for a package: package/NAME.
func PackageMark(name string) string { return packagePrefix + name }

// DeploymentMark returns the value of the same annotation for a BundleDeployment whose bundle names no package: bundledeployment/NAME.
func DeploymentMark(name string) string { return deploymentPrefix + name }

// normalizeMark returns a value of the annotation with the prefix for its kind. Earlier managers wrote the name alone, which counts as a
// package.
func normalizeMark(value string) string {
	if value == "" || strings.Contains(value, "/") { // neither kind of name has a slash
		return value
	}
	return PackageMark(value)
}

// DescribeMark describes the previous owner that a value of the annotation names, for example `package "memo"`.
func DescribeMark(value string) string {
	value = normalizeMark(value)
	if name, ok := strings.CutPrefix(value, packagePrefix); ok {
		return fmt.Sprintf("package %q", name)
	}
	if name, ok := strings.CutPrefix(value, deploymentPrefix); ok {
		return fmt.Sprintf("BundleDeployment %q", name)
	}
	return fmt.Sprintf("%q", value)
}
