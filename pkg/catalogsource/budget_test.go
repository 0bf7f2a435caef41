package catalogsource

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

func TestHRD_B4_ReservationsShareOneBudget(t *testing.T) {
	for name, test := range map[string]struct {
		// others is the number of bytes that each of 15 other reads reserves, and own that of the tested read.
		others, own int
		refused     bool
	}{
		"alone":                                     {own: ownShare + commonShare},
		"alone, a byte more":                        {own: ownShare + commonShare + 1, refused: true},
		"all with their own share":                  {others: ownShare, own: ownShare},
		"the rest is still common":                  {others: ownShare, own: ownShare + commonShare},
		"the others have the common part":           {others: ownShare + commonShare/15, own: ownShare},
		"the others have nearly the common part":    {others: ownShare + commonShare/15, own: ownShare + commonShare%15},
		"the others have the common part, and more": {others: ownShare + commonShare/15, own: ownShare + commonShare%15 + 1, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			budget := NewBudget()
			var others []*Reservation
			for range maxShares - 1 {
				other := budget.NewReservation()
				if err := other.Reserve(test.others); err != nil {
					t.Fatal(err)
				}
				others = append(others, other)
			}
			reading := budget.NewReservation()
			err := reading.Reserve(test.own)
			if (err != nil) != test.refused || err != nil && (!strings.Contains(err.Error(), "1536 KiB") || !strings.Contains(err.Error(), "14 MiB")) {
				t.Errorf("it says %v", err)
			}
			// A reservation beyond the shares has only the common memory.
			seventeenth := budget.NewReservation()
			if err := seventeenth.Reserve(commonShare); test.others > ownShare && err == nil {
				t.Error("a reading without a share has more than is left")
			}
			for _, each := range append(others, reading, seventeenth) {
				each.Close()
				each.Close()
			}
			if budget.freeCommon != commonShare || budget.freeShares != maxShares {
				t.Errorf("%d bytes and %d shares are left after all readings", budget.freeCommon, budget.freeShares)
			}
		})
	}
}

func TestHRD_B4_ReleasedMemoryIsFree(t *testing.T) {
	budget := NewBudget()
	var all sync.WaitGroup
	for range 2 * maxShares {
		all.Go(func() {
			reading := budget.NewReservation()
			defer reading.Close()
			for n := range 1000 {
				if reading.Reserve(n<<10) == nil && n%2 == 0 {
					reading.Release(n << 10)
				}
			}
		})
	}
	all.Wait()
	if budget.freeCommon != commonShare || budget.freeShares != maxShares {
		t.Errorf("%d bytes and %d shares are left", budget.freeCommon, budget.freeShares)
	}
}

func TestHRD_B4_OneReadHasLargeMessages(t *testing.T) {
	budget := NewBudget()
	release, err := budget.NewReservation().AcquireLarge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := budget.NewReservation().AcquireLarge(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a second one: %v", err)
	}
	release()
	if release, err = budget.NewReservation().AcquireLarge(t.Context()); err != nil {
		t.Fatal(err)
	}
	release()
}
