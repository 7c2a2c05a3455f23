/** `appengine version`. */
import type { Arguments } from './arguments.ts'
import { EXIT, formatTable, printLine } from './output.ts'
import facts from '../../package.json' with { type: 'json' }

/** Prints the versions of the engine and of its platform. */
export async function runVersion(args: Arguments): Promise<number> {
  const versions = {
    appengine: facts.version,
    bun: Bun.version,
    elysia: facts.dependencies.elysia,
    libsql: facts.dependencies.libsql,
    platform: `${process.platform}-${process.arch}`,
  }
  printLine(args.json ? JSON.stringify(versions) : formatTable(Object.entries(versions)))
  return EXIT.done
}
