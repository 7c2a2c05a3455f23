/** A workflow: the states that the records of a view pass through, and who moves them. */
import type { ActionParameter } from './action.ts'
import type { AuthoredCondition, AuthoredSql } from './authored-sql.ts'
import type { Effect } from './effect.ts'
import type { Validate } from './validate.ts'
import type { ModelText } from '../model-text.ts'
import type { Place } from '../parse/element.ts'

/** A time in days, hours or minutes: of work where there is a calendar. */
export interface WorkDuration {
  count: number
  unit: 'd' | 'h' | 'm'
}

/** The people who get a task, and how many of them it takes. */
export interface Assignment {
  /** Assigns the users who hold it in the company at the time. */
  role: string | undefined
  /** A user name or id; `{Name}` is a column of the record. */
  user: string | undefined
  /** Query of the assigned users; its first column holds ids of users. */
  sql: AuthoredSql | undefined
  rule: 'Any' | 'All' | 'Quorum'
  /** Decisions that a Quorum needs. */
  count: number | undefined
  dueIn: WorkDuration | undefined
  /** Time before it is due. */
  remind: WorkDuration | undefined
  /** The role that has it too once it is overdue. */
  escalate: string | undefined
  /** The user who began the instance may not decide. */
  isStarterExcepted: boolean
  /** Mails with links go out. */
  isMailed: boolean
}

/** All that a workflow asks of a kind of state. */
interface StateFacets {
  /** An instance begins in it. */
  begins: boolean
  /** An instance ends in it. */
  ends: boolean
  /** People have a task in it. */
  hasTask: boolean
  /** Branches may run in it. */
  mayFork: boolean
}

const STEP: StateFacets = { begins: false, ends: false, hasTask: false, mayFork: false }

const KINDS = {
  Initial: { ...STEP, begins: true },
  Normal: { ...STEP, mayFork: true },
  Task: { ...STEP, hasTask: true },
  Final: { ...STEP, ends: true },
} satisfies Readonly<Record<string, StateFacets>>

type WorkflowStateKind = keyof typeof KINDS

/** The kind of a state that names none. */
export const USUAL_STATE_KIND: WorkflowStateKind = 'Normal'

/** One row a kind; the only place that lists them. */
export const WORKFLOW_STATES: Readonly<Record<WorkflowStateKind, StateFacets>> = KINDS

export interface WorkflowState {
  name: string
  label: ModelText
  kind: WorkflowStateKind
  assignment: Assignment | undefined
  /** Position in a designer. */
  at: readonly [x: number, y: number] | undefined
  place: Place
}

/** A way out of states: a user's action, or a transition that fires by itself. */
export interface Transition {
  /** Name of the transition in history and events; unique together with `from`. */
  action: string
  label: ModelText
  from: readonly string[]
  to: string
  /** A capability or verb on the resource of the view; undefined: the verb Update. */
  capability: string | undefined
  when: AuthoredCondition | undefined
  /** Time after entering the state at which it fires by itself. */
  after: WorkDuration | undefined
  parameters: readonly ActionParameter[]
  validates: readonly Validate[]
  effects: readonly Effect[]
  place: Place
}

/** Branches that begin together in `state`. */
interface Fork {
  state: string
  branches: readonly string[]
}

/** The point at which all branches of a fork go on as one. */
export interface Join {
  from: readonly string[]
  to: string
}

/** Working time, in the zone of the company. */
export interface WorkCalendar {
  /** 1 is Monday, 7 Sunday. */
  days: readonly number[]
  /** Minutes after midnight. */
  from: number
  to: number
  /** Query of the holidays; its first column holds days. */
  holidays: AuthoredSql | undefined
}

export interface WorkflowStart {
  on: 'created' | 'updated'
  when: AuthoredCondition | undefined
}

export interface Workflow {
  name: string
  slug: string
  label: ModelText
  versionHash: string
  /** Name of the view whose records it moves. */
  view: string
  /** The column of the view's entity that holds the state. */
  stateColumn: string
  /** States in document order, the initial one among them. */
  states: readonly WorkflowState[]
  initial: string
  transitions: readonly Transition[]
  forks: readonly Fork[]
  joins: readonly Join[]
  starts: readonly WorkflowStart[]
  calendar: WorkCalendar | undefined
  place: Place
}
