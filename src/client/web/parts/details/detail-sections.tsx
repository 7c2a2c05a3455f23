/** The details of a record: a few below each other, more of them in tabs, of which one loads. */
import { useEffect } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { place, setQuery } from '../../state/address.ts'
import type { DetailRows } from '../../state/detail-rows.ts'
import { holdShortcuts } from '../../state/keys.ts'
import { DetailTable } from './detail-table.tsx'
import { FoldSection } from '../form/fold-section.tsx'
import { tabIds, TabList } from '../tab-list.tsx'

/** Details that are shown below each other; more have tabs. */
export const STACKED_MAX = 3

interface SectionsProps {
  /** The slug of the record's object. */
  object: string
  details: readonly DetailRows[]
}

/** Keys of the tables of details, which `table-keys.ts` follows; here for the sheet. */
const holdRowKeys = (): (() => void) =>
  holdShortcuts([
    { keys: ['Arrows'], label: () => say('keyMove'), where: 'rows' },
    { keys: ['Enter', 'F2'], label: () => say('keyEditCell'), where: 'rows' },
    { keys: ['Tab'], label: () => say('keyNextCell'), where: 'rows' },
    { keys: ['Escape'], label: () => say('keyTakeBack'), where: 'rows' },
    { keys: ['Insert'], label: () => say('addRow'), where: 'rows' },
    { keys: ['Mod+Delete'], label: () => say('removeRow'), where: 'rows' },
    { keys: ['Mod+v'], label: () => say('keyPasteRows'), where: 'rows' },
  ])

/** Draws all details of a record. */
export function DetailSections({ object, details }: SectionsProps) {
  useEffect(() => (details.length > 0 ? holdRowKeys() : undefined), [details])
  if (details.length > STACKED_MAX) return <DetailTabs details={details} />
  return (
    <>
      {details.map((rows) => (
        <FoldSection
          key={rows.detail.Name}
          object={object}
          label={rows.detail.Label}
          isShown={rows.faults.value.length > 0}
        >
          <DetailTable rows={rows} />
        </FoldSection>
      ))}
    </>
  )
}

/** Tabs of which the address names the open one: `?detail=Lines`. */
function DetailTabs({ details }: Pick<SectionsProps, 'details'>) {
  const named = place.value.query.get('detail')
  const open = details.find(({ detail }) => detail.Name === named) ?? details[0]
  if (!open) return null
  const ids = tabIds('detail', open.detail.Name)
  return (
    <section class="form-section" data-section="tabs">
      <TabList
        name="detail"
        label={say('details')}
        open={open.detail.Name}
        tabs={details.map((rows) => ({
          id: rows.detail.Name,
          label: rows.detail.Label,
          isChanged: rows.isChanged.value,
          faults: rows.faults.value.length,
        }))}
        onOpen={(detail) => setQuery({ detail }, { replace: true })}
      />
      <div role="tabpanel" id={ids.panel} aria-labelledby={ids.tab}>
        <DetailTable key={open.detail.Name} rows={open} />
      </div>
    </section>
  )
}
