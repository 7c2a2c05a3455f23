/** The report of an adoption: what was taken, changed and left. */
import type { Note } from './adopted.ts'
import type { TakenTable } from './load-tables.ts'
import type { Adoption } from './plan-adoption.ts'
import { tellCount } from './profile.ts'
import type { Change } from './readings.ts'

const CHANGES: Readonly<Record<Change, string>> = {
  emptied: 'blank text became no value',
  zoned: 'times without a zone were read as UTC',
  cut: 'midnight after a date was left out',
  converted: 'written differently',
  cleaned: 'characters that text cannot hold were left out or replaced by U+FFFD',
  fromBytes: 'bytes became text',
  rounded: 'rounded to the decimal places of the column',
}

/** Lists the changes of values, table by table and column by column. */
function listChanges(taken: readonly TakenTable[]): Note[] {
  return taken.flatMap(({ entity, changes }) =>
    entity.columns.flatMap((column) =>
      [...(changes.get(column) ?? [])].map(([change, count]) => ({
        kind: 'changed' as const,
        of: `${entity.source.table.name}.${column.profile.column.name}`,
        text: `${tellCount(count, 'value')}: ${CHANGES[change]}`,
      })),
    ),
  )
}

/** Writes the report, a line each; `isDone` tells whether the adoption has happened. */
export function describeAdoption(
  { model, left }: Adoption,
  taken: readonly TakenTable[],
): string[] {
  const notes = [...model.notes, ...listChanges(taken)]
  const ofKind = (kind: Note['kind']): string[] =>
    notes.filter((note) => note.kind === kind).map(({ of, text }) => line(kind, `${of}: ${text}`))
  return [
    ...taken.map(({ entity, rows }) =>
      line(
        'taken',
        `${entity.source.table.name}: ${tellCount(rows, 'row')} as ${entity.name} (${entity.view})`,
      ),
    ),
    ...ofKind('changed'),
    ...ofKind('left'),
    ...left.map(({ kind, name }) => line('left', `the ${kind} ${name}`)),
  ]
}

const line = (word: string, text: string): string =>
  `${word.padEnd(8)} ${text.replace(/\s+/g, ' ')}`

/** The report as a page beside the model, with the texts of what was left. */
export function writeReport(
  title: string,
  adoption: Adoption,
  taken: readonly TakenTable[],
): string {
  const lines = describeAdoption(adoption, taken).map((each) => `    ${each}`)
  const texts = adoption.left.map(({ kind, name, sql }) => {
    const code = sql.split(/\r?\n/).map((each) => `    ${each}`.trimEnd())
    return `## The ${kind} ${name.replace(/\s+/g, ' ')}\n\n${code.join('\n')}\n`
  })
  const head = `# What was adopted of ${title}\n\n${lines.join('\n')}\n`
  return [head, ...texts].join('\n')
}

/** The report as `--json` prints it. */
export function toWireAdoption({ model, left }: Adoption, taken: readonly TakenTable[]) {
  return {
    Taken: taken.map(({ entity, rows }) => ({
      Table: entity.source.table.name,
      Entity: entity.name,
      View: entity.view,
      Rows: rows,
    })),
    Notes: [...model.notes, ...listChanges(taken)].map(({ kind, of, text }) => ({
      Kind: kind,
      Of: of,
      Text: text,
    })),
    Left: left.map(({ kind, name, sql }) => ({ Kind: kind, Name: name, Sql: sql })),
  }
}
