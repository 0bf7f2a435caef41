package catalogsource

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// uses has the two ways in which a read uses shared resources. end ends the use.
var uses = map[string]func(ctx context.Context, r *Reservation) (end func(), err error){
	"common memory": func(_ context.Context, r *Reservation) (func(), error) {
		return r.Reset, r.Reserve(ownShare + commonShare)
	},
	"large messages": func(ctx context.Context, r *Reservation) (func(), error) { return r.AcquireLarge(ctx) },
}

// serve adds a number of received bytes every second until ctx ends.
func serve(ctx context.Context, r *Reservation, bytes int) {
	for every := time.NewTicker(time.Second); ; {
		select {
		case <-ctx.Done():
			every.Stop()
			return
		case <-every.C:
			r.AddReceived(bytes)
		}
	}
}

func TestHRD_B4_WaitDoesNotCountForTheTimeout(t *testing.T) {
	for what, use := range uses {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const waits, timeout = 50 * time.Second, 30 * time.Second
				budget, began := NewBudget(), time.Now()
				first, second := budget.NewReservation(), budget.NewReservation()
				end, err := use(t.Context(), first)
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(waits, end)
				ctx, endRead := second.StartRead(t.Context(), timeout)
				defer endRead()
				go serve(ctx, second, 1<<20)
				endSecond, err := use(ctx, second)
				if err != nil || time.Since(began) != waits {
					t.Fatalf("it waited for %s: %v", time.Since(began), err)
				}
				defer endSecond()
				<-ctx.Done()
				if used := time.Since(began) - waits; used != timeout || !errors.Is(Cause(ctx, nil), context.DeadlineExceeded) {
					t.Errorf("the read ended %s after its wait: %v", used, Cause(ctx, nil))
				}
			})
		})
	}
}

func TestHRD_B4_WaitIsLimited(t *testing.T) {
	for what, use := range uses {
		for name, test := range map[string]struct {
			canceled time.Duration
			ended    time.Duration
			message  string
		}{
			"of its own":     {canceled: time.Hour, ended: MaxWait, message: "the manager retries"},
			"by its context": {canceled: 5 * time.Second, ended: 5 * time.Second, message: context.Canceled.Error()},
		} {
			t.Run(what+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					budget, began := NewBudget(), time.Now()
					end, err := use(t.Context(), budget.NewReservation())
					if err != nil {
						t.Fatal(err)
					}
					defer end()
					waiter := budget.NewReservation()
					parent, cancel := context.WithCancel(t.Context())
					defer cancel()
					time.AfterFunc(test.canceled, cancel)
					ctx, endRead := waiter.StartRead(parent, time.Second)
					defer endRead()
					if _, err := use(ctx, waiter); err == nil || !strings.Contains(err.Error(), test.message) {
						t.Errorf("it fails with %v", err)
					}
					if time.Since(began) != test.ended {
						t.Errorf("it waited for %s", time.Since(began))
					}
					if waiter.waiting != 0 || len(budget.queue) != 0 {
						t.Errorf("%d requests of it and %d of all are left", waiter.waiting, len(budget.queue))
					}
				})
			})
		}
	}
}

func TestHRD_B4_ReadThatUsesSharedMemoryMustProgress(t *testing.T) {
	const whole = 5 * time.Minute
	for name, test := range map[string]struct {
		// wanted means that another read waits for the resource; own means that the read uses only its own share.
		own, wanted bool
		// each is the number of bytes that are received every second.
		each  int
		ended time.Duration
		says  string
	}{
		"a silent server":                         {ended: paceWindow, says: "sent less than 8 KiB in 10s"},
		"a silent server, another waits":          {wanted: true, ended: paceWindow, says: "sent less than 8 KiB in 10s"},
		"a trickling server":                      {each: 800, ended: paceWindow, says: "sent less than 8 KiB in 10s"},
		"a slow server":                           {each: 1 << 10, ended: whole, says: "not read within 5m0s"},
		"a slow server, another waits":            {each: 1 << 10, wanted: true, ended: maxContention, says: "other catalogs waited 1m0s"},
		"a silent server, of its own memory only": {own: true, ended: whole, says: "not read within 5m0s"},
	} {
		for what, use := range uses {
			t.Run(name+", "+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					budget, began := NewBudget(), time.Now()
					slow := budget.NewReservation()
					ctx, endRead := slow.StartRead(t.Context(), whole)
					defer endRead()
					go serve(ctx, slow, test.each)
					if test.own {
						use = func(_ context.Context, r *Reservation) (func(), error) { return r.Reset, r.Reserve(ownShare) }
					}
					end, err := use(ctx, slow)
					if err != nil {
						t.Fatal(err)
					}
					granted := make(chan error, 1)
					if test.wanted {
						go func() { granted <- waitFor(t.Context(), budget, use) }()
					} else {
						granted <- nil
					}
					<-ctx.Done()
					if err := Cause(ctx, nil); time.Since(began) != test.ended || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "too slow") {
						t.Errorf("it ended after %s: %v", time.Since(began), err)
					}
					end()
					if err := <-granted; err != nil {
						t.Errorf("the other reading: %v", err)
					}
				})
			})
		}
	}
}

