/** An application whose data folder has extensions: scripts and handlers for the tests of them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startApp, type TestApp } from './app.ts'
import { Objects, type Reply } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const MODEL = `<Model>
<Entity Name="Note" Table="notes" Display="Title" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" MaxLength="40" Required="true"/>
  <Column Name="Amount" Type="Decimal" Scale="2"/>
  <Column Name="Due" Type="Date"/>
  <Column Name="Secret" Type="Text"/>
</Entity>
<ObjectView Name="Notes" Entity="Note"/>
<Rbac>
  <UserAttribute Name="Desk" Type="Text"/>
  <Role Name="Runner">
    <Grant Resource="Notes" Verbs="View List Create Export Import"/>
    <FieldRule Resource="Notes" Field="Secret" Access="Hidden"/>
    <Grant Resource="Reports" Capabilities="Execute"/>
    <Grant Resource="Bad" Capabilities="Execute"/>
    <Grant Resource="Lines" Verbs="Export Import"/>
  </Role>
  <Role Name="Reader"><Grant Resource="Notes" Verbs="View List Export"/></Role>
</Rbac>
</Model>`

export const NOTES: TestApplication = {
  files: [{ name: 'notes.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System',
    run: ['Runner@ONE', { Desk: '7' }],
    far: 'Runner@TWO in TWO',
    read: 'Reader@ONE',
    none: '',
  }),
}

/** The result of a script. */
export interface ScriptResult {
  Result: unknown
  Log: string[]
  DurationMs: number
}

/** Writes extensions, by file name, into a data folder. */
export function writeExtensions(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'extensions', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

/** The application with extensions, as named users call it. */
export class Extended extends Objects {
  /** Runs a script. */
  execute(as: string, name: string, parameters?: unknown): Promise<Reply<ScriptResult>> {
    const body = { Name: name, Parameters: parameters }
    return this.app.fetch('/api/v1/svc/execute-script', { as, body })
  }
}

/** Starts the application with these extensions. */
export async function startExtended(
  files: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Extended> {
  const app: TestApp = await startApp({ application: NOTES, settings })
  writeExtensions(app.folder, files)
  return new Extended(app)
}

/**
 * Has `work` done while what an extension does is ended after so long. Else it has its minute, so
 * that a busy machine ends nothing but what never ends by itself.
 */
export async function whileHasty<T>(
  { app }: Objects,
  milliseconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const { extensions } = app.context
  const { checkMs, limits } = extensions
  Object.assign(extensions, {
    checkMs: milliseconds,
    limits: { ...limits, deadlineMs: milliseconds },
  })
  try {
    return await work()
  } finally {
    Object.assign(extensions, { checkMs, limits })
  }
}
