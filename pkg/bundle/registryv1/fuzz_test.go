package registryv1_test

import (
	"io"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

func seeds(f *testing.F) {
	f.Add(annotationsYAML, "", csvYAML, crdYAML)
	f.Add(annotationsYAML, "properties:\n- {type: olm.maxOpenShiftVersion, value: 4.10}\n", csv("strategy: deployment", "strategy: helm"), "")
	f.Add("annotations: &a\n  operators.operatorframework.io.bundle.package.v1: *a\n", "properties: [*x]", csvYAML, "{")
	f.Add(annotationsYAML, "properties: {<<: {a: b}}", csv("containers:", "initContainers:"), bomb())
	f.Add(annotationsYAML, "", csv("app: sample}}", "app: 1}}"), strings.Repeat("[", 2000))
	f.Add(annotationsYAML, "", withWebhooks(conversion), crdYAML)
	f.Add(annotationsYAML, "", withWebhooks(conversion), "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: samples.example.com}}")
	f.Add(annotationsYAML, "", csv(csvAPIVersion, "apiVersion: operators.coreos.com/v1"), ownKind("Role", "Cluster")+"---\n{apiVersion: example.com/v1, kind: Role, metadata: {name: a}}\n")
	f.Add(annotationsYAML, "", csvYAML, ownKind("Secret", "")+"---\n{apiVersion: example.com/v1alpha1, kind: Secret, metadata: {name: a}}\n")
	f.Add(annotationsYAML, "", otherCase.Replace(withWebhooks(validating)), crdYAML+"---\n"+serviceYAML)
	f.Add(annotationsYAML, "", csv("spec:\n  version", "Spec: {minkubeversion: 1, MinKubeVersion: {}}\nSPEC:\n  version"), crdYAML)
	f.Add(annotationsYAML, "", withWebhooks(strings.ReplaceAll(validating, "deploymentName: sample", "deploymentName: ''")), crdYAML)
}

// bomb returns a small document that aliases expand to billions of values.
func bomb() string {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		ref := "*a" + string(rune('0'+i)) + ", "
		text += "a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [" + strings.Repeat(ref, 10) + "]\n"
	}
	return text
}

// FuzzENG_F11_Load checks that loading any files ends, and that a loaded bundle renders to the same objects twice.
func FuzzENG_F11_Load(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, annotations, properties, csv, manifest string) {
		fsys := sample(map[string]string{
			"metadata/annotations.yaml": annotations,
			"metadata/properties.yaml":  properties,
			"manifests/csv.yaml":        csv,
			"manifests/crd.yaml":        manifest,
		})
		b, err := registryv1.Load(fsys)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n") && !strings.Contains(err.Error(), "yaml: ") {
				t.Errorf("the error has several lines: %q", err)
			}
			return
		}
		first, err := b.Render(bundle.Options{InstallNamespace: "ns", Certificates: bundle.CertManager})
		if err != nil {
			return
		}
		second, err := b.Render(bundle.Options{InstallNamespace: "ns", Certificates: bundle.CertManager})
		if err != nil {
			t.Fatal(err)
		}
		if string(renderedJSON(first)) != string(renderedJSON(second)) {
			t.Error("renders differently the second time")
		}
	})
}

// FuzzENG_F11_ParseConfig checks that any user input is either refused or can be applied to a Deployment.
func FuzzENG_F11_ParseConfig(f *testing.F) {
	f.Add(``)
	f.Add(`{"watchNamespace": "a,b", "deploymentConfig": {}}`)
	f.Add(`{"deploymentConfig": {"resources": {"limits": {"cpu": "1e9"}}, "affinity": {"podAffinity": {}}, "nodeSelector": {}}}`)
	f.Add(`{"deploymentConfig": {"volumes": [{"name": "a"}], "volumeMounts": [{"name": "a", "mountPath": "/tmp/k8s-webhook-server/serving-certs"}]}}`)
	f.Add(`{"deploymentConfig": {"env": [{"name": "A", "valueFrom": {"fieldRef": null}}], "tolerations": [{}, {}]}}`)
	f.Add(strings.Repeat(`{"a":`, 20000))
	b, err := registryv1.Load(sample(map[string]string{"manifests/csv.yaml": withWebhooks(validating)}))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if err := b.CheckConfig([]byte(raw)); err != nil {
			if !strings.HasPrefix(err.Error(), "spec.config") || len(err.Error()) > 4000 {
				t.Errorf("the error has no path or is too long: %q", err)
			}
			return
		}
		opts := bundle.Options{InstallNamespace: "ns", Config: []byte(raw), Certificates: bundle.ServiceCA}
		first, err := b.Render(opts)
		if err != nil {
			return
		}
		second, err := b.Render(opts)
		if err != nil || string(renderedJSON(first)) != string(renderedJSON(second)) {
			t.Errorf("renders differently the second time: %v", err)
		}
	})
}

