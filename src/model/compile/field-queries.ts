/** Default and DataSet of a field: literals, context parameters and queries. */
import { findChild, placeOf, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { checkLiteral } from './literal.ts'
import { checkParameter, CONTEXT_ONLY, findContextType, scopeOf } from './parameters.ts'
import { compileRead, compileScalar, textSource } from './sql.ts'
import type { FieldFeatures, FieldType } from '../compiled/field-features.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { Element } from '../parse/element.ts'

type Names = () => Iterable<string>

/** Sets the default of features from the attribute or the child Default, where there is one. */
export function compileDefault(
  c: Compilation,
  element: Element,
  features: FieldFeatures,
  names: Names,
): void {
  const child = findChild(element, 'Default')
  const written = element.attributes.Default
  if (child && written !== undefined) {
    c.faults.add(child.place, 'Default is given twice: as an attribute and as a child')
  }
  if (child) compileDefaultQuery(c, child, features, names)
  else if (written?.startsWith('@')) compileContextDefault(c, element, features, written.slice(1))
  else if (written !== undefined) compileLiteralDefault(c, element, features, written)
}

function compileDefaultQuery(
  c: Compilation,
  child: Element,
  features: FieldFeatures,
  names: Names,
): void {
  const dependsOn = readFieldNames(c, child, 'DependsOn', names)
  c.whenGated(() => {
    const sql = compileScalar(c, textSource(c, child), scopeOf(names))
    if (sql) features.default = { kind: 'query', sql, dependsOn }
  })
}

/** A literal is kept in the spelling that is stored, but a Boolean as a word. */
function compileLiteralDefault(
  c: Compilation,
  element: Element,
  features: FieldFeatures,
  written: string,
): void {
  const stored = checkLiteral(c, element, features, 'Default')
  if (stored === undefined || stored === null) return
  if (features.options.length > 0 && !features.options.some((o) => o.value === written)) {
    const nearest = suggest(
      written,
      features.options.map((o) => o.value),
    )
    c.faults.add(
      placeOf(element, 'Default'),
      `Default "${written}" is not one of the options${nearest}`,
    )
  }
  const value = FIELD_KINDS[features.type].isFlag ? String(stored === 1) : String(stored)
  features.default = { kind: 'literal', value }
}

function compileContextDefault(
  c: Compilation,
  element: Element,
  features: FieldFeatures,
  parameter: string,
): void {
  const message = checkParameter(parameter, CONTEXT_ONLY, c)
  if (message !== undefined) {
    c.faults.add(placeOf(element, 'Default'), `Default: ${message}`)
    return
  }
  const type = findContextType(parameter) ?? c.attributes.get(parameter.slice('User_'.length))
  if (type !== undefined && !fits(type, features.type)) {
    c.faults.add(
      placeOf(element, 'Default'),
      `Default: @${parameter} is of type ${type}, and this of type ${features.type}`,
    )
  }
  features.default = { kind: 'context', parameter }
}

/** True when a context value of one type is a value of another. */
function fits(from: FieldType, to: FieldType): boolean {
  if (from === to) return true
  const [given, wanted] = [FIELD_KINDS[from].sqlType, FIELD_KINDS[to]]
  if (wanted.isText) return given === 'TEXT'
  return given === 'INTEGER' && wanted.number === 'scaled'
}

/** Sets the dataset of features from the child DataSet, where there is one. */
export function compileDataSet(
  c: Compilation,
  element: Element,
  features: FieldFeatures,
  names: Names,
): void {
  const child = findChild(element, 'DataSet')
  if (!child) return
  const dependsOn = readFieldNames(c, child, 'DependsOn', names)
  c.whenGated(() => {
    const sql = compileRead(c, textSource(c, child), scopeOf(names))
    if (!sql) return
    const outputs = sql.columns.map((column) => column.name)
    for (const wanted of ['Value', 'Label']) {
      if (outputs.includes(wanted)) continue
      c.faults.add(child.place, `The DataSet has no output column ${wanted}: write AS ${wanted}`)
    }
    features.dataSet = { dependsOn, sql }
  })
}

/** Reads a list of field names; adds a fault for each unknown one once all are known. */
function readFieldNames(
  c: Compilation,
  element: Element,
  attribute: string,
  names: Names,
): string[] {
  const words = readWords(element, attribute)
  c.whenGated(() => {
    const known = [...names()]
    const keys = new Set(known.map((name) => name.toLowerCase()))
    for (const word of words) {
      if (keys.has(word.toLowerCase())) continue
      c.faults.add(
        placeOf(element, attribute),
        `${attribute}: there is no ${word}${suggest(word, known)}`,
      )
    }
  })
  return words
}
