package registryv1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Config is what a user says about the installation of a bundle: a BundleDeployment's spec.config.
type Config struct {
	// WatchNamespace is the namespace that the operator watches, or several with commas between them. Empty means all
	// namespaces if the bundle supports that, else the install namespace if it supports that.
	WatchNamespace string
	// DeploymentConfig is laid over the operator's Deployments; nil changes nothing.
	DeploymentConfig *DeploymentConfig
}

// DeploymentConfig is laid over each of the bundle's Deployments, with the meaning that OLM v0 gives to a Subscription's config.
type DeploymentConfig struct {
	// NodeSelector replaces the pods' when it is not nil.
	NodeSelector map[string]string
	// Tolerations are added to the pods', those that are there already left out.
	Tolerations []corev1.Toleration
	// Resources replace those of every container.
	Resources *corev1.ResourceRequirements
	// Env is merged by name into every container's; it wins, except over OPERATOR_CONDITION_NAME.
	Env []corev1.EnvVar
	// EnvFrom is added to every container's, what is there already left out.
	EnvFrom []corev1.EnvFromSource
	// Volumes are merged by name into the pods'; they win.
	Volumes []corev1.Volume
	// VolumeMounts are merged by path, else by volume, into every container's; they win.
	VolumeMounts []corev1.VolumeMount
	// Affinity replaces the pods' member by member: one that is absent is left alone, one that is empty is taken away, and
	// when all of Affinity is empty, all of the pods' is.
	Affinity *corev1.Affinity
	// Annotations are added to the Deployments and their pods; those of the bundle win.
	Annotations map[string]string
}

// configPath is where users write a Config.
const configPath = "spec.config"

// Bounds of a Config and of what is said about one.
const (
	maxConfigBytes      = 256 << 10
	maxConfigErrorBytes = 400
)

// ParseConfig reads a Config from its JSON; none at all and null are the zero Config. Fields that do not exist, values of another
// type and entries that cannot be (without a name, or twice) are errors that name the place, such as
// `spec.config.deploymentConfig.env[1].name: …`.
func ParseConfig(raw []byte) (Config, error) {
	var c Config
	if len(raw) > maxConfigBytes {
		return Config{}, fmt.Errorf("%s: %d bytes, more than the %d that are read", configPath, len(raw), maxConfigBytes)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return c, nil
	}
	var deployment json.RawMessage
	err := decodeMembers(configPath, raw, map[string]any{"watchNamespace": &c.WatchNamespace, "deploymentConfig": &deployment})
	if err != nil {
		return Config{}, err
	}
	if deployment == nil {
		return c, nil
	}
	c.DeploymentConfig = &DeploymentConfig{}
	if err := parseDeploymentConfig(configPath+".deploymentConfig", deployment, c.DeploymentConfig); err != nil {
		return Config{}, err
	}
	return c, nil
}

func parseDeploymentConfig(path string, raw []byte, d *DeploymentConfig) error {
	err := decodeMembers(path, raw, map[string]any{
		"nodeSelector": &d.NodeSelector, "tolerations": &d.Tolerations, "resources": &d.Resources, "env": &d.Env, "envFrom": &d.EnvFrom,
		"volumes": &d.Volumes, "volumeMounts": &d.VolumeMounts, "affinity": &d.Affinity, "annotations": &d.Annotations,
	})
	if err != nil {
		return err
	}
	var env, volumes, mounts []string
	for _, v := range d.Env {
		env = append(env, v.Name)
	}
	for _, v := range d.Volumes {
		volumes = append(volumes, v.Name)
	}
	for i, m := range d.VolumeMounts {
		if m.Name == "" {
			return fmt.Errorf("%s.volumeMounts[%d].name is needed: it says which volume is mounted", path, i)
		}
		mounts = append(mounts, m.MountPath)
	}
	return errors.Join(named(path+".env", "name", env), named(path+".volumes", "name", volumes), named(path+".volumeMounts", "mountPath", mounts))
}

// named demands that every entry of a list has its key, and no two the same: the API server merges the list by it.
func named(path, field string, keys []string) error {
	seen := make(map[string]int, len(keys))
	for i, key := range keys {
		if key == "" {
			return fmt.Errorf("%s[%d].%s is needed", path, i, field)
		}
		if first, twice := seen[key]; twice {
			return fmt.Errorf("%s[%d].%s: %q is there already, in %s[%d]; remove one", path, i, field, key, path, first)
		}
		seen[key] = i
	}
	return nil
}

// decodeMembers decodes the members of a JSON object one by one, so that errors of types that decode themselves, which know
// nothing of where they stand, still have a place.
func decodeMembers(path string, raw []byte, targets map[string]any) error {
	var members map[string]json.RawMessage
	if err := decodeStrictly(path, raw, &members); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		target, ok := targets[name]
		if !ok {
			return fmt.Errorf("%s: unknown field %s; the fields are %s", path, truncate.Quote(name), strings.Join(slices.Sorted(maps.Keys(targets)), ", "))
		}
		if string(members[name]) == "null" {
			continue
		}
		if err := decodeStrictly(path+"."+name, members[name], target); err != nil {
			return err
		}
	}
	return nil
}

func decodeStrictly(path string, raw []byte, target any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(target)
	if err == nil && decoder.More() {
		return fmt.Errorf("%s: one JSON value is needed, more are given", path)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		if wrong.Field != "" {
			path += "." + wrong.Field
		}
		return fmt.Errorf("%s: a %s is given where a value of type %s is needed", cut(path), cut(wrong.Value), wrong.Type)
	}
	return fmt.Errorf("%s: %s", path, cut(strings.TrimPrefix(err.Error(), "json: ")))
}

// cut shortens what users wrote to what fits in a message.
func cut(text string) string { return truncate.Bytes(text, maxConfigErrorBytes) }
