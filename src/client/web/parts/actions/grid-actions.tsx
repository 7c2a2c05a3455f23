/** The bar over a grid while rows are selected: how many, and what can be done with them. */
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { gridPermissions } from '../../state/grid-rows.ts'
import { clearSelection, selection } from '../../state/selection.ts'
import { ActionBar } from './action-bar.tsx'
import { listActionItems } from './action-items.ts'
import { BulkButton } from '../bulk/bulk-button.tsx'
import { Button } from '../button.tsx'

/** Draws the bar; nothing where no row is selected. */
export function GridActions({ metadata }: { metadata: Schemas['MetadataResult'] }) {
  const rows = [...selection.value.values()]
  if (rows.length === 0) return null
  const kinds = rows.length === 1 ? (['Row', 'Rows'] as const) : (['Rows'] as const)
  const items = listActionItems(metadata, gridPermissions.value, rows, kinds, clearSelection)
  return (
    <div class="selection-bar" role="region" aria-label={say('selected', { count: rows.length })}>
      <strong role="status">{say('selected', { count: rows.length })}</strong>
      <ActionBar items={items} where="list" />
      <BulkButton metadata={metadata} rows={rows} />
      <span class="grow" />
      <Button kind="quiet" onClick={clearSelection}>
        {say('clearSelection')}
      </Button>
    </div>
  )
}
