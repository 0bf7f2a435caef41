package scenario_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// observerClient returns a client of the user observer.
func (s story) observerClient() kubernetes.Interface {
	s.Helper()
	client, err := kubernetes.NewForConfig(s.ClientConfig(observer))
	s.must(err)
	return client
}

// names returns the names of ConfigMaps with their labels "v", without kube-root-ca.crt.
func names(list *corev1.ConfigMapList) (all []string) {
	for _, each := range list.Items {
		if each.Name != "kube-root-ca.crt" {
			all = append(all, each.Name+" "+each.Labels["v"])
		}
	}
	return all
}

func TestAnInformerListsTheStalePastAndThenSeesWhatCameLater(t *testing.T) {
	for kind := range informerKinds {
		t.Run(kind, func(t *testing.T) {
			run(t, nil, func(s story) {
				s.grantObserver()
				s.write("create a 1", "create b 1")
				past := s.Revision()
				s.write("delete a", "create a 2", "update b 2")
				stop := s.ServeStaleLists(observer, past)
				seen, end := s.observe(kind, configMapResource)
				s.equal("the stale cache", seen.cached(), "map[a:1 b:1]")
				time.Sleep(time.Second)
				synctest.Wait()
				s.equal("the notifications", quoted(seen.notifications()[2:]), quoted([]string{"1s delete a 1", "1s add a 2", "1s update b 1 to 2"}))
				s.write("update a 3")
				s.equal("the cache", seen.cached(), "map[a:3 b:2]")
				end()
				stop()
				seen, end = s.observe(kind, configMapResource)
				defer end()
				s.equal("the notifications after the list is no longer stale", quoted(slices.Sorted(slices.Values(seen.notifications()))), quoted([]string{"0s add a 3", "0s add b 2"}))
			})
		})
	}
}

func TestStaleListsAreForOneKindOfRequest(t *testing.T) {
	run(t, nil, func(s story) {
		s.grantObserver()
		s.write("create a 1", "create b 1")
		past := s.Revision()
		s.write("update a 2", "create c 2")
		defer s.ServeStaleLists(observer, past)()
		client := s.observerClient()
		for name, c := range map[string]struct {
			client  kubernetes.Interface
			options metav1.ListOptions
			want    string
		}{
			"any version":               {client, metav1.ListOptions{ResourceVersion: "0"}, "[a 1 b 1]"},
			"any version, one page":     {client, metav1.ListOptions{ResourceVersion: "0", Limit: 1}, "[a 1 b 1]"},
			"any version, with a label": {client, metav1.ListOptions{ResourceVersion: "0", LabelSelector: "v=2"}, "[]"},
			"any version, with a name":  {client, metav1.ListOptions{ResourceVersion: "0", FieldSelector: "metadata.name=a"}, "[a 1]"},
			"the present":               {client, metav1.ListOptions{}, "[a 2 b 1 c 2]"},
			"not older than the past": {
				client, metav1.ListOptions{ResourceVersion: strconv.FormatInt(past, 10), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}, "[a 2 b 1 c 2]",
			},
			"any version, of another user": {s.admin, metav1.ListOptions{ResourceVersion: "0"}, "[a 2 b 1 c 2]"},
		} {
			list, err := c.client.CoreV1().ConfigMaps("default").List(s.Context(), c.options)
			s.must(err)
			s.equal(name, names(list), c.want)
			if list.Continue != "" {
				t.Errorf("%s: there is another page", name)
			}
			requests := s.Requests()
			if last, isStale := requests[len(requests)-1], c.client == client && c.options.ResourceVersion == "0"; last.IsFaulted != isStale {
				t.Errorf("%s: the request is recorded as %+v", name, last)
			}
		}
		object, err := client.CoreV1().ConfigMaps("default").Get(s.Context(), "a", metav1.GetOptions{ResourceVersion: "0"})
		s.must(err)
		s.equal("a GET", object.Labels["v"], "2")
		_, err = client.CoreV1().ConfigMaps("default").Update(s.Context(), object, metav1.UpdateOptions{})
		s.must(err)
	})
}

func TestAServerWithAStaleCacheRefusesToSendInitialEvents(t *testing.T) {
	run(t, nil, func(s story) {
		s.grantObserver()
		defer s.ServeStaleLists(observer, s.Revision())()
		initial := true
		_, err := s.observerClient().CoreV1().ConfigMaps("default").Watch(s.Context(), metav1.ListOptions{
			SendInitialEvents: &initial, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
		})
		if !apierrors.IsInvalid(err) {
			t.Errorf("got %v", err)
		}
		watches := s.Watches()
		if last := watches[len(watches)-1]; last.User != observer || last.Code != 422 || !last.IsFaulted {
			t.Errorf("the watch is recorded as %+v", last)
		}
	})
}

func TestAStaleListThatWasCompactedIsExpired(t *testing.T) {
	run(t, nil, func(s story) {
		s.grantObserver()
		s.write("create a 1")
		past := s.Revision()
		s.write("update a 2")
		s.must(s.Compact())
		defer s.ServeStaleLists(observer, past)()
		_, err := s.observerClient().CoreV1().ConfigMaps("default").List(s.Context(), metav1.ListOptions{ResourceVersion: "0"})
		if !apierrors.IsResourceExpired(err) {
			t.Errorf("the list: %v", err)
		}
		seen, end := s.observe("typed", configMapResource)
		defer end()
		s.equal("an informer lists the present", quoted(seen.notifications()), quoted([]string{"0s add a 2"}))
	})
}

func TestTheLastStaleListOfAUserCounts(t *testing.T) {
	run(t, nil, func(s story) {
		s.grantObserver()
		var stops []func()
		for n := range 3 {
			s.write(fmt.Sprintf("create a%d 1", n))
			stops = append(stops, s.ServeStaleLists(observer, s.Revision()))
		}
		stops[2]()
		list, err := s.observerClient().CoreV1().ConfigMaps("default").List(s.Context(), metav1.ListOptions{ResourceVersion: "0"})
		s.must(err)
		s.equal("the list", names(list), "[a0 1 a1 1]")
	})
}
