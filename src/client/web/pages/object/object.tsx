/** An object: its rows in a grid. */
import { signal, useComputed, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { language, say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { go, path } from '../../state/address.ts'
import { gridQuery, setPreset, setSearch } from '../../state/grid-query.ts'
import { beginRights, gridPermissions, rowCount, rowsCounted } from '../../state/grid-rows.ts'
import { holdShortcuts } from '../../state/keys.ts'
import { followMetadata } from '../../state/metadata.ts'
import { addressOfNew } from '../../state/opened-from.ts'
import { selectedCount } from '../../state/selection.ts'
import { beginAction } from '../../parts/actions/action-host.tsx'
import { planActions } from '../../parts/actions/action-plan.ts'
import type { GridActions } from '../../parts/actions/grid-actions.tsx'
import { ExportButton } from '../../parts/export/export-button.tsx'
import { Fault } from '../../parts/fault.tsx'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import { RowGrid } from '../../parts/grid/row-grid.tsx'
import { ImportButton } from '../../parts/import/import-button.tsx'
import { LayoutButton } from '../../parts/layout/layout-button.tsx'
import { Menu } from '../../parts/menu.tsx'
import { ViewMenu } from '../../parts/views/view-menu.tsx'
import type { RecordPlace } from './record.tsx'

/** Forms and their editors load with the first record. */
const loadedRecord = signal<typeof RecordPlace | undefined>(undefined)

async function loadRecord(): Promise<void> {
  loadedRecord.value = (await import('./record.tsx')).RecordPlace
}

/** The place `/object/{slug}`. */
export function ObjectPlace() {
  const metadata = useSignal<Schemas['MetadataResult'] | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  // Of the address the object alone: a search or a filter asks for no metadata.
  const slug = useComputed(() => path.value[1] ?? '')
  const name = slug.value
  // Before the first frame, which shows what is kept of the last visit.
  useLayoutEffect(() => {
    fault.value = undefined
    beginRights(name)
    return followMetadata(name, {
      onFound: (found) => (metadata.value = found),
      onFault: (thrown) => (fault.value = thrown),
    })
  }, [name, language.value])
  if (fault.value !== undefined) return <Fault of={fault.value} />
  const found = metadata.value
  if (found?.Slug !== name && found?.Name.toLowerCase() !== name)
    return <div class="empty quiet">{say('loading')}</div>
  const [, , ...parts] = path.value
  const Record = loadedRecord.value
  if (parts.length > 0 && !Record) {
    void loadRecord()
    return <div class="empty quiet">{say('loading')}</div>
  }
  if (parts.length > 0 && Record)
    return (
      <Record
        key={parts.join('/')}
        metadata={found}
        parts={parts[0] === 'new' && parts.length === 1 ? [] : parts}
      />
    )
  return (
    <>
      <ObjectHead metadata={found} />
      <SelectionBar metadata={found} />
      <div class="place-body">
        <RowGrid metadata={found} key={found.Slug} />
        <EmptyWays />
      </div>
    </>
  )
}

/** Actions load with the first row that is selected, or the first action of the view. */
const loadedActions = signal<typeof GridActions | undefined>(undefined)

async function loadActions(): Promise<void> {
  loadedActions.value = (await import('../../parts/actions/grid-actions.tsx')).GridActions
}

function SelectionBar({ metadata }: { metadata: Schemas['MetadataResult'] }) {
  if (selectedCount.value === 0) return null
  const Bar = loadedActions.value
  if (Bar) return <Bar metadata={metadata} />
  void loadActions()
  return null
}

const TYPING_MS = 250

/** Actions without a row, in a menu that says why one is not possible. */
function ViewActions({ metadata }: { metadata: Schemas['MetadataResult'] }) {
  const planned = planActions(metadata, gridPermissions.value, [], 'View')
  const items = planned.map((each) => ({
    text: each.action.Label,
    reason: each.reason,
    run: () => void beginAction(metadata, each, []),
  }))
  return <Menu label={say('moreActions')} items={items} />
}

const mayCreate = (): boolean => gridPermissions.value?.Create !== false

/** Keys of the grid: `/` searches, `n` makes a record. Returns what ends them. */
const holdGridKeys = (
  { Slug, Label, Search }: Schemas['MetadataResult'],
  search: { readonly current: HTMLInputElement | null },
): (() => void) =>
  holdShortcuts([
    { keys: ['Arrows'], label: () => say('keyMove'), where: 'list' },
    { keys: ['Shift+F10'], label: () => say('keyCellMenu'), where: 'list' },
    ...(Search === null
      ? []
      : [
          {
            keys: ['/'],
            label: () => say('searchIn', { label: Label }),
            where: 'list' as const,
            run: () => {
              search.current?.focus()
              search.current?.select()
            },
          },
        ]),
    {
      keys: ['n'],
      label: () => say('keyNew'),
      where: 'list',
      reason: () => (mayCreate() ? undefined : say('noRight')),
      run: () => go(addressOfNew(Slug)),
    },
  ])

/** Says what to do where an object has no rows yet; where none matches, the grid itself does. */
function EmptyWays() {
  const { search, filters, preset } = gridQuery.value
  const isNarrowed = search !== '' || filters.length > 0 || preset !== undefined
  if (rowCount.value !== 0 || isNarrowed) return null
  return <p class="empty-ways quiet">{say(mayCreate() ? 'noRowsCreate' : 'noRowsSeen')}</p>
}

/** The number of rows; where counting all takes too long, how many there are more of. */
function RowCount() {
  const [count, counted] = [rowCount.value, rowsCounted.value]
  const words =
    count !== undefined
      ? say('rows', { count })
      : counted !== undefined && say('rowsAbove', { count: counted })
  // Its room is there from the beginning: nothing beside it moves when it comes.
  return (
    <span class="row-count quiet" role="status">
      {words}
    </span>
  )
}

/** Leads to a new record; it alone follows each change of the address. */
function NewLink({ slug }: { slug: string }) {
  return (
    <a class="button primary" href={addressOfNew(slug)}>
      {say('create')}
    </a>
  )
}

/** Heading, count, search, presets, filters, and what may be made. */
function ObjectHead({ metadata }: { metadata: Schemas['MetadataResult'] }) {
  const { search, preset } = gridQuery.value
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => holdGridKeys(metadata, field), [metadata])
  return (
    <header class="place-head">
      <h1>{metadata.Label}</h1>
      <RowCount />
      <span class="grow" />
      {metadata.Search !== null && (
        <input
          ref={field}
          class="search"
          type="search"
          aria-label={say('searchIn', { label: metadata.Label })}
          placeholder={say('search')}
          value={search}
          onInput={(event) => {
            const { value } = event.currentTarget
            clearTimeout(timer.current)
            timer.current = setTimeout(() => setSearch(value), TYPING_MS)
          }}
        />
      )}
      <div class="place-tools">
        <ViewMenu object={metadata.Slug} />
        {metadata.Presets.length > 0 && (
          <select
            class="select"
            aria-label={say('preset')}
            value={preset ?? ''}
            onChange={(event) => setPreset(event.currentTarget.value || undefined)}
          >
            <option value="">{`${say('preset')}: ${say('allRows')}`}</option>
            {metadata.Presets.map(({ Name, Label }) => (
              <option key={Name} value={Name}>
                {Label}
              </option>
            ))}
          </select>
        )}
        <FilterBar metadata={metadata} />
        <LayoutButton metadata={metadata} />
        <ViewActions metadata={metadata} />
        <ImportButton metadata={metadata} />
        <ExportButton metadata={metadata} />
      </div>
      {mayCreate() && <NewLink slug={metadata.Slug} />}
    </header>
  )
}
