/**
 * Edits of rights in a stored Rbac script. Its text was validated when it was stored, so that the
 * XML parser is not asked again: the edited text is proven valid by what differs.
 */
import { Yielder } from '../../kernel/yielder.ts'
import type { Element } from '../element.ts'
import { VERBS } from '../model.ts'
import type { Script } from '../model.ts'
import { isWithinLimit, toScript } from '../parse.ts'
import { attributeOf, editRight, listRights } from '../rbac-edit.ts'
import type { RightChange } from '../rbac-edit.ts'
import { scanElements } from '../scan.ts'
import type { ScannedElement } from '../scan.ts'
import { CHILDREN_MAX } from '../validate.ts'

/** The text of a script with rights of roles that it declares given and taken. */
export async function editText(body: string, changes: readonly RightChange[]): Promise<string> {
  const yielder = new Yielder()
  let text = body
  for (const change of changes) {
    text = editRight(text, change)
    await yielder.yieldWhenDue()
  }
  return text
}

/**
 * A stored script with an edited text. Undefined unless these hold, which together prove the text:
 * Grants of the changed rights have a form that is always valid, they say what is meant, and beside
 * them the text is the stored one but for blanks between tags. Elements that did not move are those
 * of `script`.
 */
export function readEdited(
  script: Script,
  body: string,
  changes: readonly RightChange[],
): Script | undefined {
  if (!isWithinLimit(body)) return undefined
  const root = scanElements(body)
  const stored = scanElements(script.body)
  const before = splitText(script.body, stored, changes)
  const after = splitText(body, root, changes)
  const expected = new Set(before.rights)
  for (const { role, resource, right, isGranted } of changes) {
    const key = keyOf(role, resource, right)
    if (isGranted) expected.add(key)
    else expected.delete(key)
  }
  const isProven =
    after.rest === before.rest &&
    after.grants.every(isPlain) &&
    expected.symmetricDifference(after.rights).size === 0 &&
    root.children.every(({ children }) => children.length <= CHILDREN_MAX)
  if (!isProven) return undefined
  const edited = toScript(root, body, script.fileName)
  const was = { element: script.element, scanned: stored, body: script.body }
  return { ...edited, element: share(was, { element: edited.element, scanned: root, body }) }
}

const keyOf = (...names: string[]): string => names.join(' ')

/** A text in two: Grants on changed resources, with the rights that they give, and the rest. */
function splitText(
  body: string,
  root: ScannedElement,
  changes: readonly RightChange[],
): { rest: string; grants: ScannedGrant[]; rights: Set<string> } {
  const changed = new Set(changes.map(({ role, resource }) => keyOf(role, resource)))
  const rest: string[] = []
  const grants: ScannedGrant[] = []
  const rights = new Set<string>()
  let from = 0
  for (const role of root.children)
    for (const grant of role.children) {
      const name = attributeOf(role, 'Name')
      const resource = attributeOf(grant, 'Resource')
      if (grant.name !== 'Grant' || !changed.has(keyOf(name, resource))) continue
      for (const right of listRights(grant)) rights.add(keyOf(name, resource, right))
      grants.push({ ...grant, text: body.slice(grant.start, grant.end) })
      rest.push(body.slice(from, grant.start))
      from = grant.end
    }
  rest.push(body.slice(from))
  return { rest: rest.join('').replace(/>\s+</g, '><'), grants, rights }
}

/** A Grant with its verbatim text. */
type ScannedGrant = Pick<ScannedElement, 'attributes' | 'text'>

const NAME = '[A-Za-z][A-Za-z0-9_]{0,99}'
const LISTED = [
  ['Resource', NAME],
  ['Verbs', listOf(VERBS.join('|'))],
  ['Capabilities', listOf(NAME)],
].map(([name, value]) => `${name}\\s*=\\s*(?:"${value}"|'${value}')`)
const GRANT = new RegExp(`^<Grant(?:\\s+(?:${LISTED.join('|')}))+\\s*(?:/>|>\\s*</Grant\\s*>)$`)

function listOf(word: string): string {
  return `\\s*(?:${word})(?:\\s+(?:${word}))*\\s*`
}

/** Whether nothing in it could be refused by XML or the schema: narrower than model.xsd. */
const isPlain = ({ text, attributes }: ScannedGrant): boolean =>
  GRANT.test(text) && new Set(attributes.map(({ name }) => name)).size === attributes.length

/** An element with its verbatim text at hand. */
interface Sourced {
  element: Element
  scanned: ScannedElement
  body: string
}

/** The element of `after`, with those of `before` in place of all in it that are the same. */
function share(before: Sourced, after: Sourced): Element {
  if (isSame(before, after)) return before.element
  const childAt = ({ element, scanned, body }: Sourced, at: number): Sourced | undefined => {
    const [child, own] = [element.children[at], scanned.children[at]]
    return child && own && { element: child, scanned: own, body }
  }
  const children = after.element.children.map((child, at) => {
    const [was, is] = [childAt(before, at), childAt(after, at)]
    return was && is ? share(was, is) : child
  })
  return { ...after.element, children }
}

function isSame(one: Sourced, other: Sourced): boolean {
  const { place } = one.element
  const textOf = ({ body, scanned }: Sourced): string => body.slice(scanned.start, scanned.end)
  return (
    place.file === other.element.place.file &&
    place.line === other.element.place.line &&
    place.column === other.element.place.column &&
    textOf(one) === textOf(other)
  )
}
