package upgrade

// pollEvery is after how many steps of work a Budget looks whether its caller has gone.
const pollEvery = 1 << 13

// Budget bounds the work that a Graph does, from New to the last question. It counts steps of about the same cost, not time, so that
// what is found depends on the package and never on the machine. A nil Budget is no bound. It is not safe for concurrent use.
type Budget struct {
	limit, left, poll int
	done              <-chan struct{}
}

// NewBudget allows so many steps. The work ends as well when done is closed, as the Done of a context is; nil never is.
func NewBudget(steps int, done <-chan struct{}) *Budget {
	return &Budget{limit: steps, left: steps, poll: pollEvery, done: done}
}

// Limit is how many steps were allowed.
func (b *Budget) Limit() int { return b.limit }

// Exhausted says whether the work was ended: no more than is known by then will be found.
func (b *Budget) Exhausted() bool { return b != nil && b.left <= 0 }

// spend takes steps off; false says that the work is to end.
func (b *Budget) spend(steps int) bool {
	if b == nil {
		return true
	}
	b.left -= steps
	if b.poll -= steps; b.poll <= 0 {
		b.poll = pollEvery
		select {
		case <-b.done:
			b.left = 0
		default:
		}
	}
	return b.left > 0
}
