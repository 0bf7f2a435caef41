package payload

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	openshiftoperatorv1alpha1 "github.com/openshift/api/operator/v1alpha1"
)

var monitoringRules = []rule{
	{"the Service of the metrics has a serving certificate, which the pod mounts", servingCertificate},
	{"Prometheus discovers the Service and verifies its certificate", serviceMonitor},
	{"alerts have a severity, texts, a runbook and a delay", alerts},
	{"the CVO can inject the cluster's TLS profile into the server's configuration", tlsProfile},
	{"the CVO injects the cluster's proxy into every container", proxy},
	{"the manager trusts the certificate authorities of the cluster", authorities},
}

const certificateAnnotation = "service.beta.openshift.io/serving-cert-secret-name"

func servingCertificate(p *payload) []string {
	return allTyped(p, "Service", func(o object, service corev1.Service) (violations []string) {
		secret := service.Annotations[certificateAnnotation]
		expect(&violations, secret != "", "%s: lacks annotation %s", o, certificateAnnotation)
		return append(violations, allTyped(p, "Deployment", func(d object, deployment appsv1.Deployment) (violations []string) {
			pod := deployment.Spec.Template
			at := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Secret != nil && v.Secret.SecretName == secret })
			if at < 0 {
				return []string{fmt.Sprintf("%s: has no volume of Secret %q, which has the serving certificate of %s", d, secret, o)}
			}
			for key, value := range service.Spec.Selector {
				expect(&violations, pod.Labels[key] == value, "%s: selects %s=%s, which %s does not have", o, key, value, d)
			}
			for _, container := range pod.Spec.Containers {
				// The directory from which controllercmd reads its certificate by default.
				expect(&violations, slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool {
					return m.Name == pod.Spec.Volumes[at].Name && m.MountPath == "/var/run/secrets/serving-cert"
				}), "%s: container %q does not mount the certificate at /var/run/secrets/serving-cert", d, container.Name)
				for _, port := range service.Spec.Ports {
					expect(&violations, slices.ContainsFunc(container.Ports, func(c corev1.ContainerPort) bool { return int(c.ContainerPort) == port.TargetPort.IntValue() }),
						"%s: port %s goes to %s, which is no port of container %q", o, port.Name, port.TargetPort.String(), container.Name)
				}
			}
			return violations
		})...)
	})
}

// monitor has the fields of a ServiceMonitor that the rule checks.
type monitor struct {
	Spec struct {
		ScrapeClass          string `json:"scrapeClass"`
		ServiceDiscoveryRole string `json:"serviceDiscoveryRole"`
		NamespaceSelector    struct {
			MatchNames []string `json:"matchNames"`
		} `json:"namespaceSelector"`
		Selector struct {
			MatchLabels map[string]string `json:"matchLabels"`
		} `json:"selector"`
		Endpoints []struct {
			Port      string `json:"port"`
			Scheme    string `json:"scheme"`
			Path      string `json:"path"`
			Interval  string `json:"interval"`
			TLSConfig struct {
				ServerName string `json:"serverName"`
			} `json:"tlsConfig"`
			MetricRelabelings []struct { // test/alerts tests them
				Action       string   `json:"action"`
				SourceLabels []string `json:"sourceLabels"`
				Regex        string   `json:"regex"`
			} `json:"metricRelabelings"`
		} `json:"endpoints"`
	} `json:"spec"`
}

