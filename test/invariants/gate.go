package invariants

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/story"
)

var (
	clusterVersionResource  = schema.GroupResource{Group: "config.openshift.io", Resource: "clusterversions"}
	clusterOperatorResource = schema.GroupResource{Group: "config.openshift.io", Resource: "clusteroperators"}
)

// gateIsClosed is the rule that the ClusterOperator's condition Upgradeable is False while an installed bundle forbids the next minor
// version of the cluster and no override permits it. The CVO treats the condition as True if it is absent or Unknown.
func gateIsClosed(c *Cluster) error {
	version := c.Get(clusterVersionResource, "", "version")
	if version == nil {
		return nil
	}
	text, _, _ := unstructured.NestedString(version.Object, "status", "desired", "version")
	next, err := nextMinor(text)
	if err != nil {
		return nil // a version that cannot be parsed has no next minor version
	}
	status := c.upgradeable()
	if status == "False" {
		return nil
	}
	var errs []error
	for _, each := range c.blockers(next) {
		errs = append(errs, fmt.Errorf("the ClusterOperator has Upgradeable=%q, but %s forbids OpenShift %s", status, each, next))
	}
	return errors.Join(errs...)
}

// upgradeable returns the status of the ClusterOperator's condition Upgradeable, or "" if the condition is absent.
func (c *Cluster) upgradeable() string {
	operator := c.Get(clusterOperatorResource, "", story.ClusterOperatorName)
	if operator == nil {
		return ""
	}
	conditions, _, _ := unstructured.NestedSlice(operator.Object, "status", "conditions")
	for _, each := range conditions {
		if fields, _ := each.(map[string]any); fields["type"] == "Upgradeable" {
			status, _ := fields["status"].(string)
			return status
		}
	}
	return ""
}

// blockers describes the installed bundles that forbid a minor version without an override. The list is empty if an upgrade to that version
// is permitted.
func (c *Cluster) blockers(next minor) []string {
	var found []string
	for _, operator := range c.Operators() {
		installed := operator.Status.Installed
		if operator.DeletionTimestamp != nil || installed == nil || isOverridden(operator.Spec.CompatibilityOverrides, next) {
			continue
		}
		if isUnreadable := len(installed.UnreadableMaxOpenShiftVersions) > 0; isUnreadable || forbids(installed.MaxOpenShiftVersion, next) {
			found = append(found, fmt.Sprintf("version %s of PlatformOperator %q (at most %q)",
				installed.Version, operator.Name, installed.MaxOpenShiftVersion))
		}
	}
	for _, deployment := range c.Deployments() {
		if deployment.DeletionTimestamp != nil || c.operatorOf(deployment) != nil || isOverridden(deployment.Spec.CompatibilityOverrides, next) {
			continue
		}
		for _, each := range deployment.Status.Revisions {
			if each.Presence == corev1alpha2.Present && forbidAny(each.MaxOpenShiftVersions, next) {
				found = append(found, fmt.Sprintf("revision %d of BundleDeployment %q (at most %q)",
					each.Number, deployment.Name, each.MaxOpenShiftVersions))
			}
		}
	}
	return found
}

// forbidAny reports whether the values of a bundle's olm.maxOpenShiftVersion, as raw JSON, forbid a minor version. They do if there is more
// than one value, or if the only value cannot be read or is a lower version. Without a value, nothing is forbidden.
func forbidAny(raw []string, next minor) bool {
	if len(raw) == 0 {
		return false
	}
	var value any
	if len(raw) > 1 || json.Unmarshal([]byte(raw[0]), &value) != nil {
		return true
	}
	return forbids(strings.Trim(raw[0], `"`), next)
}

// forbids reports whether a maximum version forbids a minor version: it is lower or cannot be read. An empty maximum forbids nothing.
func forbids(maximum string, next minor) bool {
	if maximum == "" {
		return false
	}
	most, err := parseMinor(maximum)
	return err != nil || most.isBefore(next)
}

// isOverridden reports whether an override permits a minor version: the override names the version, has a reason, and expires in the future
// or expired less than observationDelay ago.
func isOverridden(overrides []corev1alpha2.CompatibilityOverride, next minor) bool {
	for _, each := range overrides {
		version, err := parseMinor(each.OpenShiftVersion)
		isSameVersion := err == nil && !version.isBefore(next) && !next.isBefore(version)
		if isSameVersion && strings.TrimSpace(each.Reason) != "" && each.Expires != nil && time.Now().Add(-observationDelay).Before(each.Expires.Time) {
			return true
		}
	}
	return false
}

// minor is a minor version of OpenShift. 5.0 is another name for 4.23, and is stored as 4.23.
type minor struct{ major, minor int }

func parseMinor(text string) (minor, error) {
	var parsed minor
	if _, err := fmt.Sscanf(strings.TrimPrefix(strings.TrimSpace(text), "v")+".0", "%d.%d", &parsed.major, &parsed.minor); err != nil {
		return minor{}, err
	}
	return parsed.canonical(), nil
}

// nextMinor returns the minor version that follows a cluster version's own.
func nextMinor(clusterVersion string) (minor, error) {
	parsed, err := parseMinor(clusterVersion)
	if err != nil {
		return minor{}, err
	}
	if parsed == (minor{4, 23}) {
		return minor{5, 1}, nil
	}
	return minor{parsed.major, parsed.minor + 1}.canonical(), nil
}

func (m minor) canonical() minor {
	if m == (minor{5, 0}) {
		return minor{4, 23}
	}
	return m
}

func (m minor) isBefore(other minor) bool {
	if m.major != other.major {
		return m.major < other.major
	}
	return m.minor < other.minor
}

// String returns "X.Y".
func (m minor) String() string { return fmt.Sprintf("%d.%d", m.major, m.minor) }
