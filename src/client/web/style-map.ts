/**
 * Lit's `styleMap` by the CSS object model alone: its own writes the attribute at first, which
 * `style-src 'self'` refuses. `vaadin-bundle.ts` puts this in its place.
 */
import { noChange } from 'lit'
import { type AttributePart, directive, Directive } from 'lit/directive.js'

type Styles = Readonly<Record<string, string | number | null | undefined>>

class StyleMap extends Directive {
  #given = new Set<string>()

  override render(_styles: Styles): unknown {
    return noChange
  }

  override update({ element }: AttributePart, [styles]: [Styles]): unknown {
    const { style } = element as HTMLElement
    for (const name of this.#given) if (styles[name] == null) set(style, name, '')
    for (const [name, value] of Object.entries(styles))
      if (value != null) set(style, name, String(value))
    this.#given = new Set(Object.keys(styles))
    return noChange
  }
}

/** A property by its CSS name or by that of the object model: `min-width`, `minWidth`. */
function set(style: CSSStyleDeclaration, name: string, value: string): void {
  const property = name.includes('-')
    ? name
    : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  if (value === '') style.removeProperty(property)
  else style.setProperty(property, value)
}

export const styleMap = directive(StyleMap)