func serviceMonitor(p *payload) (violations []string) {
	monitors := p.ofKind("ServiceMonitor")
	if len(monitors) == 0 {
		return []string{"the payload has no ServiceMonitor"}
	}
	for _, o := range monitors {
		var m monitor
		if err := yaml.UnmarshalStrict([]byte(strings.Join([]string{"spec:", indent(o.Obj.Object["spec"])}, "\n")), &m); err != nil {
			violations = append(violations, fmt.Sprintf("%s: %v", o, err))
			continue
		}
		expect(&violations, m.Spec.ScrapeClass == "tls-client-certificate-auth", "%s: scrape class %q, want tls-client-certificate-auth", o, m.Spec.ScrapeClass)
		expect(&violations, m.Spec.ServiceDiscoveryRole == "EndpointSlice", "%s: discovers by %q, want EndpointSlice", o, m.Spec.ServiceDiscoveryRole)
		expect(&violations, slices.Equal(m.Spec.NamespaceSelector.MatchNames, []string{namespace}), "%s: looks in namespaces %q", o, m.Spec.NamespaceSelector.MatchNames)
		violations = append(violations, allTyped(p, "Service", func(s object, service corev1.Service) (violations []string) {
			for key, value := range m.Spec.Selector.MatchLabels {
				expect(&violations, service.Labels[key] == value, "%s: does not select %s", o, s)
			}
			for _, endpoint := range m.Spec.Endpoints {
				server := service.Name + "." + service.Namespace + ".svc"
				expect(&violations, endpoint.TLSConfig.ServerName == server, "%s: expects server %q, want %q", o, endpoint.TLSConfig.ServerName, server)
				expect(&violations, endpoint.Scheme == "https" && endpoint.Interval == "30s", "%s: scrapes by %s every %s, want https every 30s", o, endpoint.Scheme, endpoint.Interval)
				expect(&violations, slices.ContainsFunc(service.Spec.Ports, func(port corev1.ServicePort) bool { return port.Name == endpoint.Port }),
					"%s: scrapes port %q, which %s does not have", o, endpoint.Port, s)
			}
			return violations
		})...)
	}
	return violations
}

// alertRules has only the fields of a PrometheusRule that the test checks.
type alertRules struct {
	Spec struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []struct {
				Alert       string            `json:"alert"`
				Expr        string            `json:"expr"`
				For         string            `json:"for"`
				Labels      map[string]string `json:"labels"`
				Annotations map[string]string `json:"annotations"`
			} `json:"rules"`
		} `json:"groups"`
	} `json:"spec"`
}

var alertName = regexp.MustCompile(`^PlatformOperators([A-Z][a-z]+)+$`)

func alerts(p *payload) (violations []string) {
	if len(p.ofKind("PrometheusRule")) == 0 {
		return []string{"the payload has no PrometheusRule"}
	}
	for _, o := range p.ofKind("PrometheusRule") {
		var rules alertRules
		if err := yaml.UnmarshalStrict([]byte(strings.Join([]string{"spec:", indent(o.Obj.Object["spec"])}, "\n")), &rules); err != nil {
			violations = append(violations, fmt.Sprintf("%s: %v", o, err))
			continue
		}
		for _, group := range rules.Spec.Groups {
			for _, rule := range group.Rules {
				expect(&violations, alertName.MatchString(rule.Alert), "%s: alert %q does not match %s", o, rule.Alert, alertName)
				severity := rule.Labels["severity"]
				expect(&violations, slices.Contains([]string{"critical", "warning", "info"}, severity), "%s: alert %s has severity %q", o, rule.Alert, severity)
				expect(&violations, rule.Labels["namespace"] == namespace, "%s: alert %s has namespace %q", o, rule.Alert, rule.Labels["namespace"])
				forDuration, err := time.ParseDuration(rule.For)
				expect(&violations, err == nil && forDuration >= 15*time.Minute, "%s: alert %s waits for %q, want 15m at least", o, rule.Alert, rule.For)
				for _, annotation := range []string{"summary", "description"} {
					expect(&violations, strings.HasSuffix(rule.Annotations[annotation], "."), "%s: alert %s has no sentence as its %s", o, rule.Alert, annotation)
				}
				page := "https://github.com/openshift/runbooks/blob/master/alerts/" + component + "/" + rule.Alert + ".md"
				expect(&violations, rule.Annotations["runbook_url"] == page, "%s: alert %s has runbook_url %q, want %s", o, rule.Alert, rule.Annotations["runbook_url"], page)
			}
		}
	}
	return violations
}

