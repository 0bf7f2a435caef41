package image

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func TestCredentialsAreThoseOfTheLongestPathAsTheKubeletHasIt(t *testing.T) {
	cases := map[string]struct {
		keys       []string
		repository string
		want       string // the key whose credentials are used; empty for none
	}{
		"a registry":                                          {[]string{"quay.io"}, "quay.io/team/memo", "quay.io"},
		"another registry":                                    {[]string{"quay.io"}, "registry.example/team/memo", ""},
		"a path wins over its registry":                       {[]string{"quay.io", "quay.io/team"}, "quay.io/team/memo", "quay.io/team"},
		"the longer path wins":                                {[]string{"quay.io/team/memo", "quay.io/team"}, "quay.io/team/memo", "quay.io/team/memo"},
		"another path does not count":                         {[]string{"quay.io", "quay.io/other"}, "quay.io/team/memo", "quay.io"},
		"only another path":                                   {[]string{"quay.io/other"}, "quay.io/team/memo", ""},
		"a wildcard for a label":                              {[]string{"*.example.com"}, "registry.example.com/memo", "*.example.com"},
		"a wildcard is one label and not two":                 {[]string{"*.example.com"}, "a.b.example.com/memo", ""},
		"a name wins over a wildcard":                         {[]string{"*.example.com", "registry.example.com"}, "registry.example.com/memo", "registry.example.com"},
		"a port must be the same":                             {[]string{"registry.example:5000"}, "registry.example/memo", ""},
		"a registry with its port":                            {[]string{"registry.example:5000"}, "registry.example:5000/memo", "registry.example:5000"},
		"a key that is an address":                            {[]string{"https://registry.example"}, "registry.example/memo", "https://registry.example"},
		"a key that is the address of an API":                 {[]string{"https://registry.example/v2/"}, "registry.example/memo", "https://registry.example/v2/"},
		"Docker Hub by the address that docker has":           {[]string{"https://index.docker.io/v1/"}, "library/memo", "https://index.docker.io/v1/"},
		"a key that is the address of an API without a slash": {[]string{"https://registry.example/v2"}, "registry.example/memo", "https://registry.example/v2"},
		"the longest path wins over a name without wildcards": {[]string{"*.example.com/team", "registry.example.com"}, "registry.example.com/team/memo", "*.example.com/team"},
		"Docker Hub by its name and API":                      {[]string{"https://docker.io/v1/"}, "library/memo", "https://docker.io/v1/"},
		"a path that ends with a slash":                       {[]string{"docker.io/team/"}, "teamster/memo", ""},
		"Docker Hub by its name":                              {[]string{"docker.io"}, "library/memo", "docker.io"},
		"a key that is none does not hinder the rest":         {[]string{"http://%zz", "quay.io"}, "quay.io/memo", "quay.io"},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			auths := map[string]authn.AuthConfig{}
			for _, key := range c.keys {
				auths[key] = authn.AuthConfig{Username: "robot", Password: key}
			}
			repository, err := name.NewRepository(c.repository)
			if err != nil {
				t.Fatal(err)
			}
			keychain, err := newKeychain(t.Context(), auths)
			if err != nil {
				t.Fatal(err)
			}
			found, err := keychain.Resolve(repository)
			if err != nil {
				t.Fatal(err)
			}
			got, err := found.Authorization()
			if err != nil || got.Password != c.want {
				t.Errorf("credentials are those of %q, %v; want %q", got.Username, err, c.want)
			}
		})
	}
}

func secret(namespace, name string, kind corev1.SecretType, key, content string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Type: kind,
		Data: map[string][]byte{key: []byte(content)},
	}
}

