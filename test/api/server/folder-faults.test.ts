/** Folders of files that cannot be used for a while: 503 until they can, and nothing is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestApp } from '../../support/app.ts'
import { openPapers, type Papers, text } from '../../support/papers.ts'

let [app, papers]: [TestApp, Papers] = [] as never
let [stored, exported]: [string, string] = ['', '']
beforeAll(async () => {
  ;({ app, papers } = await openPapers())
  stored = (await papers.paper('ana', [text('kept')])).entries[0]?.Path ?? ''
  exported = /"Url":"([^"]+)"/.exec((await ask.export()).text)?.[1] ?? ''
})
afterAll(() => app[Symbol.asyncDispose]())

interface Told {
  status: number
  headers: Headers
  text: string
}

const send = (path: string, fields: Record<string, string>): Promise<Told> => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new File(['Title\nsent\n'], 'rows.csv'))
  const headers = { Authorization: `Bearer ${app.tokens.ana}` }
  const request = new Request(`http://localhost${path}`, { method: 'POST', body: form, headers })
  return app.handle(request).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }))
}

const OBJECT = '/api/v1/svc/object'

/** Requests for files in each of the folders. */
const ask = {
  upload: () => send(`${OBJECT}/upload`, { objectName: 'Papers', fieldName: 'Scans' }),
  import: () => send(`${OBJECT}/import-data`, { objectName: 'Papers' }),
  later: () => send(`${OBJECT}/import-data`, { objectName: 'Papers', background: 'true' }),
  export: () =>
    app.fetch(`${OBJECT}/export-data`, {
      as: 'ana',
      body: { ObjectName: 'Papers', Format: 'csv' },
    }),
  stored: () => papers.get('ana', stored),
  exported: () => app.fetch(exported, { as: 'ana' }),
}
type Ask = keyof typeof ask

const USERS: Readonly<Record<string, readonly Ask[]>> = {
  files: ['stored', 'upload'],
  uploads: ['upload', 'import', 'later'],
  exports: ['exported', 'export'],
  imports: ['later'],
}

/** The state of a path in place of the folder. */
const TROUBLES: Readonly<Record<string, (path: string) => void>> = {
  'a file': (path) => writeFileSync(path, 'no folder'),
  'a circle of links': (path) => symlinkSync(path, path),
  'not there': () => {},
}

const count = async (): Promise<unknown> =>
  app.store.get(
    'SELECT (SELECT count(*) FROM papers) AS Papers, (SELECT count(*) FROM svc_uploads) AS Uploads, (SELECT count(*) FROM svc_jobs) AS Jobs',
  )

describe.each(Object.entries(USERS))('%s/', (folder, asks) => {
  test.each(Object.entries(TROUBLES))('is %s', async (_, trouble) => {
    const path = join(app.folder, folder)
    for (const name of asks) expect([name, (await ask[name]()).status]).toEqual([name, 200])
    renameSync(path, `${path}.away`)
    trouble(path)
    const before = await count()
    const answers: unknown[] = []
    for (const name of asks) {
      const { status, headers, text: told } = await ask[name]()
      // A folder that is only not there may be made anew.
      if (status === 200 && !existsSync(`${path}.away/x`) && trouble === TROUBLES['not there'])
        continue
      const isTold = /"error":"The server cannot (?:read|write) files right now/.test(told)
      answers.push([name, status, Number(headers.get('retry-after')) > 0, isTold])
    }
    expect(answers).toEqual(answers.map((each) => [(each as [Ask])[0], 503, true, true]))
    if (trouble !== TROUBLES['not there']) expect(await count()).toEqual(before)
    rmSync(path, { force: true, recursive: true })
    renameSync(`${path}.away`, path)
    for (const name of asks) expect([name, (await ask[name]()).status]).toEqual([name, 200])
    expect(readFileSync(join(app.folder, 'files', stored), 'utf8')).toBe('kept')
  })
})
