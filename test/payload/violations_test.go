package payload

import (
	"maps"
	"strings"
	"testing"
)

// change is the replacement of old by new in every file of the payload whose name contains file.
type change struct{ file, old, new string }

const (
	namespaceFile   = "00-namespace"
	denyFile        = "05-networkpolicy-default-deny"
	metricsFile     = "06-networkpolicy-metrics"
	contentFile     = "06-networkpolicy-content"
	crdFile         = "10-platformoperators.crd"
	managerCRDFile  = "10-platformoperatormanagers.crd"
	crdPolicyFile   = "11-crd-deletion"
	deploymentsFile = "11-bundledeployments"
	operatorsFile   = "11-platformoperators"
	crdBindingFile  = "12-crd-deletion"
	recordFile      = "11-limits-record"
	ownershipFile   = "11-ownership"
	namespacesFile  = "11-namespace-ownership"
	accountFile     = "20-serviceaccount"
	managerFile     = "21-manager-clusterrole.yaml"
	aggregateFile   = "25-bundles-clusterrole.yaml"
	bundlesFile     = "26-bundles-registryv1"
	bindingFile     = "22-manager-clusterrolebinding"
	configFile      = "30-platformoperatormanager"
	classFile       = "30-provisionerclass-registry"
	plainFile       = "30-provisionerclass-plain"
	serviceFile     = "40-service"
	configMapFile   = "41-configmap"
	trustedCAFile   = "41-trusted-ca-configmap"
	deploymentFile  = "50-deployment"
	reportFile      = "60-clusteroperator"
	monitorFile     = "02-servicemonitor"
	alertsFile      = "03-prometheusrule"
)

