/**
 * Oracle of workflow instances, written a second time and as plainly as can be: everything in
 * memory, one step after the other. It knows nothing of the engine's code.
 */
import type { Flow, FlowAssign, FlowState, FlowTransition } from './workflow-walk-flow.ts'

/** The people of the model, and who is away: the same for all instances. */
export class Office {
  readonly roles = new Map<number, Set<string>>()
  /** By user. */
  readonly away = new Map<number, { to: number; from: number; until: number }>()
  now = 0
  /** In the order in which they were set. */
  readonly timers: Timer[] = []

  constructor(readonly system: number) {}

  isHolder = (user: number, role: string): boolean => this.roles.get(user)?.has(role) ?? false

  /** The users for whom a deputy acts now. */
  actsFor(user: number): number[] {
    const list = [...this.away].filter(
      ([, { to, from, until }]) => to === user && from <= this.now && this.now < until,
    )
    return list.map(([of]) => of).sort((a, b) => a - b)
  }
}

export interface Timer {
  at: number
  name: string
  fire: () => void
}

interface Place {
  /** 0 is the instance itself; branches count from 1. */
  branch: number
  parent: number
  state: string
  /** One more each time that a state is entered. */
  stay: number
}

interface Task {
  place: Place
  assign: FlowAssign
  except: number | undefined
  claimedBy: number | undefined
  /** In their order; `from` is whose seat it was. */
  given: { to: number; from: number }[]
  roles: string[]
  votes: { user: number; seat: number; action: string }[]
  isEscalated: boolean
}

export type ModelEntry = [action: string, branch: number, from: string | null, to: string | null]

/** One record on its way. */
export class ModelInstance {
  status: 'Running' | 'Finished' | 'Cancelled' = 'Running'
  version = 1
  readonly root: Place
  branches: Place[] = []
  tasks: Task[] = []
  readonly history: ModelEntry[] = []
  #stays = 0
  #branches = 0

  constructor(
    readonly flow: Flow,
    readonly starter: number,
    public amount: number,
    readonly office: Office,
  ) {
    this.root = { branch: 0, parent: 0, state: 'begin', stay: 0 }
    this.history.push(['start', 0, null, 'begin'])
    this.#arrive(this.root)
  }

  #find = (name: string): FlowState | undefined =>
    this.flow.states.find((state) => state.name === name)

  /** True when the user may, and then it is done. */
  act(user: number, action: string): boolean {
    if (this.status !== 'Running') return false
    for (const place of [this.root, ...this.branches]) {
      const task = this.tasks.find((each) => each.place === place)
      for (const transition of this.flow.transitions) {
        const { from, least, after } = transition
        if (transition.action !== action || from !== place.state || after !== undefined) continue
        if (this.amount < (least ?? -1)) continue
        const seat = task ? this.seatOf(task, user) : user
        if (seat === undefined) continue
        const word = task ? this.#vote(task, user, seat, action) : 'decides'
        if (word === 'repeats') return true
        this.version++
        if (word === 'waits') this.history.push([action, place.branch, place.state, place.state])
        else this.#take(place, transition)
        return true
      }
    }
    return false
  }

  /** Whose word it is that the user has; nobody's where they have none, or somebody keeps it. */
  seatOf(task: Task, user: number): number | undefined {
    if (user === task.except) return undefined
    const seats = [user, ...this.office.actsFor(user)].filter((each) => each !== task.except)
    const seat = seats.find((each) => this.#has(task, each))
    const own = seat ?? (user === this.office.system ? user : undefined)
    if (own === undefined) return undefined
    const isKept = task.claimedBy !== undefined && ![user, own].includes(task.claimedBy)
    return isKept ? undefined : own
  }

  #has({ given, roles }: Task, user: number): boolean {
    const gave = given.findLastIndex(({ from }) => from === user)
    const got = given.findLastIndex(({ to }) => to === user)
    if (gave > got) return false
    return got >= 0 || roles.some((role) => this.office.isHolder(user, role))
  }

