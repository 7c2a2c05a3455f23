/** Filters of a grid: their chips, and the way to the builder. Both load when they are needed. */
import { type Signal, signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import type { FilterNode } from '../../state/filter-tree.ts'
import { gridQuery, setFilters } from '../../state/grid-query.ts'
import { holdShortcuts } from '../../state/keys.ts'
import { Button } from '../button.tsx'
import type { FilterBuilder } from './filter-builder.tsx'
import type { FilterChips } from './filter-chips.tsx'
import { Icon } from '../icon.tsx'

/** The builder and its editors come when it is opened for the first time. */
const loadedBuilder = signal<typeof FilterBuilder | undefined>(undefined)

/** Chips and their words come with the first filter. */
const loadedChips = signal<typeof FilterChips | undefined>(undefined)

async function loadChips(): Promise<void> {
  loadedChips.value ??= (await import('./filter-chips.tsx')).FilterChips
}

/** The builder that is open, beginning at this filter; undefined where none is. */
type Opened = Signal<{ at: number } | undefined>

async function open(opened: Opened, at: number): Promise<void> {
  loadedBuilder.value ??= (await import('./filter-builder.tsx')).FilterBuilder
  opened.value = { at }
}

/** Draws the chips and the button that adds a filter. */
export function FilterBar({ metadata }: { metadata: Schemas['MetadataResult'] }) {
  const opened: Opened = useSignal(undefined)
  const bar = useRef<HTMLDivElement>(null)
  const { filters } = gridQuery.value
  const Builder = loadedBuilder.value
  const Chips = loadedChips.value
  if (filters.length > 0 && !Chips) void loadChips()
  useEffect(
    () =>
      holdShortcuts([
        {
          keys: ['f'],
          label: () => say('addFilter'),
          where: 'list',
          run: () => void open(opened, gridQuery.peek().filters.length),
        },
      ]),
    [],
  )
  const show = (left: readonly FilterNode[], at: number): void => {
    setFilters(left)
    focusLost(bar, at)
  }
  return (
    <div class="filters" ref={bar}>
      {Chips && (
        <Chips
          metadata={metadata}
          filters={filters}
          onOpen={(at) => void open(opened, at)}
          onRemove={(at) => show(filters.toSpliced(at, 1), at)}
        />
      )}
      <Button
        kind="quiet"
        title={say('addFilter')}
        onClick={() => void open(opened, filters.length)}
      >
        <Icon name="filter" />
        <span class="tool-word">{say('addFilter')}</span>
      </Button>
      {filters.length > 1 && (
        <Button kind="quiet" onClick={() => show([], 0)}>
          {say('clearAllFilters')}
        </Button>
      )}
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
