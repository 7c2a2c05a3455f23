/**
 * Edits of an Rbac script's own text: rights are given to and taken from its roles, and everything
 * else (comments, order, indentation, quotes, line ends) stays to the letter.
 */
import { VERBS } from '../compiled/role.ts'
import type { Script } from '../compiled/script.ts'
import { scanElements, type ScannedElement } from '../parse/scan.ts'

/** A right that a role is to have on a resource, or not to have any more. */
export interface RightChange {
  role: string
  resource: string
  /** A verb or a capability. */
  right: string
  isGranted: boolean
}

const VERB_NAMES: readonly string[] = VERBS
const INDENT = '  '

/** The names of the roles that an Rbac script declares. */
export const listRoleNames = ({ element }: Pick<Script, 'element'>): string[] =>
  element.children.flatMap(({ name, attributes }) =>
    name === 'Role' ? [attributes.Name ?? ''] : [],
  )

/** The text of a new Rbac script that declares nothing yet. */
export const planRbacBody = (name: string): string => `<Rbac Name="${name}">\n</Rbac>\n`

/** The text of such a script with one more role, which grants nothing yet, at its end. */
export function addRole(body: string, role: string): string {
  const end = body.lastIndexOf('</Rbac>')
  if (end < 0) throw new Error('The Rbac script has no end tag')
  return replace(body, end, end, `${INDENT}<Role Name="${role}"/>\n`)
}

/**
 * The text of a valid Rbac script with one right of one of its roles given or taken; the same text
 * where nothing is to be done, as for a role that it does not declare. A role gets one Grant for a
 * resource that it had none on; a Grant without any right left goes. `root` is the scanned text.
 */
export function editRight(body: string, change: RightChange, root = scanElements(body)): string {
  const role = root.children.find(
    (child) => child.name === 'Role' && attributeOf(child, 'Name') === change.role,
  )
  if (!role) return body
  const grants = role.children.filter(({ name }) => name === 'Grant')
  const own = grants.filter((grant) => attributeOf(grant, 'Resource') === change.resource)
  const holding = own.filter((grant) => wordsOf(grant, change).includes(change.right))
  if (!change.isGranted) {
    // The last goes first, so that the offsets of earlier ones still hold.
    return holding.reverse().reduce((text, grant) => takeRight(text, grant, change), body)
  }
  if (holding.length > 0) return body
  const [grant] = own
  return grant ? addWord(body, grant, change) : addGrant(body, role, grants.at(-1), change)
}

/** The value of an attribute; '' without it. */
export const attributeOf = (element: ScannedElement, name: string): string =>
  element.attributes.find((attribute) => attribute.name === name)?.value ?? ''

const listOf = (right: string): 'Verbs' | 'Capabilities' =>
  VERB_NAMES.includes(right) ? 'Verbs' : 'Capabilities'

const splitWords = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

/** The verbs and capabilities that a Grant gives. */
export const listRights = (grant: ScannedElement): string[] =>
  ['Verbs', 'Capabilities'].flatMap((list) => splitWords(attributeOf(grant, list)))

const wordsOf = (grant: ScannedElement, { right }: RightChange): string[] =>
  splitWords(attributeOf(grant, listOf(right)))

