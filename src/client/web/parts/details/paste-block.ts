/** A block of cells from a spreadsheet, as text with tabs and lines, typed in from a cell on. */
import { type Schemas, take, wire } from '../../api/wire.ts'
import type { DetailRows } from '../../state/detail-rows.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { isChosen } from '../../fields/chosen.ts'
import { fromText } from '../../fields/kinds.ts'
import { parseText } from '../../fields/typed-text.ts'
import type { CellPlace } from '../cell-place.ts'
import { readBlock } from './block-text.ts'

type Field = Schemas['MetadataField']

/**
 * Types the block in: a cell that cannot be typed in is passed over, rows are added below. A text
 * that means no value of its kind is typed in as it is, for the server to refuse at its cell.
 */
export async function pasteBlock(
  rows: DetailRows,
  from: CellPlace,
  text: string,
  canType: (form: RecordForm, field: Field) => boolean,
): Promise<void> {
  for (const [down, cells] of readBlock(text).entries()) {
    const row = rows.rows.value[from.row + down] ?? (rows.canAdd.value ? rows.add() : undefined)
    if (!row) return
    const form = rows.edit(row)
    for (const [right, cell] of cells.entries()) {
      const field = rows.fields.value[from.column + right]
      if (!field || !canType(form, field)) continue
      if (isChosen(field)) await choose(form, field, cell)
      else form.set(field, parseText(field, cell))
    }
  }
  rows.rows.value = [...rows.rows.value]
}

/** Takes the one choice whose label or value is the text. */
async function choose(form: RecordForm, field: Field, text: string): Promise<void> {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return form.set(field, null)
  const isWanted = ({ Value, Label }: { Value?: unknown; Label?: unknown }): boolean =>
    [Value, Label].some((each) => String(each).toLowerCase() === wanted)
  const option = field.Options.find(isWanted)
  if (option) return form.set(field, fromText(field, option.Value), { Label: option.Label })
  if (field.Options.length > 0) return form.set(field, text)
  const body = {
    FormName: form.metadata.Slug,
    FieldName: field.Name,
    Parameters: form.values.value,
    SearchText: text.trim(),
    Page: 1,
    PageSize: 20,
  }
  const found = await take(wire.POST('/api/v1/svc/object/field-dataset', { body }))
  const hit = found.find(isWanted) ?? (found.length === 1 ? found[0] : undefined)
  if (hit) form.set(field, fromText(field, hit.Value ?? ''), hit)
  else form.set(field, text)
}
