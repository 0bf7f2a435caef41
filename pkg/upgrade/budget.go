package upgrade

// pollEvery is the number of work steps after which a Budget checks whether Done is closed.
const pollEvery = 1 << 13

// Limit limits the work on a Graph, from New to the last query. The zero Limit is unlimited.
type Limit struct {
	// Steps is the maximum number of work steps, which take about the same time each; zero means no maximum. Unlike a time limit, it makes
	// the result depend only on the package, never on the machine.
	Steps int
	// Done cancels the work when it is closed, like the Done channel of a context. Nil means that the work is never canceled.
	Done <-chan struct{}
}

// Canceled reports whether Done is closed.
func (l Limit) Canceled() bool {
	select {
	case <-l.Done:
		return true
	default:
		return false
	}
}

// Budget records the work that was spent under a Limit. A nil Budget is unlimited. It is not safe for concurrent use.
type Budget struct {
	limit       Limit
	spent, poll int
	canceled    bool
}

// NewBudget returns an unused Budget; nil if the Limit is unlimited.
func NewBudget(limit Limit) *Budget {
	if limit == (Limit{}) {
		return nil
	}
	return &Budget{limit: limit, poll: pollEvery}
}

// exhausted reports whether the work must end, because the Limit is reached or Done was closed. A search then finds nothing more.
func (b *Budget) exhausted() bool {
	return b != nil && (b.canceled || b.limit.Steps > 0 && b.spent >= b.limit.Steps)
}

// spend adds work steps to those already spent, and reports whether the work may continue.
func (b *Budget) spend(steps int) bool {
	if b == nil {
		return true
	}
	b.spent += steps
	if b.poll -= steps; b.poll <= 0 {
		b.poll = pollEvery
		b.canceled = b.canceled || b.limit.Canceled()
	}
	return !b.exhausted()
}
