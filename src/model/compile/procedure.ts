/** Stored procedures: their parameters, their statements and when they run by themselves. */
import { listChildren, placeOf, readCount, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileParameters } from './declared-parameters.ts'
import { type ParameterScope, scopeOf, typesOf } from './parameters.ts'
import { compileSchedule } from './schedule.ts'
import { compileRead, compileStatement, textSource } from './sql.ts'
import type { Procedure, ProcedureStatement } from '../compiled/procedure.ts'
import type { Script } from '../compiled/script.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'

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
  const types = typesOf(parameters)
  const known = [...names]
  const mode = readText(element, 'Mode') === 'Write' ? 'Write' : 'Read'
  const statements = children.flatMap((child) => {
    const statement = compileOne(c, child, { names: known, writes: mode === 'Write', types })
    const into = readText(child, 'Into')
    if (into !== undefined) known.push(into)
    return statement ? [statement] : []
  })
  const schedules = listChildren(element, 'Schedule').map((child) =>
    compileSchedule(c, child, names),
  )
  const label = c.labelOf(element, toWords(name))
  const resource = readText(element, 'Resource') ?? name
  return { name, label, resource, mode, parameters, statements, schedules }
}

function compileOne(
  c: Compilation,
  element: Element,
  { names, writes, types }: { names: readonly string[] } & Pick<ParameterScope, 'writes' | 'types'>,
): ProcedureStatement | undefined {
  const source = textSource(c, element)
  const scope = scopeOf(() => names, { writes, types })
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
