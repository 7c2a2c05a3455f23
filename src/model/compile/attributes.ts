/** Attributes and children of an element, read by their kind; the XSD has checked their form. */
import { parseWith } from '../arguments.ts'
import type { Argument } from '../compiled/effect.ts'
import type { Element, Place } from '../parse/element.ts'

/** An attribute as written; undefined when it is left out or blank. */
export function readText(element: Element, name: string): string | undefined {
  const value = element.attributes[name]
  return value === undefined || value.trim() === '' ? undefined : value
}

/** A boolean attribute; undefined when it is left out. */
export function readFlag(element: Element, name: string): boolean | undefined {
  const value = element.attributes[name]?.trim()
  return value === undefined ? undefined : value === 'true' || value === '1'
}

/** An `Enabled`/`Disabled` attribute. */
export function readSwitch(element: Element, name: string): boolean {
  return element.attributes[name]?.trim() === 'Enabled'
}

/** A whole number; undefined when it is left out. */
export function readCount(element: Element, name: string): number | undefined {
  const value = readText(element, name)
  return value === undefined ? undefined : Number(value)
}

/** A list: words separated by blanks. */
export function readWords(element: Element, name: string): string[] {
  return splitWords(element.attributes[name])
}

/** Words separated by blanks. */
export function splitWords(text: string | undefined): string[] {
  return text?.split(/\s+/).filter((word) => word !== '') ?? []
}

/** The first child of a name. */
export function findChild(element: Element, name: string): Element | undefined {
  return element.children.find((child) => child.name === name)
}

/** The children of a name, in document order. */
export function listChildren(element: Element, name: string): Element[] {
  return element.children.filter((child) => child.name === name)
}

/** The elements inside a child that only groups them (`Filters`, `States`). */
export function listGrouped(element: Element, group: string, name: string): Element[] {
  return listChildren(element, group).flatMap((child) => listChildren(child, name))
}

/** Returns the place of an attribute: its own, or its element's. */
export function placeOf(element: Element, attribute: string): Place {
  return element.attributePlaces?.[attribute] ?? element.place
}

/** `OrderId=Id Line=Number` as pairs of names. */
export function readPairs(element: Element, attribute: string): [string, string][] {
  return readWords(element, attribute).map((pair) => {
    const [left = '', right = left] = pair.split('=')
    return [left, right]
  })
}

/** The arguments of an element's `With`. */
export const readWith = (element: Element): Argument[] => parseWith(readText(element, 'With') ?? '')