func indent(value any) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		return "  unreadable: " + err.Error()
	}
	return "  " + strings.ReplaceAll(string(text), "\n", "\n  ")
}

func tlsProfile(p *payload) []string {
	return allTyped(p, "ConfigMap", func(o object, configMap corev1.ConfigMap) (violations []string) {
		if configMap.Name == trustedCA {
			return nil
		}
		expect(&violations, configMap.Annotations["config.openshift.io/inject-tls"] == "true", "%s: does not request the TLS profile", o)
		var config openshiftoperatorv1alpha1.GenericOperatorConfig
		if err := yaml.UnmarshalStrict([]byte(configMap.Data["config.yaml"]), &config); err != nil {
			return append(violations, fmt.Sprintf("%s: reading config.yaml: %v", o, err))
		}
		expect(&violations, config.Kind == "GenericOperatorConfig" && config.APIVersion == openshiftoperatorv1alpha1.GroupVersion.String(),
			"%s: config.yaml is a %s of %s, which the CVO does not change", o, config.Kind, config.APIVersion)
		expect(&violations, strings.HasSuffix(config.ServingInfo.BindAddress, ":8443"), "%s: serves at %q, want port 8443", o, config.ServingInfo.BindAddress)
		return violations
	})
}

func proxy(p *payload) []string {
	return allTyped(p, "Deployment", func(o object, d appsv1.Deployment) (violations []string) {
		injected := strings.Split(d.Annotations["config.openshift.io/inject-proxy"], ",")
		for _, container := range d.Spec.Template.Spec.Containers {
			expect(&violations, slices.Contains(injected, container.Name), "%s: container %q pulls bundles and gets no proxy", o, container.Name)
		}
		return violations
	})
}

// trustedCA is the name of the ConfigMap for the certificate authorities that the cluster trusts.
const trustedCA = "platform-operators-trusted-ca"

// authorities checks that the network operator fills the ConfigMap, and that the manager reads it. The CVO would remove data that the network
// operator adds, if the manifest had data of its own.
func authorities(p *payload) []string {
	found := false
	violations := allTyped(p, "ConfigMap", func(o object, configMap corev1.ConfigMap) (violations []string) {
		if configMap.Name != trustedCA {
			return nil
		}
		found = true
		expect(&violations, configMap.Labels["config.openshift.io/inject-trusted-cabundle"] == "true", "%s: does not request the certificate authorities", o)
		expect(&violations, len(configMap.Data) == 0, "%s: has data", o)
		return violations
	})
	expect(&violations, found, "no ConfigMap %s", trustedCA)
	return append(violations, allTyped(p, "Deployment", func(o object, d appsv1.Deployment) (violations []string) {
		volume := slices.IndexFunc(d.Spec.Template.Spec.Volumes, func(each corev1.Volume) bool { return each.ConfigMap != nil && each.ConfigMap.Name == trustedCA })
		if volume < 0 {
			return []string{fmt.Sprintf("%s: does not mount ConfigMap %s", o, trustedCA)}
		}
		name := d.Spec.Template.Spec.Volumes[volume].Name
		for _, container := range d.Spec.Template.Spec.Containers {
			mount := slices.IndexFunc(container.VolumeMounts, func(each corev1.VolumeMount) bool { return each.Name == name })
			if mount < 0 {
				return []string{fmt.Sprintf("%s: container %q does not mount ConfigMap %s", o, container.Name, trustedCA)}
			}
			flag := "--trusted-ca-file=" + container.VolumeMounts[mount].MountPath + "/ca-bundle.crt"
			expect(&violations, slices.Contains(container.Args, flag), "%s: container %q lacks %s", o, container.Name, flag)
		}
		return violations
	})...)
}