// violations has, by the name of each rule, at least one change that violates the rule. want is part of the expected violation.
var violations = map[string]map[string]struct {
	change
	want string
}{
	"file names have the component's name and a run level": {
		"a template in an alert":             {change{alertsFile, "{{ $labels.catalog }}", "{{ .Catalog }}"}, "contains a template"},
		"a template":                         {change{deploymentFile, "quay.io/openshift/origin-platform-operators:latest", "\"{{ .Image }}\""}, "contains a template"},
		"a CRD in a file without .crd.yaml":  {change{accountFile, "kind: ServiceAccount", "kind: CustomResourceDefinition"}, ".crd.yaml is required for CRDs"},
		"monitoring with an early run level": {change{accountFile, "name: platform-operators", "name: prometheus-k8s"}, "run level 90"},
	},
	"a file contains one object, and no object is in two files": {
		"two objects": {change{accountFile, "apiVersion:", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: second, namespace: x}\n---\napiVersion:"}, "contains 2 objects"},
		"the same object twice": {change{accountFile, "apiVersion: v1\nkind: ServiceAccount",
			"apiVersion: v1\nkind: Namespace\nmetadata: {name: openshift-platform-operators}\n---\napiVersion: v1\nkind: ServiceAccount"}, "the same object is in"},
	},
	"an object comes after the objects that it depends on": {
		"no namespace":                      {change{namespaceFile, "name: openshift-platform-operators", "name: another"}, "comes before its namespace"},
		"the ClusterOperator too early":     {change{accountFile, "kind: ServiceAccount", "kind: ClusterOperator"}, "comes before the Deployment"},
		"the service account after the pod": {change{reportFile, "kind: ClusterOperator", "kind: ServiceAccount"}, "comes after the Deployment"},
	},
	"every object is included in exactly three feature sets": {
		"one set too few":        {change{serviceFile, ",CustomNoUpgrade", ""}, "the feature sets are"},
		"a space in the list":    {change{serviceFile, ",CustomNoUpgrade", ", CustomNoUpgrade"}, "the feature sets are"},
		"no feature set":         {change{serviceFile, "release.openshift.io/feature-set", "example.com/feature-set"}, `included in feature set "": true`},
		"an unknown feature set": {change{serviceFile, "CustomNoUpgrade", "SomethingNew"}, "unrecognized value"},
	},
	"every object is in the self-managed profile only": {
		"not included":    {change{serviceFile, "include.release.openshift.io/self", "include.release.openshift.io/not-self"}, "want true"},
		"another profile": {change{serviceFile, "  annotations:", "  annotations:\n    include.release.openshift.io/ibm-cloud-managed: \"true\""}, "want false"},
	},
	"objects have no unknown fields": {
		"a misspelled field": {change{deploymentFile, "terminationMessagePolicy", "terminationMessagePolice"}, "unknown field"},
		"an unknown kind":    {change{accountFile, "kind: ServiceAccount", "kind: SomethingElse"}, "does not know"},
	},
	"all images are in image-references": {
		"an unlisted image": {change{deploymentFile, "origin-platform-operators:latest", "origin-cli:latest"}, "is not in image-references"},
		"an unused tag":     {change{imageReferences, "origin-platform-operators:latest", "origin-cli:latest"}, "no manifest uses"},
		"not a DockerImage": {change{imageReferences, "kind: DockerImage", "kind: ImageStreamTag"}, "not from a DockerImage"},
	},
	"all versions are replaced by the release tooling": {
		"a fixed version in the environment": {change{deploymentFile, "value: 0.0.1-snapshot", "value: 1.2.3"}, "RELEASE_VERSION"},
		"a fixed version in the report":      {change{reportFile, "version: 0.0.1-snapshot", "version: 1.2.3"}, "want operator"},
	},
	"objects that admins configure are create-only and equal to those that the manager creates": {
		"reconciled":                   {change{configFile, `create-only: "true"`, `create-only: "false"`}, "create-only is"},
		"another one":                  {change{serviceFile, "  annotations:", "  annotations:\n    release.openshift.io/create-only: \"true\""}, "create-only is"},
		"another content":              {change{configFile, "logLevel: Normal", "logLevel: Debug"}, "differs from bindata"},
		"another class":                {change{classFile, "core.rukpak.io/registry", "core.rukpak.io/plain"}, "differs from the class in bindata"},
		"a class with an unknown name": {change{plainFile, "name: core-rukpak-io-plain", "name: core-rukpak-io-flat"}, "differs from the class in bindata"},
		"a class too few":              {change{plainFile, "kind: ProvisionerClass", "kind: Bundle"}, "classes that the manager creates are not in the payload: [core-rukpak-io-plain]"},
		"no class of plain bundles":    {change{"30-provisionerclass-plain", "name: core-rukpak-io-plain", "name: core-rukpak-io-flat"}, "core-rukpak-io-plain"},
	},
	"kinds without a merge function in the CVO have all defaults": {
		"no policy types": {change{denyFile, "policyTypes:\n  - Ingress\n  - Egress\n", ""}, "policyTypes is not set"},
		"no protocol":     {change{metricsFile, "- protocol: TCP\n      port: 8443", "- port: 8443"}, "protocol is not set"},
		"no conversion":   {change{crdFile, "  conversion:\n    strategy: None\n", ""}, "spec.conversion"},
		"no scope":        {change{crdPolicyFile, "      scope: '*'\n", ""}, "scope is not set"},
		"no selector":     {change{crdPolicyFile, "    objectSelector: {}\n", ""}, "is not set"},
	},
	"CRDs have a status subresource, a schema and one stored version": {
		"no status":         {change{crdFile, "    subresources:\n      status: {}\n", ""}, "no status subresource"},
		"no stored version": {change{crdFile, "storage: true", "storage: false"}, "0 versions are stored"},
	},
	"HRD-C2 every field is described, with its bounds and its default": {
		"no description":           {change{crdFile, "description: spec is the desired state", "title: spec is the desired state"}, "spec has no description"},
		"no full stop":             {change{crdFile, "description: spec is the desired state of the operator.", "description: spec of the operator"}, "does not end with a full stop"},
		"another field's name":     {change{crdFile, "description: spec is the desired state", "description: state is the desired state"}, "does not begin with the name of the field"},
		"a maximum that changed":   {change{crdFile, "maxLength: 56\n", "maxLength: 57\n"}, `spec.package.name: the description does not say "1 to 57 characters"`},
		"a maximum of items":       {change{crdFile, "maxItems: 50\n", "maxItems: 51\n"}, `status.relatedObjects: the description does not say "1 to 51 entries"`},
		"a maximum of a number":    {change{crdFile, "maximum: 86400\n", "maximum: 86401\n"}, `"from 10 to 86401"`},
		"a value":                  {change{crdFile, "- Manual\n", "- Manual\n                    - Never\n"}, `spec.upgrades.approval: the description does not name the value "Never"`},
		"a default":                {change{crdFile, "paused:\n", "paused:\n                default: true\n"}, "does not say the default true"},
		"an undocumented default":  {change{crdFile, "while it is paused. Defaults to false.", "while it is paused."}, "spec.paused: the description does not say what an absent field means"},
		"a rule without a message": {change{crdFile, "message: catalogSelector.matchLabels has at most 16 entries", "reason: FieldValueInvalid"}, "has no message"},
		"a long sentence": {change{crdFile, "Only the manager\n              writes it.",
			"Only the manager writes it" + strings.Repeat(" and so on", 10) + "."}, "a sentence has"},
		"text inside Kubernetes' types": {change{crdFile, "tolerationSeconds:\n", "tolerationSeconds:\n                                  description: theirs\n"}, "its type belongs to Kubernetes"},
		"a file that is too large":      {change{crdFile, "paused stops all changes", "paused " + strings.Repeat("stops ", 50_000)}, "at most 262144 are permitted"},
	},
	"HRD-C3 every string, list, map and integer is bounded": {
		"a string":   {change{crdFile, "maxLength: 56\n", "title: Name\n"}, "spec.package.name has no maxLength"},
		"a list":     {change{crdFile, "maxItems: 50\n", "title: List\n"}, "status.relatedObjects has no maxItems"},
		"a map":      {change{crdFile, "maxProperties: 64\n", "title: Map\n"}, "nodeSelector has no maxProperties"},
		"an integer": {change{crdFile, "maximum: 86400\n", "title: Number\n"}, "spec.install.progressDeadlineSeconds has no maximum"},
		"a Quantity": {change{crdFile, "maxLength: 256\n                                  pattern:", "pattern:"}, "has no maxLength"},
		"an embedded list": {change{managerCRDFile, "maxItems: 256\n                type: array\n                x-kubernetes-list-map-keys:\n                - type\n",
			"type: array\n                x-kubernetes-list-map-keys:\n                - type\n"}, "status.conditions has no maxItems"},
		"an object with unknown fields": {change{managerCRDFile, "maxProperties: 256\n                nullable: true", "nullable: true"}, "spec.observedConfig has no maxProperties"},
	},
	"HRD-S6 no list in a spec that limits something can be empty": {
		"channels":                     {change{crdFile, "\n                    minItems: 1\n", "\n"}, "spec.package.channels can be empty"},
		"an exception that is no list": {change{crdFile, "                      ignore:\n", "                      exempt:\n"}, "spec.install.drift.ignore, which is in no schema"},
	},
	"HRD-G4 a restarted container reacquires its lease": {
		"no lock file": {change{deploymentFile, "        - --leader-elect-lock-file=/var/cache/platform-operators/manager.lock\n", ""}, "has no lock file"},
	},
	"HRD-B6 the memory request and GOMEMLIMIT follow from the measured peak": {
		"less than the peak":         {change{deploymentFile, "memory: 210Mi", "memory: 100Mi"}, "100Mi is requested, and"},
		"far more than the peak":     {change{deploymentFile, "memory: 210Mi", "memory: 1Gi"}, "1024Mi is requested, and no more than"},
		"a limit above the request":  {change{deploymentFile, "value: 140MiB", "value: 210MiB"}, "of the program's file are more than the 210Mi requested"},
		"a limit near the live heap": {change{deploymentFile, "value: 140MiB", "value: 50MiB"}, "times the live heap"},
		"a limit without a unit":     {change{deploymentFile, "value: 140MiB", "value: \"140\""}, "no binary unit"},
		"no limit":                   {change{deploymentFile, "name: GOMEMLIMIT", "name: GOGC"}, "no GOMEMLIMIT"},
	},
	"CLU-P3 pods follow OpenShift's conventions for components": {
		"another SCC":                          {change{deploymentFile, "required-scc: restricted-v2", "required-scc: anyuid"}, "SCC"},
		"no workload annotation":               {change{deploymentFile, "target.workload.openshift.io/management", "example.com/management"}, "workload partitioning"},
		"two replicas":                         {change{deploymentFile, "replicas: 1", "replicas: 2"}, "replicas must be 1"},
		"no priority":                          {change{deploymentFile, "system-cluster-critical", ""}, "priority class"},
		"not on the control plane":             {change{deploymentFile, "        node-role.kubernetes.io/master: \"\"\n", ""}, "control plane"},
		"a toleration of everything":           {change{deploymentFile, "- key: node-role.kubernetes.io/master\n        operator: Exists", "- operator: Exists"}, "has no key or no effect"},
		"a short toleration":                   {change{deploymentFile, "tolerationSeconds: 120", "tolerationSeconds: 10"}, "120 seconds"},
		"as root":                              {change{deploymentFile, "runAsNonRoot: true", "runAsNonRoot: false"}, "runAsNonRoot"},
		"no seccomp profile":                   {change{deploymentFile, "RuntimeDefault", "Unconfined"}, "seccomp"},
		"a default account":                    {change{deploymentFile, "      serviceAccountName: platform-operators\n", ""}, "service account"},
		"with the host's network":              {change{deploymentFile, "      restartPolicy: Always", "      hostNetwork: true"}, "of the host"},
		"an unlimited volume":                  {change{deploymentFile, "emptyDir:\n          sizeLimit: 64Mi", "emptyDir: {}"}, "no sizeLimit"},
		"no writable /tmp":                     {change{deploymentFile, "mountPath: /tmp", "mountPath: /temporary"}, "cannot write to /tmp"},
		"no writable content directory":        {change{deploymentFile, "mountPath: /var/cache/platform-operators", "mountPath: /var/cache/other"}, "cannot write to /var/cache"},
		"a lock file on no volume":             {change{deploymentFile, "lock-file=/var/cache/platform-operators/", "lock-file=/var/lib/"}, "not on an emptyDir"},
		"a lock file in the content directory": {change{deploymentFile, "platform-operators/manager.lock", "platform-operators/content/manager.lock"}, "whose owner removes unknown files"},
		"no UID of the pod":                    {change{deploymentFile, "fieldPath: metadata.uid", "fieldPath: metadata.name"}, "POD_UID"},
		"no name of the pod":                   {change{deploymentFile, "- name: POD_NAME", "- name: POD"}, "POD_NAME"},
		"a file that is not mounted":           {change{deploymentFile, "mountPath: /var/run/configmaps/config\n", "mountPath: /var/run/configmaps/other\n"}, "no volume is mounted"},
		"limits":                               {change{deploymentFile, "          requests:", "          limits: {cpu: 1}\n          requests:"}, "limits are set"},
		"no requests":                          {change{deploymentFile, "memory: 210Mi", "memory: 0"}, "requests no memory"},
		"a writable root":                      {change{deploymentFile, "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"}, "root file system"},
		"capabilities":                         {change{deploymentFile, "- ALL", "- NET_RAW"}, "capabilities"},
		"privilege escalation":                 {change{deploymentFile, "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true"}, "escalation"},
		"always pulled":                        {change{deploymentFile, "IfNotPresent", "Always"}, "imagePullPolicy"},
		"no termination message":               {change{deploymentFile, "FallbackToLogsOnError", "File"}, "terminationMessagePolicy"},
		"no liveness":                          {change{deploymentFile, "livenessProbe", "startupProbe"}, "/livez"},
		"readiness of another port":            {change{deploymentFile, "path: /readyz\n            port: 8443", "path: /readyz\n            port: 1"}, "which the container does not declare"},
	},
	"namespaces have the labels and annotations of platform components": {
		"not monitored":   {change{namespaceFile, `cluster-monitoring: "true"`, `cluster-monitoring: "false"`}, "cluster-monitoring"},
		"no selector":     {change{namespaceFile, "openshift.io/node-selector", "example.com/node-selector"}, "node-selector"},
		"not partitioned": {change{namespaceFile, "allowed: management", "allowed: none"}, "partitioning"},
	},
	"CLU-P4 all traffic is denied except metrics in, and DNS and TCP out": {
		"nothing denied":       {change{denyFile, "policyTypes:\n  - Ingress\n  - Egress", "policyTypes:\n  - Ingress"}, "no policy denies"},
		"metrics for everyone": {change{metricsFile, "openshift-monitoring", "openshift-user-workload-monitoring"}, "the policies allow"},
		"UDP too":              {change{contentFile, "- protocol: TCP", "- protocol: UDP"}, "the policies allow"},
		"for other pods":       {change{contentFile, "app: platform-operators", "app: other"}, "does not select"},
	},
	"no rule has a wildcard": {
		"a verb":     {change{managerFile, "  - watch\n", "  - '*'\n"}, "wildcard"},
		"a resource": {change{bundlesFile, "  - deployments\n", "  - '*'\n"}, "wildcard"},
		"a group":    {change{bundlesFile, "  - apps\n", "  - '*'\n"}, "wildcard"},
	},
	"no rule permits privilege escalation, with documented exceptions": {
		"the manager escalates": {change{managerFile, "  - create\n", "  - escalate\n"}, "has verb escalate"},
		"impersonation":         {change{bundlesFile, "  - escalate\n", "  - escalate\n  - impersonate\n"}, "has verb impersonate"},
		"tokens":                {change{bundlesFile, "  - serviceaccounts\n", "  - serviceaccounts/token\n"}, "serviceaccounts/token"},
	},
	"the manager's role and the role for bundles do not overlap": {
		"a kind in both": {change{bundlesFile, "- apiGroups:\n  - apps\n  resources:\n  - deployments", "- apiGroups:\n  - config.openshift.io\n  resources:\n  - clusterversions"}, "clusterversions is in"},
	},
	"the role for bundles aggregates ClusterRoles by label": {
		"another label": {change{aggregateFile, "aggregate-to-bundles", "aggregate-to-others"}, "does not aggregate"},
		"mixed":         {change{managerFile, "  annotations:", "  labels:\n    platform.openshift.io/aggregate-to-bundles: \"true\"\n  annotations:"}, "is aggregated into the role for bundles"},
		"own rules":     {change{aggregateFile, "aggregationRule:", "rules: []\naggregationRule:"}, "has rules"},
	},
	"bindings refer to existing roles and to known accounts only": {
		"an admin":          {change{bindingFile, "  name: platform-operators-manager\nsubjects", "  name: cluster-admin\nsubjects"}, "cluster-admin"},
		"a default account": {change{bindingFile, "  name: platform-operators\n", "  name: default\n"}, "/default"},
	},
	"admission policies are bound, fail closed, and exempt garbage collection and the CVO": {
		"nothing is denied":                      {change{crdBindingFile, "- Deny", "- Audit"}, "want one with Deny"},
		"nothing is bound":                       {change{crdBindingFile, "policyName: platform", "policyName: other"}, "want one with Deny"},
		"fails open":                             {change{crdPolicyFile, "failurePolicy: Fail", "failurePolicy: Ignore"}, "does not fail closed"},
		"the CVO is not exempt":                  {change{crdPolicyFile, "openshift-cluster-version'", "openshift-other'"}, "openshift-cluster-version"},
		"the garbage collector is not exempt":    {change{crdPolicyFile, "generic-garbage-collector'", "other'"}, "generic-garbage-collector"},
		"a second deletion is not exempt":        {change{crdPolicyFile, "!has(oldObject.metadata.deletionTimestamp)", "true"}, "deletionTimestamp"},
		"no message":                             {change{crdPolicyFile, "messageExpression:", "message:"}, "no message"},
		"the namespace controller is not exempt": {change{recordFile, "namespace-controller'", "other'"}, "namespace-controller"},
		"the manager":                            {change{ownershipFile, "openshift-platform-operators:platform-operators'", "openshift-platform-operators:other'"}, "has no condition request.userInfo"},
	},
	"HRD-U6 a policy protects exactly the payload's CRDs from deletion": {
		"a CRD is missing": {change{crdPolicyFile, "      'bundles.core.rukpak.io',\n", ""}, "'bundles.core.rukpak.io'"},
		"no policy":        {change{crdPolicyFile, "name: platform-operators-crd-deletion", "name: other"}, "there is no policy"},
	},
	"HRD-S3 a policy protects the ConfigMap in which the manager records limits": {
		"another ConfigMap": {change{recordFile, "== 'platformoperatormanager-limits'", "== 'other'"}, "no condition is oldObject.metadata.name"},
		"another content":   {change{recordFile, `{"spec":{}}`, "{}"}, `{"spec":{}}`},
		"another namespace": {change{recordFile, "metadata.name: openshift-platform-operators", "metadata.name: other"}, "applies to namespaces"},
	},
	"HRD-S2 a policy protects the labels and field managers by which the manager identifies its objects": {
		"every object":          {change{ownershipFile, "    objectSelector:\n      matchLabels:\n        core.rukpak.io/owner-kind: BundleDeployment\n", "    objectSelector: {}\n"}, "applies to objects"},
		"another field manager": {change{ownershipFile, "'platform-operators/'", "'platform/'"}, "no variable has 'platform-operators/'"},
	},
	"HRD-S1 a policy protects the field managers by which the manager identifies the namespaces that it created": {
		"labeled namespaces":    {change{namespacesFile, "objectSelector: {}", "objectSelector: {matchLabels: {a: b}}"}, "a selector excludes namespaces"},
		"another resource":      {change{namespacesFile, "      - namespaces\n", "      - pods\n"}, "applies to resources"},
		"no updates":            {change{namespacesFile, "      - UPDATE\n", ""}, "applies to operations"},
		"another exemption":     {change{namespacesFile, "  variables:\n", "  - name: other\n    expression: 'true'\n  variables:\n"}, "exempts others"},
		"another field manager": {change{namespacesFile, "'platform-operators/'", "'platform/'"}, "does not have 'platform-operators/'"},
	},
	"ENG-A8 policies check every write of BundleDeployments and PlatformOperators": {
		"labeled objects":    {change{deploymentsFile, "objectSelector: {}", "objectSelector: {matchLabels: {a: b}}"}, "a selector excludes objects"},
		"no deletions":       {change{deploymentsFile, "      - DELETE\n", ""}, "applies to"},
		"another resource":   {change{operatorsFile, "      - platformoperators\n", "      - bundles\n"}, "applies to"},
		"another exemption":  {change{operatorsFile, "  - name: is-a-change\n", "  - name: other\n    expression: 'true'\n  - name: is-a-change\n"}, "has conditions"},
		"a verb is missing":  {change{deploymentsFile, "check('approve')", "check('update')"}, "does not check verb approve"},
		"no checks of a use": {change{operatorsFile, "check('use')", "check('get')"}, "does not check verb use"},
	},
	"the ClusterOperator lists the objects for must-gather": {
		"a missing object": {change{reportFile, "resource: bundledeployments", "resource: bundles"}, "bundledeployments"},
		"not a plural":     {change{reportFile, "resource: namespaces", "resource: Namespace"}, "lower-case plural"},
		"conditions":       {change{reportFile, "status:", "status:\n  conditions: [{type: Available, status: \"True\", lastTransitionTime: 2020-01-01T00:00:00Z}]"}, "only the manager writes conditions"},
		"no spec":          {change{reportFile, "spec: {}\n", ""}, "spec must be"},
	},
	"the Service of the metrics has a serving certificate, which the pod mounts": {
		"no certificate":    {change{serviceFile, "service.beta.openshift.io", "example.com"}, "lacks annotation"},
		"another Secret":    {change{serviceFile, "serving-cert-secret-name: platform-operators", "serving-cert-secret-name: other"}, "has no volume"},
		"mounted elsewhere": {change{deploymentFile, "/var/run/secrets/serving-cert", "/var/run/secrets/other"}, "does not mount"},
		"another pod":       {change{serviceFile, "  selector:\n    app: platform-operators", "  selector:\n    app: other"}, "does not have"},
		"a port of its own": {change{serviceFile, "targetPort: 8443", "targetPort: 9443"}, "is no port"},
	},
	"Prometheus discovers the Service and verifies its certificate": {
		"another server":      {change{monitorFile, "serverName: metrics.", "serverName: other."}, "expects server"},
		"without certificate": {change{monitorFile, "tls-client-certificate-auth", "plain"}, "scrape class"},
		"another port":        {change{monitorFile, "port: metrics", "port: web"}, "which"},
		"a misspelled field":  {change{monitorFile, "interval:", "intervall:"}, "unknown field"},
		"by endpoints":        {change{monitorFile, "EndpointSlice", "Endpoints"}, "discovers by"},
	},
	"alerts have a severity, texts, a runbook and a delay": {
		"another prefix":      {change{alertsFile, "alert: PlatformOperatorsBlocked", "alert: Blocked"}, "does not match"},
		"an unknown severity": {change{alertsFile, "severity: info", "severity: notice"}, "has severity"},
		"another's namespace": {change{alertsFile, "        namespace: openshift-platform-operators", "        namespace: openshift-dns"}, "has namespace"},
		"a short wait":        {change{alertsFile, "for: 15m", "for: 1m"}, "want 15m at least"},
		"no wait":             {change{alertsFile, "      for: 15m\n", ""}, "want 15m at least"},
		"no runbook":          {change{alertsFile, "runbook_url: https://github.com/openshift/runbooks", "runbook_url: https://example.com"}, "has runbook_url"},
		"no description":      {change{alertsFile, "        description:", "        comment:"}, "no sentence as its description"},
		"an unknown field":    {change{alertsFile, "      expr:", "      expression:"}, "unknown field"},
		"no alerts":           {change{alertsFile, "kind: PrometheusRule", "kind: ServiceMonitor"}, "no PrometheusRule"},
	},
	"the CVO can inject the cluster's TLS profile into the server's configuration": {
		"not requested": {change{configMapFile, `inject-tls: "true"`, `inject-tls: "false"`}, "does not request"},
		"another kind":  {change{configMapFile, "kind: GenericOperatorConfig", "kind: Other"}, "does not change"},
	},
	"the CVO injects the cluster's proxy into every container": {
		"no proxy": {change{deploymentFile, "inject-proxy: platform-operators", "inject-proxy: other"}, "gets no proxy"},
	},
	"the manager trusts the certificate authorities of the cluster": {
		"not requested": {change{trustedCAFile, `inject-trusted-cabundle: "true"`, `inject-trusted-cabundle: "false"`}, "does not request"},
		"another name":  {change{trustedCAFile, "name: platform-operators-trusted-ca", "name: other"}, "no ConfigMap"},
		"not mounted":   {change{deploymentFile, "name: platform-operators-trusted-ca", "name: other"}, "does not mount"},
		"not read":      {change{deploymentFile, "--trusted-ca-file=/var/run/configmaps/trusted-ca", "--trusted-ca-file=/other"}, "lacks --trusted-ca-file"},
	},
}

func TestEveryRuleFindsItsViolations(t *testing.T) {
	valid := read(t)
	for _, rule := range allRules() {
		t.Run(rule.name, func(t *testing.T) {
			if len(violations[rule.name]) == 0 {
				t.Fatal("no change violates this rule; add one")
			}
			for name, violation := range violations[rule.name] {
				t.Run(name, func(t *testing.T) {
					found := strings.Join(rule.check(modified(t, valid, violation.change)), "\n")
					if !strings.Contains(found, violation.want) {
						t.Errorf("want a violation that contains %q, got:\n%s", violation.want, found)
					}
				})
			}
		})
	}
}

func TestFileNamesRejectsOtherComponents(t *testing.T) {
	p := &payload{files: map[string]string{}}
	for _, name := range []string{
		"namespace.yaml", "0000_50_olm_00-namespace.yaml", "0000_50_platform-operators_namespace.yaml",
		"0000_70_platform-operators_00-namespace.yaml", "0000_50_platform-operators_00-namespace.json",
	} {
		p.files[name] = ""
	}
	if got := fileNames(p); len(got) != len(p.files) {
		t.Errorf("want a violation for each of %d names, got %q", len(p.files), got)
	}
}

// modified returns a copy of the payload with a change. It fails the test if the change has no effect.
func modified(t *testing.T, valid *payload, c change) *payload {
	t.Helper()
	files := maps.Clone(valid.files)
	changed := false
	for name, content := range files {
		if strings.Contains(name, c.file) {
			files[name] = strings.ReplaceAll(content, c.old, c.new)
			changed = changed || files[name] != content
		}
	}
	if !changed {
		t.Fatalf("no file with %q in its name contains %q", c.file, c.old)
	}
	p, err := reparse(files, valid)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
