package scenarios

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/samples"
)

// delayNamespaces delays the manager's creation of namespaces by 20 seconds, in which a tenant can create them first. The caller removes
// the returned injection.
func (s *Story) delayNamespaces() *scenario.Injection {
	return s.Inject(scenario.Fault{
		Match: func(r scenario.Request) bool {
			return r.User == managerUser && r.Verb == "create" && r.Resource.Resource == "namespaces"
		},
		Times: scenario.Always, Effect: scenario.Delay(20 * time.Second),
	})
}

// A tenant creates the install namespace after the manager's check, and before the manager creates it.
func TestHRD_S1_ATenantWhoCreatesTheInstallNamespaceFirstGetsNoOperator(t *testing.T) {
	t.Parallel()
	Run(t, []samples.Operator{{Package: "memo", Version: "1.0.0"}}, func(s *Story) {
		slow := s.delayNamespaces()
		s.must(s.Create(s.Context(), "memo", ""))
		time.Sleep(10 * time.Second)
		if len(slow.Applied()) == 0 {
			t.Fatal("the manager has not begun to create the namespace")
		}
		tenant, err := kubernetes.NewForConfig(s.StepClientConfig(scenario.AdminUser))
		s.must(err)
		project := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "memo", Annotations: map[string]string{"openshift.io/requester": "alice"}}}
		_, err = tenant.CoreV1().Namespaces().Create(s.Context(), project, metav1.CreateOptions{})
		s.must(err)
		slow.Remove()
		time.Sleep(time.Hour)
		accounts, err := tenant.CoreV1().ServiceAccounts("memo").List(s.Context(), metav1.ListOptions{})
		s.must(err)
		for _, account := range accounts.Items {
			if account.Name != "default" {
				t.Errorf("namespace memo has ServiceAccount %q", account.Name)
			}
		}
		s.must(s.OperatorHas(s.Context(), "memo", "Installed", metav1.ConditionFalse, "InstallFailed"))
		if _, err := tenant.AppsV1().Deployments("memo").Get(s.Context(), "memo", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("the Deployment: %v", err)
		}

		s.must(tenant.CoreV1().Namespaces().Delete(s.Context(), "memo", metav1.DeleteOptions{}))
		time.Sleep(time.Hour)
		s.must(s.Installed(s.Context(), "memo", "1.0.0"))
	})
}

// A tenant replaces the install namespace while the operator is installed in it.
func TestHRD_S1_ATenantWhoReplacesTheInstallNamespaceGetsNoOperator(t *testing.T) {
	t.Parallel()
	Run(t, []samples.Operator{{Package: "memo", Version: "1.0.0"}}, func(s *Story) {
		s.must(s.Create(s.Context(), "memo", ""))
		s.Settle()
		s.must(s.Installed(s.Context(), "memo", "1.0.0"))
		slow := s.delayNamespaces()
		admin, err := kubernetes.NewForConfig(s.StepClientConfig(scenario.AdminUser))
		s.must(err)
		s.must(admin.CoreV1().Namespaces().Delete(s.Context(), "memo", metav1.DeleteOptions{}))
		time.Sleep(10 * time.Second)
		_, err = admin.CoreV1().Namespaces().Create(s.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "memo"}}, metav1.CreateOptions{})
		s.must(err)
		slow.Remove()
		time.Sleep(time.Hour)
		if _, err := admin.AppsV1().Deployments("memo").Get(s.Context(), "memo", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("the Deployment: %v", err)
		}
		s.must(admin.CoreV1().Namespaces().Delete(s.Context(), "memo", metav1.DeleteOptions{}))
		time.Sleep(time.Hour)
		if _, err := admin.AppsV1().Deployments("memo").Get(s.Context(), "memo", metav1.GetOptions{}); err != nil {
			t.Errorf("after the tenant's namespace is gone: %v", err)
		}
	})
}
