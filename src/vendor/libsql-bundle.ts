/**
 * `libsql` finds its native half by a computed name; a bundle needs it written out.
 * Goes when the package names its native halves one by one, as a bundler can follow.
 */
import type { BunPlugin } from 'bun'

/** The function by which either face of the package loads its native half. */
export const COMPUTED_REQUIRE = /function requireNative\(\) \{[\s\S]*?\n\}\n/

/** Plans the plugin for the build of one target. Throws where the package has changed. */
export function planLibsqlPlugin(nativePackage: string): BunPlugin {
  return {
    name: 'libsql-native',
    setup(build) {
      build.onLoad({ filter: /[\\/]libsql[\\/](index|promise)\.js$/ }, async ({ path }) => {
        const text = await Bun.file(path).text()
        const contents = text.replace(
          COMPUTED_REQUIRE,
          `function requireNative() { return require('${nativePackage}') }\n`,
        )
        if (contents === text) throw new Error(`No computed require in ${path}`)
        return { contents, loader: 'js' }
      })
    },
  }
}
