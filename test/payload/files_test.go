package payload

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	configv1 "github.com/openshift/api/config/v1"
	imagev1 "github.com/openshift/api/image/v1"
	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"

	"github.com/openshift/platform-operators/bindata"
)

var fileRules = []rule{
	{"files have the component's name and a run level", fileNames},
	{"a file holds one object, and no object is in two files", oneObjectEach},
	{"an object comes after what it needs", order},
	{"every object is included in the three feature sets and in no other", featureSets},
	{"every object is in the self-managed profile and in no other", profiles},
	{"objects have no field that their type does not have", knownFields},
	{"images are those of image-references", images},
	{"versions are the release's", versions},
	{"what admins configure is create-only, and it is what the manager creates", createOnly},
	{"kinds that the CVO compares as they stand have every default written out", writtenDefaults},
}

var fileName = regexp.MustCompile(`^0000_(50|90)_` + component + `_\d\d-[a-z0-9-]+(\.crd)?\.yaml$`)

// alertTemplate is what annotations of alerts may have Prometheus fill in.
var alertTemplate = regexp.MustCompile(`\{\{ (if )?\$labels\.[a-z_]+ \}\}|\{\{ (else|end) \}\}`)

func fileNames(p *payload) (faults []string) {
	for name, content := range p.files {
		expect(&faults, name == imageReferences || fileName.MatchString(name), "%s: does not match %s", name, fileName)
		// Prometheus fills in what alerts say, the CVO nothing.
		filled := alertTemplate.ReplaceAllString(content, "")
		expect(&faults, !strings.Contains(filled, "{{"), "%s: looks like a template; the CVO does not fill in templates", name)
	}
	for _, o := range p.objects {
		isCRD := o.GVK.Kind == "CustomResourceDefinition"
		expect(&faults, strings.HasSuffix(o.file, ".crd.yaml") == isCRD, "%s: .crd.yaml is for CRDs, and CRDs are in such files", o)
		late := strings.HasPrefix(o.file, "0000_90_")
		monitoring := o.GVK.Group == "monitoring.coreos.com" || o.Obj.GetName() == "prometheus-k8s"
		expect(&faults, late == monitoring, "%s: run level 90 is for monitoring objects, whose kinds come late, and for nothing else", o)
	}
	return faults
}

func oneObjectEach(p *payload) (faults []string) {
	perFile := map[string]int{}
	for i, o := range p.objects {
		perFile[o.file]++
		for _, other := range p.objects[:i] {
			expect(&faults, !o.SameResourceID(other.Manifest), "%s: the same object is in %s", o, other.file)
		}
	}
	for name := range p.files {
		expect(&faults, name == imageReferences || perFile[name] == 1, "%s: holds %d objects, want 1", name, perFile[name])
	}
	return faults
}

// order holds because the CVO applies one component's files one after the other and waits for some.
func order(p *payload) (faults []string) {
	position := func(match func(object) bool) int { return slices.IndexFunc(p.objects, match) }
	deployment := position(func(o object) bool { return o.GVK.Kind == "Deployment" })
	for i, o := range p.objects {
		if o.Obj.GetNamespace() == namespace {
			created := position(func(o object) bool { return o.GVK.Kind == "Namespace" && o.Obj.GetName() == namespace })
			expect(&faults, created >= 0 && created < i, "%s: comes before its namespace", o)
		}
		crd := position(func(crd object) bool {
			return crd.GVK.Kind == "CustomResourceDefinition" && nested(crd.Obj, "spec", "names", "kind") == o.GVK.Kind &&
				nested(crd.Obj, "spec", "group") == o.GVK.Group
		})
		expect(&faults, crd < i, "%s: comes before its CRD", o)
		switch o.GVK.Kind {
		case "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "Service", "NetworkPolicy", "CustomResourceDefinition":
			expect(&faults, i < deployment, "%s: comes after the Deployment, which needs it to start", o)
		case "ClusterOperator":
			expect(&faults, i > deployment, "%s: comes before the Deployment: the CVO would wait for it without having started what reports to it", o)
		}
	}
	return faults
}

