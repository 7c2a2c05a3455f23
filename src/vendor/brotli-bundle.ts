/**
 * Brotli of fonts (WOFF2) is undone by the platform: the package brings its own dictionary, half a
 * megabyte of JavaScript that is compiled ahead of time and has a source map, too.
 * Goes when fontkit takes the platform's own.
 */
import type { BunPlugin } from 'bun'

/** The module in place of the package's one; both take bytes and return bytes. */
const PLATFORM_BROTLI = `
const { brotliDecompressSync } = process.getBuiltinModule('node:zlib');
export default (bytes) => new Uint8Array(brotliDecompressSync(bytes));
`

/** The plugin for the build. */
export const BROTLI_PLUGIN: BunPlugin = {
  name: 'platform-brotli',
  setup(build) {
    build.onLoad({ filter: /[\\/]brotli[\\/]decompress\.js$/ }, () => ({
      contents: PLATFORM_BROTLI,
      loader: 'js',
    }))
  },
}
