/** The prints of a record: a menu of its documents, each shown as PDF before it is kept. */
import { say } from '../../texts/texts.ts'
import { loadFile } from '../../api/load-file.ts'
import type { Schemas } from '../../api/wire.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { shownFile } from '../../state/shown-file.ts'
import { nameRow } from '../../fields/row-name.ts'
import { addressOfPrint, isPrint, planActions } from './action-plan.ts'
import { Menu } from '../menu.tsx'

/** Draws the menu; nothing where the record has no prints. */
export function PrintMenu({ form }: { form: RecordForm }) {
  const { metadata, permissions, values, isNew, isTouched } = form
  if (isNew.value) return null
  const row = values.value
  const prints = planActions(metadata, permissions.value, [row], 'Row').filter(({ action }) =>
    isPrint(action),
  )
  const items = prints.map(({ action, reason }) => ({
    text: action.Label,
    reason: isTouched.value ? say('saveFirst') : reason,
    run: () => showPrint(metadata, action, row),
  }))
  return <Menu label={say('print')} items={items} />
}

/** Shows the document; the server makes it under the rights of the user. */
function showPrint(
  metadata: Schemas['MetadataResult'],
  action: Schemas['MetadataRowAction'],
  row: Schemas['FieldValues'],
): void {
  shownFile.value = {
    name: `${action.Label} ${nameRow(metadata, row)}.pdf`,
    load: (told) => loadFile(addressOfPrint(action, row), told),
  }
}
