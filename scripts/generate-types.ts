/**
 * Writes the types that openapi-typescript makes of an OpenAPI document:
 * `bun scripts/generate-types.ts DOCUMENT.json TYPES.ts`. A process of its own: the
 * generator needs TypeScript 5 where the project has a later one, which has no API.
 */
import { plugin } from 'bun'
import typescript from 'typescript-for-openapi'

plugin({
  name: 'TypeScript 5',
  setup: (build) =>
    void build.module('typescript', () => ({
      loader: 'object',
      exports: { ...typescript, default: typescript },
    })),
})

const [document = '', types = ''] = process.argv.slice(2)
const { default: generate, astToString } = await import('openapi-typescript')
const tree = await generate(Bun.pathToFileURL(document), { defaultNonNullable: false })
await Bun.write(types, astToString(tree))
