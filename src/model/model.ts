/** The compiled model: frozen, complete, and the only thing that the engine reads at run time. */
import type { ComputedColumn, Entity, Sequence } from './compiled/entity.ts'
import type { FieldType } from './compiled/field-features.ts'
import type { NavbarItem } from './compiled/navbar.ts'
import type { Print } from './compiled/print.ts'
import type { Procedure } from './compiled/procedure.ts'
import type { ReferenceRows } from './compiled/reference-rows.ts'
import type { Report } from './compiled/report.ts'
import type { Role } from './compiled/role.ts'
import type { Script } from './compiled/script.ts'
import type { View, ViewIndex } from './compiled/view.ts'
import type { Workflow } from './compiled/workflow.ts'
import type { ModelText } from './model-text.ts'

export interface Model {
  /** Changes with every deploy that changes anything. */
  hash: string
  /** Changes with every deploy that changes more than documents: see `documents`. */
  recordHash: string
  /**
   * Reports, prints and navbars by type and name (`Report Sales`), each with the version of its
   * script: nothing that reads or writes records is planned by them.
   */
  documents: ReadonlyMap<string, string>
  scripts: readonly Script[]
  entities: ReadonlyMap<string, Entity>
  /** Entities by lower-case table name. */
  entityByTable: ReadonlyMap<string, Entity>
  views: ReadonlyMap<string, View>
  /** Views by lower-case name and slug. */
  viewByKey: ReadonlyMap<string, View>
  viewIndex: ViewIndex
  roles: ReadonlyMap<string, Role>
  capabilities: ReadonlyMap<string, ModelText>
  /** Declared user attributes: name to type. */
  attributes: ReadonlyMap<string, FieldType>
  /** Sequences by name, with the entity that declares them. */
  sequences: ReadonlyMap<string, { sequence: Sequence; entity: Entity }>
  /** Procedures by lower-case name. */
  procedures: ReadonlyMap<string, Procedure>
  /** Reports by name. */
  reports: ReadonlyMap<string, Report>
  /** Prints by name. */
  prints: ReadonlyMap<string, Print>
  /** Workflows by name. */
  workflows: ReadonlyMap<string, Workflow>
  /** The items of all Navbars, in the order of the Navbars' names. */
  navigation: readonly NavbarItem[]
  /** Computed columns, each after the columns that it is computed from. */
  computes: readonly ComputedColumn[]
  rows: readonly ReferenceRows[]
  /** Languages that the model has texts in. */
  languages: readonly string[]
}
