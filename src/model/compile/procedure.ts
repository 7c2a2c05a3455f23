/**
 * Stored procedures: their parameters and statements are checked here; a later engine runs them.
 */
import type { Element } from '../element.ts'
import type { Script } from '../model.ts'
import { listChildren, readText, placeOf } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { checkArguments, checkRole } from './effects.ts'
import { compileFeatures } from './features.ts'
import { scopeOf } from './parameters.ts'
import { readWith } from './pairs.ts'
import { compileRead, compileStatement, textSource } from './sql.ts'

/** Checks every procedure. */
export function compileProcedures(c: Compilation): void {
  for (const script of c.scriptsOf('StoredProcedure')) compileProcedure(c, script)
}

function compileProcedure(c: Compilation, { element }: Script): void {
  const parameters = listChildren(element, 'Parameter')
  const names = parameters.map((child) => readText(child, 'Name') ?? '')
  for (const child of parameters) compileFeatures(c, child, { names: () => names })
  const statements = listChildren(element, 'Sql')
  if (statements.length === 0) c.faults.add(element.place, 'A StoredProcedure needs a Sql')
  const known = [...names]
  for (const child of statements) {
    checkStatement(c, child, known, readText(element, 'Mode') === 'Write')
    const into = readText(child, 'Into')
    if (into !== undefined) known.push(into)
  }
  for (const child of listChildren(element, 'Schedule')) checkSchedule(c, child, names)
}

function checkStatement(
  c: Compilation,
  element: Element,
  names: readonly string[],
  writes: boolean,
): void {
  const source = textSource(c, element)
  const scope = scopeOf(() => names, writes)
  const sql = writes ? compileStatement(c, source, scope) : compileRead(c, source, scope)
  if (!sql || sql.columns.length > 0) return
  for (const attribute of ['Result', 'Into']) {
    if (readText(element, attribute) === undefined) continue
    c.faults.add(element.place, `${attribute} needs a result: a SELECT, or RETURNING at the end`)
  }
}

/** The fields of a cron expression, with their least and greatest value. */
const CRON_FIELDS = [
  ['minute', 0, 59],
  ['hour', 0, 23],
  ['day of the month', 1, 31],
  ['month', 1, 12],
  ['day of the week', 0, 7],
] as const

/** A schedule's cron expression, its arguments and the role that it mails to. */
export function checkSchedule(
  c: Compilation,
  element: Element,
  parameters: readonly string[],
): void {
  const fields = (readText(element, 'Cron') ?? '').trim().split(/\s+/)
  for (const [at, [what, least, greatest]] of CRON_FIELDS.entries()) {
    if (isCronField(fields[at] ?? '', least, greatest)) continue
    const range = `${least} to ${greatest}, lists, ranges and steps`
    c.faults.add(
      placeOf(element, 'Cron'),
      `Cron: "${fields[at] ?? ''}" is no ${what}: it takes * or ${range}`,
    )
  }
  const role = readText(element, 'To')
  if (role !== undefined) checkRole(c, role, element)
  const named = readWith(element).map((argument) => argument.name)
  const keys = new Set(parameters.map((name) => name.toLowerCase()))
  for (const name of named) {
    if (keys.has(name.toLowerCase())) continue
    c.faults.add(placeOf(element, 'With'), `With: there is no parameter ${name}`)
  }
  checkArguments(c, element, parameters)
}

function isCronField(field: string, least: number, greatest: number): boolean {
  return field.split(',').every((part) => {
    const match = /^(\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/([1-9]\d?))?$/.exec(part)
    if (!match) return false
    if (match[1] === '*') return true
    const from = Number(match[2])
    const to = Number(match[3] ?? match[2])
    return from >= least && to <= greatest && from <= to
  })
}
