/** The report of an adoption: what was taken, changed and left. */
import { CELL_BYTES_MAX } from '../../store/file/source-file.ts'
import type { Note } from './adopted.ts'
import { tellCount } from './column-profile.ts'
import type { TakenTable } from './load-tables.ts'
import type { Adoption } from './plan-adoption.ts'
import type { ValueEffect } from './readings.ts'
import type { LeftObject } from './source-schema.ts'

/** Words for what was done to values, and whether something of them is lost. */
const EFFECTS: Readonly<Record<ValueEffect, readonly [kind: 'changed' | 'lost', text: string]>> = {
  emptied: ['changed', 'blank text, which is no value here'],
  zoned: ['changed', 'times without a zone were read as UTC'],
  cut: ['changed', 'midnight after a date was left out'],
  converted: ['changed', 'written differently'],
  fromBytes: ['changed', 'bytes became text'],
  cleaned: ['lost', 'characters that text cannot hold were left out or replaced by U+FFFD'],
  tooLarge: ['lost', `a value has at most ${CELL_BYTES_MAX} bytes`],
  rounded: ['lost', 'rounded to the decimal places of the column'],
  trimmed: ['lost', 'digits beyond the fifteenth were left out'],
  shortened: ['lost', 'fractions of a second beyond milliseconds were left out'],
  reduced: ['lost', 'of members of the same name, all but the last were left out'],
}

/** Lists the changes and losses of values, table by table and column by column. */
function listEffects(taken: readonly TakenTable[]): Note[] {
  return taken.flatMap(({ entity, effects }) =>
    entity.columns.flatMap((column) =>
      [...(effects.get(column) ?? [])].map(([effect, { values, example }]) => {
        const [kind, text] = EFFECTS[effect]
        const of = `${entity.source.table.name}.${column.profile.column.name}`
        const shown = column.isSecret ? '' : ` (${example})`
        return { kind, of, text: `${tellCount(values, 'value')}: ${text}${shown}` }
      }),
    ),
  )
}

/** Lists objects that are not taken although they hold rows. */
const listLeftRows = (left: readonly LeftObject[]): Note[] =>
  left.flatMap(({ kind, name, rows = 0 }) =>
    rows === 0
      ? []
      : [{ kind: 'lost' as const, of: name, text: `${tellCount(rows, 'row')} of this ${kind}` }],
  )

/** Tells whether anything is lost, and where to read it. */
export function tellLosses(adoption: Adoption, taken: readonly TakenTable[]): string {
  const losses = listNotes(adoption, taken).filter(({ kind }) => kind === 'lost').length
  if (losses === 0) return 'Nothing was lost.'
  return losses === 1 ? '1 loss is told above.' : `${losses} losses are told above.`
}

const listNotes = ({ model, left }: Adoption, taken: readonly TakenTable[]): Note[] => [
  ...model.notes,
  ...listEffects(taken),
  ...listLeftRows(left),
]

/** Writes the report, a line each; `isDone` tells whether the adoption has happened. */
export function describeAdoption(adoption: Adoption, taken: readonly TakenTable[]): string[] {
  const notes = listNotes(adoption, taken)
  const ofKind = (kind: Note['kind']): string[] =>
    notes.filter((note) => note.kind === kind).map(({ of, text }) => line(kind, `${of}: ${text}`))
  return [
    ...taken.map(({ entity, rows }) => {
      const { name, view, isSecret, source } = entity
      const place = isSecret ? `${name}, without a view` : `${name} (${view})`
      return line('taken', `${source.table.name}: ${tellCount(rows, 'row')} as ${place}`)
    }),
    ...ofKind('found'),
    ...ofKind('hidden'),
    ...ofKind('changed'),
    ...ofKind('lost'),
    ...ofKind('left'),
    ...adoption.left.map(({ kind, name, remark }) =>
      line('left', `the ${kind} ${name}${remark === undefined ? '' : `: ${remark}`}`),
    ),
  ]
}

const line = (word: string, text: string): string =>
  `${word.padEnd(8)} ${text.replace(/\s+/g, ' ')}`

/** The report as a page beside the model, with texts of what was left and the next commands. */
export function writeReport(
  title: string,
  adoption: Adoption,
  { taken, next }: { taken: readonly TakenTable[]; next: readonly string[] },
): string {
  const lines = describeAdoption(adoption, taken).map((each) => `    ${each}`)
  const texts = adoption.left.map(({ kind, name, sql }) => {
    const code = sql.split(/\r?\n/).map((each) => `    ${each}`.trimEnd())
    return `## The ${kind} ${name.replace(/\s+/g, ' ')}\n\n${code.join('\n')}\n`
  })
  const head = `# What was adopted of ${title}\n\n${lines.join('\n')}\n`
  const steps = `## Next\n\n${next.map((each) => `    ${each}`).join('\n')}\n`
  return [head, ...texts, steps].join('\n')
}

/** The report as `--json` prints it. */
export function toWireAdoption(adoption: Adoption, taken: readonly TakenTable[]) {
  return {
    Taken: taken.map(({ entity, rows }) => ({
      Table: entity.source.table.name,
      Entity: entity.name,
      View: entity.view,
      Rows: rows,
    })),
    Notes: listNotes(adoption, taken).map(({ kind, of, text }) => ({
      Kind: kind,
      Of: of,
      Text: text,
    })),
    Left: adoption.left.map(({ kind, name, sql }) => ({ Kind: kind, Name: name, Sql: sql })),
  }
}
