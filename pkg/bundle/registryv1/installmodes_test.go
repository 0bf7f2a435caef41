package registryv1_test

import (
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// inModes returns files for sample: a ClusterServiceVersion with these supported install modes, and with namespaced and cluster-wide
// permissions.
func inModes(modes string) map[string]string {
	var list strings.Builder
	for _, m := range strings.Fields("AllNamespaces OwnNamespace SingleNamespace MultiNamespace") {
		fmt.Fprintf(&list, "  - {type: %s, supported: %t}\n", m, strings.Contains(modes, m))
	}
	text := strings.Replace(csvYAML, "  - {type: AllNamespaces, supported: true}\n  - {type: OwnNamespace, supported: true}\n", list.String(), 1)
	text = strings.Replace(text, "      deployments:\n", `      permissions:
      - {serviceAccountName: sample, rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]}
      - {serviceAccountName: default, rules: [{verbs: [get], apiGroups: [''], resources: [secrets]}]}
      clusterPermissions:
      - {serviceAccountName: sample, rules: [{verbs: [get], apiGroups: [''], resources: [nodes]}]}
      deployments:
`, 1)
	return map[string]string{"manifests/csv.yaml": text}
}

// Promise ENG-F3: For each set of install modes and each watch namespace, the Pods of a registry+v1 bundle get the right target
// namespaces, or the error names the supported modes and the fix.
func TestENG_F3_InstallModes(t *testing.T) {
	const all, own, single, multi = "AllNamespaces ", "OwnNamespace ", "SingleNamespace ", "MultiNamespace "
	many := strings.Repeat("a,", 100) + "a"
	cases := map[string]struct {
		modes, watch string
		targets      string // olm.targetNamespaces
		refusal      string
	}{
		"missing, and all namespaces are supported":      {modes: all + own + single + multi, targets: ""},
		"missing, and only all namespaces are supported": {modes: all, targets: ""},
		"missing, and the own namespace is supported":    {modes: own + single + multi, targets: "install-ns"},
		"missing, and only one other is supported":       {modes: single, refusal: `spec.config.watchNamespace is required: the operator supports neither AllNamespaces nor OwnNamespace; supported modes: SingleNamespace; set it to one namespace other than the install namespace`},
		"missing, and only several are supported":        {modes: multi, refusal: `spec.config.watchNamespace is required: the operator supports neither AllNamespaces nor OwnNamespace; supported modes: MultiNamespace; set it to several namespaces other than the install namespace, separated by commas`},
		"missing, and one or several are supported":      {modes: single + multi, refusal: `spec.config.watchNamespace is required: the operator supports neither AllNamespaces nor OwnNamespace; supported modes: SingleNamespace, MultiNamespace; set it to one namespace other than the install namespace, or set it to several namespaces other than the install namespace, separated by commas`},
		"the own namespace, though all are supported":    {modes: all + own, watch: "install-ns", targets: "install-ns"},
		"the own namespace, which is not supported":      {modes: all + single, watch: "install-ns", refusal: `spec.config.watchNamespace "install-ns" requires install mode OwnNamespace, which the operator does not support; supported modes: AllNamespaces, SingleNamespace; remove the field to watch all namespaces, or set it to one namespace other than the install namespace`},
		"one namespace": {modes: all + single, watch: "one", targets: "one"},
		"one namespace, where only all are supported":    {modes: all, watch: "one", refusal: `spec.config.watchNamespace "one" requires install mode SingleNamespace, which the operator does not support; supported modes: AllNamespaces; remove the field to watch all namespaces`},
		"one namespace, where only the own is supported": {modes: own, watch: "one", refusal: `spec.config.watchNamespace "one" requires install mode SingleNamespace, which the operator does not support; supported modes: OwnNamespace; remove the field to watch the install namespace "install-ns"`},
		"one namespace, where several are supported":     {modes: multi, watch: "one", refusal: `spec.config.watchNamespace "one" requires install mode SingleNamespace, which the operator does not support; supported modes: MultiNamespace; set it to several namespaces other than the install namespace, separated by commas`},
		"several namespaces are sorted":                  {modes: multi, watch: "two,one,three", targets: "one,three,two"},
		"several namespaces, where one is supported":     {modes: single, watch: "one,two", refusal: `spec.config.watchNamespace "one,two" requires install mode MultiNamespace, which the operator does not support; supported modes: SingleNamespace; set it to one namespace other than the install namespace`},
		"several with the own, which is supported":       {modes: own + multi, watch: "one,install-ns", targets: "install-ns,one"},
		"several with the own, which is not supported":   {modes: multi, watch: "one,install-ns", refusal: `spec.config.watchNamespace "one,install-ns" requires install mode OwnNamespace, which the operator does not support; supported modes: MultiNamespace; set it to several namespaces other than the install namespace, separated by commas`},
		"invalid: capital letters":                       {modes: all + single, watch: "One", refusal: `spec.config.watchNamespace "One": "One" is not a namespace name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'); use one name, or several separated by commas without spaces`},
		"invalid: a space behind the comma":              {modes: multi, watch: "one, two", refusal: `spec.config.watchNamespace "one, two": " two" is not a namespace name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'); use one name, or several separated by commas without spaces`},
		"invalid: nothing behind the comma":              {modes: multi, watch: "one,", refusal: `spec.config.watchNamespace "one,": "" is not a namespace name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'); use one name, or several separated by commas without spaces`},
		"invalid: one twice":                             {modes: multi, watch: "one,two,one", refusal: `spec.config.watchNamespace "one,two,one": namespace "one" occurs twice; remove one`},
		"invalid: too many namespaces":                   {modes: multi, watch: many, refusal: `spec.config.watchNamespace "` + strings.Repeat("a,", 40) + `"…: it has 101 namespaces, but at most 100 are allowed`},
		"invalid is reported before unsupported":         {modes: all, watch: "a,a", refusal: `spec.config.watchNamespace "a,a": namespace "a" occurs twice; remove one`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := load(t, sample(inModes(c.modes)))
			objects, err := b.Render(bundle.Options{InstallNamespace: "install-ns", Config: watching(c.watch)})
			if c.refusal != "" {
				if want := `rendering bundle "sample.v1.2.3": ` + c.refusal; err == nil || err.Error() != want {
					t.Errorf("got  %v\nwant %s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff([]string{c.targets}, targetNamespaces(objects)); diff != "" {
				t.Errorf("target namespaces (-want +got):\n%s", diff)
			}
		})
	}
}

// targetNamespaces returns the target namespaces in the pods of each Deployment.
func targetNamespaces(objects []unstructured.Unstructured) []string {
	var namespaces []string
	for _, o := range objects {
		if o.GetKind() == "Deployment" {
			text, _, _ := unstructured.NestedString(o.Object, "spec", "template", "metadata", "annotations", "olm.targetNamespaces")
			namespaces = append(namespaces, text)
		}
	}
	return namespaces
}
