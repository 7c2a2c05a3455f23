import { RE2JS } from 're2js'
import type { Element } from '../element.ts'
import type { Pattern } from '../model.ts'
import { readText, placeOf } from './attributes.ts'
import type { Compilation } from './compilation.ts'

/**
 * The Pattern of an element, or the inherited one with its own message; by a linear engine, and
 * what that refuses is a fault.
 */
export function compilePattern(
  c: Compilation,
  element: Element,
  inherited: Pattern | undefined,
): Pattern | undefined {
  const source = readText(element, 'Pattern')
  const message = c.findText(element, 'PatternMessage')
  if (source === undefined) {
    if (message === undefined) return inherited
    if (inherited) return { ...inherited, message }
    c.faults.add(placeOf(element, 'PatternMessage'), 'PatternMessage goes with a Pattern')
    return undefined
  }
  const known = c.patterns.get(source)
  if (known) return { source, message, regex: known }
  try {
    const regex = RE2JS.compile(source)
    c.patterns.set(source, regex)
    return { source, message, regex }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    c.faults.add(
      placeOf(element, 'Pattern'),
      `Pattern is no regular expression of linear time: ${reason}`,
    )
    return undefined
  }
}