func featureSets(p *payload) (faults []string) {
	const want = "TechPreviewNoUpgrade,DevPreviewNoUpgrade,CustomNoUpgrade"
	for _, o := range p.objects {
		got := o.Obj.GetAnnotations()["release.openshift.io/feature-set"]
		expect(&faults, got == want, "%s: the feature sets are %q, want %q", o, got, want)
		for set, included := range map[configv1.FeatureSet]bool{
			configv1.TechPreviewNoUpgrade: true, configv1.DevPreviewNoUpgrade: true, configv1.CustomNoUpgrade: true,
			configv1.Default: false, configv1.OKD: false,
		} {
			err := o.Include(nil, ptr.To(string(set)), nil, nil, nil, nil, nil)
			expect(&faults, (err == nil) == included, "%s: included in feature set %q: %t (%v), want %t", o, set, err == nil, err, included)
		}
	}
	return faults
}

func profiles(p *payload) (faults []string) {
	for _, o := range p.objects {
		for profile, included := range map[string]bool{
			"self-managed-high-availability": true, "ibm-cloud-managed": false, "single-node-developer": false,
		} {
			err := o.Include(nil, nil, ptr.To(profile), nil, nil, nil, nil)
			expect(&faults, (err == nil) == included, "%s: included in profile %q: %t (%v), want %t", o, profile, err == nil, err, included)
		}
	}
	return faults
}

// knownFields finds misspelt fields, which an API server drops with a warning that the CVO does not read.
func knownFields(p *payload) (faults []string) {
	for _, o := range p.objects {
		var err error
		switch o.GVK.Kind {
		case "ClusterOperator":
			_, err = typed[configv1.ClusterOperator](o)
		case "ClusterRole":
			_, err = typed[rbacv1.ClusterRole](o)
		case "ClusterRoleBinding":
			_, err = typed[rbacv1.ClusterRoleBinding](o)
		case "ConfigMap":
			_, err = typed[corev1.ConfigMap](o)
		case "CustomResourceDefinition":
			_, err = typed[apiextensionsv1.CustomResourceDefinition](o)
		case "Deployment":
			_, err = typed[appsv1.Deployment](o)
		case "Namespace":
			_, err = typed[corev1.Namespace](o)
		case "NetworkPolicy":
			_, err = typed[networkingv1.NetworkPolicy](o)
		case "PlatformOperatorManager":
			_, err = typed[operatorv1alpha1.PlatformOperatorManager](o)
		case "ProvisionerClass":
			_, err = typed[corev1alpha2.ProvisionerClass](o)
		case "Role":
			_, err = typed[rbacv1.Role](o)
		case "RoleBinding":
			_, err = typed[rbacv1.RoleBinding](o)
		case "Service":
			_, err = typed[corev1.Service](o)
		case "ServiceAccount":
			_, err = typed[corev1.ServiceAccount](o)
		case policyKind:
			_, err = typed[admissionv1.ValidatingAdmissionPolicy](o)
		case bindingKind:
			_, err = typed[admissionv1.ValidatingAdmissionPolicyBinding](o)
		case "ServiceMonitor", "PrometheusRule": // no module of ours has the types; monitoringRules look at what is in them
		default:
			faults = append(faults, o.String()+": a kind that this test does not know; add it here and think about how the CVO merges it")
		}
		if err != nil {
			faults = append(faults, err.Error())
		}
	}
	return faults
}

