package registryv1

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// server is a Deployment that serves webhooks, with the names of its Service and certificates.
type server struct {
	namespace  string
	deployment *v1alpha1.StrategyDeploymentSpec
	// service is the name of the Service. secret is the name of the Secret with the serving certificate, and of its Certificate. authority
	// is the name of the CA's Certificate, Secret and Issuer. selfSigned is the name of the Issuer that signs the CA.
	service, secret, authority, selfSigned string
	// ports are sorted by number, without duplicates.
	ports []port
}

// port is one port of a server's Service: its number, and the number or name of the container's port that it forwards to.
type port struct {
	number int32
	target any
}

// webhookPort returns the Service's port of a webhook, 443 by default.
func webhookPort(w *v1alpha1.WebhookDescription) int32 {
	return cmp.Or(w.ContainerPort, 443)
}

func portOf(w *v1alpha1.WebhookDescription) port {
	p := port{number: webhookPort(w)}
	switch {
	case w.TargetPort == nil || w.TargetPort.StrVal == "" && w.TargetPort.IntVal == 0: // Kubernetes also treats these as unset
		p.target = int64(p.number)
	case w.TargetPort.StrVal != "":
		p.target = w.TargetPort.StrVal
	default:
		p.target = int64(w.TargetPort.IntVal)
	}
	return p
}

// webhookServers returns a server for each Deployment that webhooks refer to, in the order of the strategy.
func webhookServers(b *Bundle, namespace string) []server {
	var servers []server
	webhooks := b.csv.Spec.WebhookDefinitions
	specs := b.csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs
	for i := range specs {
		name := specs[i].Name
		s := server{
			namespace: namespace, deployment: &specs[i], service: serverName(name, "-service"), secret: serverName(name, "-service-cert"),
			authority: serverName(name, "-service-ca"), selfSigned: serverName(name, "-service-selfsigned"),
		}
		for j := range webhooks {
			if p := portOf(&webhooks[j]); webhooks[j].DeploymentName == name && !slices.Contains(s.ports, p) {
				s.ports = append(s.ports, p)
			}
		}
		if len(s.ports) > 0 {
			slices.SortFunc(s.ports, func(a, b port) int { return cmp.Compare(a.number, b.number) })
			servers = append(servers, s)
		}
	}
	return servers
}

// renderServices renders the Services through which the API server calls webhooks.
func renderServices(r *rendering) ([]unstructured.Unstructured, error) {
	objects := make([]unstructured.Unstructured, 0, len(r.servers))
	for _, s := range r.servers {
		ports := make([]any, len(s.ports))
		for i, p := range s.ports {
			ports[i] = map[string]any{"name": strconv.Itoa(int(p.number)), "port": int64(p.number), "protocol": "TCP", "targetPort": p.target}
		}
		selector := map[string]any{}
		for key, value := range podLabels(&s.deployment.Spec) {
			selector[key] = value
		}
		service := newObject("v1", "Service", s.namespace, s.service)
		service.Object["spec"] = map[string]any{"ports": ports, "selector": selector}
		if annotations := serviceAnnotations(r.opts.Certificates, s); annotations != nil {
			service.Object["metadata"].(map[string]any)["annotations"] = annotations
		}
		objects = append(objects, service)
	}
	return objects, nil
}

// podLabels returns labels that select a Deployment's pods. A Deployment may also select by expressions, which a Service cannot.
func podLabels(spec *appsv1.DeploymentSpec) map[string]string {
	if spec.Selector != nil && len(spec.Selector.MatchLabels) > 0 {
		return spec.Selector.MatchLabels
	}
	return spec.Template.Labels
}
