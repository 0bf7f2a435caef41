package manifestserver_test

import (
	"regexp"
	"slices"
)

var uids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// parityRequests are sent in this order. Each group continues with the objects of the groups above it.
var parityRequests = slices.Concat(namespaceRequests, discoveryRequests, configMapRequests, selectorRequests, widgetRequests, schemaRequests, applyRequests, statusRequests, versionRequests,
	deletionRequests, workloadRequests, refusedRequests, terminationRequests)

// known are the requests whose answers differ, with the reason. Their HTTP status, reason and object's name are equal.
var known = map[string]string{
	"create another kind":               "the message names Go types",
	"create another version":            "the message names Go code",
	"update another object's uid":       "the message names a key in etcd",
	"JSON patch that is none":           "the message names a Go type",
	"unknown patch type":                "the message names the accepted types",
	"unknown field, strict patch":       "the message repeats the resourceVersion",
	"merge patch of a built-in kind":    "the message names Go code",
	"merge patch of a built-in version": "the message names Go code",
	"delete another version":            "the message repeats the resourceVersion",
	"a wrong type":                      "the message repeats the object with its fields in another order",
	"a body that is no JSON":            "the message names Go code",
	"a Service":                         "the server allocates no addresses",
}

var namespaceRequests = []request{
	post("create a Namespace", "/api/v1/namespaces", `{apiVersion: v1, kind: Namespace, metadata: {name: a}}`),
	post("create it again", "/api/v1/namespaces", `{apiVersion: v1, kind: Namespace, metadata: {name: a}}`),
	patch("label it", "/api/v1/namespaces/a", merge, `{metadata: {labels: {x: "y"}}}`),
	patch("apply it", "/api/v1/namespaces/a?fieldManager=m", apply, `{apiVersion: v1, kind: Namespace, metadata: {name: a, annotations: {k: v}}}`),
	get("get it", "/api/v1/namespaces/a"),
	get("a missing Namespace", "/api/v1/namespaces/none"),
}

var configMapRequests = []request{
	post("create", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {app: one}}, data: {k: v}}`),
	post("create in a missing namespace", "/api/v1/namespaces/none/configmaps", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`),
	post("create what exists", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`),
	post("create without a name", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {}}`),
	post("create with a bad name", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: A_b}}`),
	post("create in another namespace", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: d, namespace: b}}`),
	post("create with a resourceVersion", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: d, resourceVersion: "1"}}`),
	post("create another kind", configMaps, `{apiVersion: v1, kind: Secret, metadata: {name: d}}`),
	post("create another version", configMaps, `{apiVersion: v2, kind: ConfigMap, metadata: {name: d}}`),
	post("dry run", configMaps+"?dryRun=All", `{apiVersion: v1, kind: ConfigMap, metadata: {name: dry}}`),
	get("what was a dry run", configMaps+"/dry"),
	post("unknown field", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: u}, dat: {}}`),
	post("unknown field, strict", configMaps+"?fieldValidation=Strict", `{apiVersion: v1, kind: ConfigMap, metadata: {name: u2}, dat: {}}`),
	put("update", configMaps+"/c", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, resourceVersion: "${create.rv}"}, data: {k: w}}`),
	put("update an old version", configMaps+"/c", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, resourceVersion: "${create.rv}"}, data: {k: x}}`),
	put("update without a version", configMaps+"/c", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: x}}`),
	put("update another object's uid", configMaps+"/c", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, uid: other}}`),
	put("update under another name", configMaps+"/c", `{apiVersion: v1, kind: ConfigMap, metadata: {name: d}}`),
	put("update what is missing", configMaps+"/none", `{apiVersion: v1, kind: ConfigMap, metadata: {name: none}}`),
	patch("merge patch", configMaps+"/c", merge, `{data: {k: null, l: m}}`),
	patch("merge patch without effect", configMaps+"/c", merge, `{data: {l: m}}`),
	patch("merge patch of an old version", configMaps+"/c", merge, `{metadata: {resourceVersion: "${create.rv}"}, data: {l: "z"}}`),
	patch("JSON patch", configMaps+"/c", jsonPatch, `[{op: test, path: /data/l, value: m}, {op: add, path: /data/n, value: "o"}]`),
	patch("JSON patch whose test fails", configMaps+"/c", jsonPatch, `[{op: test, path: /data/l, value: other}]`),
	patch("JSON patch that is none", configMaps+"/c", jsonPatch, `{a: b}`),
	patch("strategic merge patch", configMaps+"/c", strategic, `{metadata: {finalizers: [example.com/one]}}`),
	patch("second strategic merge patch", configMaps+"/c", strategic, `{metadata: {finalizers: [example.com/two]}}`),
	patch("patch what is missing", configMaps+"/none", merge, `{data: {l: m}}`),
	patch("unknown patch type", configMaps+"/c", "application/x", `{data: {l: m}}`),
	patch("bad label", configMaps+"/c", merge, `{metadata: {labels: {"a b": c}}}`),
	get("list", configMaps),
	get("list by label", configMaps+"?labelSelector=app%3Done"),
	get("list by name", configMaps+"?fieldSelector=metadata.name%3Dc"),
	get("list by an unsupported field", configMaps+"?fieldSelector=data.l%3Dm"),
	get("list by a bad label selector", configMaps+"?labelSelector=a+b"),
	get("a missing ConfigMap", configMaps+"/none"),
	get("a kind that is not served", "/api/v1/namespaces/a/nothings"),
	get("a group that is not served", "/apis/none.example/v1/things"),
	post("a Secret with stringData", "/api/v1/namespaces/a/secrets", `{apiVersion: v1, kind: Secret, metadata: {name: s}, type: Opaque, stringData: {a: b}, data: {c: ZA==}}`),
}

