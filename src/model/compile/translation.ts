/** The texts of a model in one language. */
import type { Element } from '../element.ts'

/** The texts of one language, by what they are applied to. */
export interface Translation {
  language: string
  /** By element and attribute. */
  attributes: ReadonlyMap<Element, Readonly<Record<string, string>>>
  /** Labels of output columns that no Field declares, by `outputKey`. */
  outputs: ReadonlyMap<string, string>
}

/** What an output column's label goes by. */
export const outputKey = (view: string, output: string): string => `${view}.${output}`.toLowerCase()
