package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kubectlVerbs has the verbs of kubectl and oc on the pages. The value is true if the next word is a resource.
var kubectlVerbs = map[string]bool{
	"get": true, "describe": true, "edit": true, "delete": true, "patch": true, "explain": true, "annotate": true, "create": false, "apply": false,
	"rollout": false, "adm": false,
}

// otherResources are resources of Kubernetes and OpenShift that commands on the pages name.
var otherResources = []string{"events", "featuregate", "clusteroperator", "clusterrole"}

// command checks targets and variables of the Makefile, folders of Go commands, scripts in hack/, and resources and fields of kubectl and
// oc commands.
func (v *vocabulary) command(q quoted) string {
	words := strings.Fields(q.text)
	switch words[0] {
	case "make":
		return v.makeCommand(words[1:])
	case "go":
		for i, word := range words {
			if word == "-C" {
				word = "./" + words[i+1]
			}
			if folder, isFolder := strings.CutPrefix(word, "./"); isFolder && !fileExists(strings.TrimSuffix(folder, "…")) {
				return fmt.Sprintf("there is no folder %s", folder)
			}
		}
	case "kubectl", "oc":
		return v.kubectlCommand(words[1:])
	default:
		if strings.HasPrefix(words[0], "STEPS=") {
			return v.makeCommand(words[2:])
		}
		if strings.HasPrefix(words[0], "hack/") && !fileExists(words[0]) {
			return "there is no such script"
		}
	}
	return ""
}

func (v *vocabulary) makeCommand(words []string) string {
	for _, word := range words {
		name, _, isVariable := strings.Cut(word, "=")
		if isVariable && !v.isVariable(name) || !isVariable && word != "…" && !v.targets[word] {
			return fmt.Sprintf("the Makefile has no %s", name)
		}
	}
	return ""
}

func (v *vocabulary) kubectlCommand(words []string) string {
	if words[0] == "platform" {
		return pluginCommand(words[1:])
	}
	hasResource, isVerb := kubectlVerbs[words[0]]
	if !isVerb {
		return fmt.Sprintf("this test does not know the verb %s", words[0])
	}
	if !hasResource {
		if words[0] == "adm" && !slices.Contains([]string{"upgrade", "release", "inspect"}, words[1]) {
			return fmt.Sprintf("oc adm has no %s", words[1])
		}
		return ""
	}
	for _, resource := range strings.Split(words[1], ",") {
		resource, path, hasPath := strings.Cut(resource, ".")
		if !v.resources[resource] && !slices.Contains(otherResources, resource) {
			return fmt.Sprintf("%s is no resource of the project", resource)
		}
		if _, found := v.fields.find(path); words[0] == "explain" && hasPath && !found {
			return fmt.Sprintf("%s has no field %s", resource, path)
		}
	}
	return ""
}

// pluginCommand checks the command of the plugin, of which docs/cli has a page.
func pluginCommand(words []string) string {
	page := "docs/cli/kubectl_platform"
	for _, word := range words {
		if next := page + "_" + word; fileExists(next + ".md") {
			page = next
			continue
		}
		if page == "docs/cli/kubectl_platform" {
			return fmt.Sprintf("the plugin has no command %s", word)
		}
		break
	}
	return ""
}

func fileExists(path string) bool {
	_, err := os.Stat(filepath.Join(root, path))
	return err == nil
}