var selectorRequests = []request{
	get("list Secrets by type", "/api/v1/secrets?fieldSelector=type%3DOpaque"),
	get("list Secrets by other types", "/api/v1/namespaces/a/secrets?fieldSelector=type%21%3DOpaque,type%21%3Dx"),
	get("list Secrets by an unsupported field", "/api/v1/secrets?fieldSelector=data%3Dx"),
	get("list Namespaces by phase", "/api/v1/namespaces?fieldSelector=status.phase%3DActive,metadata.name%3Da"),
	get("list Pods by node", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn"),
	post("an Event", "/api/v1/namespaces/a/events", `{apiVersion: v1, kind: Event, metadata: {name: e}, involvedObject: {kind: ConfigMap, name: c, namespace: a}, reason: R, type: Normal}`),
	get("list Events of an object", "/api/v1/namespaces/a/events?fieldSelector=involvedObject.name%3Dc,involvedObject.kind%3DConfigMap,reason%3DR,type%3DNormal"),
	get("list Events of another object", "/api/v1/namespaces/a/events?fieldSelector=involvedObject.name%3Dd"),
}

var widgetRequests = []request{
	post("create a Widget", widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 1, unknown: 1, parts: [{name: p}]}, status: {phase: Lost}}`),
	post("unknown field, strict, custom", widgets+"?fieldValidation=Strict", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x, nam: y}, spec: {size: 1, unknown: 1}}`),
	post("without a required field", widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {}}`),
	post("without a spec", widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}}`),
	post("with a value out of an enum", widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 1, color: green}}`),
	post("with a wrong type", widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: large}}`),
	post("with a value out of range", widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 0}}`),
	post("with an item twice", widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 1, tags: [a, a]}}`),
	post("with a null", widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: nulls}, spec: {size: 1, color: null, mode: null, free: {any: {thing: 1}}}}`),
	put("update a Widget", widgets+"/w", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, resourceVersion: "${create a Widget.rv}"}, spec: {size: 2}, status: {phase: Lost}}`),
	put("update a Widget without a version", widgets+"/w", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 3}}`),
	put("update an old Widget", widgets+"/w", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, resourceVersion: "${create a Widget.rv}"}, spec: {size: 3}}`),
	put("update an invalid Widget", widgets+"/w", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, resourceVersion: "${update a Widget.rv}"}, spec: {size: 0}}`),
	put("update only the metadata", widgets+"/w", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, resourceVersion: "${update a Widget.rv}", labels: {a: b}}, spec: {size: 2}}`),
	patch("merge patch of a Widget", widgets+"/w", merge, `{spec: {size: 4, port: 80}}`),
	patch("merge patch of a Widget's status by the main resource", widgets+"/w", merge, `{status: {phase: Lost}}`),
	patch("strategic merge patch of a Widget", widgets+"/w", strategic, `{spec: {size: 4}}`),
	get("list Widgets", widgets),
	get("list Widgets by a field", widgets+"?fieldSelector=spec.size%3D1"),
	get("list Widgets by two fields", widgets+"?fieldSelector=spec.size%21%3D7,spec.color%3Dred,metadata.namespace%3Da"),
	get("list Widgets by another field", widgets+"?fieldSelector=spec.mode%3D1"),
	get("a resource that is not served", "/apis/example.com/v1/namespaces/a/nothings"),
	{"PUT to Widgets", "PUT", widgets, jsonType, "{}"},
	patch("unknown field, strict patch", widgets+"/w?fieldValidation=Strict", merge, `{spec: {unknown: 4}}`),
	patch("unknown field, patch", widgets+"/w", merge, `{spec: {unknown: 4}}`),
	get("list all Widgets", "/apis/example.com/v1/widgets"),
}

