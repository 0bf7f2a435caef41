package upgrade

// pollEvery is the number of steps after which a budget checks whether Done is closed.
const pollEvery = 1 << 13

// Limit bounds the work that a Graph does, from New to the last question. The zero Limit is no bound.
type Limit struct {
	// Steps is how many steps of about the same cost there may be; zero is no bound. A number of steps, unlike a
	// time limit, makes the result depend on the package and never on the machine.
	Steps int
	// Done ends the work when it is closed, as the Done of a context is; nil never is.
	Done <-chan struct{}
}

// Canceled says whether Done is closed.
func (l Limit) Canceled() bool {
	select {
	case <-l.Done:
		return true
	default:
		return false
	}
}

// Budget counts the work that is done under a Limit. A nil Budget counts nothing and has no bound. It is not safe for concurrent use.
type Budget struct {
	limit       Limit
	spent, poll int
	canceled    bool
}

// NewBudget makes a budget of which nothing is spent; nil where the Limit is no bound.
func NewBudget(limit Limit) *Budget {
	if limit == (Limit{}) {
		return nil
	}
	return &Budget{limit: limit, poll: pollEvery}
}

// exhausted reports whether the work has ended; a search then finds nothing more.
func (b *Budget) exhausted() bool {
	return b != nil && (b.canceled || b.limit.Steps > 0 && b.spent >= b.limit.Steps)
}

// spend counts steps; it returns false when the work has to end.
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
