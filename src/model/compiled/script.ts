import type { Element } from '../parse/element.ts'

/** A script or document of the model: kept verbatim in the catalog. */
export interface Script {
  type: ScriptType
  name: string
  fileName: string
  body: string
  /** MD5 of the body, in lower-case hexadecimal. */
  versionHash: string
  element: Element
}

export const SCRIPT_TYPES = [
  'Entity',
  'ObjectView',
  'Navbar',
  'StoredProcedure',
  'Rbac',
  'Report',
  'Workflow',
  'Print',
  'Rows',
  'Texts',
  'Migration',
] as const

export type ScriptType = (typeof SCRIPT_TYPES)[number]

/** Returns the key of a script in the catalog: `Entity Order`. */
export const keyOfScript = ({ type, name }: Pick<Script, 'type' | 'name'>): string =>
  `${type} ${name}`
