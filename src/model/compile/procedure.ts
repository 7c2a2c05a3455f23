/** Stored procedures: their parameters, their statements and when they run by themselves. */
import type { Element } from '../element.ts'
import type { Procedure, ProcedureStatement } from '../compiled/procedure.ts'
import type { Script } from '../compiled/script.ts'
import { toWords } from '../names.ts'
import { compileParameters } from './declared-parameters.ts'
import { listChildren, placeOf, readCount, readText, readWith } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { checkArguments, checkRole } from './effects.ts'
import { scopeOf } from './parameters.ts'
import { compileRead, compileStatement, textSource } from './sql.ts'

/** Compiles every procedure, by lower-case name. */
export function compileProcedures(c: Compilation): Map<string, Procedure> {
  const procedures = new Map<string, Procedure>()
  for (const script of c.scriptsOf('StoredProcedure')) {
    procedures.set(script.name.toLowerCase(), compileProcedure(c, script))
  }
  return procedures
}

function compileProcedure(c: Compilation, { element, name }: Script): Procedure {
  const owner = `The procedure ${name}`
  const parameters = compileParameters(c, element, { owner, fields: new Map() })
  const names = parameters.map((parameter) => parameter.name)
  const children = listChildren(element, 'Sql')
  if (children.length === 0) c.faults.add(element.place, 'A StoredProcedure needs a Sql')
  const known = [...names]
  const mode = readText(element, 'Mode') === 'Write' ? 'Write' : 'Read'
  const statements = children.flatMap((child) => {
    const statement = compileOne(c, child, known, mode === 'Write')
    const into = readText(child, 'Into')
    if (into !== undefined) known.push(into)
    return statement ? [statement] : []
  })
  for (const child of listChildren(element, 'Schedule')) checkSchedule(c, child, names)
  const label = c.labelOf(element, toWords(name))
  const resource = readText(element, 'Resource') ?? name
  return { name, label, resource, mode, parameters, statements }
}

function compileOne(
  c: Compilation,
  element: Element,
  names: readonly string[],
  writes: boolean,
): ProcedureStatement | undefined {
  const source = textSource(c, element)
  const scope = scopeOf(() => names, { writes })
  const sql = writes ? compileStatement(c, source, scope) : compileRead(c, source, scope)
  if (!sql) return undefined
  for (const attribute of ['Result', 'Into']) {
    if (sql.columns.length > 0 || readText(element, attribute) === undefined) continue
    const message = `${attribute} needs a result: a SELECT, or RETURNING at the end`
    c.faults.add(placeOf(element, attribute), message)
  }
  return {
    sql,
    result: readText(element, 'Result'),
    rows: readCount(element, 'Rows'),
    message: c.findText(element, 'Message'),
    into: readText(element, 'Into'),
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
  if (role !== undefined) checkRole(c, role, placeOf(element, 'To'))
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
