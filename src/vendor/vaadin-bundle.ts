/**
 * The Vaadin components under `style-src 'self'` and Trusted Types: they insert constant `<style>`
 * elements and constant HTML. Also resolves away their usage statistics, whose module names an
 * outside address.
 * Goes when the components run under such a policy as they are.
 */
import type { BunPlugin } from 'bun'
import { createHash } from 'node:crypto'
import { join } from 'node:path'

const STYLE_MAP = join(import.meta.dir, '../client/web/style-map.ts')
const HELPERS = join(import.meta.dir, '../client/web/trusted-html.ts')

/** An assignment of nothing; the text before it is the element. */
const EMPTIED = /\.innerHTML = '';/g

/** An assignment of a constant: a template without parts, or a quoted text, perhaps repeated. */
const CONSTANT = /\.innerHTML = ((?:`[^`$]*`|'[^'\n]*')(?:\.repeat\(\d\))?);/g

/** An assignment of text that is not constant, outside of comments. */
const ASSIGNED = /^(?!\s*\*).*\.innerHTML = (?!trustedHtml\()/m

const STYLE = /<style>([\s\S]*?)<\/style>/g

/** Functions that insert a `<style>` element, and the body that does the same by a sheet. */
const INSERTERS: Record<string, readonly [RegExp, string]> = {
  'component-base/src/css-utils.js': [
    /export const addGlobalStyles = [\s\S]*?\n\};\n/,
    'export const addGlobalStyles = (id, ...styles) =>\n' +
      "  adoptStyles(styles.map((style) => style.toString()).join('\\n'), document);\n",
  ],
  'component-base/src/slot-styles-mixin.js': [
    /function insertStyles\(styles, root\) \{[\s\S]*?\n\}\n/,
    'const insertStyles = adoptStyles;\n',
  ],
}

const LIST = '<ul part="children"'

/** Texts of a module, each with the one that takes its place. */
const MENDED: Record<string, Readonly<Record<string, string>>> = {
  // Attributes for readers of the screen that name what is not there, or that a role lacks.
  'side-nav/src/vaadin-side-nav-item.js': { [LIST]: `${LIST} id="children"` },
  'a11y-base/src/field-aria-controller.js': {
    "'aria-required', this.#required)":
      "'aria-required', this.#required && this.#target.role !== 'group')",
  },
  // Lists and calendars take no pointer from the page while they are open: that gives the whole of
  // it another style, for a fifth of a second on a slow machine, and a click beside would only
  // close them.
  'overlay/src/vaadin-overlay-mixin.js': {
    "value: false,\n          reflectToAttribute: true,\n          observer: '_modelessChanged'":
      "value: true,\n          reflectToAttribute: true,\n          observer: '_modelessChanged'",
    'return !this.modeless;': 'return true;',
  },
  // Elements are kept in a list that never lets go, for styles that are registered behind them.
  'vaadin-themable-mixin/vaadin-themable-mixin.js': {
    'themableInstances.add(new WeakRef(this));': '',
  },
}

function mend(path: string, text: string): string {
  const [, texts = {}] = Object.entries(MENDED).find(([file]) => path.endsWith(file)) ?? []
  return Object.entries(texts).reduce((made, [wrong, right]) => {
    if (!made.includes(wrong)) throw new Error(`${path} has no longer ${wrong}`)
    return made.replace(wrong, right)
  }, text)
}

/** One module as it goes into the bundle; `hashes` gets those of its `<style>` elements. */
function rewrite(path: string, text: string, hashes: Set<string>): string {
  let made = mend(path, text)
  for (const [file, [pattern, body]] of Object.entries(INSERTERS)) {
    if (!path.endsWith(file)) continue
    const before = made
    made = made.replace(pattern, body)
    if (made === before) throw new Error(`${path} inserts its styles in another way than before`)
  }
  made = made.replace(EMPTIED, '.replaceChildren();').replace(CONSTANT, (_, constant: string) => {
    for (const [, style = ''] of constant.matchAll(STYLE))
      hashes.add(`'sha256-${createHash('sha256').update(style).digest('base64')}'`)
    return `.innerHTML = trustedHtml(${constant});`
  })
  if (ASSIGNED.test(made)) throw new Error(`${path} makes HTML of what is not constant`)
  return made === text
    ? text
    : `import { adoptStyles, trustedHtml } from ${JSON.stringify(HELPERS)};\n${made}`
}

/** The plugin; `hashes` is filled with what the policy's `style-src` has to name. */
export const planVaadinPlugin = (hashes: Set<string>): BunPlugin => ({
  name: 'vaadin',
  setup(build) {
    build.onResolve({ filter: /vaadin-usage-statistics\.js$/ }, ({ path, importer }) => ({
      path: Bun.resolveSync(path, importer).replace(/\.js$/, '-optout.js'),
    }))
    build.onResolve({ filter: /^lit\/directives\/style-map\.js$/ }, () => ({ path: STYLE_MAP }))
    build.onLoad({ filter: /[\\/]@vaadin[\\/].*\.js$/ }, async ({ path }) => ({
      contents: rewrite(path.replaceAll('\\', '/'), await Bun.file(path).text(), hashes),
      loader: 'js',
    }))
  },
})
