/** The report that goes with a mail: made when it goes, as the user who caused it. */
import { describe, expect, test } from 'bun:test'
import { type MailedReportOrder, openDeliverer } from '../../../src/engine/mail/deliverer.ts'
import type { ReportFileFormat } from '../../../src/engine/printed-reports/printed-report.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { INVOICE_ROWS, INVOICES } from '../../support/invoices.ts'
import { planMailing } from '../../support/mailed-reports.ts'
import { replaceBehind } from '../../support/model-changes.ts'
import { mailBy, startSmtp } from '../../support/smtp.ts'

const ALL = { company: 'all', because: 'a test' } as const

const write = (app: TestApp, sql: string) => app.store.write((tx) => tx.run(sql, {}), ALL)

/** Bills, and what makes their documents: as JSON where a test reads what they say. */
async function startBilling(
  settings: Record<string, string> = {},
  formats: readonly ReportFileFormat[] = ['json'],
) {
  const app = await startApp({ application: INVOICES, settings })
  for (const sql of INVOICE_ROWS) await write(app, sql)
  const make = planMailing(app, formats)
  const order = (as: string, more: Partial<MailedReportOrder> = {}): Promise<MailedReportOrder> =>
    app.context.callers.verify(app.tokens[as] ?? '').then(({ userId, companyId }) => ({
      report: 'invoice',
      arguments: { BillId: 1 },
      userId,
      companyId,
      language: 'en',
      bytesMax: 1_000_000,
      ...more,
    }))
  const [dispose, refuse] = [() => app[Symbol.asyncDispose](), refusalOf]
  return { app, make, order, refuse, [Symbol.asyncDispose]: dispose }
}

async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return Reflect.get(Object(error), 'kind')
  }
  return 'made'
}

describe('the report of a mail', () => {
  test('is what its user sees, in the language of who gets it', async () => {
    await using bills = await startBilling()
    const clerk = await bills.make(await bills.order('clerk', { language: 'de' }))
    const text = clerk.content.toString()
    expect(clerk).toMatchObject({ name: 'Rechnung B-1.json', contentType: 'application/json' })
    expect(text).toContain('Rechnung B-1')
    expect(text).toContain('999.25')
    const seller = (await bills.make(await bills.order('seller'))).content.toString()
    expect(seller).toContain('Invoice B-1')
    for (const hidden of ['999.25', 'Margin', 'Mill Lane', 'Hours'])
      expect(seller).not.toContain(hidden)
  })

  test('is made by the model of now, however often it changes meanwhile', async () => {
    await using bills = await startBilling()
    const order = await bills.order('clerk')
    using replacing = replaceBehind(bills.app, 12)
    expect((await bills.make(order)).content.toString()).toContain('B-1')
    expect(replacing.left).toBe(0)
  })

  test('follows the rights of now: lost roles, rows that moved, locked users', async () => {
    await using bills = await startBilling()
    const order = await bills.order('seller')
    expect(await bills.refuse(bills.make(order))).toBe('made')
    await write(bills.app, "UPDATE bills SET Status = 'paid' WHERE Id = 1")
    expect(await bills.refuse(bills.make(order))).toBe('notFound')
    await write(bills.app, "UPDATE bills SET Status = 'new' WHERE Id = 1")
    await write(bills.app, `DELETE FROM svc_user_roles WHERE UserId = ${order.userId}`)
    bills.app.context.callers.forgetUser(order.userId)
    expect(await bills.refuse(bills.make(order))).toBe('unauthorized')
    const clerk = await bills.order('clerk')
    await write(bills.app, `UPDATE svc_users SET Active = 0 WHERE Id = ${clerk.userId}`)
    bills.app.context.callers.forgetUser(clerk.userId)
    expect(await bills.refuse(bills.make(clerk))).toBe('unauthorized')
  })

  test('is of the company of its record, whatever the arguments say', async () => {
    await using bills = await startBilling()
    const clerk = await bills.order('clerk')
    const companies = { Id: 3, CompanyId: 2, CurrentCompanyId: 2 }
    expect(await bills.refuse(bills.make({ ...clerk, arguments: companies }))).toBe('notFound')
    expect(await bills.refuse(bills.make({ ...clerk, companyId: 2 }))).toBe('unauthorized')
    expect(await bills.refuse(bills.make({ ...clerk, arguments: {} }))).toBe('validation')
    expect(await bills.refuse(bills.make({ ...clerk, report: 'nothing' }))).toBe('notFound')
  })

  test('may be a report page, under the gate of that page', async () => {
    await using bills = await startBilling()
    const page = { report: 'sums', arguments: {} }
    const made = await bills.make(await bills.order('clerk', page))
    expect(made.content.toString()).toContain('B-2')
    expect(made.content.toString()).not.toContain('B-3')
    expect(await bills.refuse(bills.make(await bills.order('seller', page)))).toBe('unauthorized')
  })

  test('is not sent beyond its bytes', async () => {
    await using bills = await startBilling()
    const order = await bills.order('clerk', { bytesMax: 100 })
    expect(await bills.refuse(bills.make(order))).toBe('tooLarge')
  })
})

test('a mail arrives with its report, and one whose report is refused never leaves', async () => {
  await using smtp = await startSmtp()
  await using bills = await startBilling(mailBy(smtp), ['pdf'])
  const { userId } = await bills.order('clerk')
  for (const id of [1, 3]) {
    const payload = { To: 'bo@desk.test', Role: null, User: null, Users: null, Body: null }
    const report = { Subject: `Bill ${id}`, Report: 'invoice', With: { Id: id } }
    await bills.app.store.write(
      (tx) =>
        tx.run(
          `INSERT INTO svc_outbox (At, Kind, CompanyId, UserId, Source, Payload, State, Attempts)
           VALUES (@at, 'mail', 1, @userId, 'Bills', @payload, 'pending', 0)`,
          {
            at: new Date().toISOString(),
            userId,
            payload: JSON.stringify({ ...payload, ...report }),
          },
        ),
      ALL,
    )
  }
  await openDeliverer(bills.app.context, bills.make).run()
  expect(smtp.mails).toHaveLength(1)
  const [mail] = smtp.mails
  expect(mail?.text).toContain('filename="Invoice B-1.pdf"')
  const base64 = /Content-Disposition: attachment[^]*?\r?\n\r?\n([A-Za-z0-9+/=\s]+)/.exec(
    mail?.text ?? '',
  )
  const content = Buffer.from(base64?.[1]?.replace(/\s/g, '') ?? '', 'base64').toString()
  expect(content.slice(0, 5)).toBe('%PDF-')
  // The title of the file, which is not compressed.
  expect(content).toContain('Invoice B-1')
  const states = await bills.app.store.all('SELECT State FROM svc_outbox ORDER BY Id')
  expect(states.map(({ State }) => State)).toEqual(['sent', 'parked'])
  expect(bills.app.log.join()).toContain('There is no such record')
})
