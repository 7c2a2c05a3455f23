/** The list of the palette: entries under their headings, with marks where they have the words. */
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { Icon } from '../icon.tsx'
import { KeyCaps } from '../keys/key-caps.tsx'
import type { Entry, EntryGroup } from './entries.ts'

/** The id of an entry's element. */
export const idOf = ({ id }: Entry): string => `palette-${id.replaceAll(/[^\w-]/g, '_')}`

interface EntryListProps {
  groups: readonly EntryGroup[]
  chosen: Entry | undefined
  onChoose(entry: Entry): void
}

/** Draws the list; the chosen entry is in sight. */
export function EntryList({ groups, chosen, onChoose }: EntryListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen?.id])
  return (
    <div
      ref={list}
      id="palette-list"
      class="palette-list"
      role="listbox"
      aria-label={say('keyPalette')}
      tabIndex={-1}
    >
      {groups.map(({ name, label, entries }) => (
        <div key={name} role="group" aria-labelledby={`palette-group-${name}`}>
          <div id={`palette-group-${name}`} class="palette-heading">
            {label}
          </div>
          {entries.map((entry) => (
            <EntryLine
              key={entry.id}
              entry={entry}
              isChosen={entry === chosen}
              onChoose={() => onChoose(entry)}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

interface EntryLineProps {
  entry: Entry
  isChosen: boolean
  onChoose(): void
}

function EntryLine({ entry, isChosen, onChoose }: EntryLineProps) {
  const { text, detail, ranges, icon, keys, reason } = entry
  const isMarkedBelow = detail !== undefined
  return (
    <div
      id={idOf(entry)}
      class="palette-entry"
      role="option"
      aria-selected={isChosen}
      aria-disabled={reason !== undefined}
      onClick={onChoose}
    >
      <Icon name={icon} />
      <span class="palette-text">
        {isMarkedBelow ? text : <Marked text={text} ranges={ranges} />}
      </span>
      {detail !== undefined && (
        <small class="quiet">
          <Marked text={detail} ranges={ranges} />
        </small>
      )}
      {reason !== undefined && <small class="quiet">{reason}</small>}
      {keys !== undefined && <KeyCaps keys={keys} />}
    </div>
  )
}

interface MarkedProps {
  text: string
  ranges: Entry['ranges']
}

/** A text with marks on what was searched for. */
function Marked({ text, ranges = [] }: MarkedProps) {
  const pieces: { text: string; isFound: boolean }[] = []
  let end = 0
  for (const [start, length] of ranges) {
    pieces.push({ text: text.slice(end, start), isFound: false })
    pieces.push({ text: text.slice(start, start + length), isFound: true })
    end = start + length
  }
  pieces.push({ text: text.slice(end), isFound: false })
  return <>{pieces.map(({ text: piece, isFound }) => (isFound ? <mark>{piece}</mark> : piece))}</>
}
