/** Code-defined reports as PDF: drawn, whole, with the operator's logo, and by nobody any more. */
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPrintedRecords } from '../../support/printed-records.ts'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const QUERIES: readonly [key: string, query: Record<string, string>][] = [
  ['list', { object: 'bills', group: 'Status', totals: 'Total' }],
  ['record', { object: 'bills', Id: '1' }],
  ['page', { report: 'turnover', From: '2026-01-01' }],
  ['slip', { Id: '1' }],
]

test('every report is drawn, and shown in place where that is asked for', async () => {
  await using gallery = await startPrintedRecords()
  mkdirSync(join(gallery.app.folder, 'branding'))
  writeFileSync(join(gallery.app.folder, 'branding/logo.png'), Buffer.from(PNG, 'base64'))
  for (const [key, query] of QUERIES) {
    const { status, headers, text } = await gallery.get('clerk', key, { inline: 'true', ...query })
    expect({ key, status, text: status === 200 ? '' : text }).toEqual({
      key,
      status: 200,
      text: '',
    })
    expect(headers.get('Content-Type')).toBe('application/pdf')
    expect(headers.get('Content-Disposition')).toMatch(/^inline; filename="[A-Z][\w -]+\.pdf"$/)
    expect(text.slice(0, 5)).toBe('%PDF-')
  }
  expect(readdirSync(join(gallery.app.folder, 'exports'))).toEqual([])
})