  holdersOf(task: Task): number[] {
    const users = [...this.office.roles.keys()]
    return users.filter((user) => user !== task.except && this.#has(task, user))
  }

  /** Takes a vote, and tells what it does; one that only repeats an earlier one is not counted. */
  #vote(task: Task, user: number, seat: number, action: string): 'decides' | 'waits' | 'repeats' {
    if (task.assign.rule === 'Any') return 'decides'
    const isRepeated = task.votes.some(
      (vote) => vote.user === user && vote.seat === seat && vote.action === action,
    )
    if (!isRepeated) {
      task.votes = task.votes.filter((vote) => vote.user !== user && vote.seat !== seat)
      task.votes.push({ user, seat, action })
    }
    if (this.#isDecided(task, new Set([...this.holdersOf(task), seat]), action)) return 'decides'
    return isRepeated ? 'repeats' : 'waits'
  }

  /** True when the words of those who may give one decide for an action. */
  #isDecided(task: Task, voters: ReadonlySet<number>, action: string): boolean {
    const { rule, count } = task.assign
    const words = task.votes.filter((vote) => voters.has(vote.seat))
    const needed = rule === 'All' ? voters.size : (count ?? 1)
    if (words.filter((vote) => vote.action === action).length >= needed) return true
    const [first] = this.flow.transitions.filter(
      ({ from, after }) => from === task.place.state && after === undefined,
    )
    if (action === first?.action) return false
    const against = words.filter((vote) => vote.action !== first?.action).length
    return voters.size - against < needed
  }

  /** Of the open task of a place: whether the user may, and then it is done. */
  claim(task: Task, user: number, isClaimed: boolean): boolean {
    const seat = this.seatOf(task, user)
    if (seat === undefined) return false
    const claimedBy = isClaimed ? seat : undefined
    if (task.claimedBy === claimedBy) return true
    task.claimedBy = claimedBy
    this.#note(task, isClaimed ? 'claim' : 'unclaim')
    return true
  }

  delegate(task: Task, user: number, to: number): boolean {
    const seat = this.seatOf(task, user)
    if (seat === undefined || to === user || to === task.except) return false
    task.given.push({ to, from: seat })
    if (task.claimedBy !== undefined) task.claimedBy = to
    this.#note(task, 'delegate')
    return true
  }

  /**
   * True when it waits for the user: not for the engine's own, who may all, nor after their word.
   */
  isWaitedFor(task: Task, user: number): boolean {
    const seat = this.seatOf(task, user)
    if (seat === undefined || task.votes.some((vote) => vote.user === user)) return false
    return this.#has(task, seat)
  }

  /** Users who have it by name: each got it later than they gave it. */
  namedIn({ given }: Task): number[] {
    const last = (user: number, side: 'to' | 'from') =>
      given.findLastIndex((each) => each[side] === user)
    const users = [...new Set(given.map(({ to }) => to))]
    return users.filter((user) => last(user, 'to') >= last(user, 'from')).sort((a, b) => a - b)
  }

  /** Takes claims from those who have their task no more, and gives a role what is nobody's. */
  passOn(): void {
    if (this.status !== 'Running') return
    for (const task of this.tasks) {
      const holders = this.holdersOf(task)
      const isClaimLost = task.claimedBy !== undefined && !holders.includes(task.claimedBy)
      if (isClaimLost) task.claimedBy = undefined
      const role = task.assign.escalate ?? 'Admin'
      const isLeft = holders.length === 0 && !task.roles.includes(role)
      if (isLeft) task.roles.push(role)
      if (isLeft || isClaimLost) this.#note(task, 'reassign')
    }
    for (const task of [...this.tasks]) this.#settle(task)
  }

  /** Moves on what those who are left have decided. */
  #settle(task: Task): void {
    if (this.status !== 'Running' || !this.tasks.includes(task)) return
    if (task.assign.rule === 'Any') return
    const voters = new Set(this.holdersOf(task))
    const words = task.votes.filter(({ seat }) => voters.has(seat)).map(({ action }) => action)
    const decided = words.toReversed().find((action) => this.#isDecided(task, voters, action))
    const transition = this.flow.transitions.find(
      ({ action, from, after, least }) =>
        action === decided &&
        from === task.place.state &&
        after === undefined &&
        this.amount >= (least ?? -1),
    )
    if (!transition) return
    this.version++
    this.#take(task.place, transition)
  }

