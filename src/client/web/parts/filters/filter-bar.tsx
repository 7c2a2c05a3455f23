/** Filters of a grid: a chip for each, the server's refusals, and the way to the builder. */
import { type Signal, signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { checkFilters } from '../../state/filter-check.ts'
import { type FilterNode, writeFilters } from '../../state/filter-tree.ts'
import { gridQuery, setFilters } from '../../state/grid-query.ts'
import { loadValueLabels } from '../../state/value-labels.ts'
import { Button } from '../button.tsx'
import type { FilterBuilder } from './filter-builder.tsx'
import { listLabelled, scopeOf } from './filter-labels.ts'
import { sayFilter } from './filter-words.ts'
import { Icon } from '../icon.tsx'

type Metadata = Schemas['MetadataResult']

/** The builder and its editors come when it is opened for the first time. */
const loadedBuilder = signal<typeof FilterBuilder | undefined>(undefined)

/** The builder that is open, beginning at this filter; undefined where none is. */
type Opened = Signal<{ at: number } | undefined>

async function open(opened: Opened, at: number): Promise<void> {
  loadedBuilder.value ??= (await import('./filter-builder.tsx')).FilterBuilder
  opened.value = { at }
}

/** Draws the chips and the button that adds a filter. */
export function FilterBar({ metadata }: { metadata: Metadata }) {
  const opened: Opened = useSignal(undefined)
  const bar = useRef<HTMLDivElement>(null)
  const { filters } = gridQuery.value
  const refusals = useRefusals(metadata.Slug, filters)
  useEffect(() => {
    // A key stands there until its label comes, and stays where it has none.
    loadValueLabels(listLabelled(metadata, filters)).catch(() => undefined)
  }, [metadata, writeFilters(filters)])
  const Builder = loadedBuilder.value
  const show = (left: readonly FilterNode[], at: number): void => {
    setFilters(left)
    focusLost(bar, at)
  }
  return (
    <div class="filters" ref={bar}>
      {filters.map((filter, at) => (
        <Chip
          key={JSON.stringify(filter)}
          words={sayFilter(filter, scopeOf(metadata))}
          refusal={refusals.get(at)}
          onOpen={() => void open(opened, at)}
          onRemove={() => show(filters.toSpliced(at, 1), at)}
        />
      ))}
      <Button kind="quiet" onClick={() => void open(opened, filters.length)}>
        <Icon name="filter" />
        {say('addFilter')}
      </Button>
      {filters.length > 1 && (
        <Button kind="quiet" onClick={() => show([], 0)}>
          {say('clearAllFilters')}
        </Button>
      )}
      {[...refusals.values()].map((fault) => (
        <div class="fault" role="alert" key={fault}>
          {say('filterRefused', { fault: withStop(fault) })}
        </div>
      ))}
      {opened.value && Builder && (
        <Builder
          metadata={metadata}
          at={opened.value.at}
          onClose={() => {
            const { at } = opened.peek() ?? { at: 0 }
            opened.value = undefined
            focusLost(bar, at)
          }}
        />
      )}
    </div>
  )
}

/** A sentence within another one, which may be written in the other direction. */
const withStop = (fault: string): string =>
  `\u2068${/[.!?]$/.test(fault) ? fault : `${fault}.`}\u2069`

/**
 * Focuses the chip with this number where the one that had the focus is gone: the last one behind
 * the end, the button without any.
 */
function focusLost(bar: { current: HTMLElement | null }, at: number): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return
    const chips = [...(bar.current?.querySelectorAll<HTMLElement>('.chip-text') ?? [])]
    const button = bar.current?.querySelector<HTMLElement>('.button')
    const target = chips[Math.min(at, chips.length - 1)] ?? button
    target?.focus()
  })
}

interface ChipProps {
  words: string
  refusal: string | undefined
  onOpen(): void
  onRemove(): void
}

function Chip({ words, refusal, onOpen, onRemove }: ChipProps) {
  return (
    <span class={refusal === undefined ? 'chip' : 'chip refused'}>
      <button
        class="chip-text"
        type="button"
        title={words}
        aria-label={say('editFilter', { filter: words })}
        aria-description={refusal}
        onClick={onOpen}
      >
        {words}
      </button>
      <button
        class="chip-end"
        type="button"
        aria-label={say('removeFilter', { filter: words })}
        onClick={onRemove}
      >
        ×
      </button>
    </span>
  )
}

/** Refusals of the server by the number of their filter. */
function useRefusals(object: string, filters: readonly FilterNode[]): ReadonlyMap<number, string> {
  const found = useSignal<ReadonlyMap<number, string>>(new Map())
  useEffect(() => {
    let isStill = true
    found.value = new Map()
    void findRefusals(object, filters).then((refusals) => {
      if (isStill) found.value = refusals
    })
    return () => (isStill = false)
  }, [object, writeFilters(filters)])
  return found.value
}

/** Asks about all filters at once; about each alone where they are refused. */
async function findRefusals(
  object: string,
  filters: readonly FilterNode[],
): Promise<ReadonlyMap<number, string>> {
  const whole = await checkFilters(object, filters)
  if (!whole) return new Map()
  const each = await Promise.all(filters.map((filter) => checkFilters(object, [filter])))
  const refused = each.flatMap((refusal, at): [number, string][] =>
    refusal ? [[at, refusal.message]] : [],
  )
  return new Map(refused.length > 0 ? refused : [[0, whole.message]])
}
