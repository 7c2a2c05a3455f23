/** A data folder of the bench, opened in this process as a server opens it. */
import { systemClock } from '../../src/kernel/clock.ts'
import { createLog } from '../../src/kernel/log.ts'
import { openContext, type OpenContext } from '../../src/server/open-context.ts'
import { configure } from '../../src/app.ts'

/** An update does not bring a RowVersion here: the load cannot know what the last one made. */
export const SETTINGS = {
  'Svc:Objects:RequireRowVersion': 'false',
  'Svc:Tokens:AccessLifetime': '24h',
}

/** A data folder of the bench. */
export async function openFolder(folder: string): Promise<OpenContext> {
  const settings = configure({ dataFolder: folder, env: {}, flags: SETTINGS })
  return openContext({
    folder,
    settings,
    clock: systemClock,
    log: createLog(systemClock, () => {}),
  })
}
