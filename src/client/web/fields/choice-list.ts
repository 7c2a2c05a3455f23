/** The list of a field whose values are chosen: its pages, its rows, the way to a new record. */
import type { ComboBoxDataProvider } from '@vaadin/combo-box'
import { say } from '../texts/texts.ts'
import { take, wire } from '../api/wire.ts'
import type { LookupTarget } from '../state/objects.ts'
import type { EditorProps } from './field-kind.ts'

/** One choice, with the other columns of its row; every value is a text, as the wire has it. */
export interface Choice {
  Value: string
  Label: string
  [column: string]: string
}

/** Choices on a page. */
export const CHOICES_PAGE = 50

/** Choices that were asked for by a typed text, when they come. */
export interface Search {
  filter: string
  found: Promise<Choice[]>
}

/** No value of a record: a text of the wire has no such character. */
const CREATE = '\u0000create'

/** True for the entry that makes a new record. */
export const isCreate = ({ Value }: Choice): boolean => Value === CREATE

const createEntry = ({ label }: LookupTarget, typed: string): Choice => ({
  Value: CREATE,
  Label:
    typed.trim() === ''
      ? say('createIn', { label })
      : say('createNamed', { name: typed.trim(), label }),
  Typed: typed.trim(),
})

/** Finds choices by a typed text; the form's other fields narrow them. @throws ServerError */
export async function findChoices(
  { field, form }: EditorProps,
  filter: string,
  { page, pageSize }: { page: number; pageSize: number } = { page: 0, pageSize: CHOICES_PAGE },
): Promise<Choice[]> {
  const body = {
    FormName: form.name,
    FieldName: field.Name,
    ...(form.action !== undefined && { ActionName: form.action }),
    Parameters: form.values,
    SearchText: filter,
    Page: page + 1,
    PageSize: pageSize,
  }
  return take(wire.POST('/api/v1/svc/object/field-dataset', { body }))
}

/** Pages of choices, by what is typed; behind the last one stands the way to a new record. */
export function planProvider(
  latest: { readonly current: EditorProps },
  search: { current: Search | undefined },
  target: { peek(): LookupTarget | undefined },
): ComboBoxDataProvider<Choice> {
  return async ({ page, pageSize, filter }, callback) => {
    const asked = findChoices(latest.current, filter, { page, pageSize })
    if (page === 0) search.current = { filter, found: asked }
    const found = await asked
    const before = page * pageSize + found.length
    if (found.length === pageSize) return callback(found, before + 1)
    const made = target.peek()
    const further = made?.canCreate === true ? [createEntry(made, filter)] : []
    callback([...found, ...further], before + further.length)
  }
}

/** Draws a choice: its label, and below it the other columns that say more than that. */
export function drawChoice(root: HTMLElement, _owner: unknown, { item }: { item: Choice }): void {
  const { Value: _, Label, Typed: __, ...columns } = item
  const lines = [document.createElement('span')]
  lines[0]!.textContent = isCreate(item) ? `＋ ${Label}` : Label
  const further = Object.values(columns).filter((text) => text !== '' && !Label.includes(text))
  if (further.length > 0) {
    const line = document.createElement('small')
    line.textContent = further.join(' · ')
    lines.push(line)
  }
  for (const line of lines) line.className = 'choice-text'
  root.replaceChildren(...lines)
}
