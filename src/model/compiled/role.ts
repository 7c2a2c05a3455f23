/** A role: what it grants, which rows it sees and which fields. */
import type { AuthoredCondition } from './authored-sql.ts'
import type { ModelText } from '../model-text.ts'

/** Verbs that a role may be granted on a resource (src/model/README.md, Rbac). */
export const VERBS = ['View', 'List', 'Create', 'Update', 'Delete', 'Export', 'Import'] as const

export type Verb = (typeof VERBS)[number]

export interface RoleGrant {
  resource: string
  verbs: ReadonlySet<Verb>
  capabilities: ReadonlySet<string>
}

export interface RowFilter {
  resource: string
  /** Verbs that it holds for; undefined: every verb. */
  verbs: ReadonlySet<Verb> | undefined
  dataSet: string | undefined
  /** Datasets of its report that lack what it names: they show its role no row. */
  misfits: readonly string[]
  condition: AuthoredCondition
}

export interface FieldRule {
  resource: string
  field: string
  access: 'Hidden' | 'ReadOnly'
}

export interface Role {
  name: string
  label: ModelText
  /** Built-in roles whose holders may give and take it without holding what it grants. */
  assignableBy: readonly string[]
  grants: readonly RoleGrant[]
  rowFilters: readonly RowFilter[]
  fieldRules: readonly FieldRule[]
}
