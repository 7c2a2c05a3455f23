/** Random workflows to walk through: tasks of all rules, forks within forks, loops, timers. */
import type { Random } from '../../data/demo/random.ts'

/** Roles by which tasks are assigned; who holds them changes on the way. */
export const WALK_ROLES = ['Red', 'Green', 'Blue'] as const

export interface FlowAssign {
  role: string
  rule: 'Any' | 'All' | 'Quorum'
  count: number | undefined
  isStarterExcepted: boolean
  /** Minutes. */
  dueIn: number | undefined
  escalate: string | undefined
}

export interface FlowState {
  name: string
  kind: 'Initial' | 'Normal' | 'Task' | 'Final'
  assign: FlowAssign | undefined
}

export interface FlowTransition {
  action: string
  from: string
  to: string
  /** The amount of the record that it takes. */
  least: number | undefined
  /** Minutes after which it fires by itself. */
  after: number | undefined
}

export interface Flow {
  name: string
  states: FlowState[]
  transitions: FlowTransition[]
  forks: { state: string; branches: string[] }[]
  joins: { from: string[]; to: string }[]
}

/** Forks stand within forks so deep. */
const DEPTH = 2

/** Makes one flow; all states of it can be reached, and each leads to an end. */
export function makeFlow(name: string, random: Random): Flow {
  const maker = new FlowMaker(name, random)
  const { flow } = maker
  flow.states.push({ name: 'begin', kind: 'Initial', assign: undefined })
  for (const end of ['done', 'refused'])
    flow.states.push({ name: end, kind: 'Final', assign: undefined })
  const first = maker.makeChain(random.int(2, 4), 'done', 0)
  maker.lead('Go', 'begin', first)
  return flow
}

class FlowMaker {
  readonly flow: Flow
  readonly #random: Random

  constructor(name: string, random: Random) {
    this.flow = { name, states: [], transitions: [], forks: [], joins: [] }
    this.#random = random
  }

  lead(action: string, from: string, to: string, how: Partial<FlowTransition> = {}): void {
    this.flow.transitions.push({ action, from, to, least: undefined, after: undefined, ...how })
  }

  /** States one after the other, the last of which leads to `to`; resolves to the first. */
  makeChain(length: number, to: string, depth: number): string {
    const names = [to]
    for (let left = length; left > 0; left--) {
      const next = names[0] ?? to
      const draw = this.#random.next()
      if (draw < 0.3 && depth < DEPTH) names.unshift(this.#makeFork(next, depth))
      else if (draw < 0.75) names.unshift(this.#makeTask(next))
      else names.unshift(this.#makeNormal(next, to))
    }
    const back = names.slice(0, -1)
    for (const each of back) {
      if (!this.flow.transitions.some(({ from, action }) => from === each && action === 'Ok'))
        continue
      const [first = each] = back
      const refused = this.#random.pick(['refused', each, first])
      this.lead('No', each, this.#random.chance(0.7) ? refused : this.#random.pick([to, ...back]))
    }
    return names[0] ?? to
  }

  #addState(kind: 'Normal' | 'Task', assign?: FlowAssign): string {
    const name = `s${this.flow.states.length}`
    this.flow.states.push({ name, kind, assign })
    return name
  }

  #makeNormal(next: string, to: string): string {
    const name = this.#addState('Normal')
    if (this.#random.chance(0.5)) this.lead('Go', name, to, { least: 50 })
    this.lead('Go', name, next)
    if (this.#random.chance(0.4)) this.lead('Wait', name, next, { after: 30 })
    return name
  }

  #makeTask(next: string): string {
    const name = this.#addState('Task', this.#drawAssign())
    this.lead('Ok', name, next)
    if (this.#random.chance(0.3)) {
      const least = this.#random.chance(0.5) ? 50 : undefined
      this.lead('Wait', name, next, { after: 45, least })
    }
    return name
  }

  #drawAssign(): FlowAssign {
    const random = this.#random
    const rule = random.pick(['Any', 'All', 'Quorum'] as const)
    const isEscalated = random.chance(0.4)
    return {
      role: random.pick(WALK_ROLES),
      rule,
      count: rule === 'Quorum' ? 2 : undefined,
      isStarterExcepted: random.chance(0.4),
      dueIn: isEscalated ? 40 : undefined,
      escalate: isEscalated ? random.pick(WALK_ROLES) : undefined,
    }
  }

  #makeFork(next: string, depth: number): string {
    const random = this.#random
    const name = this.#addState('Normal')
    const from: string[] = []
    const branches: string[] = []
    for (let nth = random.int(2, 3); nth > 0; nth--) {
      const end = this.#addState('Normal')
      const first = this.makeChain(random.int(0, 2), end, depth + 1)
      if (first !== end && random.chance(0.3)) this.lead('Again', end, first)
      from.push(end)
      branches.push(first)
    }
    this.flow.forks.push({ state: name, branches })
    this.flow.joins.push({ from, to: next })
    return name
  }
}

/** The scripts of a flow: entity, view and workflow. */
export function printFlow({ name, states, transitions, forks, joins }: Flow): string {
  const lines = [
    `<Entity Name="${name}" Table="${name.toLowerCase()}" Company="CompanyId">
      <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
      <Column Name="CompanyId" Type="Integer" Required="true"/>
      <Column Name="Amount" Type="Integer" Default="0"/>
      <Column Name="State" Type="Text"/>
    </Entity><ObjectView Name="${name}s" Entity="${name}"/>`,
    `<Workflow Name="${name}Flow" Object="${name}s" StateField="State"><States>`,
    ...states.map(printState),
    '</States><Transitions>',
    ...transitions.map(({ action, from, to, least, after }) => {
      const when = least === undefined ? '' : ` When="Amount &gt;= ${least}"`
      const timer = after === undefined ? '' : ` After="${after}m"`
      return `<Transition From="${from}" To="${to}" Action="${action}"${when}${timer}/>`
    }),
    '</Transitions>',
    ...forks.map(
      ({ state, branches }) => `<Fork State="${state}" Branches="${branches.join(' ')}"/>`,
    ),
    ...joins.map(({ from, to }) => `<Join From="${from.join(' ')}" To="${to}"/>`),
    '<Start On="created"/></Workflow>',
  ]
  return lines.join('\n')
}

function printState({ name, kind, assign }: FlowState): string {
  if (!assign) return `<State Name="${name}" Kind="${kind}"/>`
  const { role, rule, count, isStarterExcepted, dueIn, escalate } = assign
  const words = [
    `Role="${role}" Rule="${rule}"`,
    ...(count === undefined ? [] : [`Count="${count}"`]),
    ...(isStarterExcepted ? ['Except="Starter"'] : []),
    ...(dueIn === undefined ? [] : [`DueIn="${dueIn}m"`]),
    ...(escalate === undefined ? [] : [`Escalate="${escalate}"`]),
  ]
  return `<State Name="${name}" Kind="${kind}"><Assign ${words.join(' ')}/></State>`
}