  #note({ place }: Task, action: string): void {
    this.version++
    this.history.push([action, place.branch, place.state, place.state])
  }

  /** Ends it where it is. */
  end(action: string): boolean {
    if (this.status !== 'Running') return false
    this.version++
    this.history.push([action, 0, this.root.state, null])
    this.#finish('Cancelled')
    return true
  }

  #finish(status: 'Finished' | 'Cancelled'): void {
    this.status = status
    this.tasks = []
    this.branches = []
  }

  #take(place: Place, { action, to }: FlowTransition): void {
    this.#leave(place, action, to)
    this.#arrive(place)
  }

  #leave(place: Place, action: string, to: string): void {
    this.tasks = this.tasks.filter((task) => task.place !== place)
    this.history.push([action, place.branch, place.state, to])
    place.state = to
  }

  #arrive(place: Place): void {
    place.stay = ++this.#stays
    const state = this.#find(place.state)
    if (!state) throw new Error(`No state ${place.state}`)
    if (state.kind === 'Final') {
      this.#finish('Finished')
      if (place === this.root) return
      this.history.push(['end', 0, this.root.state, place.state])
      this.root.state = place.state
      return
    }
    if (state.assign) this.#open(place, state.assign)
    this.#setTimers(place)
    const fork = this.flow.forks.find((each) => each.state === place.state)
    if (fork) this.#fork(place, fork.branches)
    else if (place !== this.root) this.#join(place)
  }

  #open(place: Place, assign: FlowAssign): void {
    const task: Task = {
      place,
      assign,
      claimedBy: undefined,
      given: [],
      roles: [assign.role],
      votes: [],
      except: assign.isStarterExcepted ? this.starter : undefined,
      isEscalated: false,
    }
    this.tasks.push(task)
    if (this.holdersOf(task).length === 0) {
      task.roles.push(assign.escalate ?? 'Admin')
      this.history.push(['assign', place.branch, place.state, place.state])
    }
    const { escalate, dueIn } = assign
    if (escalate === undefined || dueIn === undefined) return
    const fire = (): void => {
      if (!this.tasks.includes(task)) return
      task.claimedBy = undefined
      task.roles.push(escalate)
      this.#note(task, 'escalate')
    }
    this.#setTimer('workflow-escalation', dueIn, fire)
  }

  #setTimers(place: Place): void {
    const { stay } = place
    for (const transition of this.flow.transitions) {
      const { after, from, least } = transition
      if (after === undefined || from !== place.state) continue
      this.#setTimer('workflow-timer', after, () => {
        const isHere = place === this.root || this.branches.includes(place)
        if (this.status !== 'Running' || !isHere || place.stay !== stay) return
        if (this.amount < (least ?? -1)) return
        this.version++
        this.#take(place, transition)
      })
    }
  }

  #setTimer(name: string, minutes: number, fire: () => void): void {
    this.office.timers.push({ at: this.office.now + minutes * 60_000, name, fire })
  }

  #fork(parent: Place, states: readonly string[]): void {
    const begun = states.map((state) => {
      const branch = ++this.#branches
      this.history.push(['fork', branch, null, state])
      return { branch, parent: parent.branch, state, stay: 0 }
    })
    this.branches.push(...begun)
    for (const place of begun) if (this.branches.includes(place)) this.#arrive(place)
  }

  #join(place: Place): void {
    const beside = this.branches.filter(({ parent }) => parent === place.parent)
    const isFork = beside.some(({ branch }) => this.branches.some((each) => each.parent === branch))
    const join = this.flow.joins.find(({ from }) =>
      beside.every(({ state }) => from.includes(state)),
    )
    if (!join || isFork) return
    for (const { branch, state } of beside) this.history.push(['join', branch, state, null])
    this.branches = this.branches.filter((each) => !beside.includes(each))
    const parent = this.branches.find(({ branch }) => branch === place.parent) ?? this.root
    this.#leave(parent, 'join', join.to)
    this.#arrive(parent)
  }
}