func images(p *payload) (faults []string) {
	var references imagev1.ImageStream
	if err := yaml.UnmarshalStrict([]byte(p.files[imageReferences]), &references); err != nil {
		return []string{imageReferences + ": " + err.Error()}
	}
	expect(&faults, references.Kind == "ImageStream" && references.APIVersion == "image.openshift.io/v1",
		"%s: is a %s of %s, want ImageStream of image.openshift.io/v1", imageReferences, references.Kind, references.APIVersion)
	used := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)(?:image|value): (\S+/\S+[:@]\S+)$`).FindAllStringSubmatch(joined(p), -1) {
		used[match[1]] = true
	}
	named := map[string]bool{}
	for _, tag := range references.Spec.Tags {
		if tag.From == nil || tag.From.Kind != "DockerImage" {
			faults = append(faults, imageReferences+": tag "+tag.Name+" is not from a DockerImage")
			continue
		}
		expect(&faults, !named[tag.From.Name], "%s: %s is there twice", imageReferences, tag.From.Name)
		named[tag.From.Name] = true
		expect(&faults, used[tag.From.Name], "%s: no manifest uses %s; unused tags are pruned", imageReferences, tag.From.Name)
	}
	for image := range used {
		expect(&faults, named[image], "image %s is not in %s, so the release tooling would not replace it", image, imageReferences)
	}
	return faults
}

func joined(p *payload) string {
	var all strings.Builder
	for name, content := range p.files {
		if name != imageReferences {
			all.WriteString(content + "\n")
		}
	}
	return all.String()
}

func versions(p *payload) (faults []string) {
	faults = allTyped(p, "Deployment", func(o object, d appsv1.Deployment) (faults []string) {
		for _, container := range d.Spec.Template.Spec.Containers {
			for _, name := range []string{"RELEASE_VERSION", "OPERATOR_IMAGE_VERSION"} {
				at := slices.IndexFunc(container.Env, func(e corev1.EnvVar) bool { return e.Name == name })
				expect(&faults, at >= 0 && container.Env[at].Value == snapshot, "%s: %s of container %q is not %s", o, name, container.Name, snapshot)
			}
		}
		return faults
	})
	return append(faults, allTyped(p, "ClusterOperator", func(o object, co configv1.ClusterOperator) (faults []string) {
		expect(&faults, slices.Equal(co.Status.Versions, []configv1.OperandVersion{{Name: "operator", Version: snapshot}}),
			"%s: the versions are %v, want operator %s alone", o, co.Status.Versions, snapshot)
		return faults
	})...)
}

func createOnly(p *payload) (faults []string) {
	for _, o := range p.objects {
		value, found := o.Obj.GetAnnotations()["release.openshift.io/create-only"]
		configured := slices.Contains([]string{"PlatformOperatorManager", "ProvisionerClass"}, o.GVK.Kind)
		expect(&faults, found == configured && (!configured || value == "true"), "%s: create-only is %q; it is for what admins configure, and for that alone", o, value)
	}
	wantManager, err := bindata.PlatformOperatorManager()
	if err != nil {
		return append(faults, err.Error())
	}
	classes := map[string]*corev1alpha2.ProvisionerClass{}
	for _, shipped := range []func() (*corev1alpha2.ProvisionerClass, error){bindata.RegistryClass, bindata.PlainClass} {
		class, err := shipped()
		if err != nil {
			return append(faults, err.Error())
		}
		classes[class.Name] = class
	}
	faults = append(faults, allTyped(p, "PlatformOperatorManager", func(o object, got operatorv1alpha1.PlatformOperatorManager) (faults []string) {
		expect(&faults, equality.Semantic.DeepEqual(got, *wantManager), "%s: differs from bindata/platformoperatormanager.yaml, which the manager puts in its place", o)
		return faults
	})...)
	faults = append(faults, allTyped(p, "ProvisionerClass", func(o object, got corev1alpha2.ProvisionerClass) (faults []string) {
		want := classes[got.Name]
		delete(classes, got.Name)
		expect(&faults, want != nil && equality.Semantic.DeepEqual(got, *want), "%s: differs from the one in bindata, which the manager puts in its place", o)
		return faults
	})...)
	expect(&faults, len(classes) == 0, "classes that the manager puts in place are not in the payload: %v", slices.Sorted(maps.Keys(classes)))
	return faults
}

// writtenDefaults looks at the kinds that the CVO has no merge of its own for: it replaces a top-level field whole whenever
// it differs, so a default that the API server adds and the manifest lacks would be written for ever.
func writtenDefaults(p *payload) (faults []string) {
	faults = allTyped(p, "NetworkPolicy", func(o object, np networkingv1.NetworkPolicy) (faults []string) {
		expect(&faults, len(np.Spec.PolicyTypes) > 0, "%s: policyTypes is not written out", o)
		var ports []networkingv1.NetworkPolicyPort
		for _, egress := range np.Spec.Egress {
			ports = append(ports, egress.Ports...)
		}
		for _, ingress := range np.Spec.Ingress {
			ports = append(ports, ingress.Ports...)
		}
		for _, port := range ports {
			expect(&faults, port.Protocol != nil, "%s: a port's protocol is not written out", o)
		}
		return faults
	})
	faults = append(faults, policyDefaults(p)...)
	return append(faults, allTyped(p, "CustomResourceDefinition", func(o object, crd apiextensionsv1.CustomResourceDefinition) (faults []string) {
		names := crd.Spec.Names
		expect(&faults, crd.Spec.Conversion != nil && names.Singular != "" && names.ListKind != "",
			"%s: spec.conversion, spec.names.singular or spec.names.listKind is not written out", o)
		return faults
	})...)
}