// endless is a bundle in which one file is very long; Stat returns another size than Read delivers.
type endless struct {
	fs.FS
	name string
	size int64
	read int64
}

func (e endless) Open(name string) (fs.File, error) {
	f, err := e.FS.Open(name)
	if err != nil || name != e.name {
		return f, err
	}
	return &endlessFile{File: f, size: e.size, left: e.read}, nil
}

type endlessFile struct {
	fs.File
	size, left int64
}

func (f *endlessFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return endlessInfo{info, f.size}, err
}

func (f *endlessFile) Read(p []byte) (int, error) {
	n := int(min(int64(len(p)), f.left))
	if n == 0 {
		return 0, io.EOF
	}
	f.left -= int64(n)
	for i := range p[:n] {
		p[i] = 'x'
	}
	return n, nil
}

type endlessInfo struct {
	fs.FileInfo
	size int64
}

func (i endlessInfo) Size() int64 { return i.size }

// Promise ENG-F11: Alias bombs, endless nesting and documents of 100 MB in bundle files are refused with the file named and bounded
// allocations. Fuzzed bundles, configuration and image layers neither crash the manager nor write outside the root.
func TestENG_F11_HostileInputIsRefusedWithinBounds(t *testing.T) {
	const mib = 1 << 20
	bombed := func(file, text string) fs.FS { return sample(map[string]string{file: text}) }
	aliases := strings.Replace(bomb(), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "", 1)
	cases := map[string]struct {
		fsys fs.FS
		want string // of the beginning of the error
		most uint64 // bytes that are allocated in all, freed ones included
	}{
		"aliases in a manifest":        {bombed("manifests/a.yaml", bomb()), `reading "manifests/a.yaml": document at line 1: line `, 64 * mib},
		"aliases in the CSV":           {bombed("manifests/csv.yaml", csvYAML+aliases), `reading "manifests/csv.yaml": document at line 1: line `, 64 * mib},
		"aliases in the properties":    {bombed("metadata/properties.yaml", "properties:\n- type: a\n  value: *a9\n"), `loading bundle "sample.v1.2.3": reading "metadata/properties.yaml": document at line 1: `, 64 * mib},
		"aliases under a property":     {bombed("metadata/properties.yaml", aliases+"properties:\n- type: a\n  value: *a9\n"), `loading bundle "sample.v1.2.3": reading "metadata/properties.yaml": document at line 1: property "a": line `, 64 * mib},
		"an alias as an annotation":    {bombed("metadata/annotations.yaml", aliases+"annotations: {a: *a9}\n"), `reading "metadata/annotations.yaml": document at line `, 64 * mib},
		"100 MB in one document":       {endless{sample(nil), "manifests/crd.yaml", 100 * mib, 100 * mib}, `reading "manifests/crd.yaml": it has 104857600 bytes, but at most 33554432 are allowed`, 8 * mib},
		"100 MB with a size of 0":      {endless{sample(nil), "manifests/crd.yaml", 0, 100 * mib}, `reading "manifests/crd.yaml": it has more than 33554432 bytes, the maximum that is allowed`, 256 * mib},
		"100 MB of annotations":        {endless{sample(nil), "metadata/annotations.yaml", 100 * mib, 100 * mib}, `reading "metadata/annotations.yaml": it has 104857600 bytes, but at most 33554432 are allowed`, 8 * mib},
		"20 MB in one document":        {endless{sample(nil), "manifests/csv.yaml", 20 * mib, 20 * mib}, `reading "manifests/csv.yaml": document at line 1: it has 20971520 bytes, but at most 4194304 are allowed`, 64 * mib},
		"brackets without end":         {bombed("manifests/a.yaml", strings.Repeat("[", 3*mib)), `reading "manifests/a.yaml": document at line 1: it may have 3145728 YAML values, but at most 300000 are allowed; split it into several documents`, 64 * mib},
		"as many brackets as are read": {bombed("manifests/a.yaml", strings.Repeat("[", 300_000)), `reading "manifests/a.yaml": document at line 1: yaml: `, 64 * mib},
		"keys without end":             {bombed("manifests/a.yaml", "{"+strings.Repeat("a,", 2*mib-2)+"}"), `reading "manifests/a.yaml": document at line 1: it may have 2097151 YAML values, but at most 300000 are allowed; split it into several documents`, 64 * mib},
		"as many keys as are read":     {bombed("manifests/a.yaml", "{"+strings.Repeat("a,", 299_999)+"}"), `reading "manifests/a.yaml": document at line 1: `, 256 * mib},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := registryv1.Load(c.fsys)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || len(err.Error()) > 1000 {
				t.Errorf("got %v, want %s…", err, c.want)
			}
			if spent := after.TotalAlloc - before.TotalAlloc; spent > c.most {
				t.Errorf("%d MiB were allocated, more than %d", spent/mib, c.most/mib)
			}
		})
	}
}
