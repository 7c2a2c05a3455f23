/** Chips of a grid's filters in words, and what the server refuses of them. */
import { useEffect } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { checkFilters } from '../../state/filter-check.ts'
import { filterRefusals } from '../../state/filter-refusals.ts'
import { type FilterNode, writeFilters } from '../../state/filter-tree.ts'
import { loadValueLabels } from '../../state/value-labels.ts'
import { listLabelled, scopeOf } from './filter-labels.ts'
import { sayFilter } from './filter-words.ts'

interface ChipsProps {
  metadata: Schemas['MetadataResult']
  filters: readonly FilterNode[]
  onOpen(at: number): void
  onRemove(at: number): void
}

/** Draws a chip for each filter, and refusals below. */
export function FilterChips({ metadata, filters, onOpen, onRemove }: ChipsProps) {
  const refusals = useRefusals(metadata.Slug, filters)
  useEffect(() => {
    // A key stands there until its label comes, and stays where it has none.
    loadValueLabels(listLabelled(metadata, filters)).catch(() => undefined)
  }, [metadata, writeFilters(filters)])
  return (
    <>
      {filters.map((filter, at) => (
        <Chip
          key={`${at} ${JSON.stringify(filter)}`}
          words={sayFilter(filter, scopeOf(metadata))}
          refusal={refusals.get(at)}
          onOpen={() => onOpen(at)}
          onRemove={() => onRemove(at)}
        />
      ))}
      {[...refusals.values()].map((fault) => (
        <div class="fault" role="alert" key={fault}>
          {say('filterRefused', { fault: withStop(fault) })}
        </div>
      ))}
    </>
  )
}

/** A sentence within another one, which may be written in the other direction. */
const withStop = (fault: string): string =>
  `\u2068${/[.!?]$/.test(fault) ? fault : `${fault}.`}\u2069`

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

const NONE: ReadonlyMap<number, string> = new Map()

/** Refusals of the server by the number of their filter; the grid knows them, too. */
function useRefusals(object: string, filters: readonly FilterNode[]): ReadonlyMap<number, string> {
  const text = writeFilters(filters)
  useEffect(() => {
    let isStill = true
    filterRefusals.value = undefined
    void findRefusals(object, filters).then((byNumber) => {
      if (isStill) filterRefusals.value = { filters: text, byNumber }
    })
    return () => {
      isStill = false
      filterRefusals.value = undefined
    }
  }, [object, text])
  const found = filterRefusals.value
  return found && found.filters === text ? found.byNumber : NONE
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
