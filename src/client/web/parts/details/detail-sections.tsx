/** The details of a record: a few below each other, more of them in tabs, of which one loads. */
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { place, setQuery } from '../../state/address.ts'
import type { DetailRows } from '../../state/detail-rows.ts'
import { holdShortcuts } from '../../state/keys.ts'
import { DetailTable } from './detail-table.tsx'
import { FoldSection } from '../form/fold-section.tsx'
import { Icon } from '../icon.tsx'

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

/** Tabs of which the address names the open one: arrows move, as tabs of the platform do. */
function DetailTabs({ details }: Pick<SectionsProps, 'details'>) {
  const named = place.value.query.get('detail')
  const open = details.find(({ detail }) => detail.Name === named) ?? details[0]
  const strip = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = strip.current?.querySelector('[aria-selected=true]')
    tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [open])
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (step === undefined || !open) return
    event.preventDefault()
    const next = details[(details.indexOf(open) + step + details.length) % details.length]
    setQuery({ detail: next?.detail.Name }, { replace: true })
    requestAnimationFrame(() =>
      strip.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus(),
    )
  }
  if (!open) return null
  return (
    <section class="form-section" data-section="tabs">
      <div
        class="detail-tabs"
        role="tablist"
        aria-label={say('details')}
        ref={strip}
        onKeyDown={move}
      >
        {details.map((rows) => (
          <button
            key={rows.detail.Name}
            type="button"
            role="tab"
            id={`detail-${rows.detail.Name}`}
            aria-selected={rows === open}
            aria-controls="detail-panel"
            tabIndex={rows === open ? 0 : -1}
            onClick={() => setQuery({ detail: rows.detail.Name }, { replace: true })}
          >
            {rows.detail.Label}
            {rows.isChanged.value && ' •'}
            {rows.faults.value.length > 0 && <Icon name="warning" />}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="detail-panel" aria-labelledby={`detail-${open.detail.Name}`}>
        <DetailTable key={open.detail.Name} rows={open} />
      </div>
    </section>
  )
}
