import type { SqlValue } from '../../store/sql.ts'
import { placeOf } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import type { FieldFeatures } from '../compiled/field-features.ts'
import { FieldFault } from '../fields/field-kind.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { Element } from '../parse/element.ts'

/** Returns the stored value of a literal attribute; undefined, with a fault, for other text. */
export function checkLiteral(
  c: Compilation,
  element: Element,
  features: FieldFeatures,
  name: string,
): SqlValue | undefined {
  const text = element.attributes[name]
  if (text === undefined) return undefined
  const parsed = FIELD_KINDS[features.type].parse(text, features)
  if (!(parsed instanceof FieldFault)) return parsed
  c.faults.add(
    placeOf(element, name),
    `${name} "${text}" is not a valid ${features.type}: ${lowerFirst(String(parsed.message))}`,
  )
  return undefined
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
