/** The build of the engine that runs: a build does not trust what another one has cached. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Written into an executable when it is made. */
declare const ENGINE_BUILD: string | undefined

/** Checks that this process runs from the executable, and not from its sources. */
export const isExecutable = (): boolean => typeof ENGINE_BUILD === 'string'

let known: string | undefined

/** Names the sources that this process was made from; the same in every process of a build. */
export function findBuild(): string {
  return (known ??= typeof ENGINE_BUILD === 'string' ? ENGINE_BUILD : nameSources())
}

/** Run from its sources: when the latest of them was changed. */
function nameSources(): string {
  const folder = join(import.meta.dir, '..')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return String(Math.max(...files.map((file) => statSync(join(folder, file)).mtimeMs)))
}
