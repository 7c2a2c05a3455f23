/** Limits of imports, and the parts that the imports of an app share. */
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { bytes, DAY, duration, integer, MB, SECOND } from '../../kernel/setting.ts'
import type { ImportParts } from '../../engine/object/import/import-work.ts'
import { KeptImports } from '../../engine/object/import/kept-imports.ts'
import type { AppContext } from '../../server/context.ts'
import { FormCount } from './form-count.ts'

export const IMPORTS = {
  maxBytes: bytes('Svc:Uploads:MaxImportBytes', 'Size of a file that is imported', 1024 * MB, [
    1,
    1024 * MB,
  ]),
  undoFor: duration('Svc:Imports:UndoFor', 'How long an import can be undone', 7 * DAY, [
    SECOND,
    365 * DAY,
  ]),
  concurrency: integer(
    'Svc:Imports:Concurrency',
    'Imports that are made at the same time',
    2,
    [1, 16],
  ),
  userQuota: bytes(
    'Svc:Imports:UserQuota',
    'What the files of one user’s imports that wait for a job may take together',
    2048 * MB,
    [1, 1024 * 1024 * MB],
  ),
}

/** Forms of one user that come in at the same time: each may be as large as the disk allows. */
const FORMS_PER_USER_MAX = 4

/** Limits shared by the imports of an app. */
interface ImportLimits {
  forms: FormCount
  /** Bounds the imports that read, check and stage rows at a time. */
  semaphore: Semaphore
  /** Bounds the files whose beginnings are read at a time. */
  previews: Semaphore
  /** Has one bulk edit at a time take the writer, by turns of their users. */
  bulkEdits: Semaphore
  /** Files of imports that wait for a job. */
  kept: KeptImports
}

const limitsOf = new WeakMap<AppContext, ImportLimits>()

/** One value for each app. */
export function findLimits(app: AppContext): ImportLimits {
  let limits = limitsOf.get(app)
  if (!limits) {
    const { folder, store, state, clock, log, settings } = app
    const userQuota = settings.get(IMPORTS.userQuota)
    limits = {
      forms: new FormCount(
        FORMS_PER_USER_MAX,
        say`You have too many imports running. Please try again later.`,
      ),
      semaphore: new Semaphore(settings.get(IMPORTS.concurrency)),
      previews: new Semaphore(settings.get(IMPORTS.concurrency)),
      bulkEdits: new Semaphore(1),
      kept: new KeptImports({ folder, store, state, clock, log, userQuota }),
    }
    limitsOf.set(app, limits)
  }
  return limits
}

/** Plans the parts of an import, for the caller's language and formats. */
export const planParts = (
  app: AppContext,
  own: Pick<ImportParts, 'formats' | 'language' | 'locale' | 'progress' | 'signal'>,
): ImportParts => ({
  folder: app.files.receivedFolder,
  made: app.made,
  undoForMs: app.settings.get(IMPORTS.undoFor),
  ...own,
})
