package payload

import (
	"maps"
	"strings"
	"testing"
)

// change is one fault put into a copy of the payload: in every file whose name contains file, old becomes new.
type change struct{ file, old, new string }

const (
	namespaceFile  = "00-namespace"
	denyFile       = "05-networkpolicy-default-deny"
	metricsFile    = "06-networkpolicy-metrics"
	contentFile    = "06-networkpolicy-content"
	crdFile        = "10-platformoperators.crd"
	managerCRDFile = "10-platformoperatormanagers.crd"
	crdPolicyFile  = "11-crd-deletion"
	crdBindingFile = "12-crd-deletion"
	recordFile     = "11-limits-record"
	ownershipFile  = "11-ownership"
	accountFile    = "20-serviceaccount"
	managerFile    = "21-manager-clusterrole.yaml"
	aggregateFile  = "25-bundles-clusterrole.yaml"
	bundlesFile    = "26-bundles-registryv1"
	bindingFile    = "22-manager-clusterrolebinding"
	configFile     = "30-platformoperatormanager"
	classFile      = "30-provisionerclass-registry"
	plainFile      = "30-provisionerclass-plain"
	serviceFile    = "40-service"
	configMapFile  = "41-configmap"
	deploymentFile = "50-deployment"
	reportFile     = "60-clusteroperator"
	monitorFile    = "02-servicemonitor"
	alertsFile     = "03-prometheusrule"
)

