/**
 * Checks of the transitions of a workflow: faults for what could never work, warnings for what
 * leaves records stuck.
 */
import type { Compilation } from './compilation.ts'
import type { Role, Verb } from '../compiled/role.ts'
import { type Transition, type Workflow, WORKFLOW_STATES } from '../compiled/workflow.ts'
import type { Element, Place } from '../parse/element.ts'

/** States that each state leads to, forks and joins included. */
type Ways = ReadonlyMap<string, ReadonlySet<string>>

/** Reports every fault and warning of the graph. */
export function checkGraph(c: Compilation, element: Element, workflow: Workflow): void {
  checkBranches(c, element, workflow)
  const { states, initial } = workflow
  for (const transition of workflow.transitions) {
    checkEnd(c, transition, workflow)
    checkCapability(c, transition, workflow)
  }
  const ways = listWays(workflow)
  const reached = follow(ways, [initial])
  const ends = states.filter(({ kind }) => WORKFLOW_STATES[kind].ends).map(({ name }) => name)
  const ending = follow(turn(ways), ends)
  for (const { name, kind, place } of states) {
    if (!reached.has(name)) c.faults.warn(place, `No transition leads to the State ${name}`)
    else if (!WORKFLOW_STATES[kind].ends && (ways.get(name)?.size ?? 0) === 0)
      c.faults.warn(place, `No transition leads out of the State ${name}, and it is not Final`)
    else if (!ending.has(name))
      c.faults.warn(place, `From the State ${name} no path leads to a Final state`)
  }
  checkOverlaps(c, workflow)
}

function checkEnd(c: Compilation, { from, place, action }: Transition, workflow: Workflow): void {
  const final = workflow.states.find(
    ({ kind, name }) => WORKFLOW_STATES[kind].ends && from.includes(name),
  )
  if (final) c.faults.add(place, `${action} leads from ${final.name}, which is Final`)
}

/** Checks that all transitions of an action have one gate. */
function checkCapability(
  c: Compilation,
  { action, capability, place }: Transition,
  { transitions }: Workflow,
): void {
  const first = transitions.find((each) => each.action === action)
  if (first === undefined || first.capability === capability) return
  const taken = first.capability ?? 'none'
  c.faults.add(
    place,
    `An earlier transition ${action} has the Capability ${taken}: each action needs its own`,
  )
}

function checkBranches(c: Compilation, element: Element, workflow: Workflow): void {
  const refuse = (place: Place, message: string) => c.faults.add(place, message)
  const kinds = new Map(workflow.states.map(({ name, kind }) => [name, kind]))
  const elements = element.children.filter(({ name }) => name === 'Fork')
  for (const [at, { state, branches }] of workflow.forks.entries()) {
    const { place } = elements[at] ?? element
    if (branches.length < 2) refuse(place, 'A Fork needs two Branches or more')
    if (new Set(branches).size < branches.length) refuse(place, 'A Fork names a branch twice')
    const kind = kinds.get(state)
    if (kind && !WORKFLOW_STATES[kind].mayFork)
      refuse(place, `A Fork begins in a State of Kind="Normal", and ${state} is not`)
    const out = workflow.transitions.find(({ from }) => from.includes(state))
    if (out) refuse(out.place, `${state} is where branches run: only a Join leads on from there`)
    if (branches.includes(state)) refuse(place, `The State ${state} cannot be its own branch`)
  }
  const joins = element.children.filter(({ name }) => name === 'Join')
  for (const [at, join] of workflow.joins.entries()) {
    const { place } = joins[at] ?? element
    if (workflow.forks.length === 0) refuse(place, 'A Join needs a Fork whose branches it ends')
    if (join.from.includes(join.to)) refuse(place, `The Join leads back to ${join.to}`)
  }
}

function listWays({ transitions, forks, joins }: Workflow): Ways {
  const ways = new Map<string, Set<string>>()
  const add = (from: string, to: string) => {
    const list = ways.get(from) ?? new Set()
    ways.set(from, list.add(to))
  }
  for (const { from, to } of transitions) for (const state of from) add(state, to)
  for (const { state, branches } of forks) for (const branch of branches) add(state, branch)
  for (const { from, to } of joins) for (const state of from) add(state, to)
  return ways
}

function turn(ways: Ways): Ways {
  const turned = new Map<string, Set<string>>()
  for (const [from, list] of ways)
    for (const to of list) turned.set(to, (turned.get(to) ?? new Set()).add(from))
  return turned
}

function follow(ways: Ways, starts: readonly string[]): ReadonlySet<string> {
  const reached = new Set(starts)
  for (const state of reached) for (const next of ways.get(state) ?? []) reached.add(next)
  return reached
}

/** Finds transitions that can never be taken: an earlier one of the action always holds too. */
function checkOverlaps(c: Compilation, { transitions }: Workflow): void {
  for (const [at, later] of transitions.entries()) {
    const earlier = transitions
      .slice(0, at)
      .find(
        (each) =>
          each.action === later.action &&
          (each.after === undefined) === (later.after === undefined) &&
          each.from.some((state) => later.from.includes(state)) &&
          (each.when === undefined || each.when.text.trim() === later.when?.text.trim()),
      )
    if (!earlier) continue
    const message = `An earlier transition ${later.action} applies wherever this one does`
    c.faults.warn(later.place, `${message}: this one is never taken`)
  }
}

/** A warning for each transition that no role may take. */
export function warnUngranted(
  c: Compilation,
  workflows: ReadonlyMap<string, Workflow>,
  roles: ReadonlyMap<string, Role>,
): void {
  const grants = [...roles.values()].flatMap((role) => role.grants)
  for (const { view, transitions } of workflows.values()) {
    const resource = c.views.get(view)?.resource ?? ''
    for (const { action, capability, after, place } of transitions) {
      const right = capability ?? 'Update'
      const isGranted = grants.some(
        (grant) =>
          grant.resource === resource &&
          (grant.capabilities.has(right) || grant.verbs.has(right as Verb)),
      )
      if (after === undefined && !isGranted)
        c.faults.warn(
          place,
          `No Role grants ${right} on ${resource}: only System may take ${action}`,
        )
    }
  }
}