// specOf is a Widget whose spec has more fields.
func specOf(name, fields string) string {
	return "{apiVersion: example.com/v1, kind: Widget, metadata: {name: " + name + "}, spec: {size: 1, " + fields + "}}"
}

var schemaRequests = []request{
	post("all kinds of fields", widgets, specOf("fields", `short: abc, few: [a, b], byName: {x: {}, z: {weight: 2}}, nullable: null, when: "2026-01-01T00:00:00Z", odd: "x y", one: {a: x}, atomic: [a, a], granular: {k: v}, template: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: v}}, free: {x: [1, {z: 2.5}], big: 9007199254740993}`)),
	post("too long", widgets, specOf("x", `short: abcd`)),
	post("not the pattern", widgets, specOf("x", `short: ABC`)),
	post("too many items", widgets, specOf("x", `few: [a, b, c]`)),
	post("too many properties", widgets, specOf("x", `byName: {a: {}, b: {}, c: {}}`)),
	post("a wrong format", widgets, specOf("x", `when: yesterday`)),
	post("both of oneOf", widgets, specOf("x", `one: {a: x, b: z}`)),
	post("an embedded resource without a kind", widgets, specOf("x", `template: {metadata: {name: c}}`)),
	post("an embedded resource with bad metadata", widgets, specOf("x", `template: {apiVersion: v1, kind: ConfigMap, metadata: {name: 1}}`)),
	post("bad metadata", widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x, labels: {a: 1}}, spec: {size: 1}}`),
	post("a key of a list map twice", widgets, specOf("x", `parts: [{name: p}, {name: p}]`)),
	patch("apply an atomic list", widgets+"/fields?fieldManager=one&force=true", apply, specOf("fields", `atomic: [b], granular: {l: m}, template: {apiVersion: v1, kind: ConfigMap, metadata: {labels: {a: b}}}`)),
	patch("apply another atomic list", widgets+"/fields?fieldManager=two", apply, specOf("fields", `atomic: [c]`)),
	patch("apply a key of a list map twice", widgets+"/fields?fieldManager=one", apply, specOf("fields", `parts: [{name: p}, {name: p}]`)),
	patch("apply null", widgets+"/fields?fieldManager=one&force=true", apply, specOf("fields", `mode: null, nullable: null`)),
	patch("apply a set", widgets+"/fields?fieldManager=one&force=true", apply, specOf("fields", `tags: [a, b]`)),
	patch("apply another item of the set", widgets+"/fields?fieldManager=two", apply, specOf("fields", `tags: [c]`)),
	patch("apply none of the set", widgets+"/fields?fieldManager=one&force=true", apply, specOf("fields", `tags: []`)),
	patch("JSON patch of a status", widgets+"/fields/status", jsonPatch, `[{op: add, path: /status, value: {phase: Ready}}]`),
	patch("merge patch to null", widgets+"/fields", merge, `{spec: {defaulted: null, byName: {x: null}}}`),
	patch("merge patch that removes what is required", widgets+"/fields", merge, `{spec: {size: null}}`),
	patch("merge patch of the kind", widgets+"/fields", merge, `{kind: Other}`),
	patch("merge patch of the version", widgets+"/fields", merge, `{apiVersion: example.com/v2}`),
	patch("merge patch of another group", widgets+"/fields", merge, `{apiVersion: v1}`),
	patch("merge patch of a built-in kind", configMaps+"/c", merge, `{kind: Secret}`),
	patch("merge patch of a built-in version", configMaps+"/c", merge, `{apiVersion: v2}`),
	patch("merge patch of a built-in uid", configMaps+"/c", merge, `{metadata: {uid: other}}`),
	put("update with a deletionTimestamp", configMaps+"/c", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, deletionTimestamp: "2001-01-01T00:00:00Z"}}`),
	patch("merge patch of the namespace", widgets+"/fields", merge, `{metadata: {namespace: other}}`),
	patch("merge patch of the generation", widgets+"/fields", merge, `{metadata: {creationTimestamp: "2001-01-01T00:00:00Z", generation: 99, deletionGracePeriodSeconds: 5}}`),
	patch("merge patch of the selfLink", widgets+"/fields", merge, `{metadata: {selfLink: x}}`),
	patch("merge patch of a built-in selfLink", configMaps+"/c", merge, `{metadata: {selfLink: x}}`),
	patch("apply a uid", widgets+"/fields?fieldManager=one", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: fields, uid: other}}`),
	patch("merge patch of a status with metadata", widgets+"/fields/status", merge, `{metadata: {uid: other, labels: {q: r}}}`),
	patch("merge patch of a built-in status with metadata", "/api/v1/namespaces/a/status", merge, `{metadata: {labels: {q: r}}, spec: {finalizers: [a/b]}, status: {phase: Terminating}}`),
	patch("merge patch of a built-in spec", "/api/v1/namespaces/a", merge, `{spec: {finalizers: [a/b]}, status: {phase: Terminating}}`),
	patch("merge patch of a built-in status back", "/api/v1/namespaces/a/status", merge, `{status: {phase: Active}}`),
	patch("merge patch of the name", widgets+"/fields", merge, `{metadata: {name: other}}`),
	patch("merge patch of the uid", widgets+"/fields", merge, `{metadata: {uid: other}}`),
	patch("merge patch of the creationTimestamp", widgets+"/fields", merge, `{metadata: {creationTimestamp: "2001-01-01T00:00:00Z", generation: 99, selfLink: x, deletionTimestamp: "2001-01-01T00:00:00Z"}}`),
	patch("merge patch that removes managedFields", widgets+"/fields", merge, `{metadata: {managedFields: [{}]}}`),
	patch("apply after managedFields were removed", widgets+"/fields?fieldManager=three", apply, specOf("fields", `mode: slow`)),
	get("all kinds of fields, after all", widgets+"/fields"),
}

const widgetOf = `{apiVersion: example.com/v1, kind: Widget, metadata: {name: sa}, spec: `

var applyRequests = []request{
	patch("apply creates", widgets+"/sa?fieldManager=one", apply, widgetOf+`{size: 1, color: blue, parts: [{name: p, count: 2}]}}`),
	patch("apply again", widgets+"/sa?fieldManager=one", apply, widgetOf+`{size: 1, color: blue, parts: [{name: p, count: 2}]}}`),
	patch("apply as another manager", widgets+"/sa?fieldManager=two", apply, widgetOf+`{mode: fast, parts: [{name: q}]}}`),
	patch("apply with a conflict", widgets+"/sa?fieldManager=two", apply, widgetOf+`{size: 2, parts: [{name: p, count: 3}]}}`),
	patch("apply with force", widgets+"/sa?fieldManager=two&force=true", apply, widgetOf+`{size: 2, parts: [{name: p, count: 3}]}}`),
	patch("apply less", widgets+"/sa?fieldManager=one", apply, widgetOf+`{color: blue}}`),
	patch("apply without a field manager", widgets+"/sa", apply, widgetOf+`{size: 2}}`),
	patch("apply an unknown field", widgets+"/sa?fieldManager=one", apply, widgetOf+`{color: blue, unknown: 1}}`),
	patch("apply an invalid value", widgets+"/sa?fieldManager=one", apply, widgetOf+`{color: green}}`),
	patch("apply another version", widgets+"/sa?fieldManager=one", apply, `{apiVersion: example.com/v2, kind: Widget, metadata: {name: sa}}`),
	patch("apply another name", widgets+"/sa?fieldManager=one", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: other}}`),
	patch("apply managedFields", widgets+"/sa?fieldManager=one", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: sa, managedFields: [{manager: x}]}}`),
	patch("apply an old version", widgets+"/sa?fieldManager=one&force=true", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: sa, resourceVersion: "${apply creates.rv}"}, spec: {size: 9}}`),
	patch("apply as a dry run", widgets+"/sa?fieldManager=one&dryRun=All&force=true", apply, widgetOf+`{size: 8}}`),
	patch("apply a missing object's uid", widgets+"/none?fieldManager=one", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: none, uid: u}, spec: {size: 1}}`),
	patch("update what was applied", widgets+"/sa?fieldManager=three", merge, `{spec: {color: red}}`),
	patch("apply over an update", widgets+"/sa?fieldManager=one", apply, widgetOf+`{color: blue}}`),
	get("the applied Widget", widgets+"/sa"),
	patch("apply a ConfigMap over an update", configMaps+"/c?fieldManager=one", apply, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {n: p}}`),
	patch("apply a ConfigMap over an update with force", configMaps+"/c?fieldManager=one&force=true", apply, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {n: p}}`),
}

const statusOf = `{apiVersion: example.com/v1, kind: Widget, metadata: {name: sa}, status: `

var statusRequests = []request{
	patch("apply a status", widgets+"/sa/status?fieldManager=s", apply, statusOf+`{phase: Ready, conditions: [{type: A, status: "True"}]}}`),
	patch("apply the status again", widgets+"/sa/status?fieldManager=s", apply, statusOf+`{phase: Ready, conditions: [{type: A, status: "True"}]}}`),
	patch("apply another condition", widgets+"/sa/status?fieldManager=t", apply, statusOf+`{conditions: [{type: B, status: "False"}]}}`),
	patch("conflict in a status", widgets+"/sa/status?fieldManager=t", apply, statusOf+`{conditions: [{type: A, status: "False"}]}}`),
	patch("apply fewer conditions", widgets+"/sa/status?fieldManager=s", apply, statusOf+`{phase: Ready}}`),
	patch("apply a spec to the status", widgets+"/sa/status?fieldManager=s", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: sa, labels: {l: m}}, spec: {size: 77}, status: {phase: Ready}}`),
	patch("apply a missing object's status", widgets+"/none/status?fieldManager=s", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: none}, status: {phase: Ready}}`),
	patch("merge patch of a status", widgets+"/sa/status", merge, `{status: {phase: Waiting}, spec: {size: 99}, metadata: {labels: {a: b}}}`),
	patch("an invalid status", widgets+"/sa/status", merge, `{status: {conditions: [{type: C}]}}`),
	put("update a status", widgets+"/sa/status", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: sa, resourceVersion: "${merge patch of a status.rv}"}, spec: {size: 1}, status: {phase: Done}}`),
	put("update an old status", widgets+"/sa/status", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: sa, resourceVersion: "${merge patch of a status.rv}"}, spec: {size: 1}, status: {phase: Done}}`),
	get("get a status", widgets+"/sa/status"),
	get("a subresource that is not served", configMaps+"/c/status"),
}

var versionRequests = []request{
	get("another version", "/apis/example.com/v2/namespaces/a/widgets/sa"),
	patch("apply in another version", "/apis/example.com/v2/namespaces/a/widgets/sa?fieldManager=v2", apply, `{apiVersion: example.com/v2, kind: Widget, metadata: {name: sa, labels: {v2: "true"}}}`),
	get("a version that is not served", "/apis/example.com/v3/namespaces/a/widgets/sa"),
}

var deletionRequests = []request{
	remove("delete with finalizers", configMaps+"/c", ""),
	remove("delete with finalizers again", configMaps+"/c", ""),
	patch("add a finalizer during deletion", configMaps+"/c", merge, `{metadata: {finalizers: [example.com/one, example.com/two, example.com/three]}}`),
	patch("remove a finalizer", configMaps+"/c", merge, `{metadata: {finalizers: [example.com/one]}}`),
	patch("remove the last finalizer", configMaps+"/c", merge, `{metadata: {finalizers: null}}`),
	get("the deleted ConfigMap", configMaps+"/c"),
	remove("delete what is missing", configMaps+"/c", ""),
	post("create what was deleted", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`),
	remove("delete another uid", configMaps+"/c", `{apiVersion: v1, kind: DeleteOptions, preconditions: {uid: other}}`),
	remove("delete another version", configMaps+"/c", `{apiVersion: v1, kind: DeleteOptions, preconditions: {resourceVersion: "1"}}`),
	remove("delete as a dry run", configMaps+"/c", `{apiVersion: v1, kind: DeleteOptions, dryRun: [All]}`),
	remove("delete in the foreground", configMaps+"/c", `{apiVersion: v1, kind: DeleteOptions, propagationPolicy: Foreground}`),
	remove("orphan instead", configMaps+"/c", `{apiVersion: v1, kind: DeleteOptions, propagationPolicy: Orphan}`),
	patch("remove the garbage collector's finalizer", configMaps+"/c", jsonPatch, `[{op: remove, path: /metadata/finalizers}]`),
	remove("delete with a wrong policy", configMaps+"/u", `{apiVersion: v1, kind: DeleteOptions, propagationPolicy: Sometimes}`),
	remove("delete", configMaps+"/u", `{apiVersion: v1, kind: DeleteOptions, preconditions: {uid: "${unknown field.uid}"}}`),
	remove("delete a Widget", widgets+"/w", ""),
	patch("add finalizers to a Widget", widgets+"/sa", merge, `{metadata: {finalizers: [example.com/one]}}`),
	remove("delete a Widget with finalizers", widgets+"/sa", `{kind: DeleteOptions, apiVersion: v1, propagationPolicy: Background}`),
	patch("change a Widget during deletion", widgets+"/sa", merge, `{spec: {size: 5}}`),
	patch("remove a Widget's finalizer", widgets+"/sa", merge, `{metadata: {finalizers: []}}`),
	post("a ServiceAccount", "/api/v1/namespaces/a/serviceaccounts", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: s}}`),
	remove("delete a ServiceAccount", "/api/v1/namespaces/a/serviceaccounts/s", ""),
	post("first of a collection", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: one, labels: {c: d}}}`),
	post("second of a collection", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: two, labels: {c: d}}}`),
	remove("delete a collection", configMaps+"?labelSelector=c%3Dd", ""),
	get("the rest of a collection", configMaps),
}

const gadgets = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gadgets.example.com},
  spec: {group: example.com, scope: Cluster, names: {plural: gadgets, kind: Gadget}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}}]}}`

