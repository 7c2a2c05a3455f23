/** `appengine openapi`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import { createLog } from '../kernel/log.ts'
import { HTTP } from '../server/floor.ts'
import { openContext } from '../server/open-context.ts'
import { planDocument } from '../features/swagger/document.ts'
import { configure, listAreas, listRoutes } from '../app.ts'
import type { Arguments } from './arguments.ts'
import { EXIT, printLine } from './output.ts'

/**
 * Prints the OpenAPI document. It is the same for every model and data folder, so an app on a
 * folder of its own gives it.
 */
export async function runOpenApi(args: Arguments): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'appengine-openapi-'))
  try {
    const settings = configure({ dataFolder: folder, flags: args.settings })
    const log = createLog(systemClock)
    const context = await openContext({ folder, settings, clock: systemClock, log })
    try {
      const document = planDocument(listRoutes(context), listAreas(), settings.get(HTTP.basePath))
      printLine(JSON.stringify(document, undefined, 2))
    } finally {
      await context.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return EXIT.done
}
