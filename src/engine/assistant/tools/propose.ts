/** The tool `propose`: a write, rehearsed and kept for its caller to confirm; nothing stays. */
import { type Static, Type } from '@sinclair/typebox'
import { Failure, invalid, validation } from '../../../kernel/failure.ts'
import { Message, renderMessage, say } from '../../../kernel/messages.ts'
import { oneOf, optional } from '../../../kernel/schema.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { AssistantCall } from '../assistant-call.ts'
import type { ProposalItem } from '../item.ts'
import { type ProposedWrite, rehearse, saveProposal } from '../proposals.ts'
import { defineTool } from '../tool.ts'
import { loadForm } from '../../object/form/load-form.ts'
import { requireRowAction, requireViewUse } from '../../object/read/find-view.ts'
import type { ObjectActionResult } from '../../object/schema.ts'

const KINDS = ['create', 'update', 'delete', 'action'] as const

const Loose = Type.Record(Type.String(), Type.Unknown())

const Proposal = Type.Object({
  Kind: oneOf(KINDS),
  ObjectName: Type.String({ description: 'Name or slug of the object' }),
  Keys: optional(Loose),
  Values: optional(Loose),
  Action: optional(Type.String({ description: 'Of an action: its name' })),
})
type Proposal = Static<typeof Proposal>

/** Ignored values that a refusal names, and characters of each name. */
const NAMED_MAX = 10
const SHOWN_MAX = 60

/** The `AssistantTool` that proposes a write. */
export const proposeTool = defineTool({
  name: 'propose',
  description:
    'Proposes to create, update or delete one record, or to run an action on it. It is checked ' +
    'as if it were done, and shown to the user, who alone can confirm it. Keys name the record, ' +
    'Values are fields of it, or parameters of the action.',
  parameters: Proposal,
  isReading: false,
  run: async (by, given) => {
    const proposal = requireProposal(given)
    const { engine, caller, model, traceId } = by
    const { view } = requireViewUse(engine, { caller, model }, proposal.ObjectName, [
      ...(['View', 'List', 'Create', 'Update', 'Delete'] as const),
    ])
    const { write, before } = await planWrite(by, view, proposal)
    const result = await rehearse({ engine, caller, model, traceId }, write).catch(
      (error: unknown) => {
        throw nameFields(view, error)
      },
    )
    refuseLost(result.Ignored)
    const now = engine.clock.now()
    const { id, expiresAt } = await saveProposal(engine.store, caller, { write, now })
    const item: ProposalItem = {
      Type: 'proposal',
      ProposalId: id,
      Kind: write.kind,
      Object: view.name,
      ...(proposal.Keys && { Keys: proposal.Keys }),
      ...(write.kind === 'action' && { Action: write.request.ActionName }),
      ...nameProposal(view, { write, before, result }, by.language),
      Preview: preview(view, { proposal, before, result }, by.language),
      ExpiresAt: expiresAt,
    }
    return { value: { Proposed: item.Title, Preview: item.Preview, State: 'unconfirmed' }, item }
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
  return validation(error.fieldErrors, message, error)
}

/** @throws invalid for another kind, a record without keys, and a delete with values */
function requireProposal(given: Proposal): Proposal & { Kind: (typeof KINDS)[number] } {
  const kind = KINDS.find((each) => each === given.Kind.toLowerCase())
  if (!kind) throw invalid(say`The Kind of a proposal must be one of: ${KINDS.join(', ')}`)
  if (kind !== 'create' && !given.Keys)
    throw invalid(say`The proposal needs the Keys of its record`)
  if (kind === 'delete') refuseLost(Object.keys(given.Values ?? {}))
  return { ...given, Kind: kind }
}

/**
 * Refuses a proposal of which a part would be lost: its user would confirm less than was asked.
 * @throws invalid naming what the write ignores
 */
function refuseLost(names: readonly string[]): void {
  if (names.length === 0) return
  const shown = names.slice(0, NAMED_MAX).map((name) => name.slice(0, SHOWN_MAX))
  throw invalid(
    say`${shown.join(', ')} cannot be written. Use describe to see the fields that can.`,
    {
      code: 'VALUES_IGNORED',
    },
  )
}

type Values = Readonly<Record<string, unknown>>

/** The write, with the stamp of the record as it is seen now: a change in between wins. */
async function planWrite(
  by: AssistantCall,
  view: View,
  { Kind, Keys, Values: given, Action }: Proposal & { Kind: (typeof KINDS)[number] },
): Promise<{ write: ProposedWrite; before: Values }> {
  const values = given ?? {}
  const name = view.name
  if (Kind === 'create') {
    const request = { FormName: name, Parameters: values, IsNew: true }
    return { write: { kind: Kind, request }, before: {} }
  }
  const keys = Keys ?? {}
  const before = await loadValues(by, name, keys)
  const stamp = typeof before.RowVersion === 'string' ? { RowVersion: before.RowVersion } : {}
  if (Kind === 'update') {
    const Parameters = { ...values, ...keys, ...stamp }
    return { write: { kind: Kind, request: { FormName: name, Parameters } }, before }
  }
  if (Kind === 'delete')
    return {
      write: { kind: Kind, request: { ObjectName: name, Parameters: keys, ...stamp } },
      before,
    }
  if (!Action) throw invalid(say`The proposal of an action needs its Action`)
  const action = requireRowAction(view, Action)
  if (action.for !== 'Row')
    throw invalid(say`The assistant can only run actions on a single record`)
  const request = { ObjectName: name, ActionName: action.name, Parameters: { ...values, ...keys } }
  return { write: { kind: Kind, request: { ...request, ...stamp } }, before }
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

/** The title of a proposal, and what its record is called for the caller. */
function nameProposal(
  view: View,
  { write, before, result }: { write: ProposedWrite; before: Values; result: ObjectActionResult },
  language: string,
): Pick<ProposalItem, 'Title' | 'Record'> {
  const title = renderMessage(titleOf(view, write), language)
  const values = write.kind === 'create' ? (result.Values ?? {}) : before
  const named = (view.entity?.display ?? []).flatMap((name) => {
    const field = view.fieldByName.get(name.toLowerCase())?.name ?? name
    const shown = values[`${field}__Label`] ?? values[field]
    return shown === null || shown === undefined || shown === '' ? [] : [String(shown)]
  })
  const keys = view.keys.flatMap(({ name }) => (name in values ? [String(values[name])] : []))
  const called = named.length > 0 ? named.join(' ') : keys.join(', ')
  return called === '' ? { Title: title } : { Title: `${title} ${called}`, Record: called }
}

function titleOf(view: View, { kind, request }: ProposedWrite): Message {
  const label = view.entity?.label ?? view.label
  if (kind === 'create') return say`Create: ${label}`
  if (kind === 'update') return say`Change: ${label}`
  if (kind === 'delete') return say`Delete: ${label}`
  const name = 'ActionName' in request ? request.ActionName : ''
  return new Message('{0}: {1}', [requireRowAction(view, name).label, label])
}

interface Rehearsal {
  proposal: Proposal
  before: Values
  result: ObjectActionResult
}

/** Each field that would change, with its present and its new value, by the labels of both. */
function preview(
  view: View,
  { proposal, before, result }: Rehearsal,
  language: string,
): ProposalItem['Preview'] {
  const after = result.Values ?? {}
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
