/** Rules of a source's tables: rules that list values become Options, others become notes. */
import { type AdoptedEntity, findAdopted, type Note } from './adopted.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'

/** Gives columns the values that a rule allows, and notes rules without such a form. */
export function planChecks(entity: AdoptedEntity, notes: Note[]): void {
  const { table } = entity.source
  for (const rule of listChecks(table.sql)) {
    if (giveOptions(entity, rule)) continue
    const text = `the rule CHECK (${rule.trim()}): write a Validate, or a Min, Max or Pattern`
    notes.push({ kind: 'left', of: table.name, text })
  }
}

const NAME = /^\s*(?:"([^"]+)"|\[([^\]]+)\]|`([^`]+)`|(\w+))\s+IN\s*\(([\s\S]*)\)\s*$/i
const TEXTS = /^\s*'(?:[^']|'')*'(?:\s*,\s*'(?:[^']|'')*')*\s*$/

function giveOptions(entity: AdoptedEntity, rule: string): boolean {
  const [, ...parts] = NAME.exec(rule) ?? []
  const list = parts.pop() ?? ''
  const column = findAdopted(entity, parts.find((part) => part !== undefined) ?? '')
  if (!column || !FIELD_KINDS[column.type].isText) return false
  if (column.references || !TEXTS.test(list)) return false
  const values = [...list.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value)
  const options = values.map((value) => value.replaceAll("''", "'"))
  column.options = options.filter((value) => value !== '')
  return true
}

/** Texts in quotes, comments, or the head of a rule. */
const PART =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|\bCHECK\s*\(/gi

/** Lists the text between the brackets of each CHECK of a CREATE TABLE. */
function listChecks(sql: string): string[] {
  return [...sql.matchAll(PART)]
    .filter(([part]) => /^check/i.test(part))
    .map((match) => readBrackets(sql, match.index + match[0].length))
}

function readBrackets(sql: string, start: number): string {
  const parts = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]/g
  parts.lastIndex = start
  let depth = 1
  for (let match = parts.exec(sql); match; match = parts.exec(sql)) {
    if (match[0] === '(') depth++
    if (match[0] === ')') depth--
    if (depth === 0) return sql.slice(start, match.index)
  }
  return sql.slice(start)
}
