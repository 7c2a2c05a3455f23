/** A table of a conflict: what was there before, what others stored, what is typed here. */
import { say } from '../../texts/texts.ts'
import type { Side } from '../../state/conflict.ts'
import type { Choices } from '../../state/row-conflicts.ts'
import type { ConflictLine } from './conflict-lines.ts'

interface TableProps {
  label: string
  who: string
  lines: readonly ConflictLine[]
  choices: Choices
  onChoose(name: string, side: Side): void
}

/** Draws it; a line that both changed has a choice between the values of both. */
export function ConflictTable({ label, who, lines, choices, onChoose }: TableProps) {
  return (
    <div class="conflict-frame" role="group" aria-label={label}>
      <table class="conflict-table">
        <thead>
          <tr>
            <th scope="col">{say('field')}</th>
            <th scope="col">{say('conflictBefore')}</th>
            <th scope="col">{who}</th>
            <th scope="col">{say('conflictMine')}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <ConflictRow
              key={line.name}
              line={line}
              chosen={line.by === 'both' ? choices[line.name] : line.by}
              who={who}
              onChoose={onChoose}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps extends Pick<TableProps, 'who' | 'onChoose'> {
  line: ConflictLine
  chosen: Side | undefined
}

function ConflictRow({ line: { name, label, by, texts }, chosen, who, onChoose }: RowProps) {
  const cell = (side: Side, head: string) => {
    const text = texts[side]
    return (
      <td data-chosen={chosen === side || undefined} data-head={head}>
        {by === 'both' ? (
          <label class="conflict-choice">
            <input
              type="radio"
              name={`conflict-${name}`}
              checked={chosen === side}
              aria-label={`${label}, ${head}: ${text === '' ? say('conflictEmpty') : text}`}
              onChange={() => onChoose(name, side)}
            />
            <ConflictText text={text} />
          </label>
        ) : (
          <ConflictText text={text} />
        )}
      </td>
    )
  }
  return (
    <tr>
      <th scope="row">
        {label}
        {by !== 'both' && (
          <small>
            {by === 'mine' ? say('conflictOnlyMine') : say('conflictOnlyTheirs', { who })}
          </small>
        )}
      </th>
      <td data-head={say('conflictBefore')}>
        <ConflictText text={texts.before} />
      </td>
      {cell('theirs', who)}
      {cell('mine', say('conflictMine'))}
    </tr>
  )
}

const ConflictText = ({ text }: { text: string }) =>
  text === '' ? <span class="quiet">{say('conflictEmpty')}</span> : <span>{text}</span>
