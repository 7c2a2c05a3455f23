/** A role: what it grants, which rows it sees and which fields. */
import type { AuthoredCondition } from './authored-sql.ts'
import type { ModelText } from '../model-text.ts'

/** All that differs from verb to verb; what each lets a caller do is asked by the routes. */
interface VerbFacets {
  /** Reads many records: it is allowed whatever filters narrow them. */
  isOfMany: boolean
  /** Means something on a resource of the engine's that has documents. */
  isOfDocuments: boolean
}

const OF_DOCUMENTS: VerbFacets = { isOfMany: false, isOfDocuments: true }
const OF_MANY: VerbFacets = { isOfMany: true, isOfDocuments: false }

const VERB_KINDS = {
  View: OF_DOCUMENTS,
  List: OF_MANY,
  Create: OF_DOCUMENTS,
  Update: OF_DOCUMENTS,
  Delete: OF_DOCUMENTS,
  Export: OF_MANY,
  Import: OF_MANY,
} satisfies Readonly<Record<string, VerbFacets>>

/** A verb that a role may be granted on a resource (src/model/README.md, Rbac). */
export type Verb = keyof typeof VERB_KINDS

/** A verb that answers about a view list among its Permissions: who sees a view has the others. */
export type ToldVerb = Exclude<Verb, 'View' | 'List'>

/** The names of all verbs, in the order in which they are shown. */
export const VERBS = Object.keys(VERB_KINDS) as readonly Verb[]

/** The verbs of a resource that has documents. */
export const DOCUMENT_VERBS = VERBS.filter((verb) => VERB_KINDS[verb].isOfDocuments)

/** Checks for the right to read many records; a capability is for one. */
export const isOfMany = (right: string): boolean =>
  VERBS.some((verb) => verb === right && VERB_KINDS[verb].isOfMany)

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
