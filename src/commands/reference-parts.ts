/** Parts of the reference that no element has: parameters, SQL, the order of a mutation. */
import { CONTEXT_PARAMETERS, FORMED_PARAMETERS } from '../model/compile/parameters.ts'
import { MUTATION_ORDER } from '../model/mutation-order.ts'
import {
  CAST_TYPES,
  FUNCTION_GROUPS,
  FUNCTION_HINTS,
  FUNCTIONS,
  MODULES,
  PUBLISHED_TABLES,
} from '../store/gate-lists.ts'

const code = (text: string): string => `\`${text}\``

const listNames = (names: Iterable<string>): string => [...names].sort().map(code).join(' ')

const renderTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ].join('\n')

/** What authored SQL may bind without declaring it. */
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

/** What authored SQL may call and read. */
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
    'Of the tables of the engine these may be read, held to the company:',
    renderTable(['Table', 'Columns'], tables),
  ].join('\n\n')
}

/** What happens when a record is written. */
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
