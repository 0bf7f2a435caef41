package environment

import (
	"fmt"
	"os"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"
)

// shippedVariables are the names of the environment variables that shippedEnv reads from the Deployment. They are settings of the Go
// runtime that determine the manager's memory usage.
var shippedVariables = map[string]bool{"GOMEMLIMIT": true, "GOGC": true}

// shippedEnv returns the shippedVariables of the Deployment in a manifests folder, each as NAME=value. It returns an error unless exactly
// one file in the folder contains a Deployment.
func shippedEnv(manifests string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(manifests, "*-deployment.yaml"))
	if err != nil {
		return nil, err
	}
	if len(paths) != 1 {
		return nil, fmt.Errorf("looking for the manager's Deployment in %q: %d files are named like one", manifests, len(paths))
	}
	content, err := os.ReadFile(paths[0])
	if err != nil {
		return nil, fmt.Errorf("reading the manager's Deployment: %w", err)
	}
	var deployment appsv1.Deployment
	if err := yaml.UnmarshalStrict(content, &deployment); err != nil {
		return nil, fmt.Errorf("reading the manager's Deployment in %q: %w", paths[0], err)
	}
	var env []string
	for _, container := range deployment.Spec.Template.Spec.Containers {
		for _, variable := range container.Env {
			if shippedVariables[variable.Name] {
				env = append(env, variable.Name+"="+variable.Value)
			}
		}
	}
	return env, nil
}
