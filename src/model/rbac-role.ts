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
  if (!element) return body
  const attribute = element.attributes.find(({ name }) => name === 'Label')
  if (attribute) {
    const { start, end } = findValue(body, attribute.at)
    return body.slice(0, start) + escape(label) + body.slice(end)
  }
  const name = element.attributes.find((each) => each.name === 'Name')
  const after = name ? findValue(body, name.at).end + 1 : element.start + '<Role'.length
  return `${body.slice(0, after)} Label="${escape(label)}"${body.slice(after)}`
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
