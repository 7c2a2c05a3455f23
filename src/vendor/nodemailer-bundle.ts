/**
 * A bundle loads the modules of the platform at its start, wherever they are imported: the modules
 * that only mail needs are a tenth of a start, so mail asks for them when it is sent.
 * Goes when a module that is imported late loads what it imports of the platform late too.
 */
import type { BunPlugin } from 'bun'

const NETWORK_IMPORT = /^import (\w+) from 'node:(dns|http|https|tls|zlib)';$/gm

/** A module of the package that asks for the platform's own ones when it is run. */
export const loadNetworkLate = (text: string): string =>
  text.replace(NETWORK_IMPORT, "const $1 = process.getBuiltinModule('node:$2');")

/** The plugin for the build. */
export const MAIL_PLUGIN: BunPlugin = {
  name: 'late-network',
  setup(build) {
    build.onLoad({ filter: /[\\/]nodemailer[\\/]dist[\\/]esm[\\/].*\.js$/ }, async ({ path }) => ({
      contents: loadNetworkLate(await Bun.file(path).text()),
      loader: 'js',
    }))
  },
}
