/** The renames of a migration, two columns that swap their names among them. */
import { quote } from '../quote.ts'
import type { ColumnMatch, TableMatch } from './schema-match.ts'
import type { Step } from './step.ts'

/** The renames of a table and of its columns. Pure. */
export const planRenames = (table: TableMatch): Step[] => [
  ...renameTable(table),
  ...renameColumns(table),
]

function renameTable({ entity, wanted, stored }: TableMatch): Step[] {
  if (stored === undefined || stored.table === wanted.table) return []
  return [
    {
      kind: 'renameTable',
      table: wanted.table,
      text: `rename table ${stored.table} to ${wanted.table}`,
      place: entity.place,
      sql: [`ALTER TABLE ${quote(stored.table)} RENAME TO ${quote(wanted.table)}`],
    },
  ]
}

/** Columns whose new name another one still bears step aside first. */
function renameColumns({ wanted: { table }, stored, columns }: TableMatch): Step[] {
  const renamed = columns.filter((one) => one.stored && one.stored.name !== one.wanted.name)
  const borne = new Set(stored?.columns.map((column) => column.name.toLowerCase()))
  const stepAside = ({ wanted, stored: from }: ColumnMatch): boolean =>
    from?.name.toLowerCase() !== wanted.name.toLowerCase() && borne.has(wanted.name.toLowerCase())
  const rename = (from: string, to: string): string =>
    `ALTER TABLE ${quote(table)} RENAME COLUMN ${quote(from)} TO ${quote(to)}`
  const aside = renamed.filter(stepAside)
  const first = aside.map(({ stored: from, wanted }) =>
    rename(from?.name ?? '', `${wanted.name}.was`),
  )
  const last = aside.map(({ wanted }) => rename(`${wanted.name}.was`, wanted.name))
  const steps = renamed.map((one): Step => {
    const { column, stored: from, wanted } = one
    return {
      kind: 'renameColumn',
      table,
      text: `rename column ${table}.${from?.name} to ${wanted.name}`,
      place: column.place,
      sql: stepAside(one) ? [] : [rename(from?.name ?? '', wanted.name)],
    }
  })
  const [head] = steps
  if (head !== undefined) steps[0] = { ...head, sql: [...first, ...head.sql] }
  const tail = steps.at(-1)
  if (tail !== undefined) steps[steps.length - 1] = { ...tail, sql: [...tail.sql, ...last] }
  return steps
}
