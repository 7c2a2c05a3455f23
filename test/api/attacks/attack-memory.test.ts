/** SQL that builds huge values is ended for what it takes, and others’ requests go on. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { data, Objects, refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const NUMBERS =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i &lt; 4000000)'
const HUGE = `${NUMBERS} SELECT length(group_concat(replace('aaaaaaaaaaaaaaaa', 'a', 'aaaaaaaaaaaaaaaa'))) AS L FROM n`

const MODEL = `<Model>
<Entity Name="Note" Table="notes"><Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="N" Type="Integer"/></Entity>
<ObjectView Name="Notes" Entity="Note">
  <RowAction Name="Grow" For="View"><Sql>UPDATE notes SET N = (${HUGE})</Sql></RowAction>
</ObjectView>
<ObjectView Name="Huge"><TableQuery>SELECT 1 AS Id, (${HUGE}) AS L</TableQuery></ObjectView>
<StoredProcedure Name="Grow" Mode="Read"><Sql Result="R">${HUGE}</Sql></StoredProcedure>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE', { sys: 'System' }),
}

test('a statement that takes too much memory is ended, and the next ones work', async () => {
  const settings = { 'Svc:Sql:MaxMemory': String(64 * 1024 * 1024) }
  await using notes = new Objects(await startApp({ application: APPLICATION, settings }))
  await notes.save('sys', 'Notes', { N: 1 })
  const grow = notes.app.fetch<{ code: string }>('/api/v1/svc/rpc/Grow', {
    as: 'sys',
    body: { Parameters: {} },
  })
  expect((await notes.table('sys', 'Notes')).Rows).toHaveLength(1)
  const { status, body } = await grow
  expect([status, body.code]).toEqual([400, 'SQL_MEMORY'])
  const { code, error } = refusal(await notes.call('sys', '/Huge/table', {}), 400)
  expect(code).toBe('SQL_MEMORY')
  expect(error).toContain('Svc:Sql:MaxMemory')
  expect(refusal(await notes.act('sys', 'Notes', 'Grow', {}), 400).code).toBe('SQL_MEMORY')
  data(await notes.submit('sys', 'Notes', { Id: 1, N: 2 }))
  expect((await notes.table('sys', 'Notes')).Rows).toMatchObject([{ N: 2 }])
})
