package registryv1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Config is the configuration of a bundle's installation, spec.config of a BundleDeployment.
type Config struct {
	// WatchNamespace is the namespace that the operator watches, or several, separated by commas. If it is empty, the bundle's install
	// modes decide: the operator watches all namespaces if it supports AllNamespaces, or else the install namespace if it supports
	// OwnNamespace. If it supports neither, rendering fails.
	WatchNamespace string
	// DeploymentConfig overrides fields of the operator's Deployments; nil changes nothing.
	DeploymentConfig *DeploymentConfig
}

// DeploymentConfig overrides fields of each of the bundle's Deployments, with the semantics of a Subscription's config in OLM v0.
type DeploymentConfig struct {
	// NodeSelector replaces the pods' node selector if it is not nil.
	NodeSelector map[string]string
	// Tolerations are appended to the pods' tolerations, except those that the pods already have.
	Tolerations []corev1.Toleration
	// Resources replace the resources of every container if they are not nil.
	Resources *corev1.ResourceRequirements
	// Env is merged by name into every container's variables. It takes precedence, except over OPERATOR_CONDITION_NAME.
	Env []corev1.EnvVar
	// EnvFrom is appended to every container's envFrom, except entries that the container already has.
	EnvFrom []corev1.EnvFromSource
	// Volumes are merged by name into the pods' volumes, and take precedence.
	Volumes []corev1.Volume
	// VolumeMounts are merged by path, or else by volume, into every container's mounts, and take precedence.
	VolumeMounts []corev1.VolumeMount
	// Affinity replaces the pods' affinity field by field: an absent field changes nothing, and an empty one removes the pods' field. If all
	// of Affinity is empty, the pods' affinity is removed.
	Affinity *corev1.Affinity
	// Annotations are added to the Deployments and their pods; annotations of the bundle take precedence.
	Annotations map[string]string
}

// configPath is the path of a Config in a BundleDeployment.
const configPath = "spec.config"

// maxConfigBytes is the maximum size of a Config. maxConfigErrorBytes is the maximum size of a text from a Config in an error. Both are in
// bytes.
const (
	maxConfigBytes      = 256 << 10
	maxConfigErrorBytes = 400
)

// ParseConfig decodes a Config from JSON. An empty text and null decode to the zero Config. Unknown fields, values of the wrong type, and
// entries without a name or with a duplicate name are errors that begin with the path, such as `spec.config.deploymentConfig.env[1].name:
// …`.
func ParseConfig(raw []byte) (Config, error) {
	var c Config
	if len(raw) > maxConfigBytes {
		return Config{}, fmt.Errorf("%s: it has %d bytes, but at most %d are allowed", configPath, len(raw), maxConfigBytes)
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
			return fmt.Errorf("%s.volumeMounts[%d].name is required: it is the name of the volume to mount", path, i)
		}
		mounts = append(mounts, m.MountPath)
	}
	return errors.Join(checkKeys(path+".env", "name", env), checkKeys(path+".volumes", "name", volumes), checkKeys(path+".volumeMounts", "mountPath", mounts))
}

// checkKeys checks that every entry of a list has a unique key, because the API server merges the list by key.
func checkKeys(path, field string, keys []string) error {
	seen := make(map[string]int, len(keys))
	for i, key := range keys {
		if key == "" {
			return fmt.Errorf("%s[%d].%s is required", path, i, field)
		}
		if first, twice := seen[key]; twice {
			return fmt.Errorf("%s[%d].%s: %q occurs twice, first in %s[%d]; remove one", path, i, field, key, path, first)
		}
		seen[key] = i
	}
	return nil
}

// decodeMembers decodes each member of a JSON object into the target of the same name. It decodes the members one by one, so that every
// error has a path, except errors of types with their own UnmarshalJSON. It refuses unknown members, and skips members that are null.
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
		return fmt.Errorf("%s: it must be one JSON value, not several", path)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		if wrong.Field != "" {
			path += "." + wrong.Field
		}
		return fmt.Errorf("%s: %s is given where %s is required", shorten(path), valueName(wrong.Value), typeName(wrong.Type))
	}
	return fmt.Errorf("%s: %s", path, shorten(strings.TrimPrefix(err.Error(), "json: ")))
}

// typeName returns, for messages, the kind of JSON value that a Go type is decoded from.
func typeName(of reflect.Type) string {
	switch of.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a mapping"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "an integer"
}

// valueName returns, for messages, the kind of JSON value that the field Value of a json.UnmarshalTypeError describes.
func valueName(of string) string {
	switch of {
	case "bool":
		return "a boolean"
	case "array":
		return "a list"
	case "object":
		return "a mapping"
	}
	return "a " + shorten(of) // of is "number 1.5" instead of "number" if only the form of the number is wrong
}

// shorten truncates user input to maxConfigErrorBytes for a message.
func shorten(text string) string { return truncate.Bytes(text, maxConfigErrorBytes) }
