/** Answers beyond their bound are never built: three at once take little memory. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startExecutable, temporaryFolder } from '../support/executable.ts'
import { makePeople } from '../support/people.ts'
import { copyTemplate, findTemplate, type TestApplication } from '../support/template.ts'

const PAGES: TestApplication = {
  files: [
    {
      name: 'pages.xml',
      body: `<Model>
<Entity Name="Page" Table="pages" Display="Title">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Title" Type="Text" Required="true" MaxLength="40"/>
  <Column Name="Body" Type="Text" MaxLength="60000"/>
</Entity>
<ObjectView Name="Pages" Entity="Page"/>
</Model>`,
    },
  ],
  ...makePeople('ONE', { sys: 'System' }),
}

const MB = 1024 * 1024
const BOUND = 8 * MB
const ROWS = 1000

function fill(file: string): void {
  using database = new Database(file)
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
     INSERT INTO pages (Title, Body)
     SELECT 'Page ' || i, replace(hex(zeroblob(30000)), '0', 'x') FROM n`,
  )
}

/** The most memory that the process has held so far, in bytes. */
function peakOf(pid: number): number {
  const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Number(kibibytes) * 1024
}

test('three pages beyond the bound at once take a few times the bound', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  const template = await findTemplate(PAGES)
  copyTemplate(template, dataFolder)
  fill(join(dataFolder, 'engine.db'))
  const args = [`--Svc:Results:MaxBytes=${BOUND}`]
  await using server = await startExecutable({ dataFolder, args })
  const load = async (body: object): Promise<number | string> => {
    const answer = await fetch(`${server.url}/api/v1/svc/object/Pages/table`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${template.tokens.sys}`,
      },
      body: JSON.stringify(body),
    })
    const { code, data } = (await answer.json()) as { code?: string; data?: { Rows: object[] } }
    return code ?? data?.Rows.length ?? answer.status
  }
  expect(await load({ PageSize: 10 })).toBe(10)
  const before = peakOf(server.pid)
  const sizes = [ROWS, ROWS - 1, ROWS - 2]
  const refused = await Promise.all(sizes.map((PageSize) => load({ PageSize, CountMode: 'none' })))
  expect(refused).toEqual(sizes.map(() => 'RESULT_TOO_LARGE'))
  const grown = peakOf(server.pid) - before
  expect(grown).toBeLessThan(6 * BOUND)
  expect(await load({ PageSize: 10 })).toBe(10)
})