// waitFor uses the same resource in another read, which has a timeout of one second, and returns its error.
func waitFor(ctx context.Context, budget *Budget, use func(context.Context, *Reservation) (func(), error)) error {
	waiter := budget.NewReservation()
	defer waiter.Close()
	ctx, endRead := waiter.StartRead(ctx, time.Second)
	defer endRead()
	end, err := use(ctx, waiter)
	if err == nil {
		end()
	}
	return err
}

func TestHRD_B4_DeadlockFailsTheLargestReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := NewBudget()
		begin := func(bytes int) *Reservation {
			r := budget.NewReservation()
			_, end := r.StartRead(t.Context(), time.Second)
			t.Cleanup(end)
			if err := r.Reserve(ownShare + bytes); err != nil {
				t.Fatal(err)
			}
			return r
		}
		large, small := begin(8<<20), begin(5<<20)
		refused := make(chan error, 1)
		go func() {
			err := large.Reserve(4 << 20)
			large.Close()
			refused <- err
		}()
		synctest.Wait()
		if err := small.Reserve(4 << 20); err != nil {
			t.Errorf("the small one: %v", err)
		}
		if err := <-refused; err == nil {
			t.Error("the large one has memory that is not there")
		}
		small.Close()
		if budget.freeCommon != commonShare || budget.freeShares != maxShares {
			t.Errorf("%d bytes and %d shares are left", budget.freeCommon, budget.freeShares)
		}
	})
}

func TestHRD_B4_RequestsAreGrantedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := NewBudget()
		var order []string
		begin := func(name string, bytes int) {
			r := budget.NewReservation()
			_, end := r.StartRead(t.Context(), time.Second)
			t.Cleanup(end)
			go func() {
				if err := r.Reserve(ownShare + bytes); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				order = append(order, name)
				r.Close()
			}()
			synctest.Wait()
		}
		holder := budget.NewReservation()
		if err := holder.Reserve(ownShare + 10<<20); err != nil {
			t.Fatal(err)
		}
		begin("older", 6<<20)
		begin("newer", 1<<20)
		if err := holder.Reserve(1 << 20); err != nil || len(order) != 0 {
			t.Errorf("the one that they wait for: %v; before it ended: %q", err, order)
		}
		holder.Close()
		synctest.Wait()
		if len(order) != 2 {
			t.Errorf("after its end: %q", order)
		}
	})
}

func TestErrorsAboutLimitsEndWithTheRemedy(t *testing.T) {
	const slow = "the catalog is too slow: "
	for name, test := range map[string]struct {
		err   error
		begin string
		cause error
	}{
		"the timeout":    {errTimeout(2 * time.Minute), slow + "it was not read within 2m0s; check", context.DeadlineExceeded},
		"the pace":       {errPace(), slow + "its server sent less than 8 KiB in 10s", nil},
		"the contention": {errContention(), slow + "other catalogs waited 1m0s for memory", nil},
		"large messages": {errLargeTimeout, "timed out after 2m0s", nil},
	} {
		text := test.err.Error()
		if !strings.HasPrefix(text, test.begin) || !strings.HasSuffix(text, "; the manager retries") {
			t.Errorf("%s: got %q, want it to begin with %q, and to end with the remedy", name, text, test.begin)
		}
		if test.cause != nil && !errors.Is(test.err, test.cause) {
			t.Errorf("%s: %q is not %v", name, text, test.cause)
		}
	}
}
