package main

import (
	"strings"
	"testing"
)

const generated = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations: {controller-gen.kubebuilder.io/version: v0}
  name: things.example.com
spec:
  names: {plural: things}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          status:
            properties:
              conditions:
                description: ours, about the list
                items:
                  description: theirs, about the type
                  properties:
                    description: {type: string, description: "theirs, about a field"}
                    port: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}
                    count: {type: integer, format: int32}
                type: array
              message: {type: string, description: "ours, about a field"}
`

func TestManifest(t *testing.T) {
	name, output, err := manifest([]byte(generated))
	if err != nil {
		t.Fatal(err)
	}
	if want := "0000_50_platform-operators_10-things.crd.yaml"; name != want {
		t.Errorf("the file name is %q, want %q", name, want)
	}
	text := string(output)
	for _, want := range []string{
		"# Code generated",
		`include.release.openshift.io/self-managed-high-availability: "true"`,
		"release.openshift.io/feature-set: TechPreviewNoUpgrade,DevPreviewNoUpgrade,CustomNoUpgrade",
		"controller-gen.kubebuilder.io/version: v0",
		"strategy: None",
		"ours, about the list",
		"description:\n                      maxLength: 32768\n                      type: string",
		"- type: string\n                      maxLength: 256\n                      x-kubernetes-int-or-string: true",
		"maxItems: 256\n                type: array", // of the foreign property itself
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the manifest lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "theirs") {
		t.Errorf("the manifest has descriptions of external types:\n%s", text)
	}
}

func TestManifestRejectsOtherKinds(t *testing.T) {
	for name, content := range map[string]string{
		"no plural": "kind: ConfigMap",
		"no schema": "spec: {names: {plural: things}, versions: [{name: v1}]}",
		"not YAML":  "{",
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := manifest([]byte(content)); err == nil {
				t.Error("no error")
			}
		})
	}
}
