/** The rules that fields carry, for row after row of an import: nothing is asked twice. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import { checkField } from '../../../model/fields/check.ts'
import type { Entity, Field, View } from '../../../model/model.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import { checkChanges, dropBarred, type Changes } from '../after-write/changes.ts'

/** What rows are judged by. */
export interface RulesScope {
  view: View
  entity: Entity
  zone: string
  today: string
}

/** Judges changes; what a condition bars is taken out of them. */
export type JudgeChanges = (changes: Changes, stored: SqlRow | undefined) => FieldErrors | undefined

/**
 * Where no rule looks from one field at another, each value is judged by itself; and what a new
 * record lacks for want of a column is the same for every row.
 */
export function planRules(scope: RulesScope): JudgeChanges {
  return looksAround(scope) ? validateWhole(scope) : validateEach(scope)
}

function looksAround({ view, entity }: RulesScope): boolean {
  return (
    view.fields.some((field) => field.requiredWhen ?? field.visibleWhen ?? field.readOnlyWhen) ||
    [...view.validates, ...entity.validates].some(({ kind }) => kind === 'compare')
  )
}

function validateWhole(scope: RulesScope): JudgeChanges {
  return (changes, stored) => {
    const check = { ...scope, stored, changes }
    dropBarred(check)
    const faults = checkChanges(check)
    return Object.keys(faults).length > 0 ? faults : undefined
  }
}

function validateEach(scope: RulesScope): JudgeChanges {
  let lacking: FieldErrors | undefined
  return (changes, stored) => {
    let faults: FieldErrors | undefined
    for (const [field, value] of changes) {
      if (!isValidated(scope.entity, field)) continue
      const message = checkField(value, field)
      if (message !== undefined) (faults ??= {})[field.name] = message
    }
    if (stored) return faults
    lacking ??= listLacking(scope, changes)
    return Object.keys(lacking).length > 0 ? { ...lacking, ...faults } : faults
  }
}

/** As `checkChanges` has it: keys and numbers that the server gives are not judged. */
function isValidated(entity: Entity, { column }: Field): boolean {
  if (!column) return true
  if (column.kind !== 'declared' || column.identity) return false
  return column.name !== entity.company && !column.sequence && !column.compute
}

/** Faults of the fields that no row speaks of. */
function listLacking(scope: RulesScope, changes: Changes): FieldErrors {
  const nothing = new Map<Field, SqlValue>([...changes.keys()].map((field) => [field, null]))
  const given = new Set([...changes.keys()].map(({ name }) => name))
  const faults = checkChanges({ ...scope, stored: undefined, changes: nothing })
  return Object.fromEntries(Object.entries(faults).filter(([name]) => !given.has(name)))
}
