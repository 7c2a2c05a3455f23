/** `Schedule To` of a report: each recipient's file is made by their own rights. */
import { expect, test } from 'bun:test'
import { renderLog } from '../../../src/engine/jobs/job-history.ts'
import { startApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'
import { until } from '../../support/until.ts'

const MODEL = `<Model>
<Report Name="Weekly" Label="Week">
  <Filters><Filter Name="Region" Type="Text" Required="true"/></Filters>
  <DataSets><DataSet Name="One" Mode="Single"><Sql>SELECT @Region AS Region</Sql></DataSet></DataSets>
  <Widgets><Widget Name="W" Kind="Table" DataSet="One"/></Widgets>
  <Schedule Cron="0 6 * * 1" To="Lead" With="Region='north'"/>
</Report>
<Rbac>
  <Role Name="Lead"/>
  <Role Name="Reader"><Grant Resource="Weekly" Verbs="List Export"/></Role>
  <Role Name="Looker"><Grant Resource="Weekly" Verbs="List"/></Role>
</Rbac>
</Model>`

const OFFICES: TestApplication = {
  files: [{ name: 'offices.xml', body: MODEL }],
  ...makePeople(
    'ONE TWO',
    {
      sys: 'System in ONE TWO',
      lead: 'Lead Reader',
      second: 'Lead Reader',
      looker: 'Lead Looker',
      reader: 'Reader',
      locked: 'Lead Reader',
      far: 'Lead Reader in TWO',
    },
    'offices.test',
  ),
}

test('one mail for each who has the role there and may take the report out', async () => {
  await using app = await startApp({ application: OFFICES })
  const lock = (id: number) =>
    app.store.write((tx) => tx.run(`UPDATE svc_users SET Active = 0 WHERE Id = ${id}`), {
      company: 'all',
      because: 'a test',
    })
  await lock(6)
  const path = '/api/v1/hangfire/recurring/Weekly%40ONE/trigger'
  expect((await app.fetch(path, { as: 'sys', body: {} })).status).toBe(200)
  await app.context.jobs.start()
  const find = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })
  const done = () => find(`SELECT * FROM svc_jobs WHERE State = 'Succeeded'`)
  await until(async () => (await done()).length > 0)
  await app.context.jobs.stop()
  const [job] = await done()
  expect(job).toMatchObject({ Name: 'report-mail', CompanyId: 1, UserId: null })
  expect(JSON.parse(String(job?.Result))).toEqual({ Mails: 2 })
  expect(renderLog(String(job?.Log), 'en').join()).toContain('looker gets no mail')
  const mails = await find('SELECT UserId, CompanyId, Source, Payload FROM svc_outbox ORDER BY Id')
  expect(mails.map(({ Payload, ...mail }) => [mail, JSON.parse(String(Payload))])).toEqual(
    [2, 3].map((UserId) => [
      { UserId, CompanyId: 1, Source: 'schedule/Weekly' },
      {
        To: null,
        Role: null,
        User: null,
        Users: [UserId],
        Subject: 'Week',
        Body: null,
        Report: 'Weekly',
        With: { Region: 'north' },
      },
    ]),
  )
})
