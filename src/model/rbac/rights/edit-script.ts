/**
 * Edits of rights in a stored Rbac script. Its text was validated when it was stored, so that the
 * XML parser is not asked again: the edited text is proven valid by what differs.
 */
import { Yielder } from '../../../kernel/yielder.ts'
import { VERBS } from '../../compiled/role.ts'
import type { Script } from '../../compiled/script.ts'
import type { Element } from '../../parse/element.ts'
import { hashBody, isWithinLimit, LineTable, toElement } from '../../parse/parse.ts'
import { scanElements, type ScannedElement } from '../../parse/scan.ts'
import { CHILDREN_MAX } from '../../parse/validate.ts'
import { attributeOf, editRight, listRights, type RightChange } from '../edit.ts'

/** The text of a script with rights of roles that it declares given and taken. */
export async function editText(
  body: string,
  changes: readonly RightChange[],
  stored?: Script,
): Promise<string> {
  const yielder = new Yielder()
  let text = body
  for (const change of changes) {
    const root = text === stored?.body ? scanScript(stored) : undefined
    text = editRight(text, change, root)
    await yielder.yieldWhenDue()
  }
  return text
}

/** Scanned texts by script: an edited script is mostly edited again. */
const scannedOf = new WeakMap<Script, ScannedElement>()

const scanScript = (script: Script): ScannedElement =>
  scannedOf.getOrInsertComputed(script, () => scanElements(script.body))

/**
 * Reads a stored script with an edited text. Undefined unless these hold, which together prove the
 * text: Grants of the changed rights have a form that is always valid, are between other markup of
 * their roles and say what is meant, and the remaining text is the stored one but for blanks
 * between tags. Elements that did not move are those of `script`.
 * @throws Error for some texts that are not well-formed
 */
export function readEdited(
  script: Script,
  body: string,
  changes: readonly RightChange[],
): Script | undefined {
  if (!isWithinLimit(body)) return undefined
  const root = scanElements(body)
  const stored = scanScript(script)
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
    after.isBetweenMarkup &&
    after.grants.every(isPlain) &&
    expected.symmetricDifference(after.rights).size === 0 &&
    root.children.every(({ children }) => children.length <= CHILDREN_MAX)
  if (!isProven) return undefined
  const lines = new LineTable(script.fileName, body)
  const was = { element: script.element, scanned: stored }
  const element = readShared(
    was,
    root,
    (before, after) => {
      const { line, column, file } = before.element.place
      const place = lines.place(after.start)
      const isThere = place.line === line && place.column === column && place.file === file
      const { start, end } = before.scanned
      return isThere && script.body.slice(start, end) === body.slice(after.start, after.end)
    },
    lines,
  )
  const edited = { ...script, body, versionHash: hashBody(body), element }
  scannedOf.set(edited, root)
  return edited
}

const keyOf = (...names: string[]): string => names.join(' ')

/** A text in two: Grants on changed resources, with the rights that they give, and the rest. */
interface SplitText {
  grants: ScannedGrant[]
  rights: Set<string>
  /** The text without the blanks between tags. */
  rest: string
  /** True when there are only blanks between each of the Grants and the next markup. */
  isBetweenMarkup: boolean
}

/** Blank characters of XML: fewer than `\s` of an expression. */
const BLANK = '[ \\t\\r\\n]'
const BETWEEN_TAGS = new RegExp(`>${BLANK}+<`, 'g')
const OPENS_MARKUP = new RegExp(`^${BLANK}*(?:<|$)`)
const ENDS_MARKUP = new RegExp(`(?:^|>)${BLANK}*$`)

function splitText(body: string, root: ScannedElement, changes: readonly RightChange[]): SplitText {
  const changed = new Set(changes.map(({ role, resource }) => keyOf(role, resource)))
  const rest: string[] = []
  const grants: ScannedGrant[] = []
  const rights = new Set<string>()
  let from = 0
  for (const role of root.children.filter(({ name }) => name === 'Role'))
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
  return {
    grants,
    rights,
    rest: rest.join('').replace(BETWEEN_TAGS, '><'),
    isBetweenMarkup:
      rest.slice(1).every((text) => OPENS_MARKUP.test(text)) &&
      rest.slice(0, -1).every((text) => ENDS_MARKUP.test(text)),
  }
}

/** A Grant with its verbatim text. */
type ScannedGrant = Pick<ScannedElement, 'attributes' | 'text'>

const NAME = '[A-Za-z][A-Za-z0-9_]{0,99}'
const LISTED = [
  ['Resource', NAME],
  ['Verbs', listOf(VERBS.join('|'))],
  ['Capabilities', listOf(NAME)],
].map(([name, value]) => `${name}${BLANK}*=${BLANK}*(?:"${value}"|'${value}')`)
const GRANT = new RegExp(
  `^<Grant(?:${BLANK}+(?:${LISTED.join('|')}))+${BLANK}*(?:/>|>${BLANK}*</Grant${BLANK}*>)$`,
)

function listOf(word: string): string {
  return `${BLANK}*(?:${word})(?:${BLANK}+(?:${word}))*${BLANK}*`
}

/** True when neither XML nor the schema could refuse it: narrower than model.xsd. */
function isPlain({ text, attributes }: ScannedGrant): boolean {
  const names = new Set(attributes.map(({ name }) => name))
  return GRANT.test(text) && names.size === attributes.length && names.has('Resource')
}

/** An element of the stored script. */
interface StoredElement {
  element: Element
  scanned: ScannedElement
}

type IsSame = (before: StoredElement, after: ScannedElement) => boolean

/** The element that was scanned, with those of `before` in place of all in it that are the same. */
function readShared(
  before: StoredElement | undefined,
  after: ScannedElement,
  isSame: IsSame,
  lines: LineTable,
): Element {
  if (before && isSame(before, after)) return before.element
  return toElement(after, lines, (child, at) => {
    const [element, scanned] = [before?.element.children[at], before?.scanned.children[at]]
    const other = element && scanned && { element, scanned }
    return readShared(other, child, isSame, lines)
  })
}