const deployments = "/apis/apps/v1/namespaces/a/deployments"

const deploymentOf = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: `

var workloadRequests = []request{
	post("a cluster-scoped object with a namespace", "/apis/rbac.authorization.k8s.io/v1/clusterroles", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: n, namespace: a}}`),
	post("a bad RBAC name", "/apis/rbac.authorization.k8s.io/v1/clusterroles", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a/b}}`),
	patch("apply a CustomResourceDefinition", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.example.com?fieldManager=one", apply, gadgets),
	post("create a CustomResourceDefinition", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gizmos.example.com},
  spec: {group: example.com, scope: Cluster, names: {plural: gizmos, kind: Gizmo}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`),
	post("a NetworkPolicy", "/apis/networking.k8s.io/v1/namespaces/a/networkpolicies", `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: n}, spec: {podSelector: {}, ingress: [{ports: [{port: 80}]}]}}`),
	patch("apply a NetworkPolicy", "/apis/networking.k8s.io/v1/namespaces/a/networkpolicies/n?fieldManager=one&force=true", apply, `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: n}, spec: {podSelector: {matchLabels: {a: b}}}}`),
	patch("apply a Deployment", deployments+"/d?fieldManager=one", apply, deploymentOf+`[{name: one, image: i, env: [{name: A, value: b}]}]}}}}`),
	patch("apply a Deployment again", deployments+"/d?fieldManager=one", apply, deploymentOf+`[{name: one, image: i, env: [{name: A, value: b}]}]}}}}`),
	patch("apply a Deployment with a conflict", deployments+"/d?fieldManager=two", apply, deploymentOf+`[{name: one, image: other}]}}}}`),
	patch("patch a container", deployments+"/d", strategic, `{spec: {template: {spec: {containers: [{name: one, image: j}, {name: two, image: k}]}}}}`),
	patch("annotate a Deployment", deployments+"/d", merge, `{metadata: {annotations: {a: b}}}`),
	patch("label a Deployment", deployments+"/d", merge, `{metadata: {labels: {a: b}}}`),
	patch("a Deployment's status", deployments+"/d/status", merge, `{status: {replicas: 1, observedGeneration: 1}, spec: {replicas: 5}}`),
	patch("a Deployment's status by the main resource", deployments+"/d", merge, `{status: {replicas: 2}}`),
	patch("a wrong type", deployments+"/d", merge, `{spec: {replicas: many}}`),
	get("the Deployment", deployments+"/d"),
	put("create a ClusterRole by an update", "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:x", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "system:x"}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`),
	post("a Service", "/api/v1/namespaces/a/services", `{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {clusterIP: None, ports: [{port: 80, name: http}], selector: {a: b}}}`),
	patch("apply a ServiceAccount", "/api/v1/namespaces/a/serviceaccounts/s?fieldManager=one&force=true", apply, `{apiVersion: v1, kind: ServiceAccount, metadata: {name: s, labels: {a: b}}}`),
}

var refusedRequests = []request{
	{"PUT to a collection", "PUT", configMaps, jsonType, "{}"},
	{"POST to an object", "POST", configMaps + "/c", jsonType, "{}"},
	{"DELETE of a status", "DELETE", widgets + "/w/status", jsonType, ""},
	{"POST to all namespaces", "POST", "/api/v1/configmaps", jsonType, "{}"},
	{"DELETE in all namespaces", "DELETE", "/api/v1/configmaps", jsonType, ""},
	{"POST of Widgets to all namespaces", "POST", "/apis/example.com/v1/widgets", jsonType, "{}"},
	{"an unknown method", "OPTIONS", configMaps + "/c", jsonType, ""},
	{"DELETE of all Namespaces", "DELETE", "/api/v1/namespaces", jsonType, ""},
	{"a body that is no JSON", "POST", configMaps, jsonType, "{"},
	{"a body of an unknown type", "POST", configMaps, "text/plain", "x"},
	post("an access review", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", `{apiVersion: authorization.k8s.io/v1, kind: SelfSubjectAccessReview, spec: {resourceAttributes: {verb: get, resource: pods}}}`),
	remove("delete namespace default", "/api/v1/namespaces/default", ""),
}

var discoveryRequests = []request{
	get("a group", "/apis/example.com"),
	get("a version", "/apis/example.com/v1"),
	get("another version of a group", "/apis/example.com/v2"),
	get("a built-in version", "/apis/coordination.k8s.io/v1"),
	get("a group that is not there", "/apis/none.example"),
	get("a version that is not there", "/apis/example.com/v9"),
}

var terminationRequests = []request{
	remove("delete a Namespace", "/api/v1/namespaces/a", ""),
	remove("delete a Namespace again", "/api/v1/namespaces/a", ""),
	post("create in a terminating Namespace", configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: late}}`),
	patch("apply in a terminating Namespace", widgets+"/late?fieldManager=one", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: late}, spec: {size: 1}}`),
	patch("update in a terminating Namespace", deployments+"/d", merge, `{metadata: {labels: {late: "true"}}}`),
}