func TestPullSecretsAreReadWhateverTheirForm(t *testing.T) {
	login := base64.StdEncoding.EncodeToString([]byte("robot:s3cret"))
	modern := func(namespace, name, content string) *corev1.Secret {
		return secret(namespace, name, corev1.SecretTypeDockerConfigJson, corev1.DockerConfigJsonKey, content)
	}
	cases := map[string]struct {
		named string
		// namespace is that of the source.
		namespace string
		secrets   []runtime.Object
		broken    bool
		user      string
		fault     string
	}{
		"dockerconfigjson":                {named: "mine", secrets: []runtime.Object{modern("system", "mine", `{"auths":{"quay.io":{"auth":"`+login+`"}}}`)}, user: "robot"},
		"dockerconfigjson with a user":    {named: "mine", secrets: []runtime.Object{modern("system", "mine", `{"auths":{"quay.io":{"username":"robot","password":"s3cret"}}}`)}, user: "robot"},
		"dockercfg":                       {named: "mine", secrets: []runtime.Object{secret("system", "mine", corev1.SecretTypeDockercfg, corev1.DockerConfigKey, `{"quay.io":{"auth":"`+login+`"}}`)}, user: "robot"},
		"the global one where none named": {secrets: []runtime.Object{modern("config", "global", `{"auths":{"quay.io":{"auth":"`+login+`"}}}`)}, user: "robot"},
		"the global one is missing":       {},
		"the global one is not used beside a named one": {named: "mine", secrets: []runtime.Object{
			modern("config", "global", `{"auths":{"quay.io":{"auth":"`+login+`"}}}`), modern("system", "mine", `{"auths":{}}`)}},
		"a named one of another namespace": {named: "mine", secrets: []runtime.Object{modern("elsewhere", "mine", `{}`)}, fault: `"system/mine" does not exist`},
		"a named one of the source's namespace": {named: "mine", namespace: "memo", secrets: []runtime.Object{
			modern("memo", "mine", `{"auths":{"quay.io":{"auth":"`+login+`"}}}`), modern("system", "mine", `{"auths":{}}`)}, user: "robot"},
		"a named one that only the manager's namespace has": {named: "mine", namespace: "memo", secrets: []runtime.Object{modern("system", "mine", `{}`)}, fault: `"memo/mine" does not exist`},
		"another type":                     {named: "mine", secrets: []runtime.Object{secret("system", "mine", corev1.SecretTypeOpaque, "x", "y")}, fault: `"system/mine" is of type "Opaque"`},
		"no JSON":                          {named: "mine", secrets: []runtime.Object{modern("system", "mine", `s3cret`)}, fault: `"system/mine": its .dockerconfigjson is not of the form`},
		"a password that is a number":      {named: "mine", secrets: []runtime.Object{modern("system", "mine", `{"auths":{"quay.io":{"password":31337}}}`)}, fault: "is not of the form"},
		"dockercfg that is no JSON":        {named: "mine", secrets: []runtime.Object{secret("system", "mine", corev1.SecretTypeDockercfg, corev1.DockerConfigKey, `[31337]`)}, fault: `its .dockercfg is not of the form`},
		"an API server that is in trouble": {named: "mine", broken: true, fault: `reading pull secret "system/mine"`},
		"a login that is not base64":       {named: "mine", secrets: []runtime.Object{modern("system", "mine", `{"auths":{"quay.io":{"auth":"s3cret!"}}}`)}, fault: "with base64 of user:password as auth"},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			client := fake.NewClientset(c.secrets...)
			if c.broken {
				client.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("etcd is down") })
			}
			from := &PullSecrets{Client: client.CoreV1(), Namespace: "system", Global: types.NamespacedName{Namespace: "config", Name: "global"}}
			found, err := from.keychain(t.Context(), Source{PullSecret: c.named, SecretNamespace: c.namespace})
			if c.fault != "" {
				want := Credentials
				if c.broken {
					want = SecretUnread
				}
				if err == nil || classOf(err) != want || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("got %v, want a fault of class %s that says %s", err, want, c.fault)
				}
				if err != nil && (strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "31337")) {
					t.Errorf("the error tells what is in the Secret: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			repository, _ := name.NewRepository("quay.io/memo")
			login, err := found.Resolve(repository)
			if err != nil {
				t.Fatal(err)
			}
			got, err := login.Authorization()
			if err != nil || got.Username != c.user {
				t.Errorf("the user is %q, %v; want %q", got.Username, err, c.user)
			}
		})
	}
}

func TestPullSecretWithoutAnybodyToReadItIsAFault(t *testing.T) {
	if _, err := (*PullSecrets)(nil).keychain(t.Context(), Source{PullSecret: "mine"}); err == nil || classOf(err) != Credentials {
		t.Errorf("got %v; fetching anonymously instead would only say 401", err)
	}
}

func FuzzPullSecret(f *testing.F) {
	f.Add([]byte(`{"auths":{"quay.io/team":{"auth":"cm9ib3Q6eA=="}}}`), true)
	f.Add([]byte(`{"https://index.docker.io/v1/":{"username":"a","password":"b"}}`), false)
	f.Add([]byte(`{"auths":{"[::1":{"auth":"!"},"*.[":{}}}`), true)
	repository, err := name.NewRepository("quay.io/team/memo")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte, modern bool) {
		kind, key := corev1.SecretTypeDockercfg, corev1.DockerConfigKey
		if modern {
			kind, key = corev1.SecretTypeDockerConfigJson, corev1.DockerConfigJsonKey
		}
		auths, err := authsOf(secret("system", "mine", kind, key, string(content)))
		if err != nil {
			return
		}
		keychain, err := newKeychain(t.Context(), auths)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := keychain.Resolve(repository); err != nil {
			t.Fatal(err)
		}
	})
}
