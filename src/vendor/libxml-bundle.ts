/**
 * The package has its WebAssembly as a text in its JavaScript, which a bundle would have three
 * times: as source, compiled ahead of time and in the source map. In a bundle it is a packed file.
 * Goes when the package loads it from a file by itself.
 */
import type { BunPlugin } from 'bun'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

/** The WebAssembly as a text: a character for each byte, by a function that makes bytes of it. */
const TEXT = /\bea\('((?:[^'\\]|\\.)*)'\)/
const FILE = 'libxml2.wasm.gz'

/** A module of the package, its WebAssembly apart from it. */
export function splitWasm(text: string): { code: string; wasm: Uint8Array<ArrayBuffer> } {
  const found = TEXT.exec(text)
  if (!found) throw new Error('libxml2-wasm has its WebAssembly in another place')
  // The text is a literal of JavaScript: only the language itself reads each of its forms.
  const literal: unknown = new Function(`return '${found[1]}'`)()
  const wasm = Uint8Array.from(String(literal), (character) => toByte(character.charCodeAt(0)))
  const load = `Bun.gunzipSync(require('node:fs').readFileSync(wasmFile))`
  const [from, to] = [found.index, found.index + found[0].length]
  const code = `import wasmFile from '${FILE}';\n${text.slice(0, from)}${load}${text.slice(to)}`
  return { code, wasm }
}

/** As the package does it: what is no byte stands for zero. */
const toByte = (code: number): number => (code > 0xff ? 0 : code)

/** The plugin for the build. */
export const LIBXML_PLUGIN: BunPlugin = {
  name: 'libxml-file',
  setup(build) {
    let packed: Uint8Array<ArrayBuffer> | undefined
    build.onLoad({ filter: /[\\/]libxml2raw\.mjs$/ }, ({ path }) => {
      const { code, wasm } = splitWasm(readFileSync(path, 'utf8'))
      packed = new Uint8Array(gzipSync(wasm, { level: 9 }))
      return { contents: code, loader: 'js' }
    })
    build.onResolve({ filter: /^libxml2\.wasm\.gz$/ }, ({ path }) => ({
      path,
      namespace: 'libxml',
    }))
    build.onLoad({ filter: /.*/, namespace: 'libxml' }, () => ({
      contents: packed ?? '',
      loader: 'file',
    }))
  },
}
