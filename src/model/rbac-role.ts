/** Edits of an Rbac script's own text: roles that are made, called otherwise and removed here. */
import { addRole, attributeOf, cutElement, findValue } from './rbac-edit.ts'
import { scanElements } from './scan.ts'
import type { ScannedElement } from './scan.ts'

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