/** Finds the value of the attribute at an offset, without its quotes. */
function findValue(body: string, at: number): { start: number; end: number } {
  const equals = body.indexOf('=', at)
  const quoteAt = equals + 1 + body.slice(equals + 1).search(/["']/)
  return { start: quoteAt + 1, end: body.indexOf(body[quoteAt] ?? '"', quoteAt + 1) }
}

const replace = (body: string, start: number, end: number, text: string): string =>
  body.slice(0, start) + text + body.slice(end)

/** Adds a word: verbs in the order of the language, capabilities at the end. */
function addWord(body: string, grant: ScannedElement, change: RightChange): string {
  const list = listOf(change.right)
  const words = [...wordsOf(grant, change), change.right]
  if (list === 'Verbs') words.sort((a, b) => VERB_NAMES.indexOf(a) - VERB_NAMES.indexOf(b))
  const attribute = grant.attributes.find(({ name }) => name === list)
  if (attribute) {
    const { start, end } = findValue(body, attribute.at)
    return replace(body, start, end, words.join(' '))
  }
  const last = grant.attributes.at(-1)
  const after = last ? findValue(body, last.at).end + 1 : grant.start + '<Grant'.length
  return replace(body, after, after, ` ${list}="${words.join(' ')}"`)
}

function takeRight(body: string, grant: ScannedElement, change: RightChange): string {
  const list = listOf(change.right)
  const other = list === 'Verbs' ? 'Capabilities' : 'Verbs'
  const words = wordsOf(grant, change).filter((word) => word !== change.right)
  const attribute = grant.attributes.find(({ name }) => name === list)
  if (words.length === 0 && splitWords(attributeOf(grant, other)).length === 0)
    return cutElement(body, grant)
  if (!attribute) return body
  const { start, end } = findValue(body, attribute.at)
  if (words.length > 0) return replace(body, start, end, words.join(' '))
  const blanks = /\s*$/.exec(body.slice(0, attribute.at))?.[0].length ?? 0
  return replace(body, attribute.at - blanks, end + 1, '')
}

/** The text without an element, and without its line, where it has one to itself. */
export function cutElement(body: string, { start, end }: ScannedElement): string {
  const before = /(?:^|\n)[ \t]*$/.exec(body.slice(0, start))?.[0] ?? ''
  const after = /^[ \t]*\r?\n/.exec(body.slice(end))?.[0] ?? ''
  if (before === '' || after === '') return replace(body, start, end, '')
  return replace(body, start - before.replace('\n', '').length, end + after.length, '')
}

function addGrant(
  body: string,
  role: ScannedElement,
  last: ScannedElement | undefined,
  { resource, right }: RightChange,
): string {
  const text = `<Grant Resource="${resource}" ${listOf(right)}="${right}"/>`
  const line = body.includes('\r\n') ? '\r\n' : '\n'
  if (last) {
    const indent = indentOf(body, last.start)
    return replace(body, last.end, last.end, indent === undefined ? text : line + indent + text)
  }
  const outer = indentOf(body, role.start) ?? ''
  const inside = line + outer + INDENT + text
  if (!body.endsWith('/>', role.end)) {
    const open = endOfStartTag(body, role)
    const rest = body.slice(open, role.end)
    const isAlone = /^[ \t]*<\//.test(rest)
    return replace(body, open, open, isAlone ? inside + line + outer : inside)
  }
  const tag = body.slice(role.start, role.end - '/>'.length).trimEnd()
  return replace(body, role.start, role.end, `${tag}>${inside}${line}${outer}</Role>`)
}

/** The blanks before an element that is the first of its line; undefined for another one. */
function indentOf(body: string, at: number): string | undefined {
  return /(?:^|\n)([ \t]*)$/.exec(body.slice(0, at))?.[1]
}

function endOfStartTag(body: string, element: ScannedElement): number {
  const last = element.attributes.at(-1)
  const from = last ? findValue(body, last.at).end + 1 : element.start
  return body.indexOf('>', from) + 1
}

/** The text with one more role, which grants nothing yet. */
export const planNewRole = (body: string, role: string, label: string): string =>
  planRoleLabel(addRole(body, role), role, label)

/** The text with another label of one of its roles; the same text without such a role. */
export function planRoleLabel(body: string, role: string, label: string): string {
  const element = findRole(body, role)
  return element ? planAttribute(body, element, 'Label', label) : body
}

/** The text with another value of an attribute of an element that has a Name, or without it. */
export function planAttribute(
  body: string,
  element: ScannedElement,
  attribute: string,
  value: string | undefined,
): string {
  const own = element.attributes.find(({ name }) => name === attribute)
  if (own) {
    const { start, end } = findValue(body, own.at)
    if (value !== undefined) return body.slice(0, start) + escape(value) + body.slice(end)
    const blanks = /\s*$/.exec(body.slice(0, own.at))?.[0].length ?? 0
    return body.slice(0, own.at - blanks) + body.slice(end + 1)
  }
  if (value === undefined) return body
  const name = element.attributes.find((each) => each.name === 'Name')
  const after = name ? findValue(body, name.at).end + 1 : element.start + 1 + element.name.length
  return `${body.slice(0, after)} ${attribute}="${escape(value)}"${body.slice(after)}`
}

/** The text with a further child at the end of an element, on a line of its own. */
export function insertInto(body: string, element: ScannedElement, child: string): string {
  const line = body.includes('\r\n') ? '\r\n' : '\n'
  const outer = /(?:^|\n)([ \t]*)$/.exec(body.slice(0, element.start))?.[1] ?? ''
  const inside = `${outer}  ${child}${line}${outer}`
  if (body.endsWith('/>', element.end)) {
    const tag = body.slice(element.start, element.end - '/>'.length).trimEnd()
    const whole = `${tag}>${line}${inside}</${element.name}>`
    return body.slice(0, element.start) + whole + body.slice(element.end)
  }
  const close = body.lastIndexOf('</', element.end - 1)
  const before = body.slice(0, close)
  const isOnLine = /\n[ \t]*$/.test(before)
  const head = isOnLine ? before.replace(/[ \t]*$/, '') : before + line
  return head + inside + body.slice(close)
}

/** The text without one of its roles. */
export function planWithoutRole(body: string, role: string): string {
  const element = findRole(body, role)
  return element ? cutElement(body, element) : body
}

const findRole = (body: string, role: string): ScannedElement | undefined =>
  scanElements(body).children.find(
    (child) => child.name === 'Role' && attributeOf(child, 'Name') === role,
  )

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Fit for an attribute in quotes of either kind. */
const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
