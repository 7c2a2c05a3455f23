/** Parts of the reference that no element has: parameters, SQL, the order of a mutation. */
import { ZONE_YEARS } from '../kernel/zone-spans.ts'
import {
  CAST_TYPES,
  FUNCTION_GROUPS,
  FUNCTION_HINTS,
  FUNCTIONS,
  MODULES,
  PUBLISHED_TABLES,
} from '../store/gate/lists.ts'
import { CONTEXT_PARAMETERS, FORMED_PARAMETERS } from '../model/compile/parameters.ts'
import { MUTATION_ORDER } from '../model/mutation-order.ts'

const code = (text: string): string => `\`${text}\``

const listNames = (names: Iterable<string>): string => [...names].sort().map(code).join(' ')

const renderTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ].join('\n')

/** Parameters that authored SQL may bind without declaring them. */
export function renderParameters(): string {
  const known = Object.entries(CONTEXT_PARAMETERS).map(([name, { type, meaning }]) => [
    ...[code(`@${name}`), type, meaning],
  ])
  const formed = Object.entries(FORMED_PARAMETERS).map(([name, meaning]) => [
    ...[code(`@${name}`), 'that of what it names', meaning],
  ])
  return [
    '## Context parameters',
    'Every authored statement may name these. A request can never set one: a parameter of such a ' +
      'name is dropped. One that has no value binds NULL.',
    renderTable(['Parameter', 'Type', 'Value'], [...known, ...formed]),
  ].join('\n\n')
}

const ZONE_EXAMPLE = [
  "SELECT strftime('%Y-%m', o.OrderedAt, z.Shift) AS Month, date(o.OrderedAt, z.Shift) AS Day,",
  "  strftime('%Y-W', o.OrderedAt, z.Shift, '-3 days', 'weekday 4') ||",
  "    printf('%02d', (strftime('%j', o.OrderedAt, z.Shift, '-3 days', 'weekday 4') + 6) / 7)",
  "    AS Week, CAST(strftime('%H', o.OrderedAt, z.Shift) AS INTEGER) AS Hour, count(*) AS Orders",
  'FROM orders o JOIN svc_zone z ON o.OrderedAt >= z.FromAt AND o.OrderedAt < z.ToAt',
  'GROUP BY 1, 2, 3, 4',
].join('\n')

/** Functions and tables that authored SQL may use. */
export function renderSql(): string {
  const groups = Object.entries(FUNCTION_GROUPS).map(([title, names]) => [title, listNames(names)])
  const hints = [...FUNCTION_HINTS].flatMap(([name, advice]) =>
    FUNCTIONS.has(name) ? [] : [[code(name), advice]],
  )
  const tables = Object.entries(PUBLISHED_TABLES).map(([table, columns]) => [
    code(table),
    columns.map(code).join(' '),
  ])
  return [
    '## SQL',
    'Authored SQL is one statement of SQLite. What stands here is allowed, and nothing else; a ' +
      'deploy names what is not. The clock is read by no function: @Now and @Today are the time.',
    renderTable(['Functions', 'Names'], groups),
    `Tables of values: ${listNames(MODULES)}. Types of CAST: ${listNames(CAST_TYPES)}.`,
    renderTable(['Instead of', 'Do this'], hints),
    'SQLite adds and rounds in binary floats: its `round` makes 0.47 of 0.475. A Decimal is ' +
      'rounded right by the Scale of its Column or Field, on each write and each read, and what ' +
      'SQL adds to, subtracts from and multiplies by Decimals is shown without the rest, in ' +
      'datasets, result sets and badges too. So no `round` is needed; of a quotient or an ' +
      'average write `round(round(x * 100, 6)) / 100`. A check and a deploy warn of any other one.',
    'Of the tables of the engine these may be read, held to the company:',
    renderTable(['Table', 'Columns'], tables),
    '`svc_zone` is the time zone of the caller, a row for each span between two changes of ' +
      'its clocks: the first instant, the first one after it, and how far the clocks are ahead ' +
      'of UTC as the date functions take it (`+02:00`). An instant falls in one row, so its ' +
      'month, week, day and hour are those of the caller, also on nights when clocks change:',
    `\`\`\`sql\n${ZONE_EXAMPLE}\n\`\`\``,
    'The first row reaches back and the last one on without end; changes are known from ' +
      `${ZONE_YEARS.first} to ${ZONE_YEARS.last}. A join of this form is found by an index, any ` +
      'other one tries every row. Where there is no caller, as in a job, it is the zone of the ' +
      'company. A value stored from it, as by a Compute, is that of the zone of the ' +
      'last writer.',
  ].join('\n\n')
}

/** Steps of the engine when a record is written. */
export function renderOrder(): string {
  const steps = MUTATION_ORDER.map(({ name, text }, at) => `${at + 1}. **${name}.** ${text}`)
  return [
    '## The order of a mutation',
    'A submit runs so, in one transaction from the second step on; what is refused leaves ' +
      'nothing. An import takes the same steps for each of its rows, a delete and a row action ' +
      'those that are about them.',
    steps.join('\n'),
  ].join('\n\n')
}
