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
	{"file names have the component's name and a run level", fileNames},
	{"a file contains one object, and no object is in two files", oneObjectPerFile},
	{"an object comes after the objects that it depends on", order},
	{"every object is included in exactly three feature sets", featureSets},
	{"every object is in the self-managed profile only", profiles},
	{"objects have no unknown fields", knownFields},
	{"all images are in image-references", images},
	{"all versions are replaced by the release tooling", versions},
	{"objects that admins configure are create-only and equal to those that the manager creates", createOnly},
	{"kinds without a merge function in the CVO have all defaults", explicitDefaults},
}

var fileName = regexp.MustCompile(`^0000_(50|90)_` + component + `_\d\d-[a-z0-9-]+(\.crd)?\.yaml$`)

// alertTemplate matches the template expressions that Prometheus evaluates in annotations of alerts.
var alertTemplate = regexp.MustCompile(`\{\{ (if )?\$labels\.[a-z_]+ \}\}|\{\{ (else|end) \}\}`)

func fileNames(p *payload) (violations []string) {
	for name, content := range p.files {
		expect(&violations, name == imageReferences || fileName.MatchString(name), "%s: does not match %s", name, fileName)
		// Prometheus evaluates templates in alerts. The CVO evaluates none.
		withoutAlerts := alertTemplate.ReplaceAllString(content, "")
		expect(&violations, !strings.Contains(withoutAlerts, "{{"), "%s: contains a template; the CVO evaluates none", name)
	}
	for _, o := range p.objects {
		isCRD := o.GVK.Kind == "CustomResourceDefinition"
		expect(&violations, strings.HasSuffix(o.file, ".crd.yaml") == isCRD, "%s: the suffix .crd.yaml is required for CRDs, and not permitted for other kinds", o)
		hasLateRunLevel := strings.HasPrefix(o.file, "0000_90_")
		isMonitoring := o.GVK.Group == "monitoring.coreos.com" || o.Obj.GetName() == "prometheus-k8s"
		expect(&violations, hasLateRunLevel == isMonitoring, "%s: run level 90 is required for monitoring objects, whose kinds are installed late, and not permitted for other objects", o)
	}
	return violations
}

func oneObjectPerFile(p *payload) (violations []string) {
	perFile := map[string]int{}
	for i, o := range p.objects {
		perFile[o.file]++
		for _, other := range p.objects[:i] {
			expect(&violations, !o.SameResourceID(other.Manifest), "%s: the same object is in %s", o, other.file)
		}
	}
	for name := range p.files {
		expect(&violations, name == imageReferences || perFile[name] == 1, "%s: contains %d objects, want 1", name, perFile[name])
	}
	return violations
}

// order checks the order of the objects, because the CVO applies a component's files one after the other and waits for some
// objects.
func order(p *payload) (violations []string) {
	position := func(match func(object) bool) int { return slices.IndexFunc(p.objects, match) }
	deployment := position(func(o object) bool { return o.GVK.Kind == "Deployment" })
	for i, o := range p.objects {
		if o.Obj.GetNamespace() == namespace {
			created := position(func(o object) bool { return o.GVK.Kind == "Namespace" && o.Obj.GetName() == namespace })
			expect(&violations, created >= 0 && created < i, "%s: comes before its namespace", o)
		}
		crd := position(func(crd object) bool {
			return crd.GVK.Kind == "CustomResourceDefinition" && nested(crd.Obj, "spec", "names", "kind") == o.GVK.Kind &&
				nested(crd.Obj, "spec", "group") == o.GVK.Group
		})
		expect(&violations, crd < i, "%s: comes before its CRD", o)
		switch o.GVK.Kind {
		case "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "Service", "NetworkPolicy", "CustomResourceDefinition":
			expect(&violations, i < deployment, "%s: comes after the Deployment, which needs it to start", o)
		case "ClusterOperator":
			expect(&violations, i > deployment, "%s: comes before the Deployment, so that the CVO would wait for a status before it starts the manager", o)
		}
	}
	return violations
}

func featureSets(p *payload) (violations []string) {
	const want = "TechPreviewNoUpgrade,DevPreviewNoUpgrade,CustomNoUpgrade"
	for _, o := range p.objects {
		got := o.Obj.GetAnnotations()["release.openshift.io/feature-set"]
		expect(&violations, got == want, "%s: the feature sets are %q, want %q", o, got, want)
		for set, included := range map[configv1.FeatureSet]bool{
			configv1.TechPreviewNoUpgrade: true, configv1.DevPreviewNoUpgrade: true, configv1.CustomNoUpgrade: true,
			configv1.Default: false, configv1.OKD: false,
		} {
			err := o.Include(nil, ptr.To(string(set)), nil, nil, nil, nil, nil)
			expect(&violations, (err == nil) == included, "%s: included in feature set %q: %t (%v), want %t", o, set, err == nil, err, included)
		}
	}
	return violations
}

func profiles(p *payload) (violations []string) {
	for _, o := range p.objects {
		for profile, included := range map[string]bool{
			"self-managed-high-availability": true, "ibm-cloud-managed": false, "single-node-developer": false,
		} {
			err := o.Include(nil, nil, ptr.To(profile), nil, nil, nil, nil)
			expect(&violations, (err == nil) == included, "%s: included in profile %q: %t (%v), want %t", o, profile, err == nil, err, included)
		}
	}
	return violations
}

// knownFields finds misspelled fields, and kinds that this test does not know. The API server drops misspelled fields with a
// warning that the CVO ignores.
func knownFields(p *payload) (violations []string) {
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
		case "ServiceMonitor", "PrometheusRule": // no dependency has the types; monitoringRules checks their fields
		default:
			violations = append(violations, o.String()+": this test does not know the kind; add it, and check how the CVO merges it")
		}
		if err != nil {
			violations = append(violations, err.Error())
		}
	}
	return violations
}

