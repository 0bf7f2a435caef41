package catalogs

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
)

func TestHRD_S6_AnEmptyListOfNamespacesTrustsNone(t *testing.T) {
	for name, test := range map[string]struct {
		manager *operatorv1alpha1.PlatformOperatorManager
		want    []string
	}{
		"no PlatformOperatorManager": {nil, []string{"openshift-marketplace"}},
		"no list":                    {trusting(nil), []string{"openshift-marketplace"}},
		"an empty list":              {trusting([]string{}), nil},
		"two namespaces":             {trusting([]string{"a", "b"}), []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			managers := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
			if test.manager != nil {
				if err := managers.Add(test.manager); err != nil {
					t.Fatal(err)
				}
			}
			c := &controller{managers: operatorlisters.NewPlatformOperatorManagerLister(managers)}
			if got, err := c.trustedNamespaces(); err != nil || !slices.Equal(got, test.want) {
				t.Errorf("trusts %q (error %v), want %q", got, err, test.want)
			}
		})
	}
}

func trusting(namespaces []string) *operatorv1alpha1.PlatformOperatorManager {
	return &operatorv1alpha1.PlatformOperatorManager{
		ObjectMeta: metav1.ObjectMeta{Name: operatorv1alpha1.PlatformOperatorManagerName},
		Spec:       operatorv1alpha1.PlatformOperatorManagerSpec{CatalogNamespaces: namespaces},
	}
}
