/** A database adopted in this process, and the application that serves it. */
import { join } from 'node:path'
import { openSourceFile } from '../../src/store/file/open-source.ts'
import type { SourceFile } from '../../src/store/file/source-file.ts'
import { executeAdoption, planDatabase } from '../../src/model/adopt/adopt-database.ts'
import { describeAdoption } from '../../src/model/adopt/describe-adoption.ts'
import { RecordFiles } from '../../src/engine/files/record-files.ts'
import type { OpenContext } from '../../src/server/open-context.ts'
import { makeSource } from './sources.ts'
import { startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/executable.ts'
import { Objects, type Row } from '../support/objects.ts'
import { makePeople } from '../support/people.ts'

const EMPTY = { files: [], ...makePeople('ONE', { root: 'System' }) }

/** An application that was adopted, with the report of how. */
export class AdoptedApp extends Objects {
  readonly report: readonly string[]

  constructor(app: Objects['app'], report: readonly string[]) {
    super(app)
    this.report = report
  }

  /** The lines of the report that begin with a word. */
  told(word: string): string[] {
    return this.report.flatMap((line) => (line.startsWith(`${word} `) ? line.slice(9) : []))
  }

  /**
   * Reads a page of each view and the form of its first record, and submits the form unchanged;
   * resolves to the views with their first rows. Throws for any refusal. A record with a blank key
   * is only read.
   */
  async visit(): Promise<ReadonlyMap<string, Row | undefined>> {
    const visited = new Map<string, Row | undefined>()
    for (const view of this.app.context.models.get().views.values()) {
      if (view.entity === undefined || view.entity.builtIn) continue
      const [first] = (await this.table('root', view.name)).Rows
      visited.set(view.name, first)
      if (first === undefined) continue
      const key = Object.fromEntries(view.keys.map(({ name }) => [name, first[name]]))
      const { Values } = await this.form('root', view.name, key)
      if (Object.values(key).some((value) => String(value).trim() === '')) continue
      const written = Object.entries(Values).filter(([name]) => !name.includes('__'))
      await this.save('root', view.name, Object.fromEntries(written))
      const again = await this.form('root', view.name, key)
      if (!Bun.deepEquals(again.Values, Values))
        throw new Error(`${view.name}: a form that nobody changed is stored otherwise`)
    }
    return visited
  }
}

/** Makes a database by SQL, adopts it, and starts what was made of it. */
export async function adoptSql(title: string, sql: string): Promise<AdoptedApp> {
  using home = temporaryFolder()
  const path = join(home.path, `${title}.db`)
  makeSource(path, sql)
  return await adoptFile(title, path)
}

/** Adopts a file, and starts what was made of it. */
export async function adoptFile(title: string, path: string): Promise<AdoptedApp> {
  let report: readonly string[] = []
  const fill = async (context: OpenContext): Promise<void> => {
    using source = await openSourceFile(path)
    report = await adoptSource(title, source, context)
  }
  const app = await startApp({ application: { base: EMPTY, fill } })
  return new AdoptedApp(app, report)
}

async function adoptSource(
  title: string,
  source: SourceFile,
  { store, clock, folder }: OpenContext,
): Promise<string[]> {
  const planned = await planDatabase(source, title, store)
  const files = new RecordFiles(folder)
  const target = { store, clock, files, onReady: () => undefined }
  const { taken, faults } = await executeAdoption(source, planned, target)
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  return describeAdoption(planned, taken)
}
