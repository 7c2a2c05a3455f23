/** The tool `propose`: a write, rehearsed and kept for its caller to confirm; nothing stays. */
import { type Static, Type } from '@sinclair/typebox'
import { Failure, invalid, validation } from '../../../kernel/failure.ts'
import { Message, renderMessage, say } from '../../../kernel/messages.ts'
import { oneOf, optional } from '../../../kernel/schema.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { AssistantCall } from '../assistant-call.ts'
import {
  joinNames,
  nameText,
  type ProposedWrite,
  RecordFailure,
  type RecordWrite,
} from '../carry-out.ts'
import type { ProposalItem } from '../item.ts'
import { rehearse, saveProposal } from '../proposals.ts'
import { defineTool } from '../tool.ts'
import { loadForm } from '../../object/form/load-form.ts'
import { requireRowAction, requireViewUse } from '../../object/read/find-view.ts'

const KINDS = ['create', 'update', 'delete', 'action'] as const

const Loose = Type.Record(Type.String(), Type.Unknown())

const Proposal = Type.Object({
  Kind: oneOf(KINDS),
  ObjectName: Type.String({ description: 'Name or slug of the object' }),
  Keys: optional(Loose),
  Records: optional(
    Type.Array(Loose, { description: 'In place of Keys: those of up to 50 records' }),
  ),
  Values: optional(Loose),
  Action: optional(Type.String({ description: 'Of an action: its name' })),
})
type Proposal = Static<typeof Proposal>

/** Ignored values that a refusal names, and characters of each name. */
const NAMED_MAX = 10
const SHOWN_MAX = 60

/** Most records of one proposal. */
export const RECORDS_MAX = 50
/** Records that a title names. */
const TITLED_MAX = 5

/** The `AssistantTool` that proposes a write. */
export const proposeTool = defineTool({
  name: 'propose',
  description:
    'Proposes to create, update or delete a record, or to run an action on it; or the same for ' +
    'several records at once. It is checked as if it were done, and shown to the user, who alone ' +
    'can confirm it. Keys name the record, Values are fields of it, or parameters of the action.',
  parameters: Proposal,
  isReading: false,
  run: async (by, given) => {
    const proposal = requireProposal(given)
    const { engine, caller, model, traceId } = by
    const { view } = requireViewUse(engine, { caller, model }, proposal.ObjectName, [
      ...(['View', 'List', 'Create', 'Update', 'Delete'] as const),
    ])
    const plans: Plan[] = []
    for (const keys of proposal.keys) plans.push(await planWrite(by, view, { proposal, keys }))
    const write = joinPlans(plans)
    const results = await rehearse({ engine, caller, model, traceId }, write).catch(
      (error: unknown) => {
        throw nameFields(view, error)
      },
    )
    for (const [at, { Ignored }] of results.entries())
      refuseLost(Ignored, plans.length > 1 ? plans[at]?.name : undefined)
    const now = engine.clock.now()
    const { id, expiresAt } = await saveProposal(engine.store, caller, { write, now })
    const told = plans.map((plan, at): Told => {
      const values = results[at]?.Values ?? {}
      const name = write.kind === 'create' ? nameRecord(view, values) : plan.name
      const changed = { proposal, before: plan.before, after: values }
      return { keys: plan.keys, name, preview: preview(view, changed, by.language) }
    })
    const item: ProposalItem = {
      Type: 'proposal',
      ProposalId: id,
      Kind: write.kind,
      Object: view.name,
      ...actionOf(plans),
      ...present(view, { proposal, told }, by.language),
      ExpiresAt: expiresAt,
    }
    const { Title, Preview, Count } = item
    return {
      value: { Proposed: Title, Preview, ...(Count && { Count }), State: 'unconfirmed' },
      item,
    }
  },
})

/** A refusal of values whose message names each field by its label. */
function nameFields(view: View, error: unknown): unknown {
  if (!(error instanceof Failure) || !error.fieldErrors) return error
  const told = Object.entries(error.fieldErrors).map(([name, fault]) => {
    const label = view.fieldByName.get(name.toLowerCase())?.label
    const isNamed = !label || renderMessage(fault).includes(renderMessage(label))
    return isNamed ? fault : new Message('{0}: {1}', [label, fault])
  })
  if (told.length === 0) return error
  const message = told.reduce((text, each) => new Message('{0} {1}', [text, each]))
  const named = error instanceof RecordFailure ? nameText(error.record, message) : message
  return validation(error.fieldErrors, named, error)
}