func images(p *payload) (violations []string) {
	var references imagev1.ImageStream
	if err := yaml.UnmarshalStrict([]byte(p.files[imageReferences]), &references); err != nil {
		return []string{imageReferences + ": " + err.Error()}
	}
	expect(&violations, references.Kind == "ImageStream" && references.APIVersion == "image.openshift.io/v1",
		"%s: is a %s of version %s, want ImageStream of image.openshift.io/v1", imageReferences, references.Kind, references.APIVersion)
	used := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)(?:image|value): (\S+/\S+[:@]\S+)$`).FindAllStringSubmatch(allManifests(p), -1) {
		used[match[1]] = true
	}
	named := map[string]bool{}
	for _, tag := range references.Spec.Tags {
		if tag.From == nil || tag.From.Kind != "DockerImage" {
			violations = append(violations, imageReferences+": tag "+tag.Name+" is not from a DockerImage")
			continue
		}
		expect(&violations, !named[tag.From.Name], "%s: %s is listed twice", imageReferences, tag.From.Name)
		named[tag.From.Name] = true
		expect(&violations, used[tag.From.Name], "%s: no manifest uses %s; remove the tag", imageReferences, tag.From.Name)
	}
	for image := range used {
		expect(&violations, named[image], "image %s is not in %s, so that the release tooling would not replace it", image, imageReferences)
	}
	return violations
}

func allManifests(p *payload) string {
	var all strings.Builder
	for name, content := range p.files {
		if name != imageReferences {
			all.WriteString(content + "\n")
		}
	}
	return all.String()
}

func versions(p *payload) (violations []string) {
	violations = allTyped(p, "Deployment", func(o object, d appsv1.Deployment) (violations []string) {
		for _, container := range d.Spec.Template.Spec.Containers {
			for _, name := range []string{"RELEASE_VERSION", "OPERATOR_IMAGE_VERSION"} {
				at := slices.IndexFunc(container.Env, func(e corev1.EnvVar) bool { return e.Name == name })
				expect(&violations, at >= 0 && container.Env[at].Value == snapshot, "%s: %s of container %q is not %s", o, name, container.Name, snapshot)
			}
		}
		return violations
	})
	return append(violations, allTyped(p, "ClusterOperator", func(o object, co configv1.ClusterOperator) (violations []string) {
		expect(&violations, slices.Equal(co.Status.Versions, []configv1.OperandVersion{{Name: "operator", Version: snapshot}}),
			"%s: the versions are %v, want operator %s only", o, co.Status.Versions, snapshot)
		return violations
	})...)
}

func createOnly(p *payload) (violations []string) {
	for _, o := range p.objects {
		value, found := o.Obj.GetAnnotations()["release.openshift.io/create-only"]
		configured := slices.Contains([]string{"PlatformOperatorManager", "ProvisionerClass"}, o.GVK.Kind)
		expect(&violations, found == configured && (!configured || value == "true"), "%s: create-only is %q; it is required for objects that admins configure, and not permitted for others", o, value)
	}
	wantManager, err := bindata.PlatformOperatorManager()
	if err != nil {
		return append(violations, err.Error())
	}
	classes := map[string]*corev1alpha2.ProvisionerClass{}
	for _, shipped := range []func() (*corev1alpha2.ProvisionerClass, error){bindata.RegistryClass, bindata.PlainClass} {
		class, err := shipped()
		if err != nil {
			return append(violations, err.Error())
		}
		classes[class.Name] = class
	}
	violations = append(violations, allTyped(p, "PlatformOperatorManager", func(o object, got operatorv1alpha1.PlatformOperatorManager) (violations []string) {
		expect(&violations, equality.Semantic.DeepEqual(got, *wantManager), "%s: differs from bindata/platformoperatormanager.yaml, which the manager creates", o)
		return violations
	})...)
	violations = append(violations, allTyped(p, "ProvisionerClass", func(o object, got corev1alpha2.ProvisionerClass) (violations []string) {
		want := classes[got.Name]
		delete(classes, got.Name)
		expect(&violations, want != nil && equality.Semantic.DeepEqual(got, *want), "%s: differs from the class in bindata, which the manager creates", o)
		return violations
	})...)
	expect(&violations, len(classes) == 0, "classes that the manager creates are not in the payload: %v", slices.Sorted(maps.Keys(classes)))
	return violations
}

// explicitDefaults checks kinds for which the CVO has no merge function. The CVO replaces a top-level field if it differs. A
// default that is missing in the manifest would therefore cause an update in every sync.
func explicitDefaults(p *payload) (violations []string) {
	violations = allTyped(p, "NetworkPolicy", func(o object, np networkingv1.NetworkPolicy) (violations []string) {
		expect(&violations, len(np.Spec.PolicyTypes) > 0, "%s: policyTypes is not set", o)
		var ports []networkingv1.NetworkPolicyPort
		for _, egress := range np.Spec.Egress {
			ports = append(ports, egress.Ports...)
		}
		for _, ingress := range np.Spec.Ingress {
			ports = append(ports, ingress.Ports...)
		}
		for _, port := range ports {
			expect(&violations, port.Protocol != nil, "%s: a port's protocol is not set", o)
		}
		return violations
	})
	violations = append(violations, policyDefaults(p)...)
	return append(violations, allTyped(p, "CustomResourceDefinition", func(o object, crd apiextensionsv1.CustomResourceDefinition) (violations []string) {
		names := crd.Spec.Names
		expect(&violations, crd.Spec.Conversion != nil && names.Singular != "" && names.ListKind != "",
			"%s: spec.conversion, spec.names.singular or spec.names.listKind is not set", o)
		return violations
	})...)
}
