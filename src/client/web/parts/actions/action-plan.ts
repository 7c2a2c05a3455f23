/** Actions of a view for rows: which there are, and why one is not possible. */
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { addressOf } from '../../state/address.ts'
import { fillLink } from '../../state/link.ts'

/** An action as the metadata of its view declares it. */
export type RowAction = Schemas['MetadataRowAction']
type Row = Schemas['FieldValues']

/** An action for rows; `reason` says why it is not possible for them. */
export interface PlannedAction {
  action: RowAction
  reason: string | undefined
}

/** True where the action only opens something: what it opens judges its caller itself. */
const onlyOpens = ({ Object: object, Report, Url }: RowAction): boolean =>
  object !== undefined || Report !== undefined || Url !== undefined

/** A need is a verb, which permissions have by its name, or a capability. */
function mayRun(action: RowAction, permissions: Schemas['Permissions']): boolean {
  if (onlyOpens(action)) return true
  const needed = action.Capability ?? 'Update'
  const held = new Map<string, unknown>(Object.entries(permissions)).get(needed)
  return typeof held === 'boolean' ? held : permissions.Capabilities.includes(needed)
}

/** True where the row lets the action happen; cells of permits are numbers or truth values. */
function isPermitted(action: RowAction, row: Row): boolean {
  const permit = onlyOpens(action) ? undefined : row[`Permit__${action.Capability ?? 'Update'}`]
  const cell = row[`Action__${action.Name}`] ?? permit
  return cell === undefined || cell === true || cell === 1
}

/** True where the client has a place for it; wizards and pages of reports come later. */
const isDrawn = ({ Wizard, Report, ReportKind }: RowAction): boolean =>
  Wizard === undefined && (Report === undefined || ReportKind === 'Document')

/** The actions of a kind over rows, each with the reason why it is not possible. */
export function planActions(
  metadata: Schemas['MetadataResult'],
  permissions: Schemas['Permissions'] | undefined,
  rows: readonly Row[],
  kind: RowAction['For'],
): PlannedAction[] {
  return metadata.RowActions.filter((action) => action.For === kind && isDrawn(action)).map(
    (action) => ({ action, reason: findReason(action, permissions, rows) }),
  )
}

function findReason(
  action: RowAction,
  permissions: Schemas['Permissions'] | undefined,
  rows: readonly Row[],
): string | undefined {
  if (!permissions) return say('loading')
  if (!mayRun(action, permissions)) return say('noRight')
  if (action.Url !== undefined && fillLink(action.Url, rows[0]) === undefined) return say('notNow')
  if (rows.every((row) => isPermitted(action, row))) return undefined
  return rows.length > 1 ? say('notNowOfSome') : say('notNow')
}

/** The parameters that an action takes of a row: `OrderId=Id` → `{ OrderId: 7 }`. */
function parametersOf(action: RowAction, row: Row | undefined): Row {
  const pairs = (action.With ?? '').split(/\s+/).filter(Boolean)
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', from = name] = pair.split('=')
      return [name, row?.[from] ?? null]
    }),
  )
}

/** True for an action that prints a document of the record. */
export const isPrint = ({ Report, ReportKind }: RowAction): boolean =>
  Report !== undefined && ReportKind === 'Document'

/** The address of the document that an action prints of a row, as PDF. */
export function addressOfPrint(action: RowAction, row: Row | undefined): string {
  const given = Object.entries(parametersOf(action, row)).map(([name, value]) => [
    name,
    String(value),
  ])
  const query = new URLSearchParams([...given, ['format', 'pdf']]).toString()
  return `/report/${encodeURIComponent(action.Report ?? '')}?${query}`
}

/** Where an action leads that only opens something; undefined for one that does something. */
export function addressOfAction(action: RowAction, row: Row | undefined): string | undefined {
  if (action.Url !== undefined) return fillLink(action.Url, row)
  if (action.Object === undefined) return undefined
  const filters = Object.entries(parametersOf(action, row)).map(([name, value]) => [
    name,
    'eq',
    value,
  ])
  return addressOf(['object', action.Object.toLowerCase()], {
    filters: filters.length === 0 ? undefined : JSON.stringify(filters),
  })
}
