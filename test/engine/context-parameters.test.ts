/** Parameters and functions of the reference are those that the engine and the gate use. */
import { expect, test } from 'bun:test'
import { SqlFault } from '../../src/store/gate/fault.ts'
import { openGate } from '../../src/store/gate/gate.ts'
import { FUNCTIONS, MODULES, PUBLISHED_TABLES } from '../../src/store/gate/lists.ts'
import { CONTEXT_PARAMETERS } from '../../src/model/compile/parameters.ts'
import { plainShape } from '../../src/model/fields/field-shape.ts'
import { FIELD_KINDS } from '../../src/model/fields/kinds.ts'
import type { Caller } from '../../src/access/callers/caller.ts'
import { contextValue, isContextName } from '../../src/engine/object/context.ts'
import { renderParameters, renderSql } from '../../src/commands/reference-parts.ts'
import { startApp } from '../support/app.ts'

/** The rows of the table behind a heading, as cells. */
const rowsOf = (text: string, head: string): string[][] => {
  const [, after = ''] = text.split(`| ${head} |`)
  const lines = after.split('\n').slice(2)
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return lines.slice(0, end < 0 ? lines.length : end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const codesOf = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

test('every parameter of the reference has a value of its type', async () => {
  await using app = await startApp()
  const caller: Partial<Caller> = {
    userId: 2,
    userName: 'ana',
    companyId: 1,
    roles: ['Clerk'],
    impersonatorId: 1,
    timeZone: 'Europe/Berlin',
    attributes: {},
  }
  const now = new Date('2026-06-30T23:30:00Z')
  const context = { caller: caller as Caller, now, model: app.context.models.get() }
  const told = rowsOf(renderParameters(), 'Parameter | Type | Value').filter(([, type]) =>
    Object.keys(FIELD_KINDS).includes(type ?? ''),
  )
  expect(told.map(([name]) => name)).toEqual(
    Object.keys(CONTEXT_PARAMETERS).map((name) => `\`@${name}\``),
  )
  for (const [code = '', type = ''] of told) {
    const name = codesOf(code)[0]?.slice(1) ?? ''
    const value = contextValue(name, context)
    const kind = FIELD_KINDS[type as keyof typeof FIELD_KINDS]
    expect([name, kind.parse(value, plainShape(name, 'Text'))]).toEqual([name, value])
    expect([name, value === null]).toEqual([name, false])
    expect([name, isContextName(name, context.model)]).toEqual([name, true])
  }
  expect(contextValue('Today', context)).toBe('2026-07-01')
})

test('the functions of the reference are those that the gate lets through', async () => {
  const groups = rowsOf(renderSql(), 'Functions | Names')
  const told = groups.flatMap(([, names = '']) => codesOf(names))
  expect(new Set(told)).toEqual(new Set(FUNCTIONS))
  expect(told).toHaveLength(FUNCTIONS.size)
  const gate = await openGate(['CREATE TABLE t (Id INTEGER PRIMARY KEY)'])
  try {
    const isKnown = (name: string): boolean => {
      try {
        gate.read(`SELECT ${name}() AS Value FROM t`)
        return true
      } catch (error) {
        if (!(error instanceof SqlFault)) throw error
        return !/not available|no such function|may not be used/i.test(error.message)
      }
    }
    const called = told.filter((name) => /^\w/.test(name) && !MODULES.has(name))
    expect(called.filter((name) => !isKnown(name))).toEqual([])
    expect(['load_extension', 'randomblob', 'readfile', 'nvl'].filter(isKnown)).toEqual([])
  } finally {
    gate.close()
  }
})

test('the tables of the reference are those that authored SQL may read', () => {
  const tables = rowsOf(renderSql(), 'Table | Columns').map(([table = '', columns = '']) => [
    codesOf(table)[0],
    codesOf(columns),
  ])
  expect(Object.fromEntries(tables)).toEqual({ ...PUBLISHED_TABLES })
})