/** A proposal as it was asked for, with the keys of its records; those of a new one are none. */
interface Asked extends Proposal {
  Kind: (typeof KINDS)[number]
  keys: readonly Values[]
}

/**
 * @throws invalid for another kind, a record without keys, too many of them, and a delete with
 * values
 */
function requireProposal(given: Proposal): Asked {
  const kind = KINDS.find((each) => each === given.Kind.toLowerCase())
  if (!kind) throw invalid(say`The Kind of a proposal must be one of: ${KINDS.join(', ')}`)
  const keys = given.Records?.length ? given.Records : [given.Keys ?? {}]
  if (kind !== 'create' && !given.Keys && !given.Records?.length)
    throw invalid(say`The proposal needs the Keys of its record`)
  if (kind === 'create' && given.Records?.length)
    throw invalid(say`A proposal can create a single record only. Make one for each.`)
  if (keys.length > RECORDS_MAX)
    throw invalid(say`A proposal can have at most ${RECORDS_MAX} records`, {
      code: 'TOO_MANY_RECORDS',
    })
  if (new Set(keys.map((each) => JSON.stringify(each))).size < keys.length)
    throw invalid(say`A record can be in a proposal only once`)
  if (kind === 'delete') refuseLost(Object.keys(given.Values ?? {}))
  return { ...given, Kind: kind, keys }
}

/**
 * Refuses a proposal of which a part would be lost: its user would confirm less than was asked.
 * @throws invalid naming what the write ignores
 */
function refuseLost(names: readonly string[], record?: string): void {
  if (names.length === 0) return
  const shown = names.slice(0, NAMED_MAX).map((name) => name.slice(0, SHOWN_MAX))
  const text = say`${shown.join(', ')} cannot be written. Use describe to see the fields that can.`
  throw invalid(record === undefined ? text : nameText(record, text), { code: 'VALUES_IGNORED' })
}

type Values = Readonly<Record<string, unknown>>

/** The write of one record, as it is now. */
interface Plan {
  keys: Values
  name: string
  before: Values
  write: RecordWrite
}

/** The write, with the stamp of the record as it is seen now: a change in between wins. */
async function planWrite(
  by: AssistantCall,
  view: View,
  { proposal: { Kind, Values: given, Action }, keys }: { proposal: Asked; keys: Values },
): Promise<Plan> {
  const values = given ?? {}
  const name = view.name
  if (Kind === 'create') {
    const request = { FormName: name, Parameters: values, IsNew: true }
    return { keys, name: '', before: {}, write: { kind: Kind, request } }
  }
  const before = await loadValues(by, name, keys)
  const known = { keys, name: nameRecord(view, before), before }
  const stamp = typeof before.RowVersion === 'string' ? { RowVersion: before.RowVersion } : {}
  if (Kind === 'update') {
    const Parameters = { ...values, ...keys, ...stamp }
    return { ...known, write: { kind: Kind, request: { FormName: name, Parameters } } }
  }
  if (Kind === 'delete') {
    const request = { ObjectName: name, Parameters: keys, ...stamp }
    return { ...known, write: { kind: Kind, request } }
  }
  if (!Action) throw invalid(say`The proposal of an action needs its Action`)
  const action = requireRowAction(view, Action)
  const ActionName = action.name
  if (action.for === 'Row') {
    const Parameters = { ...values, ...keys }
    const request = { ObjectName: name, ActionName, Parameters, ...stamp }
    return { ...known, write: { kind: Kind, request } }
  }
  if (action.for !== 'Rows') throw invalid(say`The assistant can only run actions on records`)
  const Keys = [{ ...keys, ...stamp }]
  const request = { ObjectName: name, ActionName, Parameters: values, Keys }
  return { ...known, write: { kind: Kind, request } }
}

/** The action as the model names it. */
const actionOf = ([first]: readonly Plan[]): Pick<ProposalItem, 'Action'> =>
  first?.write.kind === 'action' ? { Action: first.write.request.ActionName } : {}

/** One write as it is, several as one of all. */
function joinPlans(plans: readonly Plan[]): ProposedWrite {
  const [first] = plans
  if (!first) throw new Error('A proposal has a write')
  if (plans.length === 1 || first.write.kind === 'create') return first.write
  const records = plans.map(({ name, write: { request } }) => ({ name, request }))
  return { kind: first.write.kind, records }
}

