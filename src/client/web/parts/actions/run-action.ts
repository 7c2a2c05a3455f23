/** Runs actions and deletions, and does what the server asks for then. */
import { say } from '../../texts/texts.ts'
import { describeFault } from '../../api/told-error.ts'
import { fetchFile, type Schemas, take, wire } from '../../api/wire.ts'
import { go } from '../../state/address.ts'
import { refreshGrid } from '../../state/grid-rows.ts'
import { drawKey, type Intent } from '../../state/intent.ts'
import { isOwnLink } from '../../state/link.ts'
import { notify } from '../../state/notices.ts'
import { keyOfRow } from '../../state/selection.ts'
import { addressOfAction, addressOfPrint, type RowAction } from './action-plan.ts'
import { keepFile } from '../keep-file.ts'

type Row = Schemas['FieldValues']
type Metadata = Schemas['MetadataResult']

/** An action over rows; its intent draws the key of each try. */
export interface ActionCall {
  metadata: Metadata
  action: RowAction
  rows: readonly Row[]
  intent: Intent
}

/** Saves a file of the server under its name. */
export async function saveFile(address: string, name: string): Promise<void> {
  keepFile(await (await fetchFile(address)).blob(), name)
}

/** Opens what an action opens; false where it does something itself. */
export async function openTarget({ action, rows }: ActionCall): Promise<boolean> {
  const [row] = rows
  if (action.Report !== undefined) {
    await saveFile(addressOfPrint(action, row), `${action.Label}.pdf`)
    return true
  }
  const address = addressOfAction(action, row)
  if (address === undefined) return false
  if (isOwnLink(address)) go(address)
  else open(address, '_blank', 'noopener')
  return true
}

/** Runs an action with its parameters. @throws ServerError */
export async function runAction(call: ActionCall, values: Row): Promise<void> {
  const { metadata, action, rows, intent } = call
  const [row] = rows
  const body: Schemas['ExecuteRowActionRequest'] = {
    ObjectName: metadata.Slug,
    ActionName: action.Name,
    Parameters: action.For === 'Row' && row ? { ...values, ...keyWithout(metadata, row) } : values,
    ...(action.For === 'Row' &&
      typeof row?.RowVersion === 'string' && { RowVersion: row.RowVersion }),
    ...(action.For === 'Rows' && { Keys: rows.map((each) => keyWithout(metadata, each)) }),
  }
  try {
    const params = { header: { 'Idempotency-Key': intent.keyOf(body) } }
    const result = await take(wire.POST('/api/v1/svc/object/execute-row-action', { params, body }))
    intent.end()
    await follow(result, action.Label)
  } catch (thrown) {
    intent.end(thrown)
    throw thrown
  }
}

function keyWithout(metadata: Metadata, row: Row): Row {
  const { RowVersion: _, ...key } = keyOfRow(metadata, row)
  return key
}

/** Does what an answer asks for; without a word of its own it says what was done. */
async function follow(result: Schemas['ObjectActionResult'], label: string): Promise<void> {
  const told = result.Dispatch.filter(({ Message }) => Message !== undefined)
  for (const { Message = '', Level } of told) notify(Message, Level)
  if (result.File) await saveFile(result.File.Url, result.File.FileName)
  if (told.length === 0) notify(say('actionDone', { action: label }))
  refreshGrid()
}

/** A row that could not be deleted, and why. */
export interface FailedRow {
  row: Row
  reason: string
}

/** Deletes rows one by one, each under its own key; resolves to those that stayed. */
export async function deleteRows(
  metadata: Metadata,
  rows: readonly Row[],
  keys: readonly string[],
  onProgress: (done: number) => void,
): Promise<FailedRow[]> {
  const failed: FailedRow[] = []
  for (const [at, row] of rows.entries()) {
    const { RowVersion } = row
    const body = {
      ObjectName: metadata.Slug,
      Parameters: keyWithout(metadata, row),
      ...(typeof RowVersion === 'string' && { RowVersion }),
    }
    const header = { 'Idempotency-Key': keys[at] ?? drawKey() }
    try {
      await take(wire.POST('/api/v1/svc/object/delete-row', { params: { header }, body }))
    } catch (thrown) {
      failed.push({ row, reason: describeFault(thrown) })
    }
    onProgress(at + 1)
  }
  refreshGrid()
  return failed
}
