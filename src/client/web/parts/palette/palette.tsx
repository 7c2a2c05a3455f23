/**
 * The palette: a field, and below it places, records and actions that have what is typed. Arrows
 * move, Enter chooses, Esc closes.
 */
import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { go } from '../../state/address.ts'
import { isOwnLink } from '../../state/link.ts'
import { loadRecentRecords } from '../../state/recent-records.ts'
import { Dialog } from '../dialog.tsx'
import { Fault } from '../fault.tsx'
import { type Entry, planGroups } from './entries.ts'
import { EntryList, idOf } from './entry-list.tsx'
import { findRecords, type FoundRecords } from './find-records.ts'

const TYPING_MS = 200
/** Letters that records are searched by at least, and at most. */
const TEXT_MIN = 2
const TEXT_MAX = 200

const NONE: FoundRecords = { groups: [], corrected: null }

/** Goes where an entry leads, or does what it says. */
function carryOut({ address, run }: Entry): void {
  if (address === undefined) run?.()
  else if (isOwnLink(address)) go(address)
  else open(address, '_blank', 'noopener')
}

/** Draws the palette. */
export function Palette({ onClose }: { onClose(): void }) {
  const text = useSignal('')
  const { found, isBusy, fault } = useFoundRecords(text.value.trim())
  const groups = useComputed(() => planGroups(text.value, found.value.groups))
  const entries = groups.value.flatMap((group) => group.entries)
  const choose = useChoice(onClose)
  const { chosen, follow, reset } = useKeys(entries, choose, onClose)
  const isNothing = entries.length === 0 && !isBusy.value && fault.value === undefined
  return (
    <Dialog label={say('keyPalette')} onClose={onClose}>
      <div class="palette">
        <input
          class="palette-field"
          type="text"
          role="combobox"
          aria-label={say('keyPalette')}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-autocomplete="list"
          enterkeyhint="go"
          aria-activedescendant={chosen && idOf(chosen)}
          placeholder={say('palettePlaceholder')}
          maxLength={TEXT_MAX}
          autoComplete="off"
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
            reset()
          }}
          onKeyDown={follow}
        />
        <Fault of={fault.value} />
        {found.value.corrected !== null && (
          <p class="palette-line quiet">
            {say('paletteCorrected', { text: text.value.trim(), found: found.value.corrected })}
          </p>
        )}
        <EntryList groups={groups.value} chosen={chosen} onChoose={choose} />
        <p class="palette-line quiet" role="status">
          {isBusy.value
            ? say('paletteSearching')
            : isNothing
              ? say('paletteNothing', { text: text.value.trim() })
              : say('paletteCount', { count: entries.length })}
        </p>
      </div>
    </Dialog>
  )
}

/** Closes the palette for an entry, and carries it out once the focus is where it was. */
function useChoice(onClose: () => void): (entry: Entry | undefined) => void {
  const taken = useRef<Entry>(undefined)
  useEffect(() => {
    loadRecentRecords().catch(() => undefined)
    return () => void setTimeout(() => taken.current && carryOut(taken.current))
  }, [])
  return (entry) => {
    if (!entry || entry.reason !== undefined) return
    taken.current = entry
    onClose()
  }
}

/** The entry that Enter chooses, and the keys that move it. */
function useKeys(
  entries: readonly Entry[],
  choose: (entry: Entry | undefined) => void,
  onClose: () => void,
) {
  const active = useSignal<string | undefined>(undefined)
  const at = Math.max(
    0,
    entries.findIndex(({ id }) => id === active.value),
  )
  const follow = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const isOwnKey = (event.ctrlKey || event.metaKey) && event.key === 'k'
    if (step === undefined && event.key !== 'Enter' && !isOwnKey) return
    event.preventDefault()
    if (isOwnKey) onClose()
    else if (step === undefined) choose(entries[at])
    else active.value = entries[(at + step + entries.length) % entries.length]?.id
  }
  return { chosen: entries[at], follow, reset: () => (active.value = undefined) }
}

/** The records that have the text, asked for once typing pauses. */
function useFoundRecords(text: string) {
  const found = useSignal(NONE)
  const isBusy = useSignal(false)
  const fault = useSignal<unknown>(undefined)
  const latest = useRef(text)
  latest.current = text
  useEffect(() => {
    fault.value = undefined
    isBusy.value = text.length >= TEXT_MIN
    if (!isBusy.value) {
      found.value = NONE
      return undefined
    }
    const gone = new AbortController()
    const timer = setTimeout(() => {
      findRecords(text, gone.signal)
        .then(
          (records) => (found.value = records),
          (thrown: unknown) => {
            if (latest.current === text) fault.value = thrown
          },
        )
        .finally(() => {
          if (latest.current === text) isBusy.value = false
        })
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      gone.abort()
    }
  }, [text])
  return { found, isBusy, fault }
}