/** The record as its form shows it. @throws notFound for one that the caller does not see */
async function loadValues(
  { engine, reader, caller, model }: AssistantCall,
  name: string,
  keys: Values,
): Promise<Values> {
  const use = requireViewUse(engine, { caller, model }, name, ['View', 'Update'])
  const text = await loadForm({ reader, ...use }, { Parameters: { ...keys } }, 'Form')
  return (JSON.parse(text) as { Values: Values }).Values
}

/** The name of a record, by the fields of its display, else by its keys. */
function nameRecord(view: View, values: Values): string {
  const named = (view.entity?.display ?? []).flatMap((name) => {
    const field = view.fieldByName.get(name.toLowerCase())?.name ?? name
    const shown = values[`${field}__Label`] ?? values[field]
    return shown === null || shown === undefined || shown === '' ? [] : [String(shown)]
  })
  const keys = view.keys.flatMap(({ name }) => (name in values ? [String(values[name])] : []))
  return named.length > 0 ? named.join(' ') : keys.join(', ')
}

function titleOf(view: View, { Kind, Action }: Asked, label: Message): Message {
  if (Kind === 'create') return say`Create: ${label}`
  if (Kind === 'update') return say`Change: ${label}`
  if (Kind === 'delete') return say`Delete: ${label}`
  return new Message('{0}: {1}', [requireRowAction(view, Action ?? '').label, label])
}

/** A record of the proposal as its caller sees it. */
interface Told {
  keys: Values
  name: string
  preview: ProposalItem['Preview']
}

/** The title of a proposal, its records by name, and what would change. */
function present(
  view: View,
  { proposal, told }: { proposal: Asked; told: readonly Told[] },
  language: string,
): Pick<ProposalItem, 'Keys' | 'Title' | 'Record' | 'Count' | 'Records' | 'Preview'> {
  const titled = (label: Message): string => renderMessage(titleOf(view, proposal, label), language)
  const [first] = told
  if (first && told.length === 1) {
    const title = titled(new Message('{0}', [view.entity?.label ?? view.label]))
    const named =
      first.name === '' ? { Title: title } : { Title: `${title} ${first.name}`, Record: first.name }
    return {
      ...(proposal.Kind !== 'create' && { Keys: { ...first.keys } }),
      ...named,
      Preview: first.preview,
    }
  }
  const names = joinNames(
    told.map(({ name }) => name),
    TITLED_MAX,
  )
  return {
    Title: `${titled(new Message('{0} {1}', [told.length, view.label]))}: ${names}`,
    Record: names,
    Count: told.length,
    Records: told.map(({ keys, name, preview }) => ({
      Keys: { ...keys },
      Record: name,
      Preview: preview,
    })),
    Preview: proposal.Kind === 'delete' ? [] : joinPreviews(told.map(({ preview }) => preview)),
  }
}

/** Each field that changes in one of the records; null where they do not have the same value. */
function joinPreviews(previews: readonly ProposalItem['Preview'][]): ProposalItem['Preview'] {
  const byField = Map.groupBy(previews.flat(), ({ Field }) => Field)
  return [...byField.values()].flatMap((all) => {
    const [first] = all
    if (!first) return []
    const isSame = (side: 'From' | 'To'): boolean =>
      all.every((each) => JSON.stringify(each[side]) === JSON.stringify(first[side]))
    return [
      { ...first, From: isSame('From') ? first.From : null, To: isSame('To') ? first.To : null },
    ]
  })
}

interface Changed {
  proposal: Proposal
  before: Values
  after: Values
}

/** Each field that would change, with its present and its new value, by the labels of both. */
function preview(
  view: View,
  { proposal, before, after }: Changed,
  language: string,
): ProposalItem['Preview'] {
  const isGone = proposal.Kind.toLowerCase() === 'delete'
  const asked = new Set(Object.keys(proposal.Values ?? {}).map((name) => name.toLowerCase()))
  const fields = view.listed.filter((field) => field.labelOf === undefined && !field.hidden)
  return fields.flatMap((field) => {
    const from = before[field.name] ?? null
    const to = isGone ? null : field.name in after ? after[field.name] : from
    if (JSON.stringify(from) === JSON.stringify(to ?? null)) return []
    const label = `${field.name}__Label`
    return [
      {
        Field: field.name,
        Label: renderMessage(field.label, language),
        From: before[label] ?? from,
        To: isGone ? null : (after[label] ?? to ?? null),
        Asked: isGone || asked.has(field.name.toLowerCase()),
      },
    ]
  })
}
