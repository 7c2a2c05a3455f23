/**
 * Of the package's hundred symbols a bundle has the four that are printed: the others are two
 * megabytes of JavaScript that are compiled ahead of time and have a source map, too.
 * Goes when the package makes one symbol without a table of all of them.
 */
import type { BunPlugin } from 'bun'
import { readFileSync } from 'node:fs'

/** Symbols by the names that the package has for them. */
export const PRINTED_SYMBOLS = ['qrcode', 'ean13', 'ean8', 'code128'] as const

/** The package's table of all symbols, and its face, which names that table. */
const LOOKUP = /\bbwipp_lookup\(/g
const FACE = /^export default \{[\s\S]*?^\};$/m

/** The package's module with a table of its own, and the one function that is used. */
export function keepPrinted(text: string): string {
  const entries = PRINTED_SYMBOLS.map((name) => `${name}: bwipp_${name}`).join(', ')
  return (
    text.replace(LOOKUP, 'findPrinted(').replace(FACE, 'export default { raw: ToRaw };') +
    `\nfunction findPrinted(name) { return { ${entries} }[name]; }\n`
  )
}

/** The plugin for the build. */
export const BWIP_PLUGIN: BunPlugin = {
  name: 'printed-symbols',
  setup(build) {
    build.onLoad({ filter: /[\\/]bwip-js-node\.mjs$/ }, ({ path }) => ({
      contents: keepPrinted(readFileSync(path, 'utf8')),
      loader: 'js',
    }))
  },
}