// faults has at least one fault for every rule; want is part of what the rule says of it.
var faults = map[string]map[string]struct {
	change
	want string
}{
	"files have the component's name and a run level": {
		"a template in an alert":                {change{alertsFile, "{{ $labels.catalog }}", "{{ .Catalog }}"}, "looks like a template"},
		"a template":                            {change{deploymentFile, "quay.io/openshift/origin-platform-operators:latest", "\"{{ .Image }}\""}, "looks like a template"},
		"a CRD in a file that does not say so":  {change{accountFile, "kind: ServiceAccount", "kind: CustomResourceDefinition"}, ".crd.yaml is for CRDs"},
		"monitoring before its kinds are there": {change{accountFile, "name: platform-operators", "name: prometheus-k8s"}, "run level 90"},
	},
	"a file holds one object, and no object is in two files": {
		"two objects": {change{accountFile, "apiVersion:", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: second, namespace: x}\n---\napiVersion:"}, "holds 2 objects"},
		"the same object twice": {change{accountFile, "apiVersion: v1\nkind: ServiceAccount",
			"apiVersion: v1\nkind: Namespace\nmetadata: {name: openshift-platform-operators}\n---\napiVersion: v1\nkind: ServiceAccount"}, "the same object is in"},
	},
	"an object comes after what it needs": {
		"no namespace":                      {change{namespaceFile, "name: openshift-platform-operators", "name: another"}, "comes before its namespace"},
		"the ClusterOperator too early":     {change{accountFile, "kind: ServiceAccount", "kind: ClusterOperator"}, "comes before the Deployment"},
		"the service account after the pod": {change{reportFile, "kind: ClusterOperator", "kind: ServiceAccount"}, "comes after the Deployment"},
	},
	"every object is included in the three feature sets and in no other": {
		"one set too few":         {change{serviceFile, ",CustomNoUpgrade", ""}, "the feature sets are"},
		"a space in the list":     {change{serviceFile, ",CustomNoUpgrade", ", CustomNoUpgrade"}, "the feature sets are"},
		"no feature set":          {change{serviceFile, "release.openshift.io/feature-set", "example.com/feature-set"}, `included in feature set "": true`},
		"a set that is not known": {change{serviceFile, "CustomNoUpgrade", "SomethingNew"}, "unrecognized value"},
	},
	"every object is in the self-managed profile and in no other": {
		"not included":    {change{serviceFile, "include.release.openshift.io/self", "include.release.openshift.io/not-self"}, "want true"},
		"another profile": {change{serviceFile, "  annotations:", "  annotations:\n    include.release.openshift.io/ibm-cloud-managed: \"true\""}, "want false"},
	},
	"objects have no field that their type does not have": {
		"a misspelt field": {change{deploymentFile, "terminationMessagePolicy", "terminationMessagePolice"}, "unknown field"},
		"an unknown kind":  {change{accountFile, "kind: ServiceAccount", "kind: SomethingElse"}, "does not know"},
	},
	"images are those of image-references": {
		"an image that is not listed": {change{deploymentFile, "origin-platform-operators:latest", "origin-cli:latest"}, "is not in image-references"},
		"a tag that nothing uses":     {change{imageReferences, "origin-platform-operators:latest", "origin-cli:latest"}, "no manifest uses"},
		"not a DockerImage":           {change{imageReferences, "kind: DockerImage", "kind: ImageStreamTag"}, "not from a DockerImage"},
	},
	"versions are the release's": {
		"a fixed version in the environment": {change{deploymentFile, "value: 0.0.1-snapshot", "value: 1.2.3"}, "RELEASE_VERSION"},
		"a fixed version in the report":      {change{reportFile, "version: 0.0.1-snapshot", "version: 1.2.3"}, "want operator"},
	},
	"what admins configure is create-only, and it is what the manager creates": {
		"reconciled":                {change{configFile, `create-only: "true"`, `create-only: "false"`}, "create-only is"},
		"another one":               {change{serviceFile, "  annotations:", "  annotations:\n    release.openshift.io/create-only: \"true\""}, "create-only is"},
		"another content":           {change{configFile, "logLevel: Normal", "logLevel: Debug"}, "differs from bindata"},
		"another class":             {change{classFile, "core.rukpak.io/registry", "core.rukpak.io/plain"}, "differs from the one in bindata"},
		"a class nobody puts back":  {change{plainFile, "name: core-rukpak-io-plain", "name: core-rukpak-io-flat"}, "differs from the one in bindata"},
		"a class too few":           {change{plainFile, "kind: ProvisionerClass", "kind: Bundle"}, "classes that the manager puts in place are not in the payload: [core-rukpak-io-plain]"},
		"no class of plain bundles": {change{"30-provisionerclass-plain", "name: core-rukpak-io-plain", "name: core-rukpak-io-flat"}, "core-rukpak-io-plain"},
	},
	"kinds that the CVO compares as they stand have every default written out": {
		"no policy types": {change{denyFile, "policyTypes:\n  - Ingress\n  - Egress\n", ""}, "policyTypes is not written out"},
		"no protocol":     {change{metricsFile, "- protocol: TCP\n      port: 8443", "- port: 8443"}, "protocol is not written out"},
		"no conversion":   {change{crdFile, "  conversion:\n    strategy: None\n", ""}, "spec.conversion"},
		"no scope":        {change{crdPolicyFile, "      scope: '*'\n", ""}, "scope is not written out"},
		"no selector":     {change{crdPolicyFile, "    objectSelector: {}\n", ""}, "is not written out"},
	},
	"CRDs have a status subresource, a schema and one stored version": {
		"no status":      {change{crdFile, "    subresources:\n      status: {}\n", ""}, "no status subresource"},
		"nothing stored": {change{crdFile, "storage: true", "storage: false"}, "0 versions are stored"},
	},
	"HRD-C2 every field is described, with its bounds and its default": {
		"a field without text":           {change{crdFile, "description: spec is the desired state", "title: spec is the desired state"}, "spec has no description"},
		"a fragment":                     {change{crdFile, "description: spec is the desired state of the operator.", "description: spec of the operator"}, "does not end with a full stop"},
		"another field's text":           {change{crdFile, "description: spec is the desired state", "description: state is the desired state"}, "does not begin with the name of the field"},
		"a maximum that changed":         {change{crdFile, "maxLength: 56\n", "maxLength: 57\n"}, `spec.package.name: the description does not say "1 to 57 characters"`},
		"a maximum of items":             {change{crdFile, "maxItems: 50\n", "maxItems: 51\n"}, `status.relatedObjects: the description does not say "1 to 51 entries"`},
		"a maximum of a number":          {change{crdFile, "maximum: 86400\n", "maximum: 86401\n"}, `"from 10 to 86401"`},
		"a value":                        {change{crdFile, "- Manual\n", "- Manual\n                    - Never\n"}, `spec.upgrades.approval: the description does not name the value "Never"`},
		"a default":                      {change{crdFile, "paused:\n", "paused:\n                default: true\n"}, "does not say the default true"},
		"a default that nobody tells of": {change{crdFile, "while it is paused. Defaults to false.", "while it is paused."}, "spec.paused: the description does not say what absence means"},
		"a rule without a message":       {change{crdFile, "message: catalogSelector.matchLabels has at most 16 entries", "reason: FieldValueInvalid"}, "has no message"},
		"a long sentence": {change{crdFile, "Only the manager\n              writes it.",
			"Only the manager writes it" + strings.Repeat(" and so on", 10) + "."}, "a sentence has"},
		"text inside Kubernetes' types": {change{crdFile, "tolerationSeconds:\n", "tolerationSeconds:\n                                  description: theirs\n"}, "is in a type of Kubernetes"},
		"a file that is too large":      {change{crdFile, "paused stops every change", "paused " + strings.Repeat("stops ", 50_000)}, "at most 262144 are permitted"},
	},
	"HRD-C3 every string, list, map and integer is bounded": {
		"a string without":   {change{crdFile, "maxLength: 56\n", "title: Name\n"}, "spec.package.name has no maxLength"},
		"a list without":     {change{crdFile, "maxItems: 50\n", "title: List\n"}, "status.relatedObjects has no maxItems"},
		"a map without":      {change{crdFile, "maxProperties: 64\n", "title: Map\n"}, "nodeSelector has no maxProperties"},
		"an integer without": {change{crdFile, "maximum: 86400\n", "title: Number\n"}, "spec.install.progressDeadlineSeconds has no maximum"},
		"a Quantity without": {change{crdFile, "maxLength: 256\n                                  pattern:", "pattern:"}, "has no maxLength"},
		"an embedded list without": {change{managerCRDFile, "maxItems: 256\n                type: array\n                x-kubernetes-list-map-keys:\n                - type\n",
			"type: array\n                x-kubernetes-list-map-keys:\n                - type\n"}, "status.conditions has no maxItems"},
		"an object with unknown fields": {change{managerCRDFile, "maxProperties: 256\n                nullable: true", "nullable: true"}, "spec.observedConfig has no maxProperties"},
	},
	"HRD-S6 no list in a spec that limits something can be empty": {
		"channels":                     {change{crdFile, "\n                    minItems: 1\n", "\n"}, "spec.package.channels can be empty"},
		"an exception that is no list": {change{crdFile, "                      ignore:\n", "                      exempt:\n"}, "spec.install.drift.ignore, and no schema does"},
	},
	"HRD-G4 a container that is started again takes its lease back": {
		"no lock file": {change{deploymentFile, "        - --leader-elect-lock-file=/var/cache/platform-operators/manager.lock\n", ""}, "has no lock file"},
	},
	"HRD-B6 memory is requested, and limited for Go's runtime, as was measured": {
		"less than the peak":         {change{deploymentFile, "memory: 210Mi", "memory: 100Mi"}, "100Mi is requested, and"},
		"far more than the peak":     {change{deploymentFile, "memory: 210Mi", "memory: 1Gi"}, "1024Mi is requested, and no more than"},
		"a limit above the request":  {change{deploymentFile, "value: 140MiB", "value: 210MiB"}, "of the program's file are more than the 210Mi requested"},
		"a limit near the live heap": {change{deploymentFile, "value: 140MiB", "value: 50MiB"}, "times the live heap"},
		"a limit without a unit":     {change{deploymentFile, "value: 140MiB", "value: \"140\""}, "no binary unit"},
		"no limit":                   {change{deploymentFile, "name: GOMEMLIMIT", "name: GOGC"}, "no GOMEMLIMIT"},
	},
	"CLU-P3 pods are as OpenShift's conventions want a component's to be": {
		"another SCC":              {change{deploymentFile, "required-scc: restricted-v2", "required-scc: anyuid"}, "SCC"},
		"no workload annotation":   {change{deploymentFile, "target.workload.openshift.io/management", "example.com/management"}, "workload partitioning"},
		"two replicas":             {change{deploymentFile, "replicas: 1", "replicas: 2"}, "replicas must be written as 1"},
		"no priority":              {change{deploymentFile, "system-cluster-critical", ""}, "priority class"},
		"not on the control plane": {change{deploymentFile, "        node-role.kubernetes.io/master: \"\"\n", ""}, "control plane"},
		"a blanket toleration":     {change{deploymentFile, "- key: node-role.kubernetes.io/master\n        operator: Exists", "- operator: Exists"}, "blanket"},
		"a short toleration":       {change{deploymentFile, "tolerationSeconds: 120", "tolerationSeconds: 10"}, "120 seconds"},
		"as root":                  {change{deploymentFile, "runAsNonRoot: true", "runAsNonRoot: false"}, "runAsNonRoot"},
		"no seccomp profile":       {change{deploymentFile, "RuntimeDefault", "Unconfined"}, "seccomp"},
		"a default account":        {change{deploymentFile, "      serviceAccountName: platform-operators\n", ""}, "service account"},
		"with the host's network":  {change{deploymentFile, "      restartPolicy: Always", "      hostNetwork: true"}, "of the host"},
		"an endless volume":        {change{deploymentFile, "emptyDir:\n          sizeLimit: 64Mi", "emptyDir: {}"}, "no sizeLimit"},
		"nowhere to write":         {change{deploymentFile, "mountPath: /tmp", "mountPath: /temporary"}, "cannot write to /tmp"},
		"nowhere for content":      {change{deploymentFile, "mountPath: /var/cache/platform-operators", "mountPath: /var/cache/other"}, "cannot write to /var/cache"},
		"a lock on no volume":      {change{deploymentFile, "lock-file=/var/cache/platform-operators/", "lock-file=/var/lib/"}, "not on an emptyDir"},
		"a lock among content":     {change{deploymentFile, "platform-operators/manager.lock", "platform-operators/content/manager.lock"}, "removes what is no content"},
		"no UID of the pod":        {change{deploymentFile, "fieldPath: metadata.uid", "fieldPath: metadata.name"}, "POD_UID"},
		"no name of the pod":       {change{deploymentFile, "- name: POD_NAME", "- name: POD"}, "POD_NAME"},
		"a file that is not there": {change{deploymentFile, "mountPath: /var/run/configmaps/config\n", "mountPath: /var/run/configmaps/other\n"}, "nothing is mounted"},
		"limits":                   {change{deploymentFile, "          requests:", "          limits: {cpu: 1}\n          requests:"}, "limits are set"},
		"no requests":              {change{deploymentFile, "memory: 210Mi", "memory: 0"}, "requests no memory"},
		"a writable root":          {change{deploymentFile, "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"}, "root file system"},
		"capabilities":             {change{deploymentFile, "- ALL", "- NET_RAW"}, "capabilities"},
		"privilege escalation":     {change{deploymentFile, "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true"}, "escalation"},
		"always pulled":            {change{deploymentFile, "IfNotPresent", "Always"}, "imagePullPolicy"},
		"no last words":            {change{deploymentFile, "FallbackToLogsOnError", "File"}, "terminationMessagePolicy"},
		"no liveness":              {change{deploymentFile, "livenessProbe", "startupProbe"}, "/livez"},
		"readiness of nothing":     {change{deploymentFile, "path: /readyz\n            port: 8443", "path: /readyz\n            port: 1"}, "none of its ports"},
	},
	"namespaces are prepared for platform components": {
		"not monitored":   {change{namespaceFile, `cluster-monitoring: "true"`, `cluster-monitoring: "false"`}, "cluster-monitoring"},
		"no selector":     {change{namespaceFile, "openshift.io/node-selector", "example.com/node-selector"}, "node-selector"},
		"not partitioned": {change{namespaceFile, "allowed: management", "allowed: none"}, "partitioning"},
	},
	"CLU-P4 everything is denied but metrics in, and DNS, the API server and TCP out": {
		"nothing denied":       {change{denyFile, "policyTypes:\n  - Ingress\n  - Egress", "policyTypes:\n  - Ingress"}, "no policy denies"},
		"metrics for everyone": {change{metricsFile, "openshift-monitoring", "openshift-user-workload-monitoring"}, "allowed are"},
		"UDP too":              {change{contentFile, "- protocol: TCP", "- protocol: UDP"}, "allowed are"},
		"for other pods":       {change{contentFile, "app: platform-operators", "app: other"}, "selects none"},
	},
	"no rule has a wildcard": {
		"a verb":     {change{managerFile, "  - watch\n", "  - '*'\n"}, "wildcard"},
		"a resource": {change{bundlesFile, "  - deployments\n", "  - '*'\n"}, "wildcard"},
		"a group":    {change{bundlesFile, "  - apps\n", "  - '*'\n"}, "wildcard"},
	},
	"no rule lets anybody become more than they are, but for one documented exception": {
		"the manager escalates": {change{managerFile, "  - create\n", "  - escalate\n"}, "has verb escalate"},
		"impersonation":         {change{bundlesFile, "  - escalate\n", "  - escalate\n  - impersonate\n"}, "has verb impersonate"},
		"tokens":                {change{bundlesFile, "  - serviceaccounts\n", "  - serviceaccounts/token\n"}, "serviceaccounts/token"},
	},
	"the manager's role and the one for what bundles need are apart": {
		"a kind in both": {change{bundlesFile, "- apiGroups:\n  - apps\n  resources:\n  - deployments", "- apiGroups:\n  - config.openshift.io\n  resources:\n  - clusterversions"}, "clusterversions is in"},
	},
	"admins extend the role for what bundles need by label": {
		"another label":    {change{aggregateFile, "aggregate-to-bundles", "aggregate-to-others"}, "does not aggregate"},
		"mixed":            {change{managerFile, "  annotations:", "  labels:\n    platform.openshift.io/aggregate-to-bundles: \"true\"\n  annotations:"}, "is mixed"},
		"rules of its own": {change{aggregateFile, "aggregationRule:", "rules: []\naggregationRule:"}, "rules of its own"},
	},
	"bindings bind existing roles, never a default account or an admin": {
		"an admin":          {change{bindingFile, "  name: platform-operators-manager\nsubjects", "  name: cluster-admin\nsubjects"}, "cluster-admin"},
		"a default account": {change{bindingFile, "  name: platform-operators\n", "  name: default\n"}, "/default"},
	},
	"admission policies are in force, fail closed, and except whoever cleans up": {
		"nothing is denied":       {change{crdBindingFile, "- Deny", "- Audit"}, "want one that has it Deny"},
		"nothing is bound":        {change{crdBindingFile, "policyName: platform", "policyName: other"}, "want one that has it Deny"},
		"open when it fails":      {change{crdPolicyFile, "failurePolicy: Fail", "failurePolicy: Ignore"}, "does not fail closed"},
		"the CVO is locked out":   {change{crdPolicyFile, "openshift-cluster-version'", "openshift-other'"}, "openshift-cluster-version"},
		"the garbage collector":   {change{crdPolicyFile, "generic-garbage-collector'", "other'"}, "generic-garbage-collector"},
		"a deletion that goes on": {change{crdPolicyFile, "!has(oldObject.metadata.deletionTimestamp)", "true"}, "deletionTimestamp"},
		"no message":              {change{crdPolicyFile, "messageExpression:", "message:"}, "no message"},
		"the namespace's removal": {change{recordFile, "namespace-controller'", "other'"}, "namespace-controller"},
		"the manager":             {change{ownershipFile, "openshift-platform-operators:platform-operators'", "openshift-platform-operators:other'"}, "has no condition request.userInfo"},
	},
	"HRD-U6 a policy is about the deletion of exactly our CRDs": {
		"a CRD is forgotten": {change{crdPolicyFile, "      'bundles.core.rukpak.io',\n", ""}, "'bundles.core.rukpak.io'"},
		"there is none":      {change{crdPolicyFile, "name: platform-operators-crd-deletion", "name: other"}, "there is no policy"},
	},
	"HRD-S3 a policy is about the ConfigMap that the manager records limits in": {
		"another ConfigMap": {change{recordFile, "== 'platformoperatormanager-limits'", "== 'other'"}, "no condition is oldObject.metadata.name"},
		"another content":   {change{recordFile, `{"spec":{}}`, "{}"}, `{"spec":{}}`},
		"another namespace": {change{recordFile, "metadata.name: openshift-platform-operators", "metadata.name: other"}, "is about namespaces"},
	},
	"HRD-S2 a policy is about the marks by which the manager tells its objects": {
		"every object":          {change{ownershipFile, "    objectSelector:\n      matchLabels:\n        core.rukpak.io/owner-kind: BundleDeployment\n", "    objectSelector: {}\n"}, "is about objects"},
		"another field manager": {change{ownershipFile, "'platform-operators/'", "'platform/'"}, "no variable has 'platform-operators/'"},
	},
	"the ClusterOperator names what to look at, so that must-gather works even if the manager never starts": {
		"an object less": {change{reportFile, "resource: bundledeployments", "resource: bundles"}, "bundledeployments"},
		"not a plural":   {change{reportFile, "resource: namespaces", "resource: Namespace"}, "lower-case plural"},
		"conditions":     {change{reportFile, "status:", "status:\n  conditions: [{type: Available, status: \"True\", lastTransitionTime: 2020-01-01T00:00:00Z}]"}, "conditions are the manager's"},
		"no spec":        {change{reportFile, "spec: {}\n", ""}, "spec must be"},
	},
	"the metrics' Service has a serving certificate, which the pod mounts": {
		"no certificate":    {change{serviceFile, "service.beta.openshift.io", "example.com"}, "lacks annotation"},
		"another Secret":    {change{serviceFile, "serving-cert-secret-name: platform-operators", "serving-cert-secret-name: other"}, "has no volume"},
		"mounted elsewhere": {change{deploymentFile, "/var/run/secrets/serving-cert", "/var/run/secrets/other"}, "does not mount"},
		"another pod":       {change{serviceFile, "  selector:\n    app: platform-operators", "  selector:\n    app: other"}, "does not have"},
		"a port of its own": {change{serviceFile, "targetPort: 8443", "targetPort: 9443"}, "is no port"},
	},
	"Prometheus finds the Service and trusts its certificate": {
		"another server":      {change{monitorFile, "serverName: metrics.", "serverName: other."}, "expects server"},
		"without certificate": {change{monitorFile, "tls-client-certificate-auth", "plain"}, "scrape class"},
		"another port":        {change{monitorFile, "port: metrics", "port: web"}, "which"},
		"a misspelt field":    {change{monitorFile, "interval:", "intervall:"}, "unknown field"},
		"by endpoints":        {change{monitorFile, "EndpointSlice", "Endpoints"}, "discovers by"},
	},
	"alerts say how bad it is, what it is and where to read on, and do not cry at once": {
		"another prefix":       {change{alertsFile, "alert: PlatformOperatorsBlocked", "alert: Blocked"}, "does not match"},
		"an unknown severity":  {change{alertsFile, "severity: info", "severity: notice"}, "has severity"},
		"another's namespace":  {change{alertsFile, "        namespace: openshift-platform-operators", "        namespace: openshift-dns"}, "has namespace"},
		"a hasty one":          {change{alertsFile, "for: 15m", "for: 1m"}, "want 15m at least"},
		"no wait at all":       {change{alertsFile, "      for: 15m\n", ""}, "want 15m at least"},
		"nothing to read on":   {change{alertsFile, "runbook_url: https://github.com/openshift/runbooks", "runbook_url: https://example.com"}, "has runbook_url"},
		"no description":       {change{alertsFile, "        description:", "        comment:"}, "no sentence as its description"},
		"a field of no rule":   {change{alertsFile, "      expr:", "      expression:"}, "unknown field"},
		"no alerts whatsoever": {change{alertsFile, "kind: PrometheusRule", "kind: ServiceMonitor"}, "no PrometheusRule"},
	},
	"the server's configuration is one that the CVO writes the cluster's TLS profile into": {
		"not asked for": {change{configMapFile, `inject-tls: "true"`, `inject-tls: "false"`}, "does not ask"},
		"another kind":  {change{configMapFile, "kind: GenericOperatorConfig", "kind: Other"}, "leaves alone"},
	},
	"the cluster's proxy is injected into every container": {
		"no proxy": {change{deploymentFile, "inject-proxy: platform-operators", "inject-proxy: other"}, "gets no proxy"},
	},
}

func TestEveryRuleFindsItsFaults(t *testing.T) {
	right := read(t)
	for _, rule := range everyRule() {
		t.Run(rule.name, func(t *testing.T) {
			if len(faults[rule.name]) == 0 {
				t.Fatal("nothing shows that this rule can be broken: add a fault for it")
			}
			for name, fault := range faults[rule.name] {
				t.Run(name, func(t *testing.T) {
					found := strings.Join(rule.check(broken(t, right, fault.change)), "\n")
					if !strings.Contains(found, fault.want) {
						t.Errorf("want a fault with %q in it, got:\n%s", fault.want, found)
					}
				})
			}
		})
	}
}

func TestFileNamesOfOtherComponentsAreRefused(t *testing.T) {
	p := &payload{files: map[string]string{}}
	for _, name := range []string{
		"namespace.yaml", "0000_50_olm_00-namespace.yaml", "0000_50_platform-operators_namespace.yaml",
		"0000_70_platform-operators_00-namespace.yaml", "0000_50_platform-operators_00-namespace.json",
	} {
		p.files[name] = ""
	}
	if got := fileNames(p); len(got) != len(p.files) {
		t.Errorf("want a fault for each of %d names, got %q", len(p.files), got)
	}
}

// broken is the payload with a change, which must change something.
func broken(t *testing.T, right *payload, c change) *payload {
	t.Helper()
	files := maps.Clone(right.files)
	changed := false
	for name, content := range files {
		if strings.Contains(name, c.file) {
			files[name] = strings.ReplaceAll(content, c.old, c.new)
			changed = changed || files[name] != content
		}
	}
	if !changed {
		t.Fatalf("no file called …%s… has %q in it", c.file, c.old)
	}
	p, err := reparse(files, right)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
