/**
 * Scripts that a fault keeps from being compiled: what they declare is known by name, so that the
 * rest of the model is compiled beside them and no fault is told that only their absence causes.
 */
import type { Element, Place } from './element.ts'
import { SCRIPT_TYPES } from './model.ts'
import type { ScriptType } from './model.ts'
import { findNearest } from './names.ts'

/** A script of a file with faults, as far as it could be read. */
export interface FaultyScript {
  type: ScriptType
  name: string
  element: Element
}

/** The type that an element was probably meant to be; undefined for none. */
export function findScriptType(name: string): ScriptType | undefined {
  const nearest = findNearest(name, SCRIPT_TYPES)
  return SCRIPT_TYPES.find((type) => type === nearest)
}

/** `Rows` are named by their entity, `Texts` by their language; `Rbac` need not have a name. */
export function nameOfScript(type: string, find: (attribute: string) => string | undefined) {
  const by = type === 'Rows' ? 'Entity' : type === 'Texts' ? 'Language' : 'Name'
  return find(by) ?? type
}

const TAG = /<([A-Za-z]+)((?:\s+[A-Za-z:]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)/g
const ATTRIBUTE = /([A-Za-z:]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g

/**
 * What a file that is no XML seems to hold, by its tags. Whatever follows the tag of a script, up
 * to the next one, is told as its child.
 */
export function scanFaulty(body: string, file: string): FaultyScript[] {
  const place: Place = { file, line: 1, column: 1 }
  const found: (FaultyScript & { element: Element & { children: Element[] } })[] = []
  for (const [, name = '', text = ''] of body.matchAll(TAG)) {
    const pairs = [...text.matchAll(ATTRIBUTE)].map(([, key = '', one, other]) => [
      key,
      one ?? other ?? '',
    ])
    const attributes = Object.fromEntries(pairs) as Record<string, string>
    const element = { name, attributes, children: [], text: '', place }
    const type = SCRIPT_TYPES.find((each) => each === name)
    if (!type) found.at(-1)?.element.children.push(element)
    else found.push({ type, name: nameOfScript(type, (key) => attributes[key]), element })
  }
  return found
}
