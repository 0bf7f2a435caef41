package furniture

import (
	"fmt"
	"regexp"
	"time"
)

var releaseVersion = regexp.MustCompile(`^\d{1,4}\.\d{1,4}\.\d{1,4}(-[0-9A-Za-z.-]{1,40})?$`)

// CheckVersion returns an error unless version is an OpenShift release version.
func CheckVersion(version string) error {
	if !releaseVersion.MatchString(version) {
		return fmt.Errorf("reading OpenShift version %q: it must look like 4.21.0 or 4.21.0-rc.1", version)
	}
	return nil
}

// maxHistory and maxGates are the maximum numbers of versions in a ClusterVersion's history and in a FeatureGate. A real cluster also
// limits both.
const (
	maxHistory = 20
	maxGates   = 5
)

// Image returns the release image of a version. The image cannot be pulled, because its domain name is reserved.
func Image(version string) string { return "release.localcluster.test/release:" + version }

// MoveVersion changes a ClusterVersion's status as a completed update to version does: the desired version, a new entry in the history, and
// the conditions. It returns false, without a change, if version is already the desired version.
func MoveVersion(clusterVersion Object, version string, now time.Time) (bool, error) {
	status, ok := clusterVersion["status"].(map[string]any)
	if !ok {
		return false, fmt.Errorf("moving the cluster to %s: ClusterVersion has no status", version)
	}
	desired, _ := status["desired"].(map[string]any)
	if desired["version"] == version {
		return false, nil
	}
	stamp := now.UTC().Format(time.RFC3339)
	status["desired"] = map[string]any{"version": version, "image": Image(version)}
	history, _ := status["history"].([]any)
	history = append([]any{map[string]any{
		"state": "Completed", "version": version, "image": Image(version), "verified": false,
		"startedTime": stamp, "completionTime": stamp,
	}}, history...)
	status["history"] = history[:min(len(history), maxHistory)]
	if metadata, ok := clusterVersion["metadata"].(map[string]any); ok {
		status["observedGeneration"] = metadata["generation"]
	}
	conditions, _ := status["conditions"].([]any)
	for _, c := range conditions {
		condition, _ := c.(map[string]any)
		switch condition["type"] {
		case "Available":
			condition["message"] = "Done applying " + version
		case "Progressing":
			condition["message"] = "Cluster version is " + version
		default:
			continue
		}
		condition["lastTransitionTime"] = stamp
	}
	return true, nil
}

// MoveGates adds the feature gates of version to a FeatureGate's status, as a copy of the gates of the newest version there. It returns
// false, without a change, if the status already has gates of version.
func MoveGates(featureGate Object, version string) (bool, error) {
	status, _ := featureGate["status"].(map[string]any)
	lists, _ := status["featureGates"].([]any)
	if len(lists) == 0 {
		return false, fmt.Errorf("moving feature gates to %s: FeatureGate has no status.featureGates to copy from", version)
	}
	for _, l := range lists {
		if list, _ := l.(map[string]any); list["version"] == version {
			return false, nil
		}
	}
	newest, ok := lists[0].(map[string]any)
	if !ok {
		return false, fmt.Errorf("moving feature gates to %s: status.featureGates[0] is no object", version)
	}
	list := map[string]any{"version": version}
	for _, field := range []string{"enabled", "disabled"} {
		if gates, ok := newest[field]; ok {
			list[field] = gates
		}
	}
	lists = append([]any{list}, lists...)
	status["featureGates"] = lists[:min(len(lists), maxGates)]
	return true, nil
}
