/** What must hold at the end of the tables that authored SQL of a deploy has written. */
import type { Entity, Model } from '../model.ts'
import { quote } from '../quote.ts'
import { planColumn } from './column-schema.ts'
import { rowsOf } from './probe.ts'
import type { Probe } from './probe.ts'

/** Every reference leads to a record, and to none of another company. Pure. */
export function planWrittenProbes(
  written: readonly Entity[],
  model: Pick<Model, 'entities'>,
): Probe[] {
  return written.flatMap((entity) => {
    const held = referencesOf(entity, model)
    return held.flatMap(({ column, table, key, company }): Probe[] => {
      const from = `SELECT count(*) AS n FROM ${quote(entity.table)} AS r WHERE r.${quote(column)}`
      const parent = `SELECT 1 FROM ${quote(table)} AS p WHERE p.${quote(key)} = r.${quote(column)}`
      const at = { kind: 'fault', place: entity.place } as const
      const orphans: Probe = {
        ...at,
        sql: `${from} IS NOT NULL AND NOT EXISTS (${parent})`,
        tell: (count) =>
          `${entity.name}.${column}: ${rowsOf(count)} would point to none that is there`,
      }
      if (company === undefined || entity.company === undefined) return [orphans]
      const own = `r.${quote(entity.company)}`
      const crossing: Probe = {
        ...at,
        sql: `${from} IS NOT NULL AND EXISTS (${parent} AND p.${quote(company)} IS NOT ${own})`,
        tell: (count) =>
          `${entity.name}.${column}: ${rowsOf(count)} would point to a record of another company`,
      }
      return [orphans, crossing]
    })
  })
}

interface HeldReference {
  column: string
  table: string
  key: string
  /** The tenant column of what is referred to. */
  company: string | undefined
}

const referencesOf = (entity: Entity, model: Pick<Model, 'entities'>): HeldReference[] =>
  entity.columns.flatMap((column) => {
    const { references } = planColumn(entity, column, model)
    if (references === null) return []
    const { table, key } = references
    const company = model.entities.get(column.references ?? '')?.company
    return [{ column: column.name, table, key, company }]
  })
